//! Objects in a real S3 server, which checks signatures.

use std::fs;
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::s3::{KEY, S3, SECRET, settings};
use crate::support::{self, Server, fail, has_thread, noise, scratch, succeed, tool, wait_for};

/// Tables of the samples in the repository.
fn sample(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../samples").join(name).to_str().unwrap().to_owned()
}

#[test]
fn an_archive_and_its_script_file_are_written_and_read() {
    let s3 = S3::start();
    let (_folder, local) = scratch("copy.ark");
    let source = format!("ark:{}", sample("feats.ark"));
    succeed(tool("copy-feats").args([&source, &format!("ark:{}", local.display())]));
    for script in ["s3://bucket/dir/f.scp", &format!("{}.scp", local.display())] {
        let target = format!("ark,scp:s3://bucket/dir/f.ark,{script}");
        succeed(&mut s3.tool("copy-feats", &[&source, &target]));
        assert!(fs::read(s3.object("dir/f.ark")).unwrap() == fs::read(&local).unwrap());
        let lines = succeed(&mut s3.store(&["cat", script]));
        assert!(lines.starts_with(b"anna-01 s3://bucket/dir/f.ark:8\n"), "{}", lines.escape_ascii());
        let read = succeed(&mut s3.tool("copy-feats", &[&format!("scp:{script}"), "ark:-"]));
        assert!(read == fs::read(&local).unwrap());
    }
}

#[test]
fn long_objects_are_written_in_parts() {
    let s3 = S3::start();
    let (_folder, local) = scratch("local");
    let bytes = noise(40 << 20);
    fs::write(&local, bytes).unwrap();
    succeed(&mut s3.store(&["cp", local.to_str().unwrap(), "s3://bucket/long"]));
    assert!(fs::read(s3.object("long")).unwrap() == bytes);
    assert!(succeed(&mut s3.store(&["cat", "s3://bucket/long"])) == bytes);
    assert!(succeed(&mut s3.store(&["cat", "s3://bucket/long:41000000"])) == bytes[41_000_000..]);
    let line = String::from_utf8(succeed(&mut s3.store(&["stat", "s3://bucket/long"]))).unwrap();
    assert!(line.starts_with(&format!("{} ranges ", bytes.len())), "{line}");
    succeed(&mut s3.store(&["rm", "s3://bucket/long"]));
    assert!(s3.objects().is_empty());
    assert!(fail(&mut s3.store(&["rm", "s3://bucket/long"])).ends_with("s3://bucket/long: there is no such object"));
}

#[test]
fn names_with_odd_letters_are_those_of_objects() {
    let s3 = S3::start();
    let (_folder, local) = scratch("local");
    fs::write(&local, "x").unwrap();
    for key in ["a b", "a%20b", "a+b&c=d?e", "\u{e4}/\u{4e2d}", "a'b", "a=b,c"] {
        let name = format!("s3://bucket/{key}");
        succeed(&mut s3.store(&["cp", local.to_str().unwrap(), &name]));
        assert_eq!(fs::read(s3.object(key)).unwrap(), b"x", "{key}");
        assert_eq!(succeed(&mut s3.store(&["cat", &name])), b"x", "{key}");
    }
    fs::write(s3.object("a:12"), "y").unwrap();
    assert_eq!(succeed(&mut s3.store(&["cat", "s3://bucket/a:12:0"])), b"y");
}

#[test]
fn a_tool_that_fails_leaves_no_object() {
    let s3 = S3::start();
    fs::write(s3.object("old.ark"), "old").unwrap();
    let (_folder, broken) = scratch("broken");
    // More than a part, and then no vector.
    let vector = [b"a \0BFV \x04\x40\x42\x0f\0".as_slice(), &vec![0; 4_000_000]].concat();
    fs::write(&broken, [vector.repeat(6).as_slice(), b"b [ x ]\n"].concat()).unwrap();
    let source = format!("ark:{}", broken.display());
    for target in
        ["ark:s3://bucket/new.ark", "ark:s3://bucket/old.ark", "ark,scp:s3://bucket/new.ark,s3://bucket/new.scp"]
    {
        let line = fail(&mut s3.tool("copy-vector", &[&source, target]));
        assert!(line.contains("got \"x\""), "{line}");
    }
    assert_eq!(s3.objects(), ["old.ark"]);
    assert_eq!(fs::read(s3.object("old.ark")).unwrap(), b"old");
}

