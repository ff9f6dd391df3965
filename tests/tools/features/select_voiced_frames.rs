use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn frames_with_a_one_are_kept() {
    let scratch = Scratch::new();
    let feats = Sample::Matrix(vec![vec![1.0, 2.0], vec![3.0, 4.0], vec![5.0, 6.0]]);
    scratch.write("f.ark", binary_archive(&[("a", feats)])).write("v.ark", "a [ 1 0 1 ]\n");
    let ran = scratch.sh("select-voiced-frames ark:f.ark ark,s,cs:v.ark ark:-");
    let kept = Sample::Matrix(vec![vec![1.0, 2.0], vec![5.0, 6.0]]);
    ran.succeeds()
        .stdout_is(binary_archive(&[("a", kept)]))
        .stderr_has("Done selecting voiced frames; processed 1 utterances, 0 had errors.");
}

#[test]
fn utterances_without_matching_or_voiced_frames_are_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", "a [ 1\n 2 ]\nb [ ]\nc [ 1 ]\nd [ 1\n 2 ]\ne [ 1 ]\nf [ 1\n 2 ]\n")
        .write("v.ark", "a [ 0 1 ]\nb [ ]\nd [ 1 ]\ne [ 0 ]\nf [ 1 -1 ]\n");
    let ran = scratch.sh("select-voiced-frames ark:f.ark ark:v.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  2 ]\n")
        .stderr_has("Empty feature matrix for utterance b")
        .stderr_has("No VAD input found for utterance c")
        .stderr_has("Mismatch in number for frames 2 for features and VAD 1, for utterance d")
        .stderr_has("No features were judged as voiced for utterance e")
        .stderr_has("No features were judged as voiced for utterance f")
        .stderr_has("processed 1 utterances, 5 had errors.");
    scratch.sh("select-voiced-frames ark:f.ark ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn a_frame_that_is_neither_voiced_nor_unvoiced_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 1\n 2 ]\n").write("v.ark", "a [ 1 0.5 ]\n");
    let ran = scratch.sh("select-voiced-frames ark:f.ark ark:v.ark ark:o");
    ran.fails_with(255).stderr_has("a: frame 1: expected 0 (unvoiced) or 1 (voiced), got 0.5");
    assert_eq!(scratch.list(), ["f.ark", "v.ark"]);
}

#[test]
fn what_compute_vad_finds_is_selected() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [ 9 1\n 99 2\n 9 3 ]\nb [ 1 1 ]\n");
    let ran = scratch
        .sh("compute-vad --omit-unvoiced-utts ark:f.ark ark:- | select-voiced-frames ark:f.ark ark,s,cs:- ark,t:-");
    ran.succeeds().stdout_is("a  [\n  99 2 ]\n").stderr_has("No VAD input found for utterance b");
}
