//! Commands as streams: what they write to standard error, and that they end with what they have started.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kaldi_io::{CommandMessages, Input, Session};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn the_last_of_what_commands_write_is_heard() {
    let messages = Arc::new(CommandMessages::default());
    let session = Session::default().change(|settings| settings.messages = Some(Arc::clone(&messages)));
    let read = |command: &str| session.enter(|| Input::open(command.into()).unwrap().read_to_end());
    assert_eq!(read("echo one >&2; echo two |").unwrap(), b"two\n");
    assert_eq!(messages.text(LIMIT), "one");
    assert_eq!(read("seq 5000 >&2; echo last >&2 |").unwrap(), b"");
    let text = messages.text(LIMIT);
    assert!(text.ends_with(b"4999\n5000\nlast") && text.len() <= 2000, "{} bytes", text.len());
}

#[test]
fn what_a_command_has_started_is_killed_when_it_is_given_up() {
    let may_wait = Arc::new(AtomicBool::new(true));
    let seen = Arc::clone(&may_wait);
    let session =
        Session::default().change(|settings| settings.may_wait = Some(Arc::new(move || seen.load(Ordering::Relaxed))));
    // Neither the shell nor its child ends when it is asked to.
    let command = "trap '' TERM; sh -c 'echo $$; sleep 1000; sleep 1000' & wait; wait |";
    let pid = session.enter(|| {
        let mut input = Input::open(command.into()).unwrap();
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            assert!(input.read_some(&mut line, 1).unwrap() > 0);
        }
        may_wait.store(false, Ordering::Relaxed);
        assert!(input.read_some(&mut line, 1).is_err());
        String::from_utf8(line).unwrap()
    });
    let start = Instant::now();
    let runs = || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
        state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    while runs() {
        assert!(start.elapsed() < LIMIT, "{pid}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