/// A tool that has written this many megabytes to a new object, and the stream that it waits for more from.
fn writing(command: &mut Command, megabytes: usize) -> (Child, ChildStdin) {
    let mut child = command.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let vector = [b"a \0BFV \x04\x90\xd0\x03\0".as_slice(), &vec![0; 1_000_000]].concat();
    stdin.write_all(&vector.repeat(megabytes)).unwrap();
    (child, stdin)
}

fn send(signal: &str, child: &Child) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_tool_that_is_killed_leaves_no_object() {
    let s3 = S3::start();
    // Killed before anything is written, within the first part, and within a later one.
    for megabytes in [0, 2, 40] {
        let mut command = s3.tool("copy-vector", &["ark:-", "ark:s3://bucket/new.ark"]);
        let (mut child, stdin) = writing(&mut command, megabytes);
        wait_for("the thread", || has_thread(child.id(), "stores"));
        child.kill().unwrap();
        child.wait().unwrap();
        drop(stdin);
        assert!(s3.objects().is_empty(), "after {megabytes} MB");
    }
}

#[test]
fn a_signal_removes_the_parts_and_ends_the_tool() {
    let s3 = S3::start();
    for (signal, number) in [("-TERM", libc::SIGTERM), ("-INT", libc::SIGINT), ("-HUP", libc::SIGHUP)] {
        for megabytes in [0, 40] {
            let mut command = s3.tool("copy-vector", &["ark:-", "ark:s3://bucket/new.ark"]);
            let (child, stdin) = writing(&mut command, megabytes);
            wait_for("the thread", || has_thread(child.id(), "stores"));
            wait_for("a part", || megabytes == 0 || !s3.parts().is_empty());
            send(signal, &child);
            let output = child.wait_with_output().unwrap();
            drop(stdin);
            assert_eq!(output.status.signal(), Some(number), "{signal}");
            assert_eq!(output.stderr, b"", "{}", output.stderr.escape_ascii());
            assert!(s3.objects().is_empty() && s3.parts().is_empty(), "{signal}: {:?}", s3.parts());
        }
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    let s3 = S3::start();
    let mut command = s3.tool("copy-vector", &["ark:-", "ark:s3://bucket/new.ark"]);
    // SAFETY: `signal` may be called between fork and exec.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGINT, libc::SIG_IGN);
            Ok(())
        });
    }
    let (child, stdin) = writing(&mut command, 40);
    wait_for("a part", || !s3.parts().is_empty());
    send("-INT", &child);
    drop(stdin);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(s3.objects(), ["new.ark"]);
}

#[test]
fn a_store_that_is_silent_does_not_keep_a_tool_from_its_end() {
    let server = Server::start(|asked| match asked.method.as_str() {
        "POST" => support::Answer {
            body: b"<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>".to_vec(),
            ..support::Answer::new(200)
        },
        _ => support::Answer { pause: Duration::from_secs(1000), ..support::Answer::new(200) },
    });
    let mut command = tool("copy-vector");
    settings(command.args(["ark:-", "ark:s3://bucket/new.ark"]), &server.url, SECRET);
    let (child, stdin) = writing(command.env("KALDI_STORE_TIMEOUT", "1000"), 40);
    wait_for("a part", || server.asked().iter().any(|asked| asked.method == "PUT"));
    let start = Instant::now();
    send("-TERM", &child);
    assert_eq!(child.wait_with_output().unwrap().status.signal(), Some(libc::SIGTERM));
    drop(stdin);
    assert!(start.elapsed() < Duration::from_secs(200), "{:?}", start.elapsed());
    wait_for("the request that gives the parts up", || server.asked().iter().any(|asked| asked.method == "DELETE"));
}

#[test]
fn a_refused_credential_is_one_line_without_the_secret() {
    let s3 = S3::start();
    fs::write(s3.object("a"), "x").unwrap();
    for words in [["cat", "s3://bucket/a"], ["stat", "s3://bucket/a"], ["ls", "s3://bucket/"], ["cp", "/dev/null"]] {
        let mut words = words.to_vec();
        if words[0] == "cp" {
            words.push("s3://bucket/b");
        }
        let mut command = tool("kaldi-store");
        command.args(["--print-args=true", "--verbose=3"]).args(&words);
        settings(&mut command, &s3.endpoint, "wr0ngs3cr3t");
        let output = command.output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(255), "{words:?}: {log}");
        assert!(log.trim_end().lines().count() == 2 && log.contains("access is refused"), "{words:?}: {log}");
        for secret in ["wr0ngs3cr3t", KEY, "Signature="] {
            assert!(!log.contains(secret), "{words:?}: {log}");
        }
    }
}

