//! The display of progress on a terminal, which script(1) is.

use std::path::Path;
use std::thread;

use crate::support::Scratch;

/// Runs a tool whose input ends after a command; returns what the terminal shows.
fn shown(command: &str, arguments: &str) -> String {
    let scratch = Scratch::new();
    let line = format!(
        "script -qefc \"copy-vector 'ark:(echo a [ 1 ]; {command}) |' {arguments}\" shown > /dev/null; cat shown"
    );
    String::from_utf8_lossy(scratch.sh(&line).succeeds().stdout()).into_owned()
}

#[test]
fn progress_is_shown_unless_it_is_switched_off() {
    if !Path::new("/usr/bin/script").exists() {
        return;
    }
    thread::scope(|scope| {
        for arguments in ["ark:out.ark", "ark,t:- > out.txt"] {
            // The terminal shows the command line, too, which must not match.
            let until = "until grep -q 1[[:blank:]]entries shown; do sleep 0.1; done";
            scope.spawn(move || assert!(shown(until, arguments).contains("1 entries, "), "{arguments}"));
        }
        // The display comes after two seconds.
        scope.spawn(|| assert!(!shown("sleep 4", "--progress=false ark:out.ark").contains("1 entries, ")));
    });
}
