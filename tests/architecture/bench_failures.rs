//! A row of `scripts/bench.sh` that fails is named with its message, and the others still run.

#[allow(dead_code, reason = "a part of the benchmark")]
#[path = "../../benches/tables/measure.rs"]
mod measure;

use measure::{Bench, Run, Size};

#[test]
fn rows_after_a_failure_still_run() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new("/bin".into(), folder.path().to_owned(), Size::Small);
    let sh = |script| Run::new("/bin/sh".into(), script);
    assert!(bench.best("one", &sh(&["-c", "echo no such option >&2; exit 3"])).is_none());
    assert!(bench.best("one", &sh(&["-c", "exit 4"])).is_none());
    assert!(bench.best("two", &sh(&["-c", "echo done > out"])).is_some());
    assert!(bench.best("three", &Run::new("/nowhere/tool".into(), &[])).is_none());
    assert_eq!(bench.failures(), ["one", "three"]);
}

#[test]
fn a_failure_shows_the_command_and_its_message() {
    let run = Run::new("/bin/sh".into(), &["-c", "echo no such option >&2; exit 3"]);
    let folder = tempfile::tempdir().unwrap();
    let message = run.measure(folder.path()).unwrap_err();
    assert_eq!(message, "sh -c echo no such option >&2; exit 3: wait status 0x0300\nno such option");
    let message = Run::new("/nowhere/tool".into(), &["x"]).measure(folder.path()).unwrap_err();
    assert!(message.starts_with("cannot run tool x: "), "{message}");
}
