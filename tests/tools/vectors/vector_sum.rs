use crate::support::Scratch;
use crate::support::sample::Sample;

/// Three tables; the second lacks a key, the third has another length for one.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.ark", "a [ 1 2 ]\nb [ 3 4 ]\nc [ 5 6 ]\n")
        .write("2.ark", "c [ 10 20 ]\nb [ 30 40 ]\n")
        .write("3.ark", "a [ 0.5 0.5 ]\nb [ 1 2 3 ]\nc [ 0.5 0.5 ]\n");
    scratch
}

#[test]
fn tables_are_summed_by_the_keys_of_the_first() {
    let scratch = tables();
    scratch.sh("vector-sum ark:1.ark ark:2.ark ark:sum.ark").succeeds();
    let ran = scratch.sh("vector-sum ark:1.ark ark:2.ark ark:3.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 1.5 2.5 ]\nb  [ 33 44 ]\nc  [ 15.5 26.5 ]\n")
        .stderr_has("No vector found for utterance a for system 2, rspecifier: ark:2.ark")
        .stderr_has("Dimension mismatch for utterance b : 3 for system 3, rspecifier: ark:3.ark vs 2")
        .stderr_has("Processed 3 utterances: with a total of 8 vectors across 3 different systems")
        .stderr_has("Produced output for 3 utterances; 1 total missing vectors");
}

#[test]
fn too_many_missing_vectors_are_a_failure_though_all_is_written() {
    let ran = tables().sh("vector-sum ark:1.ark ark:2.ark ark:2.ark ark,t:-");
    ran.fails_with(1).stdout_is("a  [ 1 2 ]\nb  [ 63 84 ]\nc  [ 25 46 ]\n").stderr_has("2 total missing vectors");
}

#[test]
fn a_table_is_summed_or_averaged_into_a_file() {
    let scratch = tables();
    let ran = scratch.sh("vector-sum --binary=false ark:1.ark -");
    ran.succeeds().stdout_is(" [ 9 12 ]\n").stderr_has("Summed 3 vectors, 0 with errors; wrote sum to standard output");
    scratch.sh("vector-sum --average=true ark:1.ark mean.vec").succeeds();
    assert_eq!(scratch.read("mean.vec"), Sample::Vector(vec![3.0, 4.0]).binary());
}

/// In Kaldi it depends on what the memory holds.
#[test]
fn a_file_is_binary_unless_told_otherwise() {
    let scratch = tables();
    scratch.sh("vector-sum ark:1.ark sum.vec").succeeds();
    assert_eq!(scratch.read("sum.vec"), Sample::Vector(vec![9.0, 12.0]).binary());
}

#[test]
fn what_is_empty_or_of_another_length_is_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch.write("v.ark", "a [ ]\nb [ 1 ]\nc [ 2 3 ]\nd [ 4 ]\ne [ 7 ]\n");
    let ran = scratch.sh("vector-sum --binary=false --average ark:v.ark -");
    ran.succeeds()
        .stdout_is(" [ 4 ]\n")
        .stderr_has("Zero vector input for key a")
        .stderr_has("Dimension mismatch for key c: 2 vs. 1")
        .stderr_has("Summed 3 vectors, 2 with errors");
    let ran = scratch.sh("head -n 3 v.ark | vector-sum --binary=false ark:- -");
    ran.fails_with(1).stdout_is(" [ 1 ]\n").stderr_has("Summed 1 vectors, 2 with errors");
}

#[test]
fn the_sum_of_no_vectors_is_empty_and_a_failure() {
    let ran = Scratch::new().sh("vector-sum --binary=false --average=true ark:/dev/null -");
    ran.fails_with(1).stdout_is(" [ ]\n").stderr_has("Summed 0 vectors, 0 with errors");
    Scratch::new().sh("vector-sum ark:/dev/null ark:/dev/null ark:-").fails_with(1).stdout_is("");
}

#[test]
fn one_table_is_summed_in_double_precision_and_several_in_single() {
    let scratch = Scratch::new();
    scratch.write("1", "a [ 16777216 ]\n").write("2", "a [ 1 ]\n").write("3", "a [ 1 ]\n");
    scratch.sh("cat 1 2 3 | vector-sum ark:- sum.vec; vector-sum ark:1 ark:2 ark:3 ark:sum.ark").succeeds();
    assert_eq!(scratch.read("sum.vec"), Sample::Vector(vec![16777218.0]).binary());
    assert_eq!(scratch.read("sum.ark")[2..], Sample::Vector(vec![16777216.0]).binary());
}

#[test]
fn files_are_summed_and_the_sum_grows() {
    let scratch = Scratch::new();
    scratch.write("post.1.vec", " [ 1 2 ]\n").write("post.2.vec", Sample::Vector(vec![0.5, 0.5, 7.0]).binary());
    let ran = scratch.sh("vector-sum --binary=false post.*.vec post.vec; cat post.vec");
    ran.succeeds().stdout_is(" [ 1.5 2.5 7 ]\n").stderr_has("Summed 2 vectors; wrote sum to post.vec");
    let ran = scratch.sh("vector-sum post.2.vec post.1.vec o");
    ran.fails_with(255).stderr_has("cannot add post.1.vec: expected a vector");
    assert_eq!(scratch.list(), ["post.1.vec", "post.2.vec", "post.vec"]);
}

/// As in Kaldi, where it is for one table only.
#[test]
fn files_and_several_tables_are_not_averaged() {
    let scratch = tables();
    scratch.write("1.vec", " [ 1 2 ]\n");
    scratch.sh("vector-sum --average --binary=false 1.vec 1.vec -").succeeds().stdout_is(" [ 2 4 ]\n");
    let ran = scratch.sh("vector-sum --average ark:2.ark ark:1.ark ark,t:-");
    ran.succeeds().stdout_is("c  [ 15 26 ]\nb  [ 33 44 ]\n");
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = tables();
    scratch.write("1.vec", " [ 1 2 ]\n");
    scratch.sh("vector-sum 1.vec ark:1.ark o").fails_with(255).stderr_has("ark:1.ark is a table, 1.vec is a file");
    scratch.sh("vector-sum 1.vec ark:1.ark ark:o").fails_with(255).stderr_has("invalid rspecifier \"1.vec\"");
    let ran = scratch.sh("vector-sum ark:1.ark ark:2.ark o");
    ran.fails_with(1).stderr_has("Usage: vector-sum").stderr_has("several tables are summed into a table");
}

/// Kaldi goes on with what it got.
#[test]
pub fn a_table_from_a_pipe_that_fails_is_an_error() {
    let scratch = tables();
    let sum = "a  [ 2 4 ]\nb  [ 6 8 ]\nc  [ 10 12 ]\n";
    for options in ["", "s,cs,"] {
        let ran = scratch.sh(&format!("vector-sum ark:1.ark '{options}ark:cat 1.ark; exit 3 |' ark,t:-"));
        ran.fails_with(255).stdout_is(sum).stderr_has("cat 1.ark; exit 3 |");
    }
    scratch.write("1.vec", " [ 1 2 ]\n");
    let ran = scratch.sh("vector-sum ark:1.ark 'scp:echo a 1.vec; exit 3 |' ark:o");
    ran.fails_with(255).stderr_has("echo a 1.vec; exit 3 |");
    scratch.sh("vector-sum ark:1.ark 'p,ark:cat 1.ark; exit 3 |' ark,t:-").succeeds().stdout_is(sum);
}