#[test]
fn an_object_that_is_replaced_while_it_is_read_is_an_error() {
    // The answers of a store, without one: the entity tag is asked for.
    let bytes = noise(3 << 20);
    let server = Server::start(move |asked| {
        let tag =
            if asked.header("range").starts_with("bytes=0-") || asked.method == "HEAD" { "\"1\"" } else { "\"2\"" };
        match asked.header("if-match") {
            "" => support::Answer::object(asked, bytes, tag),
            wanted if wanted == tag => support::Answer::object(asked, bytes, tag),
            _ => support::Answer::new(412),
        }
    });
    let mut command = support::store(&["cat", "s3://bucket/a"]);
    settings(&mut command, &server.url, SECRET);
    let line = fail(&mut command);
    assert!(line.contains("the object has changed while it was read"), "{line}");
}

#[test]
fn requests_to_a_store_are_tried_again() {
    let server = Server::start(|asked| match asked.before {
        0 if asked.method == "HEAD" => support::Answer::new(503),
        2 => support::Answer { cut: Some(5), ..support::Answer::object(asked, b"0123456789", "\"1\"") },
        3 => support::Answer::new(429),
        _ => support::Answer::object(asked, b"0123456789", "\"1\""),
    });
    let mut command = support::store(&["--verbose=2", "cat", "s3://bucket/a"]);
    settings(&mut command, &server.url, SECRET);
    let output = command.output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.stdout, b"0123456789", "{log}");
    assert_eq!(log.matches("trying again in").count(), 3, "{log}");
    assert_eq!(server.asked().last().unwrap().header("range"), "bytes=5-9");
}

#[test]
fn folders_are_listed_page_by_page() {
    let page = |rest: &str, keys: &[&str]| {
        let objects: String = keys
            .iter()
            .map(|key| format!("<Contents><Key>dir/{key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>1</ETag><Size>5</Size></Contents>"))
            .collect();
        let text = format!(
            "<ListBucketResult>{rest}{objects}<CommonPrefixes><Prefix>dir/sub/</Prefix></CommonPrefixes></ListBucketResult>"
        );
        support::Answer { body: text.into_bytes(), ..support::Answer::new(200) }
    };
    let server = Server::start(move |asked| match asked.path.contains("continuation-token=next") {
        false => page("<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>", &["a"]),
        true => page("<IsTruncated>false</IsTruncated>", &["b"]),
    });
    let mut command = support::store(&["ls", "s3://bucket/dir/"]);
    settings(&mut command, &server.url, SECRET);
    let lines = String::from_utf8(succeed(&mut command)).unwrap();
    let names: Vec<&str> = lines.lines().map(str::trim).collect();
    for line in ["5 s3://bucket/dir/a", "5 s3://bucket/dir/b", "s3://bucket/dir/sub/"] {
        assert!(names.contains(&line), "{lines}");
    }
    // A list that has no end is no list.
    let server = Server::start(move |_| {
        page("<IsTruncated>true</IsTruncated><NextContinuationToken>next</NextContinuationToken>", &["a"])
    });
    let mut command = support::store(&["ls", "s3://bucket/dir/"]);
    settings(&mut command, &server.url, SECRET);
    let line = fail(&mut command);
    assert!(line.contains("the server sends the same page of the list again and again"), "{line}");
    // A real server.
    let s3 = S3::start();
    fs::create_dir_all(s3.object("dir/sub")).unwrap();
    for key in ["dir/a", "dir/sub/b"] {
        fs::write(s3.object(key), "x").unwrap();
    }
    let lines = String::from_utf8(succeed(&mut s3.store(&["--recursive", "ls", "s3://bucket/dir/"]))).unwrap();
    assert!(lines.contains(" 1 s3://bucket/dir/a\n") && lines.contains(" 1 s3://bucket/dir/sub/b\n"), "{lines}");
}

