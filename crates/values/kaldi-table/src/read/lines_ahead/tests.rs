use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;

fn framing() -> Typed {
    Typed::of::<Vec<i32>>()
}

/// The lines of a script file of vectors of integers, with this many commands at the same time.
fn ahead(most: usize, permissive: bool, script: &str) -> (TempDir, LinesAhead) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("scp");
    fs::write(&path, script.replace("DIR", dir.path().to_str().unwrap())).unwrap();
    let mut lines = LinesAhead::open(path.to_str().unwrap().into(), framing(), permissive, Session::current()).unwrap();
    lines.most_commands = Some(most);
    (dir, lines)
}

fn key_and_value(lines: &mut LinesAhead) -> Option<(String, Option<String>)> {
    let line = lines.next().unwrap()?;
    let value = line.value.map(|value| value.finish(&mut framing()).unwrap().blob.head().escape_ascii().to_string());
    Some((line.line.value.key.to_string(), value))
}

#[test]
fn lines_come_in_order_whatever_their_commands_take() {
    let script = "a sleep 0.2; echo 1 |\nb echo 2 |\nc file\nd echo 3 |\ne echo 3 |\nf echo 4; echo 5 |";
    for most in [2, 3, 100] {
        let (_dir, mut lines) = ahead(most, false, script);
        for (key, value) in [
            ("a", Some("1\\n")),
            ("b", Some("2\\n")),
            ("c", None),
            ("d", Some("3\\n")),
            ("e", None),
            ("f", Some("4\\n")),
        ] {
            let expected = Some((key.to_owned(), value.map(ToOwned::to_owned)));
            assert_eq!(key_and_value(&mut lines), expected, "{most} side by side");
        }
        assert!(lines.next().unwrap().is_none() && lines.next().unwrap().is_none());
    }
}

#[test]
fn lines_and_values_in_files_need_not_be_waited_for() {
    for (script, may_wait) in
        [("a file", false), ("a echo 1 |", true), ("a http://host/a", true), ("a |[", true), ("", true)]
    {
        let (_dir, mut lines) = ahead(2, true, script);
        let _ = lines.check_first();
        assert_eq!(lines.may_wait(), may_wait, "{script}");
    }
    let mut piped = LinesAhead::open("echo a file |".into(), framing(), false, Session::current()).unwrap();
    piped.check_first().unwrap();
    assert!(piped.may_wait());
}

#[test]
fn nothing_is_started_ahead_where_one_may_run() {
    let (dir, mut lines) = ahead(1, false, "a touch DIR/a |\nb touch DIR/b |\n");
    assert!(lines.next().unwrap().unwrap().value.is_none());
    assert!(!dir.path().join("a").exists() && !dir.path().join("b").exists());
}

#[test]
fn no_more_commands_run_than_may() {
    let (_dir, mut lines) = ahead(3, false, &"a sleep 0.01; echo 1 |\nb echo 2 |\n".repeat(20));
    for _ in 0..40 {
        let line = lines.next().unwrap().unwrap();
        assert!(line.value.is_some());
        let running = lines.queue.iter().filter(|ahead| ahead.line.value.is_some()).count();
        assert!(running <= 3, "{running} run");
    }
}

#[test]
fn values_before_their_turn_are_read_up_to_a_limit() {
    let endless = "yes 1 | tr '\\n' ' '";
    let (_dir, mut lines) = ahead(3, false, &format!("a sleep 0.5; echo 1 |\nb {endless} |\nc {endless} | cat |\n"));
    assert_eq!(key_and_value(&mut lines).unwrap().0, "a");
    let sizes: Vec<usize> = lines.queue.iter().filter_map(|ahead| Some(ahead.line.value.as_ref()?.len())).collect();
    // The last read, up to what a pipe holds, may exceed the limit.
    assert!(sizes.len() == 2 && sizes.iter().all(|&size| size < BYTES_AHEAD + (1 << 20)), "{sizes:?}");
}

#[test]
fn commands_that_run_are_ended_with_the_reader() {
    let script = "a echo 1 |\nb exec sleep 1000 |\nc exec sleep 1001 |\n";
    let (_dir, mut lines) = ahead(3, false, script);
    lines.next().unwrap();
    lines.stop();
    let (_dir, mut lines) = ahead(3, false, script);
    lines.next().unwrap();
    drop(lines);
}

#[test]
fn nothing_is_started_behind_a_failure_that_is_known() {
    // A command that prints nothing (the first one sees its end), a line with a wrong range, one with a wrong name,
    // and one without a name.
    for second in ["b exec 3> DIR/fifo |", "b cat x |[", "b | cat", "b"] {
        let first = if second.contains("fifo") { "a cat DIR/fifo; sleep 0.3; echo 1 |" } else { "a echo 1 |" };
        let script = format!("{first}\n{second}\nc touch DIR/c; echo 1 |\nd touch DIR/d; echo 2 |\n");
        let (dir, mut lines) = ahead(2, false, &script);
        assert!(Command::new("mkfifo").arg(dir.path().join("fifo")).status().unwrap().success());
        assert_eq!(key_and_value(&mut lines).unwrap().0, "a");
        let failed = lines.next().map(|line| line.unwrap().value.map(|value| value.finish(&mut framing()).is_err()));
        assert!(!matches!(failed, Ok(Some(false))), "{second}");
        lines.stop();
        assert!(!dir.path().join("c").exists() && !dir.path().join("d").exists(), "{second}");
    }
}

#[test]
fn permissive_mode_goes_on_behind_a_failure() {
    let (_dir, mut lines) = ahead(2, true, "a true |\nb cat x |[]\nc | cat\nd echo 1 |\n");
    for key in ["a", "b", "c"] {
        assert_eq!(lines.next().unwrap().unwrap().line.value.key, key);
    }
    assert_eq!(key_and_value(&mut lines), Some(("d".to_owned(), Some("1\\n".to_owned()))));
}
