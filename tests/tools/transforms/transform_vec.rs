use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("v.ark", "a [ 1 2 ]\nb [ 5 6 ]\n")
        .write("linear.mat", " [ 1 1\n 1 -1\n 0 1 ]\n")
        .write("affine.mat", " [ 1 0 10\n 0 2 20 ]\n");
    scratch
}

#[test]
fn a_transform_is_linear_or_affine() {
    let ran = files().sh("transform-vec linear.mat ark:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 3 -1 2 ]\nb  [ 11 -1 6 ]\n").stderr_has("Applied transform to 2 vectors.");
    let ran = files().sh("head -n 1 v.ark | transform-vec affine.mat ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("a", Sample::Vector(vec![11.0, 24.0]))]));
    let ran = files().sh("transform-vec 'linear.mat[2:2]' ark:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 2 ]\nb  [ 6 ]\n");
}

#[test]
fn an_empty_table_is_a_failure() {
    let ran = files().sh("transform-vec linear.mat ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Applied transform to 0 vectors.");
}

#[test]
fn a_vector_of_another_length_is_an_error() {
    let scratch = files();
    scratch.write("odd.ark", "a [ 1 2 ]\nb [ 1 2 3 4 ]\n");
    let ran = scratch.sh("transform-vec linear.mat ark:odd.ark ark:o");
    ran.fails_with(255)
        .stderr_has("b: Dimension mismatch: input vector has dimension 4 and transform has 2 columns; expected 4 or 5");
    // What went down a pipe before is there.
    let ran = scratch.sh("transform-vec linear.mat ark:odd.ark ark,t:-");
    ran.fails_with(255).stdout_is("a  [ 3 -1 2 ]\n");
    assert_eq!(scratch.list(), ["affine.mat", "linear.mat", "odd.ark", "v.ark"]);
}
