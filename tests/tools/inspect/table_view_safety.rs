//! Whom `table-view` answers, what it runs, and what it takes.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use crate::support::viewer::{Viewer, data, wait_until};
use crate::support::{Scratch, runs, signal};

#[test]
fn only_who_knows_the_token_and_the_name_is_answered() {
    let scratch = data();
    let viewer = Viewer::start(&scratch, &["--allow-host=gpu7.lab", "data"]);
    let host = viewer.host.clone();
    let port = host.rsplit(':').next().unwrap();
    let wrong: String = viewer.token.chars().map(|digit| if digit == '0' { '1' } else { '0' }).collect();
    let short = &viewer.token[..31];
    for target in [
        "/".to_owned(),
        "/TOKEN".to_owned(),
        "/api/info".to_owned(),
        "/favicon.ico".to_owned(),
        "//TOKEN/api/info".to_owned(),
        "/./TOKEN/api/info".to_owned(),
        "/x/../TOKEN/api/info".to_owned(),
        format!("/{wrong}/api/info"),
        format!("/{short}/api/info"),
        format!("/{}0/api/info", viewer.token),
        format!("/?{}", viewer.token),
    ] {
        for method in ["GET", "HEAD", "POST", "OPTIONS"] {
            let reply = viewer.raw(&format!("{method} {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"));
            assert_eq!(reply.status, 404, "{method} {target}");
            assert!(!String::from_utf8_lossy(&reply.body).contains(&viewer.token));
            assert!(reply.head.contains("content-security-policy: default-src 'none'"), "{}", reply.head);
        }
    }
    let request = |headers: &str| {
        viewer.raw(&format!("GET /TOKEN/api/info HTTP/1.1\r\n{headers}Connection: close\r\n\r\n")).status
    };
    for known in ["localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:80", "gpu7.lab:8000"] {
        assert_eq!(request(&format!("Host: {known}\r\n")), 200, "{known}");
    }
    for foreign in
        ["evil.example", &format!("evil.example:{port}"), "127.0.0.1.evil.example", "localhost@evil", "0.0.0.0", ""]
    {
        assert_eq!(request(&format!("Host: {foreign}\r\n")), 403, "{foreign}");
    }
    assert_eq!(request("Host: localhost\r\nHost: localhost\r\n"), 403);
    assert_eq!(request(""), 403);
    assert_eq!(request("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\n"), 403);
    assert_eq!(request("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n"), 403);
    assert_eq!(request("Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n"), 200);
    assert_eq!(request("Host: localhost\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"), 200);
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        let reply = viewer.ask(method, "api/info", "");
        assert_eq!(reply.status, 405, "{method}");
        assert!(reply.head.contains("allow: get, head"), "{}", reply.head);
    }
}

#[test]
fn every_answer_has_the_headers_of_security() {
    let scratch = data();
    let viewer = Viewer::start(&scratch, &["data"]);
    for path in ["", "app.js", "style.css", "icon.svg", "api/info", "api/keys", "api/audio?key=utt1", "api/nothing"] {
        let (get, head) = (viewer.get(path), viewer.ask("HEAD", path, ""));
        assert_eq!((get.status, head.body.len()), (head.status, 0), "{path}");
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; \
             media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "cache-control: no-store",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
        ] {
            for reply in [&get, &head] {
                assert!(reply.head.contains(header), "{path}: {}", reply.head);
            }
        }
        assert!(!get.head.contains("set-cookie") && !get.head.contains("access-control"), "{}", get.head);
    }
}

#[test]
fn no_path_and_no_command_comes_from_a_request() {
    let scratch = data();
    scratch.write("secret", "do not read");
    let viewer = Viewer::start(&scratch, &["data"]);
    for path in [
        "../secret",
        "..%2fsecret",
        "%2e%2e/secret",
        "/etc/passwd",
        "....//secret",
        "api/../../secret",
        "app.js/../../secret",
        "api/audio?key=../secret",
        "api/audio?key=/etc/passwd",
        "api/audio?key=one.wav",
        "api/audio?key=rec1",
        "api/audio?key=touch%20made%20%7C",
        "api/utterance?key=%00",
        "api/utterance?key=utt1%0autt2",
        "api/utterance?key=%ff%fe",
    ] {
        assert_eq!(viewer.get(path).status, 404, "{path}");
    }
    assert!(!scratch.list().contains(&"made".to_owned()));
    // The symbols, the filter and the order are text.
    for filter in ["%00", "%22", "-", "%3E", "%28%5B%2A", "%ff", "%3Di%3E"] {
        assert_eq!(viewer.get(&format!("api/rows?filter={filter}")).status, 200, "{filter}");
    }
}

