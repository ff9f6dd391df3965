use crate::support::Scratch;
use crate::support::sample::Sample;

/// Three tables of 1 × 2 matrices; the second lacks a key, the third has another size for one.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.ark", "a [ 1 2 ]\nb [ 3 4 ]\nc [ 5 6 ]\n")
        .write("2.ark", "c [ 10 20 ]\nb [ 30 40 ]\n")
        .write("3.ark", "a [ 0.5 0.5 ]\nb [ 1 2 3 ]\nc [ 0.5 0.5 ]\n");
    scratch
}

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.mat", Sample::Matrix(vec![vec![1.0, 2.0]]).binary())
        .write("2.mat", " [ 3 4 ]\n")
        .write("3.mat", " [ 5 6 7\n 8 9 10 ]\n");
    scratch
}

#[test]
fn tables_are_summed_by_the_keys_of_the_first() {
    let scratch = tables();
    scratch.sh("matrix-sum ark:1.ark ark:2.ark ark:sum.ark").succeeds();
    let ran = scratch.sh("matrix-sum ark:1.ark ark:2.ark ark:3.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1.5 2.5 ]\nb  [\n  33 44 ]\nc  [\n  15.5 26.5 ]\n")
        .stderr_has("No matrix found for utterance a for system 2, rspecifier: ark:2.ark")
        .stderr_has("Dimension mismatch for utterance b : 1 by 3 for system 3, rspecifier: ark:3.ark vs 1 by 2")
        .stderr_has("Processed 3 utterances: with a total of 8 matrices across 3 different systems")
        .stderr_has("Produced output for 3 utterances; 1 total missing matrices");
}

#[test]
fn too_many_missing_matrices_are_a_failure_though_all_is_written() {
    let scratch = tables();
    let ran = scratch.sh("matrix-sum ark:1.ark ark:2.ark ark:2.ark ark,t:-");
    ran.fails_with(1).stdout_is("a  [\n  1 2 ]\nb  [\n  63 84 ]\nc  [\n  25 46 ]\n").stderr_has("2 total missing");
}

#[test]
fn the_first_two_tables_may_be_scaled() {
    let scratch = tables();
    let ran = scratch.sh("matrix-sum --scale1=2 --scale2=-1 ark:1.ark ark:1.ark ark:3.ark ark,t:- | head -n 2");
    ran.succeeds().stdout_is("a  [\n  1.5 2.5 ]\n");
    scratch
        .sh("matrix-sum --scale1=-1 ark:2.ark ark,t:-")
        .succeeds()
        .stdout_is("c  [\n  -10 -20 ]\nb  [\n  -30 -40 ]\n");
}

/// As BLAS has it, so that what is not finite vanishes as well.
#[test]
fn a_scale_of_zero_leaves_no_trace() {
    let scratch = Scratch::new();
    scratch.write("1.ark", "a [ -1 inf ]\n").write("2.ark", "a [ 2 nan ]\n");
    scratch.sh("matrix-sum --scale1=0 ark:1.ark ark,t:-").succeeds().stdout_is("a  [\n  0 0 ]\n");
    let ran = scratch.sh("matrix-sum --scale2=0 ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  -1 inf ]\n");
}

#[test]
fn an_average_is_over_all_tables_and_ignores_scales() {
    let ran = tables().sh("matrix-sum --average=true --scale1=9 ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0.5 1 ]\nb  [\n  16.5 22 ]\nc  [\n  7.5 13 ]\n");
}

#[test]
fn a_table_is_summed_into_a_file() {
    let scratch = tables();
    let ran = scratch.sh("matrix-sum --binary=false ark:1.ark global_cmvn; cat global_cmvn");
    ran.succeeds().stdout_is(" [\n  9 12 ]\n").stderr_has("Summed 3 matrices, 0 with errors; wrote sum to global_cmvn");
    scratch.sh("matrix-sum ark:1.ark sum.mat").succeeds();
    assert_eq!(scratch.read("sum.mat"), Sample::Matrix(vec![vec![9.0, 12.0]]).binary());
}

