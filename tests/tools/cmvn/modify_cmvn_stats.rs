use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn stats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("s.ark", "a [ 4 6 2\n 10 20 0 ]\nb [ 1 2 0\n 3 4 0 ]\n");
    scratch
}

#[test]
fn faked_dimensions_have_a_mean_of_zero_and_a_variance_of_one() {
    let ran = stats().sh("cat s.ark | modify-cmvn-stats 1 ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  4 0 2 \n  10 2 0 ]\nb  [\n  1 0 0 \n  3 0 0 ]\n")
        .stderr_has("Modified 2 sets of stats.");
    let ran = stats().sh("modify-cmvn-stats 0:1 ark:s.ark ark,t:- | head -n 3");
    ran.succeeds().stdout_is("a  [\n  0 0 2 \n  2 2 0 ]\n");
}

#[test]
fn without_dimensions_it_is_a_copy_in_double_precision() {
    let scratch = stats();
    let stats = vec![vec![4.0, 6.0, 2.0], vec![10.0, 20.0, 0.0]];
    let single = Sample::Matrix(stats.iter().map(|row| row.iter().map(|&value| value as f32).collect()).collect());
    scratch.write("single", binary_archive(&[("a", single)]));
    for dims in ["", "''"] {
        scratch.sh(&format!("modify-cmvn-stats {dims} ark:single ark:o")).succeeds();
        assert_eq!(scratch.read("o"), binary_archive(&[("a", Sample::MatrixF64(stats.clone()))]));
    }
}

#[test]
fn means_and_variances_can_be_had_where_there_are_frames() {
    let ran = stats().sh("modify-cmvn-stats --convert-to-mean-and-var=true ark:s.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  2 3 \n  1 1 ]\n")
        .stderr_has("Zero or negative count for speaker b")
        .stderr_has("Modified 1 sets of stats.");
    let ran = stats().sh("modify-cmvn-stats --convert-to-mean-and-var 0 ark:s.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 3 \n  1 1 ]\n");
    let ran = stats().sh("tail -n 2 s.ark | modify-cmvn-stats --convert-to-mean-and-var ark:- ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Modified 0 sets of stats.");
}

#[test]
fn dimensions_that_do_not_exist_are_an_error() {
    let scratch = stats();
    for dim in ["2", "0:-1"] {
        let ran = scratch.sh(&format!("modify-cmvn-stats {dim} ark:s.ark ark:o"));
        ran.fails_with(255).stderr_has("a: expected a dimension of 0 or more and below 2, got");
    }
    let ran = scratch.sh("modify-cmvn-stats 1,2 ark:s.ark ark:o");
    ran.fails_with(255).stderr_has("invalid fake dims \"1,2\": expected a colon-separated list of integers");
    assert_eq!(scratch.list(), ["s.ark"]);
}

#[test]
fn what_is_no_statistics_is_an_error() {
    let scratch = stats();
    scratch.write("one", "a [ 1 2 3 ]\n").write("three", "a [ 1 ; 2 ; 3 ]\n").write("narrow", "a [ 1 ; 2 ]\n");
    for name in ["one", "three", "narrow"] {
        let ran = scratch.sh(&format!("modify-cmvn-stats ark:{name} ark:o"));
        ran.fails_with(255).stderr_has("a: expected CMVN statistics, of 2 rows and at least 2 columns, got");
    }
    assert_eq!(scratch.list(), ["narrow", "one", "s.ark", "three"]);
}

#[test]
fn nothing_done_is_a_failure() {
    Scratch::new().sh("modify-cmvn-stats 1 ark:/dev/null ark:-").fails_with(1).stdout_is("").stderr_has("Modified 0");
}
