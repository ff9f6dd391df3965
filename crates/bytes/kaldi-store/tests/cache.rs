//! What is kept on disk of objects that were read.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::support::{Answer, Server, noise, scratch, store, succeed, tool};

const MEGABYTE: usize = 1 << 20;

/// `kaldi-store cat` with a cache.
fn cat(cache: &Path, url: &str) -> Command {
    let mut command = store(&["cat", url]);
    command.env("KALDI_STORE_CACHE", cache);
    command
}

/// The files of the cache.
fn blocks(cache: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(cache).into_iter().flatten().map(|folder| folder.unwrap().path());
    folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|file| file.unwrap().path())).collect()
}

fn bytes_of(cache: &Path) -> u64 {
    blocks(cache).iter().map(|path| fs::metadata(path).unwrap().len()).sum()
}

/// How many bytes were asked for since the first `before` requests.
fn asked_for(server: &Server, before: usize, length: usize) -> usize {
    server.asked()[before..].iter().filter_map(|asked| asked.range(length)).map(|(start, end)| end - start).sum()
}

#[test]
fn what_was_read_once_is_not_fetched_again() {
    let bytes = noise(3 * MEGABYTE + 17);
    let server = Server::of_object(bytes);
    let (_folder, cache) = scratch("cache/inner");
    let url = format!("{}/a?v=1&X-Amz-Signature=s3cr3t", server.url);
    assert!(succeed(&mut cat(&cache, &url)) == bytes);
    assert_eq!(blocks(&cache).len(), 13);
    let before = server.asked().len();
    // Another signature makes no other object.
    let signed = format!("{}/a?v=1&X-Amz-Signature=0th3r", server.url);
    assert!(succeed(&mut cat(&cache, &signed)) == bytes);
    assert!(succeed(&mut cat(&cache, &format!("{url}:1000000"))) == bytes[1_000_000..]);
    // One byte each is asked for, to see that it is the same object; where there is an offset, twice.
    assert_eq!((server.asked().len() - before, asked_for(&server, before, bytes.len())), (3, 3));
    // Another object has other blocks, also where its version is called the same.
    assert!(succeed(&mut cat(&cache, &format!("{}/a?v=2", server.url))) == bytes);
    assert_eq!(blocks(&cache).len(), 26);
    let text = format!("{:?}", blocks(&cache));
    assert!(!text.contains("s3cr3t") && !text.contains("127.0"), "{text}");
}

#[test]
fn values_of_script_lines_are_kept() {
    let vector = |index: usize| {
        let values: Vec<u8> = (0..5000).flat_map(|at| ((index * at) as f32).to_le_bytes()).collect();
        [format!("utt{index:03} \0BFV \x04").as_bytes(), &5000_u32.to_le_bytes(), &values].concat()
    };
    let archive: &'static [u8] = (0..100).flat_map(vector).collect::<Vec<_>>().leak();
    let server = Server::of_object(archive);
    let (folder, script) = scratch("scp");
    let lines = (0..100).map(|index| {
        let index = index * 37 % 100;
        format!("utt{index:03} {}/a:{}\n", server.url, index * (archive.len() / 100) + 7)
    });
    fs::write(&script, lines.collect::<String>()).unwrap();
    let cache = folder.path().join("cache");
    let copy = || {
        let mut command = tool("copy-vector");
        command.args([&format!("scp:{}", script.display()), "ark:-"]);
        succeed(command.env("KALDI_STORE_CACHE", &cache))
    };
    let copied = copy();
    assert!(copied.len() == archive.len() && copied != archive);
    let before = server.asked().len();
    assert!(copy() == copied);
    // Several may ask at the same time whether it is the same object.
    assert!(asked_for(&server, before, archive.len()) < 10, "{:?}", &server.asked()[before..]);
}

#[test]
fn an_object_that_has_changed_is_read_anew() {
    static IS_NEW: AtomicBool = AtomicBool::new(false);
    let [old, new] = [&noise(2 * MEGABYTE)[..MEGABYTE], &noise(2 * MEGABYTE)[MEGABYTE..]];
    let server = Server::start(move |asked| match IS_NEW.load(Ordering::Relaxed) {
        false => Answer::object(asked, old, "\"1\""),
        true => Answer::object(asked, new, "\"2\""),
    });
    let (_folder, cache) = scratch("cache");
    let url = format!("{}/a", server.url);
    assert!(succeed(&mut cat(&cache, &url)) == old);
    IS_NEW.store(true, Ordering::Relaxed);
    assert!(succeed(&mut cat(&cache, &url)) == new);
    IS_NEW.store(false, Ordering::Relaxed);
    assert!(succeed(&mut cat(&cache, &url)) == old);
}

#[test]
fn an_object_that_may_change_without_a_sign_is_not_kept() {
    for (name, value) in [("ETag", "W/\"1\"".to_owned()), ("X", "1".to_owned()), ("Last-Modified", now())] {
        let server = Server::start(move |asked| {
            let answer = Answer::object(asked, b"0123456789", "\"1\"");
            let headers = answer.headers.iter().filter(|(name, _)| name != "ETag").cloned();
            Answer { headers: headers.chain([(name.to_owned(), value.clone())]).collect(), ..answer }
        });
        let (_folder, cache) = scratch("cache");
        assert_eq!(succeed(&mut cat(&cache, &format!("{}/a", server.url))), b"0123456789");
        assert!(blocks(&cache).is_empty(), "{name}");
    }
}