#[test]
fn what_is_empty_or_of_another_size_is_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch.write("m.ark", "a [ ]\nb [ 1 ]\nc [ 2 3 ]\nd [ 4 ]\ne [ 5 ]\n");
    let ran = scratch.sh("matrix-sum --binary=false ark:m.ark -");
    ran.succeeds()
        .stdout_is(" [\n  10 ]\n")
        .stderr_has("Zero matrix input for key a")
        .stderr_has("Dimension mismatch for key c: 1 by 2 vs. 1 by 1")
        .stderr_has("Summed 3 matrices, 2 with errors; wrote sum to standard output");
    let ran = scratch.sh("head -n 3 m.ark | matrix-sum --binary=false ark:- -");
    ran.fails_with(1).stdout_is(" [\n  1 ]\n").stderr_has("Summed 1 matrices, 2 with errors");
}

#[test]
fn the_sum_of_no_matrices_is_empty_and_a_failure() {
    let ran = Scratch::new().sh("matrix-sum --binary=false ark:/dev/null -");
    ran.fails_with(1).stdout_is(" [ ]\n").stderr_has("Summed 0 matrices, 0 with errors");
    Scratch::new().sh("matrix-sum ark:/dev/null ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

#[test]
fn one_table_is_summed_in_double_precision_and_several_in_single() {
    let scratch = Scratch::new();
    scratch.write("1", "a [ 16777216 ]\n").write("2", "a [ 1 ]\n").write("3", "a [ 1 ]\n");
    let ran = scratch.sh("cat 1 2 3 | matrix-sum ark:- sum.mat; matrix-sum ark:1 ark:2 ark:3 ark:sum.ark");
    ran.succeeds();
    assert_eq!(scratch.read("sum.mat"), Sample::Matrix(vec![vec![16777218.0]]).binary());
    assert_eq!(scratch.read("sum.ark")[2..], Sample::Matrix(vec![vec![16777216.0]]).binary());
}

#[test]
fn files_are_summed_or_averaged() {
    let scratch = files();
    let ran = scratch.sh("matrix-sum --binary=false 1.mat 2.mat -");
    ran.succeeds().stdout_is(" [\n  4 6 ]\n").stderr_has("Summed 2 matrices; wrote sum to standard output");
    scratch.sh("matrix-sum --average=true 1.mat 2.mat average.mat").succeeds();
    assert_eq!(scratch.read("average.mat"), Sample::Matrix(vec![vec![2.0, 3.0]]).binary());
}

#[test]
fn the_sum_of_files_grows_and_does_not_shrink() {
    let scratch = files();
    let ran = scratch.sh("matrix-sum --binary=false 1.mat 3.mat -");
    ran.succeeds().stdout_is(" [\n  6 8 7 \n  8 9 10 ]\n");
    let ran = scratch.sh("matrix-sum 3.mat 1.mat o");
    ran.fails_with(255).stderr_has("cannot add 1.mat: expected a matrix of 2 by 3, got 1 by 2");
    assert_eq!(scratch.list(), ["1.mat", "2.mat", "3.mat"]);
}

#[test]
fn options_that_do_not_go_with_the_usage_are_refused() {
    let scratch = tables();
    scratch.sh("matrix-sum --average=true ark:1.ark o").fails_with(255).stderr_has("--average does not go with");
    scratch.sh("matrix-sum --scale1=2 ark:1.ark o").fails_with(255).stderr_has("--scale1 and --scale2 are only for");
    scratch.sh("matrix-sum --scale2=2 x y o").fails_with(255).stderr_has("--scale1 and --scale2 are only for");
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "3.ark"]);
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = tables();
    scratch.write("1.mat", " [ 1 2 ]\n");
    scratch.sh("matrix-sum 1.mat ark:1.ark o").fails_with(255).stderr_has("ark:1.ark is a table, 1.mat is a file");
    scratch.sh("matrix-sum 1.mat ark:1.ark ark:o").fails_with(255).stderr_has("invalid rspecifier \"1.mat\"");
    scratch.sh("matrix-sum ark:1.ark 1.mat ark:o").fails_with(255).stderr_has("invalid rspecifier \"1.mat\"");
    let ran = scratch.sh("matrix-sum ark:1.ark ark:2.ark o");
    ran.fails_with(1).stderr_has("Usage: matrix-sum").stderr_has("several tables are summed into a table");
}