#[test]
fn folders_are_copied_listed_and_removed() {
    let s3 = S3::start();
    let (folder, _) = scratch("");
    let run = |words: &[&str]| String::from_utf8(succeed(s3.store(words).current_dir(folder.path()))).unwrap();
    fs::create_dir_all(folder.path().join("in/sub")).unwrap();
    fs::write(folder.path().join("in/a"), "1").unwrap();
    fs::write(folder.path().join("in/sub/b"), "22").unwrap();
    // Into a folder, under their own names.
    run(&["cp", "in/a", "in/sub/b", "s3://bucket/flat"]);
    run(&["cp", "in/a", "s3://bucket/other/"]);
    assert_eq!(run(&["cat", "s3://bucket/flat/a", "s3://bucket/flat/b", "s3://bucket/other/a"]), "1221");
    run(&["cp", "--recursive", "in", "s3://bucket/deep"]);
    for name in ["s3://bucket/deep", "s3://bucket/deep/"] {
        let lines = run(&["ls", "--recursive", name]);
        assert!(lines.contains(" 1 s3://bucket/deep/a\n") && lines.contains(" 2 s3://bucket/deep/sub/b\n"), "{lines}");
    }
    for bucket in ["s3://bucket", "s3://bucket/"] {
        let lines = run(&["ls", bucket]);
        assert!(lines.contains(" s3://bucket/deep/") && lines.contains(" s3://bucket/flat/"), "{lines}");
    }
    assert_eq!(run(&["ls", "s3://bucket/deep/sub/b"]), format!("{:>15} s3://bucket/deep/sub/b\n", 2));
    run(&["cp", "--recursive", "s3://bucket/deep", "out"]);
    assert_eq!(fs::read(folder.path().join("out/sub/b")).unwrap(), b"22");
    run(&["cp", "s3://bucket/deep/a", "out"]);
    assert_eq!(fs::read(folder.path().join("out/a")).unwrap(), b"1");
    // A folder that is listed again is as full.
    let lines = run(&["rm", "--recursive", "--dry-run", "s3://bucket/deep", "s3://bucket/deep"]);
    assert_eq!(lines, "rm s3://bucket/deep/a\nrm s3://bucket/deep/sub/b\n".repeat(2));
    run(&["rm", "--recursive", "s3://bucket/deep"]);
    for words in [["ls", "s3://bucket/deep/"], ["ls", "s3://bucket/none"]] {
        let output = s3.store(&words).output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && log.contains("there is no such folder"), "{log}");
        assert_eq!(log.trim_end().lines().count(), 1, "{log}");
    }
    let line = fail(&mut s3.store(&["rm", "--recursive", "s3://bucket/"]));
    assert!(line.contains("a whole bucket"), "{line}");
    let line = fail(&mut s3.store(&["cp", "--recursive", "s3://bucket/none", "out"]));
    assert!(line.contains("there is no such folder"), "{line}");
}

#[test]
fn names_of_a_store_stay_in_their_folder() {
    let server = Server::start(|asked| match asked.path.contains("list-type=2") {
        true => {
            let object = "<Contents><Key>dir/../../evil</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>1</ETag><Size>5</Size></Contents>";
            let text = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{object}</ListBucketResult>");
            support::Answer { body: text.into_bytes(), ..support::Answer::new(200) }
        }
        false => support::Answer::object(asked, b"12345", "\"1\""),
    });
    let (folder, _) = scratch("");
    let mut command = support::store(&["cp", "--recursive", "s3://bucket/dir", "a/b/out"]);
    settings(command.current_dir(folder.path()), &server.url, SECRET);
    let line = fail(&mut command);
    assert!(line.contains("expected names of files in the folder, got \"../../evil\""), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    for name in ["s3://bucket/../evil/x", "s3://bucket/a/../../evil/x"] {
        let mut command = support::store(&["cp", "/dev/null", name]);
        let before = server.asked().len();
        settings(&mut command, &server.url, SECRET);
        let line = fail(&mut command);
        assert!(line.contains("may lead out of its folder or bucket"), "{line}");
        assert_eq!(server.asked().len(), before);
    }
}

#[test]
fn missing_credentials_are_named_and_wrong_ones_are_the_stores_matter() {
    let s3 = S3::start();
    fs::write(s3.object("a"), "x").unwrap();
    let home = tempfile::tempdir().unwrap();
    for words in [["cat", "s3://bucket/a"].as_slice(), &["ls", "s3://bucket/"], &["cp", "/dev/null", "s3://bucket/b"]] {
        let mut command = s3.store(words);
        command.env_remove("AWS_ACCESS_KEY_ID").env_remove("AWS_SECRET_ACCESS_KEY").env("HOME", home.path());
        let line = fail(&mut command);
        assert!(line.contains("no credentials were found: set AWS_ACCESS_KEY_ID"), "{words:?}: {line}");
        let mut command = tool("kaldi-store");
        settings(command.args(words), &s3.endpoint, "wr0ngs3cr3t");
        let line = fail(&mut command);
        assert!(line.contains("access is refused (SignatureDoesNotMatch"), "{words:?}: {line}");
    }
}
