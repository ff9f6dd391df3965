use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, text_archive};

/// Rows of one column, of two, and of both side by side.
fn left(num_frames: usize) -> Sample {
    Sample::Matrix((0..num_frames).map(|frame| vec![frame as f32]).collect())
}

fn right(num_frames: usize) -> Sample {
    Sample::Matrix((0..num_frames).map(|frame| vec![10.0 + frame as f32, 20.0 + frame as f32]).collect())
}

fn both(num_frames: usize) -> Sample {
    Sample::Matrix((0..num_frames).map(|frame| frame as f32).map(|at| vec![at, 10.0 + at, 20.0 + at]).collect())
}

/// Utterances of the same length, one and two frames apart, and one that is on the left only.
fn archives() -> Scratch {
    let scratch = Scratch::new();
    let first = [("a", left(3)), ("b", left(5)), ("c", left(2)), ("d", left(1))];
    scratch.write("l.ark", binary_archive(&first));
    scratch.write("r.ark", binary_archive(&[("a", right(3)), ("b", right(4)), ("c", right(4))]));
    scratch
}

#[test]
fn features_stand_side_by_side() {
    let scratch = archives();
    let ran = scratch.sh("paste-feats ark:l.ark ark:r.ark ark:-");
    ran.succeeds()
        .stdout_is(binary_archive(&[("a", both(3))]))
        .stderr_has("Length mismatch 5 vs. 4 for utt b exceeds tolerance 0")
        .stderr_has("Length mismatch 4 vs. 2 for utt c exceeds tolerance 0")
        .stderr_has("Missing utt d from input ark:r.ark")
        .stderr_has("Done 1 utts, errors on 3");
}

#[test]
fn a_tolerance_cuts_to_the_shortest() {
    let scratch = archives();
    let ran = scratch.sh("paste-feats --verbose=2 --length-tolerance=1 ark:l.ark ark:r.ark ark,t:-");
    ran.succeeds()
        .stdout_is(text_archive(&[("a", both(3)), ("b", both(4))]))
        .stderr_has("Length mismatch 5 vs. 4 for utt b within tolerance 1")
        .stderr_has("Done 2 utts, errors on 2");
    let ran = scratch.sh("paste-feats --length-tolerance=2 ark:l.ark ark:r.ark ark,t:-");
    ran.succeeds().stdout_is(text_archive(&[("a", both(3)), ("b", both(4)), ("c", both(2))])).stderr_lacks("within");
}

#[test]
fn more_than_two_may_be_pasted() {
    let scratch = archives();
    let script = "paste-feats ark:l.ark ark:r.ark 'ark:select-feats 0 ark:r.ark ark:- |' ark:-";
    let ran = scratch.sh(&format!("{script} | select-feats 0-2 ark:- ark:-"));
    ran.succeeds().stdout_is(binary_archive(&[("a", both(3))]));
    scratch.sh(&format!("{script} | feat-to-dim ark:- -")).succeeds().stdout_is("4\n");
}

#[test]
fn others_are_found_by_key_in_any_order() {
    let scratch = archives();
    scratch.sh("copy-feats ark:r.ark ark,scp:o.ark,o.scp; tac o.scp | copy-feats scp:- ark:tac.ark").succeeds();
    for other in ["ark:tac.ark", "scp:o.scp", "'ark:cat tac.ark |'", "'ark,s,cs:cat r.ark |'"] {
        let ran = scratch.sh(&format!("paste-feats --length-tolerance=2 ark:l.ark {other} ark:-"));
        ran.succeeds().stdout_is(binary_archive(&[("a", both(3)), ("b", both(4)), ("c", both(2))]));
    }
}

#[test]
fn nothing_pasted_is_an_error() {
    let scratch = archives();
    scratch.sh("paste-feats ark:l.ark ark:/dev/null ark:-").fails_with(255).stderr_has("Done 0 utts, errors on 4");
    scratch.sh("paste-feats ark:/dev/null ark:l.ark ark:-").fails_with(255).stderr_has("Done 0 utts, errors on 0");
}

#[test]
fn empty_features_go_with_nothing() {
    let scratch = Scratch::new();
    scratch
        .write("e.ark", binary_archive(&[("a", Sample::Matrix(vec![]))]))
        .write("l.ark", binary_archive(&[("a", left(1))]));
    let ran = scratch.sh("paste-feats --length-tolerance=9 ark:l.ark ark:e.ark ark:-");
    ran.fails_with(255).stdout_is("").stderr_has("Length mismatch 1 vs. 0 for utt a exceeds tolerance 9");
}

#[test]
fn single_files_are_pasted_in_the_form_asked_for() {
    let scratch = Scratch::new();
    scratch.write("foo.mat", left(3).binary()).write("bar.mat", right(3).text()).write("long.mat", right(4).binary());
    scratch.sh("paste-feats foo.mat bar.mat baz.mat").succeeds().stderr_has("Wrote appended features to baz.mat");
    assert_eq!(scratch.read("baz.mat"), both(3).binary());
    let ran = scratch.sh("paste-feats --binary=false --length-tolerance=1 foo.mat long.mat -");
    ran.succeeds().stdout_is(both(3).text());
    let ran = scratch.sh("paste-feats foo.mat long.mat o.mat");
    ran.fails_with(1).stderr_has("Length mismatch 4 vs. 3 exceeds tolerance 0");
    assert!(!scratch.list().contains(&"o.mat".to_owned()));
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = archives();
    scratch.sh("paste-feats ark:l.ark r.ark ark:o").fails_with(255).stderr_has("invalid rspecifier");
    scratch.sh("paste-feats ark:l.ark ark:r.ark o").fails_with(255).stderr_has("invalid wspecifier");
    scratch.write("foo.mat", left(3).binary());
    scratch.sh("paste-feats foo.mat ark:r.ark o").fails_with(255).stderr_has("not of a file");
    assert_eq!(scratch.list(), ["foo.mat", "l.ark", "r.ark"]);
}
