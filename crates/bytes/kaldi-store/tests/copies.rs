//! Copies of folders: what is there already is left out.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::support::s3::{S3, SECRET, settings};
use crate::support::{Answer, Server, scratch, store};

/// Standard output, the log and the status of a command.
fn run(command: &mut Command) -> (String, String, i32) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status.code().unwrap())
}

#[test]
fn a_copy_that_broke_off_goes_on() {
    let s3 = S3::start();
    let (folder, _) = scratch("");
    let place = |name: &str| folder.path().join(name);
    fs::create_dir_all(place("in/sub")).unwrap();
    for at in 0..40 {
        fs::write(place(&format!("in/sub/{at}")), format!("shard {at:02}")).unwrap();
    }
    let copy = |words: &[&str]| {
        let mut all = vec!["cp", "--recursive"];
        all.extend(words);
        run(s3.store(&all).current_dir(folder.path()))
    };
    let (said, log, code) = copy(&["--dry-run", "in", "s3://bucket/out"]);
    assert!(code == 0 && log.contains("Would copy 40 objects; 0 were there already"), "{log}");
    assert_eq!(said.lines().count(), 40);
    assert!(said.contains("copy               8 in/sub/7 s3://bucket/out/sub/7\n"), "{said}");
    assert!(!s3.object("out").exists());
    let (_, log, _) = copy(&["in", "s3://bucket/out"]);
    assert!(log.contains("Copied 40 objects of 0.0 MB in ") && log.contains("; 0 were there already"), "{log}");
    // One is missing, one is another one of the same length, one is longer.
    fs::remove_file(s3.object("out/sub/3")).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    fs::write(place("in/sub/5"), "SHARD 05").unwrap();
    // It is older than the object; what it was before is not.
    let old = fs::File::create(place("old")).unwrap();
    fs::write(place("old"), "SHARD 06").unwrap();
    old.set_modified(SystemTime::UNIX_EPOCH).unwrap();
    fs::rename(place("old"), place("in/sub/6")).unwrap();
    fs::write(place("in/sub/7"), "longer shard").unwrap();
    let (said, _, _) = copy(&["--dry-run", "in", "s3://bucket/out"]);
    assert_eq!(said.lines().filter(|line| line.starts_with("copy ")).count(), 4, "{said}");
    let (_, log, _) = copy(&["in", "s3://bucket/out"]);
    assert!(log.contains("Copied 4 objects") && log.contains("; 36 were there already"), "{log}");
    assert_eq!(fs::read(s3.object("out/sub/6")).unwrap(), b"SHARD 06");
    // Back, and back again.
    let (_, log, _) = copy(&["s3://bucket/out", "back"]);
    assert!(log.contains("Copied 40 objects"), "{log}");
    fs::remove_file(place("back/sub/9")).unwrap();
    fs::write(place("back/sub/8"), "SHARD 08").unwrap();
    let (_, log, _) = copy(&["s3://bucket/out", "back"]);
    assert!(log.contains("Copied 2 objects") && log.contains("; 38 were there already"), "{log}");
    assert_eq!(fs::read(place("back/sub/8")).unwrap(), b"shard 08");
    // Within the store, and within the disk.
    for (from, to) in [("s3://bucket/out", "s3://bucket/twice"), ("back", "here")] {
        assert!(copy(&[from, to]).1.contains("Copied 40 objects"));
        assert!(copy(&[from, to]).1.contains("Copied 0 objects"));
        assert!(copy(&["--skip=false", from, to]).1.contains("Copied 40 objects"));
    }
    // Several sources are as good as a folder.
    let several = |words: &[&str]| run(s3.store(words).current_dir(folder.path())).1;
    assert!(several(&["cp", "in/sub/1", "in/sub/2", "s3://bucket/flat"]).contains("Copied 2 objects"));
    assert!(several(&["cp", "in/sub/1", "in/sub/2", "s3://bucket/flat"]).contains("; 2 were there already"));
    let (said, _, _) = run(&mut s3.store(&["rm", "--recursive", "--dry-run", "s3://bucket/flat"]));
    assert_eq!(said, "rm s3://bucket/flat/1\nrm s3://bucket/flat/2\n");
    assert!(s3.object("flat/1").exists());
}