#[test]
fn damaged_blocks_are_fetched_again() {
    let bytes = noise(MEGABYTE);
    let server = Server::of_object(bytes);
    let (_folder, cache) = scratch("cache");
    let url = format!("{}/a", server.url);
    assert!(succeed(&mut cat(&cache, &url)) == bytes);
    let [cut, flipped, empty, longer] = <[PathBuf; 4]>::try_from(blocks(&cache)).unwrap();
    let whole: Vec<Vec<u8>> = [&cut, &flipped, &empty, &longer].iter().map(|path| fs::read(path).unwrap()).collect();
    fs::write(&cut, &whole[0][..100_000]).unwrap();
    let mut other = whole[1].clone();
    other[200_000] ^= 1;
    fs::write(&flipped, other).unwrap();
    fs::write(&empty, "").unwrap();
    fs::write(&longer, [whole[3].as_slice(), b"x"].concat()).unwrap();
    for expected in [MEGABYTE + 1, 1] {
        let before = server.asked().len();
        assert!(succeed(&mut cat(&cache, &url)) == bytes);
        assert_eq!(asked_for(&server, before, bytes.len()), expected);
    }
    // A block of another place, and of another object, under this name.
    fs::copy(&cut, &flipped).unwrap();
    assert!(succeed(&mut cat(&cache, &url)) == bytes);
}

#[test]
fn the_blocks_that_were_not_used_for_longest_go() {
    let bytes = noise(MEGABYTE);
    let server = Server::of_object(bytes);
    let (_folder, cache) = scratch("cache");
    let url = |name: &str| format!("{}/{name}", server.url);
    let read = |name: &str| {
        let mut command = cat(&cache, &url(name));
        assert!(succeed(command.env("KALDI_STORE_CACHE_SIZE", "2500K")) == bytes);
    };
    fs::create_dir_all(cache.join("00")).unwrap();
    fs::write(cache.join("00/other"), vec![0; MEGABYTE]).unwrap();
    read("a");
    read("b");
    // As if it had been long ago.
    for path in blocks(&cache).iter().filter(|path| !path.ends_with("other")) {
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(7200)).unwrap();
    }
    read("a");
    read("c");
    assert!(bytes_of(&cache) <= (2500 << 10) + MEGABYTE as u64, "{}", bytes_of(&cache));
    assert!(cache.join("00/other").exists(), "what is no block is not touched");
    for (name, has_all) in [("a", true), ("b", false)] {
        let before = server.asked().len();
        read(name);
        assert_eq!(asked_for(&server, before, bytes.len()) == 1, has_all, "{name}");
    }
}

#[test]
fn many_processes_share_a_cache() {
    let bytes = noise(3 * MEGABYTE);
    let server = Server::of_object(bytes);
    let (_folder, cache) = scratch("cache");
    thread::scope(|scope| {
        for index in 0..8 {
            let (cache, url) = (&cache, format!("{}/{}", server.url, index % 2));
            // Some remove what others are reading.
            let size = if index < 4 { "1M" } else { "1G" };
            scope.spawn(move || {
                for _ in 0..3 {
                    assert!(succeed(cat(cache, &url).env("KALDI_STORE_CACHE_SIZE", size)) == bytes);
                }
            });
        }
    });
    let names: Vec<_> = blocks(&cache).iter().map(|path| path.file_name().unwrap().to_owned()).collect();
    assert!(names.iter().all(|name| !name.to_str().unwrap().starts_with('.')), "{names:?}");
}

#[test]
fn a_connection_that_breaks_is_taken_up_with_a_cache_too() {
    let bytes = noise(MEGABYTE);
    let server = Server::start(|asked| {
        let answer = Answer::object(asked, bytes, "\"1\"");
        Answer { cut: Some(answer.body.len().min(100_000)), ..answer }
    });
    let (_folder, cache) = scratch("cache");
    let url = format!("{}/a", server.url);
    for _ in 0..2 {
        assert!(succeed(cat(&cache, &url).env("KALDI_STORE_RETRIES", "2")) == bytes);
    }
}

#[test]
fn a_cache_that_cannot_be_written_is_a_warning() {
    let bytes = noise(MEGABYTE);
    let server = Server::of_object(bytes);
    let (_folder, file) = scratch("file");
    fs::write(&file, "").unwrap();
    let output = cat(&file, &format!("{}/a", server.url)).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.stdout == bytes && log.trim_end().lines().count() == 1, "{log}");
    assert!(
        log.contains("WARNING") && log.contains("/file: cannot keep parts of objects there, going on without"),
        "{log}"
    );
}

#[test]
fn settings_that_make_no_sense_are_one_line() {
    let server = Server::of_object(b"a  1\n");
    let (_folder, cache) = scratch("cache");
    for (name, value, expected) in [
        (
            "KALDI_STORE_CACHE_SIZE",
            "much",
            "expected KALDI_STORE_CACHE_SIZE to be a number of bytes such as 500M or 10G, got \"much\"",
        ),
        ("KALDI_STORE_RETRIES", "-1", "expected KALDI_STORE_RETRIES to be a number, got \"-1\""),
        ("KALDI_STORE_TIMEOUT", "0", "expected KALDI_STORE_TIMEOUT to be more than 0 seconds and at most a day, got 0"),
    ] {
        let mut command = tool("copy-vector");
        command.args([&format!("ark:{}/a", server.url), "ark:-"]).env("KALDI_STORE_CACHE", &cache).env(name, value);
        let output = command.output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(log.contains(expected) && log.trim_end().lines().count() == 1, "{log}");
    }
}

/// The current time as servers say it.
fn now() -> String {
    httpdate::fmt_http_date(SystemTime::now())
}
