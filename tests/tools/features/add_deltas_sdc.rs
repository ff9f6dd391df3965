use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

/// Squares, in one column.
fn squares() -> Scratch {
    let scratch = Scratch::new();
    let rows = (0..6).map(|value| vec![(value * value) as f32]).collect();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(rows))]));
    scratch
}

#[track_caller]
fn gives(options: &str, rows: &[&[f32]]) {
    let expected = Sample::Matrix(rows.iter().map(|row| row.to_vec()).collect());
    let ran = squares().sh(&format!("add-deltas-sdc {options} ark:f.ark ark,t:-"));
    ran.succeeds().stdout_is(text_archive(&[("a", expected)]));
}

#[test]
fn seven_columns_become_fifty_six() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 30, 13))]));
    scratch.sh("copy-feats ark:f.ark ark,scp:o.ark,feats.scp").succeeds();
    let ran = scratch.sh("add-deltas-sdc --truncate=7 scp:feats.scp ark:- | feat-to-dim ark:- -");
    ran.succeeds().stdout_is("56\n");
}

#[test]
fn blocks_look_ahead_by_their_shift() {
    let rows: [&[f32]; 6] =
        [&[0.0, 0.5, 4.0], &[1.0, 2.0, 6.0], &[4.0, 4.0, 8.0], &[9.0, 6.0, 4.5], &[16.0, 8.0, 0.0], &[25.0, 4.5, 0.0]];
    gives("--num-blocks=2 --block-shift=2", &rows);
    gives("--num-blocks=0", &[&[0.0], &[1.0], &[4.0], &[9.0], &[16.0], &[25.0]]);
}

#[test]
fn the_window_tells_how_many_frames_count() {
    let rows: [&[f32]; 6] = [&[0.0, 0.9], &[1.0, 2.2], &[4.0, 4.0], &[9.0, 6.0], &[16.0, 5.8], &[25.0, 4.1]];
    gives("--delta-window=2 --num-blocks=1", &rows);
}

#[test]
fn columns_may_be_left_out_before() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 9, 5))]));
    let whole = "select-feats 0-1 ark:f.ark ark:- | add-deltas-sdc ark:- ark:-";
    scratch.sh(&format!("add-deltas-sdc --truncate=2 ark:f.ark ark:- | cmp - <({whole})")).succeeds();
    let ran = scratch.sh("add-deltas-sdc --truncate=6 ark:f.ark ark:-");
    ran.fails_with(255).stderr_has("a: cannot truncate features of dimension 5 to --truncate=6");
}

#[test]
fn empty_features_are_left_out_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![])), ("b", Sample::Matrix(vec![vec![2.0]]))]));
    let ran = scratch.sh("add-deltas-sdc --num-blocks=1 ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("b  [\n  2 0 ]\n").stderr_has("Empty feature matrix for key a");
    scratch.sh("add-deltas-sdc ark:/dev/null ark:-").succeeds().stdout_is("");
}

#[test]
pub fn options_are_checked_before_features_are_read() {
    for (option, message) in [
        ("--delta-window=0", "expected --delta-window to be from 1 to 999, got 0"),
        ("--num-blocks=-1", "Invalid option --num-blocks=-1: expected an integer from 0 to 999999"),
    ] {
        Scratch::new().sh(&format!("add-deltas-sdc {option} ark:/dev/null ark:-")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn more_columns_than_a_matrix_can_have_are_refused() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 1, 3000))]));
    let ran = scratch.sh("ulimit -v 4000000; add-deltas-sdc --num-blocks=999999 ark:f.ark ark:-");
    ran.fails_with(255).stderr_has("a: 1 by 3000000000 elements are too many");
}
