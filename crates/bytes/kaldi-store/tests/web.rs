//! Objects on the web, from a server that has faults.

use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::{Answer, Asked, Server, fail, noise, scratch, store, succeed, tool};

/// A small archive of matrices in text and the offsets of its values.
const ARCHIVE: &[u8] = b"one  [\n  1 2 \n  3 4 ]\ntwo  [\n  5 6 ]\nthree  [\n  7 8 \n  9 10 ]\n";

#[test]
fn archives_script_files_and_their_lines_are_read_at_offsets_and_ranges() {
    let script = "one URL/a.ark?x=1&y=2:4\nthree URL/a.ark?x=1&y=2:44[1:1]\ntwo URL/a.ark?x=1&y=2:26\n";
    let server = Server::start(move |asked| match asked.path.as_str() {
        "/feats.scp" => {
            let script = script.replace("URL", &format!("http://{}", asked.header("host")));
            Answer::object(asked, script.as_bytes(), "\"s\"")
        }
        "/a.ark?x=1&y=2" => Answer::object(asked, ARCHIVE, "\"a\""),
        _ => Answer::new(404),
    });
    let url = &server.url;
    assert_eq!(succeed(tool("copy-matrix").args([&format!("ark:{url}/a.ark?x=1&y=2"), "ark,t:-"])), ARCHIVE);
    let chosen = succeed(tool("copy-matrix").args([&format!("scp:{url}/feats.scp"), "ark,t:-"]));
    let expected = "one  [\n  1 2 \n  3 4 ]\nthree  [\n  9 10 ]\ntwo  [\n  5 6 ]\n";
    assert_eq!(String::from_utf8(chosen).unwrap(), expected);
    assert_eq!(succeed(&mut store(&["cat", &format!("{url}/a.ark?x=1&y=2:44")])), &ARCHIVE[44..]);
    // Beyond the end there is nothing, as in a file.
    assert_eq!(succeed(&mut store(&["cat", &format!("{url}/a.ark?x=1&y=2:1000")])), b"");
}

#[test]
fn config_files_and_keys_in_any_order_are_read() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/config" => Answer::object(asked, b"--scale=2\n", "\"c\""),
        _ => Answer::object(asked, ARCHIVE, "\"a\""),
    });
    let (_folder, list) = scratch("list");
    fs::write(&list, "two\nthree\none\n").unwrap();
    let (config, archive) = (format!("--config={}/config", server.url), format!("ark:{}/a", server.url));
    let doubled = succeed(tool("copy-matrix").args([config.as_str(), archive.as_str(), "ark,t:-"]));
    assert!(doubled.starts_with(b"one  [\n  2 4 \n  6 8 ]\n"), "{}", doubled.escape_ascii());
    // The stores start with the config file, which says how much they log.
    let server = Server::start(|asked| match (asked.path.as_str(), asked.before) {
        ("/config", _) => Answer::object(asked, b"--verbose=2\n", "\"c\""),
        (_, 0) => Answer::new(503),
        _ => Answer::object(asked, ARCHIVE, "\"a\""),
    });
    let words = [format!("--config={}/config", server.url), format!("ark:{}/a", server.url), "ark:-".to_owned()];
    let output = tool("copy-matrix").args(words).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(log.contains("/a: the server has failed (status 503 Service Unavailable); trying again"), "{log}");
}

#[test]
fn a_connection_that_breaks_anywhere_is_taken_up_at_the_same_byte() {
    let server = Server::start(|asked| {
        let cut: usize = asked.path[1..].parse().unwrap();
        let answer = Answer::object(asked, ARCHIVE, "\"a\"");
        if asked.before == 0 { Answer { cut: Some(cut.min(answer.body.len())), ..answer } } else { answer }
    });
    thread::scope(|scope| {
        for part in 0..8 {
            let server = &server;
            scope.spawn(move || {
                let urls: Vec<String> =
                    (part..ARCHIVE.len()).step_by(8).map(|cut| format!("{}/{cut}", server.url)).collect();
                let bytes = succeed(tool("kaldi-store").arg("cat").args(&urls));
                assert!(bytes == ARCHIVE.repeat(urls.len()));
            });
        }
    });
    let resumed = |asked: &&Asked| asked.before == 1 && asked.header("if-range") == "\"a\"";
    let asked = server.asked();
    assert_eq!(asked.iter().filter(resumed).count(), ARCHIVE.len(), "each was resumed once, with If-Range");
    assert!(
        asked
            .iter()
            .filter(resumed)
            .all(|asked| asked.header("range").starts_with(&format!("bytes={}-", &asked.path[1..])))
    );
}

