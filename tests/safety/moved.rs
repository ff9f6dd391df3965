//! Script files that were moved, or that are read from another folder.

use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

/// A folder `d` with an archive and its script file; another script file without its archive.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let entries = [("a", matrix(1, 3, 4)), ("b", matrix(2, 3, 4)), ("c", matrix(3, 3, 4))];
    scratch.write("m.ark", binary_archive(&entries));
    scratch.sh("mkdir -p d/raw d/flat && cd d && copy-feats ark:../m.ark ark,scp:raw/f.ark,f.scp").succeeds();
    scratch.sh("cp d/raw/f.ark d/flat && cp d/f.scp d/flat/g.scp").succeeds();
    scratch
}

#[test]
fn the_message_says_where_the_archive_is_and_what_to_do() {
    let scratch = scratch();
    let there = "(d/raw/f.ark is there, since names count from where the tool runs: cd d first, or make a new script file: \
                 ark-to-scp d/raw/f.ark new.scp)";
    let beside = "(d/flat/f.ark is beside the script file; make a new script file: ark-to-scp d/flat/f.ark new.scp)";
    for (script, advice) in [("d/f.scp", there), ("d/flat/g.scp", beside)] {
        for (line, code) in [
            (format!("copy-feats scp:{script} ark:/dev/null"), 255),
            (format!("select-feats 0 scp:{script} ark:/dev/null"), 255),
            (format!("apply-cmvn scp:{script} ark:m.ark ark:/dev/null"), 255),
            // It names what cannot be read, and goes on.
            (format!("table-head {script}"), 1),
        ] {
            let ran = scratch.sh(&line).fails_with(code);
            ran.stderr_has("a: cannot open raw/f.ark:2: No such file or directory").stderr_has(advice);
        }
    }
    // The advice is right.
    scratch.sh("cd d && copy-feats scp:f.scp ark:- | cmp - ../m.ark").succeeds();
    scratch.sh("ark-to-scp d/flat/f.ark new.scp && copy-feats scp:new.scp ark:- | cmp - m.ark").succeeds();
}

#[test]
fn the_advice_comes_once_for_an_archive() {
    let scratch = scratch();
    for (line, code) in [("copy-feats scp,p:d/f.scp ark:/dev/null 2>&1", 1), ("table-check d/f.scp", 1)] {
        let ran = scratch.sh(line).fails_with(code);
        let out = String::from_utf8_lossy(ran.stdout()).into_owned();
        assert_eq!(out.matches("ark-to-scp d/raw/f.ark").count(), 1, "{out}");
    }
}

#[test]
fn a_file_that_is_nowhere_has_no_advice() {
    let scratch = Scratch::new();
    scratch.write("x.scp", "a nowhere.ark:2\n");
    scratch
        .sh("copy-feats scp:x.scp ark:/dev/null")
        .fails_with(255)
        .stderr_has("No such file or directory; scp,p: leaves out what cannot be read\n");
}
