use crate::support::Scratch;
use crate::support::sample::{binary_archive, matrix};

const FIRST: &str = "a [ 1 2\n 3 4 ]\nb [ 0 1 ]\n";

#[track_caller]
fn compares(first: &str, options: &str, second: &str, code: i32, lines: &[&str]) {
    let scratch = Scratch::new();
    scratch.write("1.ark", first).write("2.ark", second);
    let ran = scratch.sh(&format!("compare-feats {options} ark:1.ark ark:2.ark")).fails_with(code).stdout_is("");
    lines.iter().fold(ran, |ran, line| ran.stderr_has(line));
}

#[test]
fn features_are_similar_to_themselves() {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("a", matrix(1, 30, 13)), ("b", matrix(2, 20, 13))]));
    let ran = scratch.sh("copy-feats --compress ark:f.ark ark,scp:c.ark,c.scp && compare-feats ark:f.ark scp:c.scp");
    ran.succeeds().stderr_has("Features are considered similar since 0.99");
    let ran = scratch.sh("compare-feats ark:f.ark ark:f.ark");
    ran.succeeds()
        .stderr_has("Overall similarity for the two feats is:1 (")
        .stderr_has("Processed 2 feature files, 0 had errors.")
        .stderr_has("Features are considered similar since 1 >= 0.99");
}

#[test]
fn every_dimension_has_its_similarity() {
    // 2 (1 + 3) / (1 + 9 + 1 + 1) and 2 (2 + 12 + 1) / (4 + 16 + 1 + 1 + 9 + 1).
    let lines = [
        "self-product of 1st features for each column dimension: [ 10 21 ]",
        "self-product of 2nd features for each column dimension: [ 2 11 ]",
        "cross-product for each column dimension: [ 4 15 ]",
        "Similarity metric for each dimension [ 0.666667 0.9375 ] (",
        "Overall similarity for the two feats is:0.802083 (",
        "Features are considered dissimilar since 0.802083 < 0.99",
    ];
    let second = "b [ 0 1 ]\na [ 1 1\n 1 3 ]\n";
    compares(FIRST, "", second, 1, &lines);
    compares(FIRST, "--threshold=0.8", second, 0, &["Features are considered similar since 0.802083 >= 0.8"]);
    compares(FIRST, "--threshold=-1", "a [ -1 -2\n -3 -4 ]\n", 0, &["similar since -1 >= -1"]);
}

#[test]
fn utterances_without_a_counterpart_are_left_out_and_counted() {
    let lines = ["Second table has no feature for utterance b", "Processed 1 feature files, 1 had errors."];
    compares(FIRST, "", "a [ 1 2\n 3 4 ]\n", 0, &lines);
    let lines = ["Feature dimensions differ for utterance b, 2 vs. 1", "Processed 1 feature files, 1 had errors."];
    compares(FIRST, "", "a [ 1 2\n 3 4 ]\nb [ 0 ]\n", 0, &lines);
}

#[test]
fn nothing_compared_is_not_similar() {
    compares(FIRST, "", "", 1, &["Processed 0 feature files, 2 had errors."]);
    compares("", "--threshold=-1", FIRST, 1, &["Processed 0 feature files, 0 had errors."]);
    compares("a [ 0 0 ]\n", "", "a [ 0 0 ]\n", 1, &["considered dissimilar since"]);
}

/// Kaldi dies of a failed assertion.
#[test]
fn features_of_other_lengths_or_more_dimensions_than_before_are_an_error() {
    let line = "b: expected features of the same length, got 1 and 2 frames";
    compares(FIRST, "", "a [ 1 2\n 3 4 ]\nb [ 0 1\n 0 1 ]\n", 255, &[line]);
    let table = "a [ 1 ]\nb [ 1 2 ]\n";
    compares(table, "", table, 255, &["b: expected features of dimension 1 as before, got 2"]);
}

#[test]
fn a_broken_entry_is_an_error() {
    compares("a [ 1 x ]\n", "", "a [ 1 2 ]\n", 255, &["a: 1.ark:1: "]);
    compares("a [ 1 2 ]\n", "", "a [ 1 x ]\n", 255, &["a: 2.ark:1: "]);
}