#[test]
fn an_archive_that_is_cut_anywhere_is_an_error() {
    let server = Server::start(|asked| {
        let cut: usize = asked.path[1..].parse().unwrap();
        Answer {
            cut: Some(cut),
            ..Answer::object(&Asked { headers: Default::default(), ..asked.clone() }, ARCHIVE, "\"a\"")
        }
    });
    thread::scope(|scope| {
        for part in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for cut in (part..ARCHIVE.len()).step_by(4) {
                    let url = format!("ark:{}/{cut}", server.url);
                    let line = fail(tool("copy-matrix").args([&url, "ark:/dev/null"]).env("KALDI_STORE_RETRIES", "0"));
                    assert!(line.contains(&format!("{}/{cut}", server.url)), "{line}");
                }
            });
        }
    });
}

#[test]
fn an_object_that_changes_is_an_error_and_no_mixture() {
    // The tag changes; the tag is weak, so that it cannot be asked for; there is only a time; only the length changes.
    for (first, second) in
        [(("ETag", "\"1\""), ("ETag", "\"2\"")), (("ETag", "W/\"1\""), ("ETag", "W/\"2\"")), (("X", "1"), ("X", "2"))]
    {
        let bytes = noise(3 << 20);
        let server = Server::start(move |asked| {
            let (bytes, (name, tag)) = if asked.before == 0 { (bytes, first) } else { (&bytes[..2 << 20], second) };
            let mut answer = Answer::object(asked, bytes, tag);
            answer
                .headers
                .iter_mut()
                .filter(|(header, _)| header == "ETag")
                .for_each(|header| header.0 = name.to_owned());
            answer
        });
        let line = fail(&mut store(&["cat", &format!("{}/a", server.url)]));
        assert!(line.contains("the object has changed while it was read"), "{line}");
    }
}

#[test]
fn failures_that_pass_are_tried_again_and_shown() {
    let server = Server::start(|asked| match (asked.path.as_str(), asked.before) {
        ("/429", 0) => Answer::new(429).with("Retry-After", "0"),
        ("/cut", 0) => Answer { cut: Some(0), ..Answer::object(asked, ARCHIVE, "\"1\"") },
        (path, 0) => Answer::new(path[1..].parse().unwrap()),
        _ => Answer::object(asked, ARCHIVE, "\"1\""),
    });
    for path in ["429", "500", "502", "503", "504", "cut"] {
        let url = format!("{}/{path}", server.url);
        let output = store(&["--verbose=2", "cat", &url]).output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && output.stdout == ARCHIVE, "{path}: {log}");
        assert!(log.contains("VLOG[2] (kaldi-store") && log.contains("trying again in"), "{path}: {log}");
    }
}

#[test]
fn failures_that_stay_are_one_line_with_the_name() {
    let server = Server::start(|asked| Answer::new(asked.path[1..].parse().unwrap()));
    for (status, expected) in [
        (404, "there is no such object (status 404 Not Found)"),
        (403, "access is refused (status 403 Forbidden)"),
        (401, "access is refused (status 401 Unauthorized)"),
        (400, "the server answers something else than the object (status 400 Bad Request)"),
        (204, "the server answers something else than the object (status 204 No Content)"),
        (503, "the server has failed (status 503 Service Unavailable), 2 times"),
        (429, "there were too many requests (status 429 Too Many Requests), 2 times"),
    ] {
        let url = format!("{}/{status}", server.url);
        let line = fail(store(&["cat", &url]).env("KALDI_STORE_RETRIES", "1"));
        assert!(line.ends_with(&format!("cannot open {url}: {expected}")), "{line}");
    }
    let line = fail(store(&["cat", "http://127.0.0.1:1/a"]).env("KALDI_STORE_RETRIES", "0"));
    assert!(
        line.ends_with("cannot open http://127.0.0.1:1/a: cannot connect to 127.0.0.1: Connection refused"),
        "{line}"
    );
}

#[test]
fn a_silent_server_is_given_up() {
    let server = Server::start(|asked| {
        let answer = Answer::object(asked, ARCHIVE, "\"1\"");
        let pause = Duration::from_secs(1000);
        if asked.path == "/body" && asked.before == 0 {
            Answer { piece: Some(10), pause, ..answer }
        } else {
            Answer { pause, ..answer }
        }
    });
    for path in ["/head", "/body"] {
        let start = Instant::now();
        let url = format!("{}{path}", server.url);
        let line = fail(store(&["cat", &url]).env("KALDI_STORE_RETRIES", "1").env("KALDI_STORE_TIMEOUT", "0.3"));
        assert!(line.contains("the server was silent for 0.3 s, 2 times"), "{line}");
        assert!(start.elapsed() < Duration::from_secs(200));
    }
}

#[test]
fn a_slow_server_is_not_silent() {
    let bytes = noise(1 << 16);
    let server = Server::start(|asked| Answer {
        // All of it takes longer than the timeout.
        piece: Some(bytes.len().div_ceil(20)),
        pause: Duration::from_millis(300),
        ..Answer::object(asked, bytes, "\"1\"")
    });
    let mut command = store(&["cat", &format!("{}/a", server.url)]);
    assert!(succeed(command.env("KALDI_STORE_TIMEOUT", "5").env("KALDI_STORE_RETRIES", "0")) == bytes);
}