#[test]
fn keys_and_texts_may_be_anything() {
    let scratch = data();
    let keys = ["\"quote'", "<b>", "a&b=c", "\u{202e}rtl", "%41", "a+b", "\u{1b}[31m", "..", "ключ", "{}"];
    let list = |value: &str| keys.map(|key| format!("{key} {value}\n")).concat();
    std::fs::create_dir(scratch.path("odd")).unwrap();
    scratch.write("odd/wav.scp", list("one.wav")).write("odd/text", list("</script><script>\u{0007}\\\" \u{2028}"));
    let viewer = Viewer::start(&scratch, &["odd"]);
    assert_eq!(viewer.keys("").len(), keys.len());
    let rows = viewer.json("api/rows");
    for (row, key) in rows["rows"].as_array().unwrap().iter().zip(keys) {
        assert_eq!(row["key"], key);
        let encoded: String = key.bytes().map(|byte| format!("%{byte:02X}")).collect();
        assert_eq!(viewer.json(&format!("api/utterance?key={encoded}"))["key"], key);
        assert_eq!(viewer.get(&format!("api/audio?key={encoded}")).body, scratch.read("one.wav"));
    }
}

#[test]
fn heads_are_limited_in_size_and_time() {
    let scratch = data();
    let viewer = Viewer::start(&scratch, &["data"]);
    let long = format!("X-Long: {}\r\n", "x".repeat(20_000));
    let status = viewer.ask("GET", "api/info", &long).status;
    assert!([0, 400, 431].contains(&status), "{status}");
    let status = viewer.get(&format!("api/utterance?key={}", "x".repeat(100_000))).status;
    assert!([0, 400, 414, 431].contains(&status), "{status}");
    let many: String = (0..300).map(|at| format!("X-{at}: 1\r\n")).collect();
    let status = viewer.ask("GET", "api/info", &many).status;
    assert!([0, 400, 431].contains(&status), "{status}");
    for bad in [
        "\r\n\r\n",
        "GET\r\n\r\n",
        "\x16\x03\x01\x02",
        "GET / HTTP/9.9\r\n\r\n",
        "GET /TOKEN/ HTTP/1.1\nHost : x\r\n\r\n",
    ] {
        let mut stream = viewer.connect();
        stream.write_all(bad.replace("TOKEN", &viewer.token).as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.0 4"), "{answer}");
    }
    // A head that does not end is given up, and others are answered meanwhile. All places but one are taken so.
    let mut slow: Vec<TcpStream> = (0..63).map(|_| viewer.connect()).collect();
    for stream in &mut slow {
        stream.write_all(b"GET /").unwrap();
    }
    assert_eq!(viewer.get("api/info").status, 200);
    for stream in &mut slow {
        let _ = stream.read_to_end(&mut Vec::new());
    }
    // More connections than places only have to wait.
    let idle: Vec<TcpStream> = (0..70).map(|_| viewer.connect()).collect();
    assert_eq!(viewer.get("api/info").status, 200);
    drop(idle);
    assert_eq!(viewer.get("api/info").status, 200);
}

#[test]
fn commands_end_with_their_request_and_with_the_viewer() {
    let scratch = data();
    scratch.write("wav.scp", "a echo $$ > pid; sleep 1000; cat one.wav |\nb cat one.wav |\n");
    let pid = || String::from_utf8(scratch.read("pid")).unwrap();
    let started = || scratch.list().contains(&"pid".to_owned()) && pid().ends_with('\n');
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    let ask = || {
        let mut stream = viewer.connect();
        let request = format!("GET /{}/api/audio?key=a HTTP/1.1\r\nHost: localhost\r\n\r\n", viewer.token);
        stream.write_all(request.as_bytes()).unwrap();
        wait_until("the command starts", started);
        stream
    };
    let stream = ask();
    // Another utterance does not wait for it.
    assert_eq!(viewer.get("api/audio?key=b").status, 200);
    let first = pid();
    assert!(runs(&first));
    drop(stream);
    wait_until("the command ends with the connection", || !runs(&first));
    std::fs::remove_file(scratch.path("pid")).unwrap();
    let stream = ask();
    let second = pid();
    assert!(runs(&second) && first != second);
    assert_eq!(viewer.end(libc::SIGTERM), Some(0));
    wait_until("the command ends with the viewer", || !runs(&second));
    drop(stream);
}

#[test]
fn measuring_ends_with_the_viewer() {
    let scratch = data();
    scratch.write("wav.scp", "a echo $$ > pid; sleep 1000 |\n");
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    assert_eq!(viewer.json("api/measure?start=1")["state"], "running");
    wait_until("the command starts", || scratch.list().contains(&"pid".to_owned()) && !scratch.read("pid").is_empty());
    let pid = String::from_utf8(scratch.read("pid")).unwrap();
    assert_eq!(viewer.end(libc::SIGINT), Some(0));
    wait_until("the command ends with the viewer", || !runs(&pid));
}

#[test]
fn a_million_lines_take_little_memory() {
    let scratch = Scratch::new();
    std::fs::create_dir(scratch.path("big")).unwrap();
    let script = "seq -f 'spk-utt%07.0f' 1000000 > keys && cd big && awk '{print $1, \"spk\" int(NR / 500)}' ../keys > utt2spk && \
                  awk '{print $1, \"some words of line\", NR}' ../keys > text && \
                  awk '{print $1, \"/data/feats.\" int(NR / 10000) \".ark:\" 6000 * (NR % 10000)}' ../keys > feats.scp && rm ../keys";
    scratch.sh(script).succeeds();
    let viewer = Viewer::start(&scratch, &["big"]);
    assert_eq!(viewer.json("api/info")["rows"], 1_000_000);
    let rows = viewer.json("api/rows?from=700000&count=2");
    assert_eq!(
        (&rows["rows"][1]["key"], &rows["rows"][1]["text"]),
        (&"spk-utt0700002".into(), &"some words of line 700002".into())
    );
    assert_eq!(
        viewer.keys("filter=%22line+31415%22+-utt0031415"),
        (0..10).map(|last| format!("spk-utt031415{last}")).collect::<Vec<_>>()
    );
    assert_eq!(viewer.json("api/rows?sort=-key&count=1")["rows"][0]["key"], "spk-utt1000000");
    let status = std::fs::read_to_string(format!("/proc/{}/status", viewer.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 150_000, "{kilobytes} kB");
}

/// The peak of the memory of a viewer in MB.
fn peak(viewer: &Viewer) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", viewer.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    peak.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1000
}

/// Asks for the sound of a key, and does not wait for the answer.
fn asked(viewer: &Viewer, key: &str) -> TcpStream {
    let mut stream = viewer.connect();
    let request = format!("GET /{}/api/audio?key={key} HTTP/1.1\r\nHost: localhost\r\n\r\n", viewer.token);
    stream.write_all(request.as_bytes()).unwrap();
    stream
}

#[test]
fn the_output_of_a_command_is_bounded() {
    let scratch = data();
    let endless = "echo $$ > pid; cat one.wav /dev/zero |";
    scratch
        .write("wav.scp", format!("words yes |\nzeros {endless}\nmore {endless}\nfile one.wav\nshort cat one.wav |\n"));
    let viewer = Viewer::start(&scratch, &["--memory=64", "scp:wav.scp"]);
    for (key, expected) in [("words", "expected RIFF or RIFX"), ("zeros", "64 MB"), ("more", "64 MB")] {
        let reply = viewer.get(&format!("api/audio?key={key}"));
        let message = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(reply.status == 422 && message.contains(expected), "{key}: {message}");
    }
    let pid = String::from_utf8(scratch.read("pid")).unwrap();
    assert!(!runs(&pid), "it is ended with its request");
    assert_eq!(viewer.get("api/audio?key=short").body, scratch.read("one.wav"));
    // Together they have no more.
    let streams: Vec<TcpStream> = ["zeros", "more"].map(|key| asked(&viewer, key)).into();
    assert_eq!(viewer.get("api/audio?key=file").status, 200);
    for mut stream in streams {
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(&head, b"HTTP/1.1 422");
    }
    assert!(peak(&viewer) < 64 + 190, "{} MB", peak(&viewer));
}

#[test]
fn an_endless_command_ends_when_its_request_does() {
    let scratch = data();
    // It never pauses, and does not give much.
    scratch.write("wav.scp", "a echo $$ > pid; cat one.wav; while :; do echo; done |\n");
    let viewer = Viewer::start(&scratch, &["--memory=10000", "scp:wav.scp"]);
    let stream = asked(&viewer, "a");
    wait_until("it starts", || scratch.list().contains(&"pid".to_owned()) && !scratch.read("pid").is_empty());
    let pid = String::from_utf8(scratch.read("pid")).unwrap();
    assert!(runs(&pid));
    drop(stream);
    wait_until("it ends with the connection", || !runs(&pid));
}

#[test]
fn commands_that_hang_block_no_files_and_end() {
    let scratch = data();
    let lines: String = (0..9).map(|number| format!("hang{number} cat one.wav; exec sleep 1000 |\n")).collect();
    scratch.write("wav.scp", format!("{lines}file one.wav\nother two.wav\n"));
    let viewer = Viewer::start(&scratch, &["--timeout=2", "scp:wav.scp"]);
    let hanging: Vec<TcpStream> = (0..9).map(|number| asked(&viewer, &format!("hang{number}"))).collect();
    for key in ["file", "other"] {
        assert_eq!(viewer.get(&format!("api/audio?key={key}")).status, 200);
        assert_eq!(viewer.json(&format!("api/utterance?key={key}"))["key"], key);
    }
    assert_eq!(viewer.json("api/info")["rows"], 11);
    for mut stream in hanging {
        let mut answer = [0; 1024];
        let count = stream.read(&mut answer).unwrap();
        let answer = String::from_utf8_lossy(&answer[..count]);
        assert!(answer.starts_with("HTTP/1.1 422"), "{answer}");
    }
    let reply = viewer.get("api/utterance?key=hang0");
    assert!(String::from_utf8_lossy(&reply.body).contains("longer than 2 s (`timeout`)"), "{reply:?}");
    scratch.sh("table-view --timeout=0 scp:wav.scp").fails_with(255).stderr_has("expected a positive --timeout, got 0");
}

#[test]
fn what_a_failed_command_wrote_is_said() {
    let scratch = data();
    scratch.write(
        "wav.scp",
        "a echo first >&2; printf 'no \\033[1msuch thing\\n' >&2; exit 3 |\nb yes | head -n 9999 >&2; exit 1 |\n",
    );
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    let error =
        |key: &str| viewer.json(&format!("api/utterance?key={key}"))["tracks"][0]["error"].as_str().unwrap().to_owned();
    let first = error("a");
    assert!(first.ends_with("it wrote: first\nno \\x1b[1msuch thing"), "{first}");
    assert!(error("b").len() < 3000, "the last of it");
}

#[test]
fn what_a_command_has_started_ends_with_it() {
    let scratch = data();
    let child = "(trap '' TERM; sh -c 'echo $PPID >> pids'; sleep 1000; sleep 1000)";
    scratch.write("wav.scp", format!("a {child} & trap '' TERM; echo $$ >> pids; sleep 1000; sleep 1000 |\n"));
    let viewer = Viewer::start(&scratch, &["--timeout=1000", "scp:wav.scp"]);
    let stream = asked(&viewer, "a");
    let pids = || -> Vec<String> {
        let text = if scratch.list().contains(&"pids".to_owned()) { scratch.read("pids") } else { Vec::new() };
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect()
    };
    wait_until("they start", || pids().len() == 2);
    drop(stream);
    wait_until("they end", || !pids().iter().any(|pid| runs(pid)));
}

#[test]
fn a_named_pipe_is_refused() {
    let scratch = data();
    scratch.sh("mkfifo fifo && echo 'a fifo' > wav.scp").succeeds();
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    let reply = viewer.get("api/audio?key=a");
    assert!(reply.status == 422 && String::from_utf8_lossy(&reply.body).contains("named pipe"), "{reply:?}");
}

#[test]
fn connections_that_take_nothing_give_their_places_up() {
    let scratch = data();
    let long: Vec<i16> = (0..15_000_000).map(|at| at as i16).collect();
    scratch.write("long.wav", signal::wave(8000, &long)).write("wav.scp", "a long.wav\n");
    let viewer = Viewer::start(&scratch, &["scp:wav.scp"]);
    let start = Instant::now();
    let mut never: Vec<TcpStream> = (0..64).map(|_| asked(&viewer, "a")).collect();
    assert_eq!(viewer.get("api/info").status, 200);
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    // Who reads slowly gets all.
    let mut slow = asked(&viewer, "a");
    let (mut taken, mut buffer) = (0, vec![0; 1 << 20]);
    for _ in 0..8 {
        std::thread::sleep(Duration::from_millis(300));
        taken += slow.read(&mut buffer).unwrap();
        never.push(viewer.connect());
    }
    while taken < 30_000_044 {
        let count = slow.read(&mut buffer).unwrap();
        assert!(count > 0, "{taken} bytes");
        taken += count;
    }
    assert_eq!(viewer.get("api/info").status, 200);
    // Nobody else needs their places now.
    drop(never);
    let mut alone = asked(&viewer, "a");
    std::thread::sleep(Duration::from_secs(11));
    let mut rest = Vec::new();
    let _ = alone.read_to_end(&mut rest);
    assert!(rest.len() < 30_000_000, "it was closed after 10 s: {}", rest.len());
}
