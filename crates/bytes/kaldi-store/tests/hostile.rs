//! Servers that mean harm, and secrets.

use std::time::{Duration, Instant};

use crate::support::{Answer, Server, fail, store, succeed, tool, wait_for};

/// A small archive of matrices in text.
const ARCHIVE: &[u8] = b"one  [\n  1 2 \n  3 4 ]\ntwo  [\n  5 6 ]\nthree  [\n  7 8 \n  9 10 ]\n";

#[test]
fn redirections_are_followed_within_the_web() {
    let server = Server::start(|asked| {
        let to = |place: &str| Answer::new(307).with("Location", place);
        match asked.path.as_str() {
            "/a" => to("/b?sig=1"),
            "/b?sig=1" => to(&format!("http://{}/c", asked.header("host"))),
            "/c" => Answer::object(asked, ARCHIVE, "\"1\""),
            "/file" => to("file:///etc/passwd"),
            "/loop" => to("/loop"),
            _ => to("gopher://h/?token=abc"),
        }
    });
    let url = &server.url;
    assert_eq!(succeed(&mut store(&["cat", &format!("{url}/a:21")])), &ARCHIVE[21..]);
    for (path, expected) in [
        ("/file", "the server redirects to file:///etc/passwd; only http and https are followed"),
        ("/loop", "the server redirects more than 10 times"),
        ("/x", "the server redirects to gopher://h/?token=...; only http"),
    ] {
        let line = fail(&mut store(&["cat", &format!("{url}{path}")]));
        assert!(line.contains(expected), "{line}");
    }
}

#[test]
fn a_malicious_server_takes_neither_time_nor_memory() {
    let server = Server::start(|asked| match asked.path.as_str() {
        "/head" => Answer { is_endless: true, ..Answer::new(0) },
        // A part that does not end: what was asked for is taken, and no more.
        "/part" => Answer { length: Some(String::new()), is_endless: true, ..Answer::object(asked, ARCHIVE, "\"1\"") },
        _ => Answer { is_endless: true, length: Some(u64::MAX.to_string()), ..Answer::new(404) },
    });
    for path in ["/head", "/refusal"] {
        let mut command = store(&["cat", &format!("{}{path}", server.url)]);
        let start = Instant::now();
        let line = fail(limited(&mut command).env("KALDI_STORE_RETRIES", "1"));
        assert!(line.contains(path) && start.elapsed() < Duration::from_secs(200), "{line}");
    }
    assert_eq!(succeed(limited(&mut store(&["cat", &format!("{}/part", server.url)]))), ARCHIVE);
}

/// Limits the memory of a command and of those that it starts.
fn limited(command: &mut std::process::Command) -> &mut std::process::Command {
    use std::os::unix::process::CommandExt;
    // SAFETY: `setrlimit` may be called between fork and exec.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            let limit = libc::rlimit { rlim_cur: 1 << 30, rlim_max: 1 << 30 };
            libc::setrlimit(libc::RLIMIT_AS, &raw const limit);
            Ok(())
        })
    }
}

#[test]
fn secrets_are_in_no_message() {
    let server = Server::start(|asked| Answer::new(if asked.path.starts_with("/403") { 403 } else { 503 }));
    let secret = "S3CR3T";
    let host = server.url.strip_prefix("http://").unwrap();
    for url in [
        format!("http://{host}/403?X-Amz-Credential={secret}&X-Amz-Signature={secret}"),
        format!("http://{host}/503?sig={secret}&x={secret}aaaaaaaaaaaaaaaaaaaaaaaaaaa"),
        format!("http://user:{secret}@{host}/403"),
        format!("http://{secret}@{host}/503/../:5x"),
        format!("gopher://h/?Signature={secret}"),
    ] {
        for words in [
            ["copy-matrix", &format!("ark:{url}"), "ark:-"],
            ["copy-matrix", &format!("scp:{url}"), "ark:-"],
            ["copy-matrix", &format!("{url}:17"), "-"],
            ["copy-matrix", "ark:/dev/null", &format!("ark:{url}")],
            ["kaldi-store", "stat", &url],
        ] {
            let mut command = tool(words[0]);
            command.args(["--print-args=true", "--verbose=3"]).args(&words[1..]).env("KALDI_STORE_RETRIES", "1");
            let output = command.output().unwrap();
            let log = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() || words[1] == "ark:/dev/null", "{words:?}: {log}");
            assert!(log.contains("://") && !log.contains(secret), "{words:?}: {log}");
            assert!(!String::from_utf8_lossy(&output.stdout).contains(secret));
        }
    }
}

#[test]
fn a_tool_that_waits_for_an_answer_can_be_killed() {
    let server = Server::start(|asked| Answer {
        pause: Duration::from_secs(if asked.path == "/silent" { 1000 } else { 0 }),
        ..Answer::object(asked, ARCHIVE, "\"1\"")
    });
    for signal in ["-9", "-TERM", "-INT"] {
        let before = server.asked().len();
        let mut command = tool("copy-matrix");
        let mut child = command
            .args([&format!("ark:{}/silent", server.url), "ark:-"])
            .env("KALDI_STORE_TIMEOUT", "1000")
            .spawn()
            .unwrap();
        wait_for("the request", || server.asked().len() > before);
        let start = Instant::now();
        let pid = child.id().to_string();
        assert!(std::process::Command::new("kill").args([signal, &pid]).status().unwrap().success());
        assert!(!child.wait().unwrap().success() && start.elapsed() < Duration::from_secs(200));
    }
}