#[test]
fn a_server_without_parts_is_read_from_its_begin() {
    let bytes = noise(5 << 20);
    let server = Server::start(|asked| {
        let asked = Asked { headers: Default::default(), ..asked.clone() };
        match asked.path.as_str() {
            "/long" => Answer {
                length: Some((65_u64 << 20).to_string()),
                cut: Some(100),
                ..Answer::object(&asked, bytes, "\"1\"")
            },
            _ => Answer::object(&asked, bytes, "\"1\""),
        }
    });
    assert!(succeed(&mut store(&["cat", &format!("{}/a", server.url)])) == bytes);
    assert!(succeed(&mut store(&["cat", &format!("{}/a:1000000", server.url)])) == bytes[1_000_000..]);
    let line = fail(&mut store(&["cat", &format!("{}/long:1000", server.url)]));
    assert!(
        line.contains("sends the object only whole, and it is too long to leave out the 1000 bytes before"),
        "{line}"
    );
}

#[test]
fn wrong_lengths_and_places_are_errors() {
    let server = Server::start(|asked| {
        let answer = Answer::object(asked, ARCHIVE, "\"1\"");
        let placed = |range: &str| Answer { headers: vec![("Content-Range".into(), range.into())], ..answer.clone() };
        match asked.path.as_str() {
            "/more" => Answer { length: Some("1000".into()), cut: Some(ARCHIVE.len()), status: 200, ..answer },
            "/none" => Answer { length: Some(String::new()), status: 200, cut: Some(10), ..answer },
            "/other" => placed("bytes 5-9/70"),
            "/strange" => placed("lines 0-9/70"),
            "/behind" => placed("bytes 0-99/70"),
            _ => Answer { headers: Vec::new(), ..answer },
        }
    });
    for (path, expected) in [
        ("/more", "the connection broke"),
        ("/none", "does not say how long the object is"),
        ("/other", "sends the bytes 5-9 where 0-"),
        ("/strange", "does not say which"),
        ("/behind", "sends the bytes 0-99"),
        ("/nowhere", "does not say which"),
    ] {
        let line = fail(store(&["cat", &format!("{}{path}", server.url)]).env("KALDI_STORE_RETRIES", "0"));
        assert!(line.contains(expected), "{path}: {line}");
    }
}

#[test]
fn long_objects_are_read_in_several_parts_at_once() {
    let bytes = noise(30 << 20);
    let server = Server::of_object(bytes);
    assert!(succeed(&mut store(&["cat", &format!("{}/a", server.url)])) == bytes);
    let asked = server.asked();
    assert!(asked.len() > 5, "{} requests", asked.len());
    // Who reads the start only does not ask for the rest.
    let start = asked.len();
    let mut command = store(&["cat", &format!("{}/b", server.url)]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut head = [0; 100];
    child.stdout.take().unwrap().read_exact(&mut head).unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGPIPE));
    assert!(head == bytes[..100]);
    assert!(server.asked().len() - start <= 3, "{:?}", &server.asked()[start..]);
}

#[test]
fn an_empty_object_is_read() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/none" => Answer::new(if asked.header("range").is_empty() { 200 } else { 416 }),
        _ => Answer::object(asked, b"", "\"1\""),
    });
    for path in ["/a", "/none"] {
        assert_eq!(succeed(&mut store(&["cat", &format!("{}{path}", server.url)])), b"");
    }
}

#[test]
fn objects_on_the_web_are_not_written() {
    let (_folder, file) = scratch("file");
    fs::write(&file, "x").unwrap();
    let line = fail(&mut store(&["cp", file.to_str().unwrap(), "http://127.0.0.1:1/a"]));
    assert!(
        line.ends_with("cannot open http://127.0.0.1:1/a: objects on the web (http, https) can only be read"),
        "{line}"
    );
}

#[test]
fn compressed_objects_are_read() {
    let packed = succeed(std::process::Command::new("sh").args(["-c", "printf 'one  [ 1 2 ]\\n' | gzip -c"]));
    let packed: &'static [u8] = packed.leak();
    let server = Server::of_object(packed);
    let (_folder, keys) = scratch("keys");
    fs::write(&keys, "one\n").unwrap();
    let source = format!("ark:{}/a.ark.gz", server.url);
    assert_eq!(succeed(tool("copy-vector").args([source.as_str(), "ark,t:-"])), b"one  [ 1 2 ]\n");
    // No offset leads into it.
    let advice =
        "this is gzip-compressed data, into which an offset cannot lead; decompress it with gunzip -c, or read";
    let (_folder, script) = scratch("scp");
    fs::write(&script, format!("one {}/a.ark.gz:4\n", server.url)).unwrap();
    let line = fail(tool("copy-vector").args([&format!("scp:{}", script.display()), "ark:-"]));
    assert!(line.contains(advice) && line.contains("/a.ark.gz:4"), "{line}");
    let line = fail(&mut store(&["cat", &format!("{}/a.ark.gz:4", server.url)]));
    assert!(line.contains(advice), "{line}");
}
