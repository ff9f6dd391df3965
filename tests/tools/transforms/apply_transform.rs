use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, matrix, vector};

const AFFINE: &str = " [ 1 0 10\n 0 2 20 ]\n";
const LINEAR: &str = " [ 1 1\n 1 -1\n 0 1 ]\n";

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("m.ark", "a [\n 1 2\n 3 4 ]\nb [\n 5 6 ]\n")
        .write("v.ark", "a [ 1 2 ]\nb [ 5 6 ]\n")
        .write("affine.mat", AFFINE)
        .write("linear.mat", LINEAR);
    scratch
}

/// The numbers in a text table.
fn numbers(text: &[u8]) -> Vec<f64> {
    std::str::from_utf8(text).unwrap().split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

#[track_caller]
fn are_near(left: &[u8], right: &[u8]) {
    let (left, right) = (numbers(left), numbers(right));
    assert!(left.len() > 10 && left.len() == right.len(), "{} and {} numbers", left.len(), right.len());
    let largest = right.iter().fold(0.0_f64, |largest, number| largest.max(number.abs()));
    for (left, right) in left.iter().zip(right) {
        assert!((left - right).abs() <= 1e-6 * largest, "{left} and {right}");
    }
}

#[test]
fn transforms_are_applied_in_the_order_given() {
    let ran = files().sh("cat m.ark | apply-transform affine.mat linear.mat ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  35 -13 24 \n  41 -15 28 ]\nb  [\n  47 -17 32 ]\n")
        .stderr_has("Applied 2 transforms to 2 matrices; 0 had errors.");
    let ran = files().sh("apply-transform 'linear.mat[0:1]' affine.mat ark:m.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  13 18 \n  17 18 ]\nb  [\n  21 18 ]\n");
}

#[test]
fn vectors_stay_vectors() {
    let ran = files().sh("apply-transform affine.mat linear.mat ark:v.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 35 -13 24 ]\nb  [ 47 -17 32 ]\n")
        .stderr_has("Applied 2 transforms to 2 vectors; 0 had errors.");
    let scratch = Scratch::new();
    scratch.write("v.ark", binary_archive(&[("a", Sample::Vector(vec![1.0, 2.0]))])).write("l.mat", LINEAR);
    let ran = scratch.sh("apply-transform l.mat ark:v.ark ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("a", Sample::Vector(vec![3.0, -1.0, 2.0]))]));
}

#[test]
fn the_first_entry_says_what_the_table_holds() {
    let scratch = files();
    // A matrix may be on one line after one that is not.
    scratch.write("one-line.ark", "a [\n 1 2 ]\nb [ 5 6 ]\n");
    let ran = scratch.sh("apply-transform linear.mat ark:one-line.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  3 -1 2 ]\nb  [\n  11 -1 6 ]\n");
    let mixed = binary_archive(&[("a", matrix(1, 2, 2)), ("b", vector(2, 2))]);
    scratch.write("mixed.ark", mixed);
    let ran = scratch.sh("apply-transform linear.mat ark:mixed.ark ark:o");
    ran.fails_with(255).stderr_has("b: mixed.ark:").stderr_has("expected token \"FM\", got \"FV\"");
    let mixed = binary_archive(&[("a", vector(2, 2)), ("b", matrix(1, 2, 2))]);
    scratch.write("mixed.ark", mixed);
    let ran = scratch.sh("apply-transform linear.mat ark:mixed.ark ark:o");
    ran.fails_with(255).stderr_has("b: mixed.ark:").stderr_has("expected token \"FV\", got \"FM\"");
    assert!(!scratch.list().contains(&"o".to_owned()));
}

#[test]
fn ranges_of_script_files_are_those_of_the_type() {
    let scratch = files();
    scratch.write("m.scp", "a m.ark:2[1:1]\n").write("v.scp", "a v.ark:2[0:1]\n");
    scratch.sh("apply-transform linear.mat scp:m.scp ark,t:-").succeeds().stdout_is("a  [\n  7 -1 4 ]\n");
    scratch.sh("apply-transform linear.mat scp:v.scp ark,t:-").succeeds().stdout_is("a  [ 3 -1 2 ]\n");
}

#[test]
fn compressed_matrices_are_matrices() {
    let ran = files()
        .sh("copy-feats --compress --compression-method=6 ark:m.ark ark:- | apply-transform linear.mat ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [\n  3 -1 2 \n  7 -1 4 ]\nb  [\n  11 -1 6 ]\n");
}

#[test]
fn one_transform_does_what_transform_feats_does() {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", binary_archive(&[("a", matrix(1, 50, 20)), ("b", matrix(2, 7, 20))]))
        .write("linear.mat", matrix(3, 9, 20).binary())
        .write("affine.mat", matrix(4, 9, 21).binary())
        .write("t.ark", binary_archive(&[("s", matrix(5, 12, 21)), ("t", matrix(6, 8, 20))]))
        .write("utt2spk", "a s\nb t\n");
    for transform in ["linear.mat", "affine.mat", "--utt2spk=ark:utt2spk ark:t.ark"] {
        let run = |program: &str| scratch.sh(&format!("{program} {transform} ark:f.ark ark:-")).succeeds();
        run("apply-transform").stdout_is(run("transform-feats").stdout());
    }
}

#[test]
fn a_chain_does_what_transform_feats_does_one_by_one() {
    let scratch = Scratch::new();
    scratch
        .write("f.ark", binary_archive(&[("a", matrix(1, 50, 20)), ("b", matrix(2, 7, 20))]))
        .write("linear.mat", matrix(3, 20, 20).binary())
        .write("affine.mat", matrix(4, 20, 21).binary())
        .write("last.mat", matrix(5, 6, 21).binary())
        .write("t.ark", binary_archive(&[("s", matrix(6, 20, 21)), ("t", matrix(7, 20, 20))]))
        .write("utt2spk", "a s\nb t\n");
    for chain in [
        &["linear.mat", "affine.mat"][..],
        &["affine.mat", "linear.mat"],
        &["affine.mat", "affine.mat", "last.mat"],
        &["linear.mat", "linear.mat", "last.mat"],
        &["affine.mat", "ark:t.ark", "affine.mat", "last.mat"],
        &["ark:t.ark", "ark:t.ark", "linear.mat"],
    ] {
        let one_by_one = chain.iter().fold("cat f.ark".to_owned(), |pipeline, transform| {
            format!("{pipeline} | transform-feats --utt2spk=ark:utt2spk {transform} ark:- ark:-")
        });
        let one_by_one = scratch.sh(&format!("{one_by_one} | copy-feats ark:- ark,t:-")).succeeds();
        let chain = chain.join(" ");
        let at_once = scratch.sh(&format!("apply-transform --utt2spk=ark:utt2spk {chain} ark:f.ark ark,t:-"));
        are_near(at_once.succeeds().stdout(), one_by_one.stdout());
    }
}

/// In single precision the intermediate value would lose the small part.
#[test]
fn transforms_of_all_are_composed_in_double_precision() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [\n 1 ]\n").write("up.mat", " [ 1 16777216 ]\n").write("down.mat", " [ 1 -16777216 ]\n");
    let ran = scratch.sh("apply-transform up.mat down.mat ark:f.ark ark,t:-");
    ran.succeeds().stdout_is("a  [\n  1 ]\n");
}

#[test]
fn what_lacks_a_transform_or_does_not_fit_it_is_left_out_and_counted() {
    let scratch = files();
    scratch.write("t.ark", "b [ 1 0 ]\n").write("wide.ark", "a [ 1 2 3 4 ]\nb [ 1 2 ]\n");
    let ran = scratch.sh("apply-transform affine.mat ark:t.ark ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [\n  15 ]\n")
        .stderr_has("No transform available for a in ark:t.ark, producing no output for it")
        .stderr_has("Applied 2 transforms to 1 matrices; 1 had errors.");
    let ran = scratch.sh("apply-transform ark:wide.ark ark:v.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [ 17 ]\n")
        .stderr_has("a does not fit transform ark:wide.ark")
        .stderr_has("expected a transform with 2 or 3 columns, got 1 by 4");
    let ran = scratch.sh("apply-transform linear.mat ark:wide.ark linear.mat ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  12 10 1 \n  22 20 1 ]\n")
        .stderr_has("b does not fit transform ark:wide.ark")
        .stderr_has("Applied 3 transforms to 1 matrices; 1 had errors.");
    let ran = scratch.sh("apply-transform ark:t.ark affine.mat ark:m.ark ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Applied 2 transforms to 0 matrices; 2 had errors.");
}

#[test]
fn features_that_do_not_fit_the_first_transform_are_left_out() {
    let scratch = files();
    scratch.write("m.ark", "a [\n 1 ]\nb [\n 5 6 ]\nc [\n 1 2 3 ]\nd [ ]\n");
    let ran = scratch.sh("apply-transform affine.mat linear.mat ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [\n  47 -17 32 ]\nc  [\n  95 -33 64 ]\n")
        .stderr_has("a does not fit transform affine.mat, linear.mat, producing no output for it")
        .stderr_has("Applied 2 transforms to 2 matrices; 2 had errors.");
}

#[test]
fn transforms_of_all_that_do_not_fit_each_other_are_an_error() {
    let scratch = files();
    let ran = scratch.sh("apply-transform linear.mat affine.mat affine.mat linear.mat linear.mat ark:m.ark ark:o");
    ran.fails_with(255)
        .stderr_has("linear.mat does not fit after linear.mat, affine.mat, affine.mat, linear.mat")
        .stderr_has("expected a transform with 3 or 4 columns, got 3 by 2");
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = files().sh("apply-transform linear.mat ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Applied 1 transforms to 0 matrices; 0 had errors.");
}

#[test]
fn a_broken_entry_leaves_no_output_behind() {
    let scratch = Scratch::new();
    scratch.write("f.ark", "a [\n 1 2 ]\nb [ 1 x ]\n").write("m.mat", LINEAR).write("utt2spk", "a a\n");
    scratch.sh("apply-transform m.mat ark:f.ark ark:o").fails_with(255).stderr_has("b: f.ark:3: ");
    scratch.sh("apply-transform nowhere.mat ark:f.ark ark:o").fails_with(255).stderr_has("cannot open nowhere.mat");
    let ran = scratch.sh("apply-transform --utt2spk=ark:utt2spk ark:f.ark ark:f.ark ark:o");
    ran.fails_with(255);
    assert_eq!(scratch.list(), ["f.ark", "m.mat", "utt2spk"]);
}