/// A server that gives entity tags, as stores do: the MD5 sum of the bytes.
#[test]
fn objects_with_the_same_tag_are_the_same() {
    let tag = |bytes: &[u8]| format!("{:x}", md5_of(bytes));
    let listed = [("same", tag(b"12345")), ("other", tag(b"54321")), ("parts", format!("{}-2", tag(b"12345")))];
    let server = Server::start(move |asked| {
        if asked.path.contains("list-type=2") {
            let entry = |(name, tag): &(&str, String)| {
                format!(
                    "<Contents><Key>dir/{name}</Key><LastModified>2100-01-01T00:00:00.000Z</LastModified>\
                     <ETag>&quot;{tag}&quot;</ETag><Size>5</Size></Contents>"
                )
            };
            let entries: String = listed.iter().map(entry).collect();
            let text = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{entries}</ListBucketResult>");
            return Answer { body: text.into_bytes(), ..Answer::new(200) };
        }
        Answer::new(200).with("ETag", "\"1\"")
    });
    let (folder, _) = scratch("");
    fs::create_dir(folder.path().join("in")).unwrap();
    for name in ["same", "other", "parts"] {
        fs::write(folder.path().join("in").join(name), "12345").unwrap();
    }
    let mut command = store(&["cp", "--recursive", "--dry-run", "in", "s3://bucket/dir"]);
    settings(command.current_dir(folder.path()), &server.url, SECRET);
    let (said, _, _) = run(&mut command);
    let skipped: Vec<&str> = said.lines().filter(|line| line.starts_with("skip ")).collect();
    assert_eq!(skipped, ["skip               5 in/same s3://bucket/dir/same"], "{said}");
}

fn md5_of(bytes: &[u8]) -> md5::Digest {
    md5::compute(bytes)
}

#[test]
fn one_that_fails_does_not_end_the_others() {
    let s3 = S3::start();
    let (folder, _) = scratch("");
    let place = |name: &str| folder.path().join(name);
    fs::create_dir_all(place("in")).unwrap();
    for at in 0..30 {
        fs::write(place(&format!("in/{at:02}")), "x").unwrap();
    }
    // A folder stands where an object should go.
    fs::create_dir_all(place("out/07")).unwrap();
    fs::write(place("out/07/x"), "x").unwrap();
    let (_, log, code) = run(s3.store(&["cp", "--recursive", "in", "out"]).current_dir(folder.path()));
    assert!(
        code == 255 && log.contains("1 of 30 objects have failed; the first one: ") && log.contains("out/07"),
        "{log}"
    );
    assert_eq!(fs::read_dir(place("out")).unwrap().count(), 30);
    // Two sources of one name.
    fs::create_dir_all(place("more")).unwrap();
    fs::write(place("more/01"), "y").unwrap();
    let (_, log, code) = run(s3.store(&["cp", "in/01", "more/01", "s3://bucket/flat"]).current_dir(folder.path()));
    assert!(code == 255 && log.contains("two sources would be copied to s3://bucket/flat/01"), "{log}");
    assert!(!s3.object("flat").exists());
    // Links to folders are followed, once.
    fs::create_dir_all(place("linked")).unwrap();
    symlink(place("in"), place("linked/all")).unwrap();
    symlink(place("linked"), place("linked/loop")).unwrap();
    let (_, log, _) = run(s3.store(&["cp", "--recursive", "linked", "s3://bucket/linked"]).current_dir(folder.path()));
    assert!(
        log.contains("Copied 30 objects") && log.contains("loop: this folder is copied under another name"),
        "{log}"
    );
}

/// A store that refuses everything is not asked a thousand times.
#[test]
fn a_store_that_refuses_ends_the_copy() {
    let server = Server::start(|_| Answer::new(403));
    let (folder, _) = scratch("");
    fs::create_dir_all(folder.path().join("in")).unwrap();
    for at in 0..200 {
        fs::write(folder.path().join(format!("in/{at}")), "x").unwrap();
    }
    let mut command = store(&["cp", "--recursive", "in", "s3://bucket/dir"]);
    settings(command.current_dir(folder.path()), &server.url, SECRET);
    let (_, log, code) = run(&mut command);
    assert!(code == 255 && log.contains("of 200 objects have failed"), "{log}");
    assert!(server.asked().len() < 60, "{}", server.asked().len());
}
