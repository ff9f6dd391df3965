use crate::support::Scratch;

fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("iv.ark", "a [ 1 2 ]\nb [ 3 -4 ]\n")
        .write("linear.mat", " [\n 1 0\n 0 2\n 1 1 ]\n")
        .write("affine.mat", " [ 1 1 10 ]\n");
    scratch
}

#[test]
fn one_column_more_is_an_offset() {
    let ran = ivectors().sh("ivector-transform linear.mat ark:iv.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 1 4 3 ]\nb  [ 3 -8 -1 ]\n")
        .stderr_has("Processed 2 iVectors.")
        .stderr_has("Norm of mean was 3 (should be close to zero), length divided by sqrt(dim) was 3.69685 (should");
    let ran = ivectors().sh("ivector-transform affine.mat ark:iv.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 13 ]\nb  [ 9 ]\n");
}

#[test]
fn other_sizes_are_an_error() {
    let scratch = ivectors();
    scratch.write("odd.ark", "a [ 1 2 ]\nb [ 1 ]\n");
    let ran = scratch.sh("ivector-transform linear.mat ark:odd.ark ark:o");
    ran.succeeds();
    let ran = scratch.sh("ivector-transform affine.mat ark:odd.ark ark:p");
    ran.fails_with(255).stderr_has("b: expected a transform with 1 or 2 columns, got 1 by 3");
    assert_eq!(scratch.list(), ["affine.mat", "iv.ark", "linear.mat", "o", "odd.ark"]);
}

#[test]
fn nothing_done_is_a_failure() {
    let ran = ivectors().sh("ivector-transform linear.mat ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Processed 0 iVectors.");
}
