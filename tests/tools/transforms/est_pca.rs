use crate::support::Scratch;

/// Mean (1, 2), variances 10 along (0.6, 0.8) and 2.5 across.
const FEATS: &str =
    "a [\n 3.683282 5.577709\n -1.683282 -1.577709 ]\nb [\n 2.788854 0.6583592\n -0.7888544 3.341641 ]\n";

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("m.ark", FEATS);
    scratch
}

#[test]
fn directions_are_sorted_by_their_variance() {
    let scratch = feats();
    let ran = scratch
        .sh("est-pca ark:m.ark - | copy-matrix --scale=1000 - - | transform-feats - ark:m.ark ark,t:- | head -n 2");
    ran.succeeds().stderr_has("Accumulated stats from 2 feature files, 0 with errors; 4 frames.");
    let ran = scratch.sh("est-pca --binary=false ark:m.ark - | sed 's/[0-9]\\.\\([0-9]\\)[0-9]*/\\1/g'");
    ran.succeeds()
        .stdout_is(" [\n  6 8 \n  8 -6 ]\n")
        .stderr_has("Accumulated stats from 2 feature files, 0 with errors; 4 frames.")
        .stderr_has("Eigenvalues in PCA are  [ 10 2.5 ]")
        .stderr_has("Sum of PCA eigenvalues is 12.5, sum of kept eigenvalues is 12.5");
}

#[test]
fn as_many_dimensions_are_kept_as_asked_for() {
    let scratch = feats();
    let ran = scratch.sh("est-pca --dim=1 --write-full-matrix=full ark:m.ark o; matrix-dim o; matrix-dim full");
    ran.succeeds().stdout_is("1\t2\n2\t2\n").stderr_has("sum of kept eigenvalues is 10");
    scratch.sh("est-pca --dim=-3 ark:m.ark o; matrix-dim o").succeeds().stdout_is("2\t2\n");
    scratch.sh("cmp o full").succeeds();
    let ran = scratch.sh("est-pca --dim=3 ark:m.ark x");
    ran.fails_with(255).stderr_has("Final dimension 3 is greater than feature dimension 2");
    assert_eq!(scratch.list(), ["full", "m.ark", "o"]);
}

#[test]
fn a_normalizing_transform_makes_variances_one_and_means_zero() {
    let scratch = feats();
    let ran = scratch.sh("est-pca --normalize-variance=true --normalize-mean=true ark:m.ark t.mat
         transform-feats t.mat ark:m.ark ark:n.ark; est-pca ark:n.ark o");
    ran.succeeds().stderr_has("Eigenvalues in PCA are  [ 1 1 ]");
    let ran = scratch.sh("matrix-sum-rows ark:n.ark ark:- | vector-sum ark:- - | vector-scale --scale=1e-3 - -");
    let sums = String::from_utf8(ran.succeeds().stdout().to_vec()).unwrap();
    let sums = sums.split_whitespace().filter_map(|word| word.parse::<f64>().ok()).collect::<Vec<_>>();
    assert!(sums.len() == 2 && sums.iter().all(|sum| sum.abs() < 1e-8), "{sums:?}");
}

#[test]
fn a_variance_of_zero_is_taken_for_a_tiny_one() {
    let ran = Scratch::new()
        .sh("printf 'a [\\n 1 0\\n -1 0 ]\\n' | est-pca --binary=false --normalize-variance=true ark:- -");
    ran.succeeds()
        .stdout_is(" [\n  1 0 \n  0 3.162278e+07 ]\n")
        .stderr_has("--normalize-variance option: very tiny variance 0 encountered, treating as 1e-15");
}

#[test]
fn vectors_are_read_like_rows() {
    let scratch = feats();
    scratch.write("v.ark", "a [ 3.683282 5.577709 ]\nb [ -1.683282 -1.577709 ]\nc [ ]\nd [ 2.788854 0.6583592 ]\ne [ -0.7888544 3.341641 ]\nf [ 1 ]\n");
    let ran = scratch
        .sh("est-pca --read-vectors=true --binary=false ark:v.ark o; est-pca --binary=false ark:m.ark - | cmp - o");
    ran.succeeds()
        .stderr_has("Empty input vector c")
        .stderr_has("Feature dimension mismatch 2 vs. 1 for f")
        .stderr_has("Accumulated stats from 4 vectors, 2 with errors.");
}

#[test]
fn what_is_empty_or_of_another_dimension_is_skipped_and_counted() {
    let scratch = feats();
    let ran =
        scratch.sh("(cat m.ark; echo 'c [ ]'; echo 'd [ 1 2 3 ]') | est-pca ark:- o; est-pca ark:m.ark - | cmp - o");
    ran.succeeds()
        .stderr_has("Empty feature matrix for utterance c")
        .stderr_has("Feature dimension mismatch 2 vs. 3 for utterance d")
        .stderr_has("Accumulated stats from 2 feature files, 2 with errors; 4 frames.");
}

/// Kaldi takes the only covariance that a dimension has for positive.
#[test]
fn directions_are_right_where_covariances_are_zero() {
    let scratch = Scratch::new();
    scratch.write("m.ark", "a [\n 0 1 1\n 0 2 -3\n 0 -1 4\n 0 0 1\n 0 5 -2 ]\n");
    let ran = scratch.sh("est-pca --binary=false --dim=2 ark:m.ark -");
    ran.succeeds().stdout_is(" [\n  0 -0.6208706 0.7839131 \n  0 0.7839131 0.6208706 ]\n");
}

#[test]
fn what_cannot_be_estimated_leaves_no_output_behind() {
    let scratch = feats();
    scratch.write("nan.ark", "a [\n 1 nan\n 2 3 ]\n").write("bad.ark", "a [ 1 ]\nb [ x ]\n");
    scratch.sh("est-pca ark:/dev/null o").fails_with(255).stderr_has("No data accumulated");
    scratch.sh("echo 'a [ ]' | est-pca ark:- o").fails_with(255).stderr_has("No data accumulated");
    scratch.sh("est-pca ark:nan.ark o").fails_with(255).stderr_has("expected finite numbers in a matrix");
    scratch.sh("est-pca ark:bad.ark o").fails_with(255).stderr_has("b: bad.ark:2: expected a number");
    scratch.sh("est-pca --read-vectors ark:m.ark o").fails_with(255).stderr_has("copy-matrix reads it");
    assert_eq!(scratch.list(), ["bad.ark", "m.ark", "nan.ark"]);
}
