use crate::support::Scratch;

/// Variances 1 within and 3 between speakers, and vectors with five times as much as both.
fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("plda", "<Plda>  [ 1 ]\n [\n  1 ]\n [ 3 ]\n</Plda> ").write("iv.ark", "a [ -1 ]\nb [ 7 ]\n");
    scratch
}

/// Adapts, and prints the model with its transform positive.
#[track_caller]
fn adapts(options: &str, expected: &str) {
    let ran = model().sh(&format!("ivector-adapt-plda {options} --binary=false plda ark:iv.ark - | tr -d '\\n-'"));
    ran.succeeds().stdout_is(expected);
}

#[test]
fn excess_variance_is_shared_out() {
    // 16 too much: within 1 + 0.3 * 16 = 5.8, between 3 + 0.7 * 16 = 14.2.
    adapts("", "<Plda>  [ 3 ] [  0.4152274 ] [ 2.448276 ]</Plda> ");
    adapts("--within-covar-scale=0 --between-covar-scale=1", "<Plda>  [ 3 ] [  1 ] [ 19 ]</Plda> ");
    // Without the difference of the means it is 12.
    adapts("--mean-diff-scale=0 --within-covar-scale=0.5", "<Plda>  [ 3 ] [  0.3779645 ] [ 1.628571 ]</Plda> ");
}

#[test]
fn what_changes_is_logged() {
    let ran = model().sh("ivector-adapt-plda plda ark:iv.ark o");
    ran.succeeds()
        .stderr_has("in space where training-data total-covariance is unit, is:  [ 5 ]")
        .stderr_has("Old diagonal of between-class covar was:  [ 3 ], new diagonal is  [ 2.44828 ]");
}

#[test]
fn what_cannot_be_adapted_leaves_no_output_behind() {
    let scratch = model();
    scratch.write("bad.ark", "a [ 1 ]\nb [ x ]\n").write("odd.ark", "a [ 1 ]\nb [ 1 2 ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("plda ark:/dev/null", "expected 1 vectors to adapt to at least, got 0"),
        ("--mean-diff-scale=-1 plda ark:iv.ark", "expected --mean-diff-scale to be 0 or more, got -1"),
        ("--within-covar-scale=-1 plda ark:iv.ark", "covariance within speakers"),
        ("plda ark:odd.ark", "b: expected 1 elements of a vector, got 2"),
        ("plda 'ark:echo a [ 1 2 ] |'", "expected 1 elements of a vector, got 2"),
        ("plda ark:bad.ark", "b: bad.ark:2: expected a number"),
        ("iv.ark ark:iv.ark", "expected token \"<Plda>\""),
    ] {
        scratch.sh(&format!("ivector-adapt-plda {arguments} o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}
