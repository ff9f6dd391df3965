use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, text_archive};

/// Features of one column.
fn column(values: &[f32]) -> Sample {
    Sample::Matrix(values.iter().map(|&value| vec![value]).collect())
}

fn ramp() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", column(&[0.0, 1.0, 2.0, 3.0, 4.0]))]));
    scratch
}

#[track_caller]
fn gives(options: &str, rows: &[&[f32]]) {
    let expected = Sample::Matrix(rows.iter().map(|row| row.to_vec()).collect());
    let ran = ramp().sh(&format!("add-deltas {options} ark:f.ark ark,t:-"));
    ran.succeeds().stdout_is(text_archive(&[("a", expected)]));
}

#[test]
fn thirteen_columns_become_thirty_nine() {
    let scratch = Scratch::new();
    scratch.write("feats.ark", binary_archive(&[("a", matrix(1, 30, 13)), ("b", matrix(2, 1, 13))]));
    scratch.sh("copy-feats ark:feats.ark ark,scp:o.ark,feats.scp").succeeds();
    scratch.sh("add-deltas scp:feats.scp ark:- | feat-to-dim ark:- -").succeeds().stdout_is("39\n");
    scratch.sh("add-deltas scp:feats.scp ark:- | feat-to-len ark:- ark,t:-").succeeds().stdout_is("a 30 \nb 1 \n");
}

#[test]
fn the_order_tells_how_many_derivatives_there_are() {
    gives("--delta-order=0", &[&[0.0], &[1.0], &[2.0], &[3.0], &[4.0]]);
    let rows: [&[f32]; 5] = [&[0.0, 0.5], &[1.0, 1.0], &[2.0, 1.0], &[3.0, 1.0], &[4.0, 0.5]];
    gives("--delta-order=1 --delta-window=1", &rows);
}

#[test]
fn the_window_tells_how_many_frames_count() {
    gives("--delta-window=4 --delta-order=1", &[&[0.0, 0.5], &[1.0, 0.6], &[2.0, 0.6333333], &[3.0, 0.6], &[4.0, 0.5]]);
}

#[test]
fn columns_may_be_left_out_before() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 7, 5))]));
    let script =
        "add-deltas --truncate=2 ark:f.ark ark:- > a; select-feats 0-1 ark:f.ark ark:- | add-deltas ark:- ark:- > b";
    scratch.sh(script).succeeds();
    scratch.sh("cmp a b && add-deltas --truncate=5 ark:f.ark ark:- | cmp - <(add-deltas ark:f.ark ark:-)").succeeds();
    let ran = scratch.sh("add-deltas --truncate=6 ark:f.ark ark:o");
    ran.fails_with(255).stderr_has("a: cannot truncate features of dimension 5 to --truncate=6");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

#[test]
fn empty_features_are_left_out_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", Sample::Matrix(vec![])), ("b", column(&[1.0]))]));
    let ran = scratch.sh("add-deltas --delta-order=1 --delta-window=1 ark:f.ark ark,t:-");
    ran.succeeds()
        .stdout_is(text_archive(&[("b", Sample::Matrix(vec![vec![1.0, 0.0]]))]))
        .stderr_has("Empty feature matrix for key a");
}

#[test]
pub fn options_are_checked_before_features_are_read() {
    for (option, message) in [
        ("--delta-order=-1", "Invalid option --delta-order=-1: expected an integer from 0 to 999"),
        ("--delta-order=1000", "Invalid option --delta-order=1000: expected an integer from 0 to 999"),
        ("--delta-window=0", "expected --delta-window to be from 1 to 999, got 0"),
    ] {
        Scratch::new().sh(&format!("add-deltas {option} ark:/dev/null ark:-")).fails_with(255).stderr_has(message);
    }
    Scratch::new().sh("add-deltas --truncate=-1 ark:/dev/null ark:-").fails_with(255).stderr_has("--truncate=-1");
}

/// A frame that has no weight in a sum has no part in it.
#[test]
fn what_is_not_a_number_stays_near() {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a [ 1\n nan\n 3\n 4\n 5\n 6\n 7 ]\n");
    let ran =
        scratch.sh("add-deltas --delta-order=1 --delta-window=1 ark:f.txt ark,t:- | select-feats 1 ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [\n  nan \n  1 \n  nan \n  1 \n  1 \n  1 \n  0.5 ]\n");
}

#[test]
fn threads_change_nothing() {
    let scratch = Scratch::new();
    let keys: Vec<String> = (0..60).map(|at| format!("utt{at:02}")).collect();
    let entries: Vec<_> = keys.iter().zip(0..).map(|(key, seed)| (key.as_str(), matrix(seed, 300, 40))).collect();
    scratch.write("f.ark", binary_archive(&entries));
    let script =
        "for n in 1 2 3; do add-deltas --num-threads=$n ark:f.ark ark:$n.ark; done; cmp 1.ark 2.ark && cmp 1.ark 3.ark";
    scratch.sh(script).succeeds();
}
