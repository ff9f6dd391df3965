use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1 2\n 3 4 ]\nb [ ]\n");
    scratch
}

const A: &[u8] = b"\0\0\0\x02\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0";
const B: &[u8] = b"\0\0\0\0\0\x01\x86\xa0\0\0\0\x09";

#[test]
fn every_utterance_gets_a_file_in_a_new_folder() {
    let scratch = feats();
    let ran = scratch.sh("copy-feats-to-htk --output-dir=htk-feats --output-ext=htk ark:f.ark");
    ran.succeeds().stderr_has("2 HTK feature files generated");
    assert_eq!((scratch.read("htk-feats/a.htk"), scratch.read("htk-feats/b.htk")), (A.to_vec(), B.to_vec()));
    assert_eq!(scratch.list(), ["f.ark", "htk-feats"]);
    let mode = fs::metadata(scratch.path("htk-feats")).unwrap().permissions().mode();
    assert_eq!(mode & 0o007, 0, "others need not see it");
}

#[test]
fn files_go_to_the_working_folder_by_default() {
    let scratch = feats();
    scratch.sh("copy-feats-to-htk ark:f.ark").succeeds();
    assert_eq!(scratch.read("a.fea"), A);
    assert_eq!(scratch.list(), ["a.fea", "b.fea", "f.ark"]);
}

#[test]
fn period_and_kind_go_into_the_header() {
    let scratch = feats();
    scratch.sh("copy-feats-to-htk --sample-period=50000 --sample-kind=838 ark:f.ark").succeeds();
    assert_eq!(scratch.read("b.fea"), b"\0\0\0\0\0\0\xc3\x50\0\0\x03\x46");
    for kind in ["-1", "65536"] {
        let ran = scratch.sh(&format!("copy-feats-to-htk --sample-kind={kind} --output-dir=o ark:f.ark"));
        ran.fails_with(255).stderr_has(&format!("expected --sample-kind to be from 0 to 65535, got {kind}"));
    }
}

#[test]
fn features_come_back_as_they_were() {
    let scratch = Scratch::new();
    let feats = [("a", matrix(1, 30, 13)), ("b/../c", matrix(2, 7, 40)), ("d|e ", matrix(3, 1, 1))];
    let [a, _, (_, d)] = feats.clone();
    let feats = [a, ("ark:d|e", d)];
    scratch.write("f.ark", binary_archive(&feats));
    scratch.sh("copy-feats-to-htk --output-dir=o ark:f.ark").succeeds();
    // A name with a pipe sign would be that of a command.
    scratch.write("o.scp", "a o/a.fea\nark:d|e o/ark:d%7Ce.fea\n");
    scratch.sh("copy-feats --htk-in scp:o.scp ark,t:-").succeeds().stdout_is(text_archive(&feats));
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("copy-feats-to-htk ark:/dev/null");
    ran.fails_with(1).stderr_has("0 HTK feature files generated");
}

#[test]
fn a_broken_entry_is_an_error_after_whole_files() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1 2\n 3 4 ]\nb [ 1 x ]\n");
    scratch.sh("copy-feats-to-htk ark:f.ark").fails_with(255).stderr_has("b: f.ark:3: ");
    assert_eq!(scratch.list(), ["a.fea", "f.ark"]);
    assert_eq!(scratch.read("a.fea"), A);
}

#[test]
fn a_folder_is_made_but_not_the_one_it_is_in() {
    let scratch = feats();
    scratch
        .sh("copy-feats-to-htk --output-dir=a/b ark:f.ark")
        .fails_with(255)
        .stderr_has("cannot make the folder a/b: No such file");
    assert_eq!(scratch.list(), ["f.ark"]);
}

/// Kaldi warns and counts the file.
#[test]
fn a_file_that_cannot_be_written_is_an_error() {
    let scratch = feats();
    scratch
        .sh("copy-feats-to-htk --output-dir=f.ark ark:f.ark")
        .fails_with(255)
        .stderr_has("cannot make the folder f.ark: File exists");
    let ran = scratch.write("s.ark", "x/a [ 1 ]\n").sh("copy-feats-to-htk ark:s.ark");
    ran.fails_with(255).stderr_has("x/a.fea: ");
}

/// Kaldi dies of a failed assertion.
#[test]
fn columns_that_a_header_cannot_count_are_an_error() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![vec![0.0; 8192]]))]));
    let ran = scratch.sh("copy-feats-to-htk ark:f.ark");
    ran.fails_with(255).stderr_has("a: HTK features have at most 8191 columns, got 1 by 8192");
}
