use crate::support::Scratch;

fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("iv.ark", "a [ 1 2 ]\nb [ 4 4 ]\n").write("mean", " [ 1 1 ]\n");
    scratch
}

#[test]
fn the_mean_of_all_is_subtracted() {
    let ran = ivectors().sh("ivector-subtract-global-mean ark:iv.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ -1.5 -1 ]\nb  [ 1.5 1 ]\n")
        .stderr_has("Read 2 iVectors.")
        .stderr_has("Norm of iVector mean was 3.90512")
        .stderr_has("Wrote 2 mean-subtracted iVectors");
    let ran = ivectors().sh("ivector-subtract-global-mean --subtract-mean=false ark:iv.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 1 2 ]\nb  [ 4 4 ]\n");
}

/// As in Kaldi, --subtract-mean has no effect on it.
#[test]
fn a_given_mean_is_subtracted_whatever_the_option_says() {
    for option in ["", "--subtract-mean=false"] {
        let ran = ivectors().sh(&format!("ivector-subtract-global-mean {option} mean ark:iv.ark ark,t:-"));
        ran.succeeds().stdout_is("a  [ 0 1 ]\nb  [ 3 3 ]\n").stderr_has("Wrote 2 mean-subtracted iVectors");
    }
}

#[test]
fn nothing_done_is_a_failure() {
    for arguments in ["ark:/dev/null", "mean ark:/dev/null"] {
        let ran = ivectors().sh(&format!("ivector-subtract-global-mean {arguments} ark,t:-"));
        ran.fails_with(1).stdout_is("").stderr_has("Wrote 0 mean-subtracted iVectors");
    }
}

#[test]
fn vectors_of_other_lengths_are_an_error() {
    let scratch = ivectors();
    scratch.write("odd.ark", "a [ 1 2 ]\nb [ 4 4 4 ]\n");
    let ran = scratch.sh("ivector-subtract-global-mean ark:odd.ark ark:o");
    ran.fails_with(255).stderr_has("cannot add b: expected a vector of dimension 2, got 3");
    let script = "printf 'a [ ]\\nb [ 1 ]\\n' | ivector-subtract-global-mean";
    let ran = Scratch::new().sh(&format!("{script} ark:- ark,t:-"));
    ran.fails_with(255).stdout_is("").stderr_has("a: cannot subtract a mean of dimension 1 from 0 elements");
    let ran = Scratch::new().sh(&format!("{script} --subtract-mean=false ark:- ark,t:-"));
    ran.succeeds().stdout_is("a  [ ]\nb  [ 1 ]\n");
    let ran = scratch.sh("ivector-subtract-global-mean mean ark:odd.ark ark:o");
    ran.fails_with(255).stderr_has("b: cannot subtract the mean: expected a vector");
    assert_eq!(scratch.list(), ["iv.ark", "mean", "odd.ark"]);
}
