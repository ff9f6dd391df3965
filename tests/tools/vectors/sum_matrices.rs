use crate::support::Scratch;
use crate::support::sample::Sample;

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.mat", " [ 1 2\n 3 4 ]\n")
        .write("2.mat", Sample::MatrixF64(vec![vec![10.0, 20.0], vec![30.0, 40.0]]).binary())
        .write("wide.mat", " [ 1 2 3 ]\n")
        .write("empty.mat", " [ ]\n");
    scratch
}

#[test]
fn files_are_summed() {
    let scratch = files();
    let ran = scratch.sh("sum-matrices --binary=false - 1.mat 2.mat 1.mat");
    ran.succeeds().stdout_is(" [\n  12 24 \n  36 48 ]\n").stderr_has("Summed 3 matrices  of dimension 2 by 2");
    scratch.sh("sum-matrices sum.mat 'cat 1.mat |' - < 1.mat").succeeds();
    assert_eq!(scratch.read("sum.mat"), Sample::Matrix(vec![vec![2.0, 4.0], vec![6.0, 8.0]]).binary());
}

#[test]
fn empty_matrices_add_nothing() {
    let ran = files().sh("sum-matrices --binary=false - empty.mat wide.mat empty.mat");
    ran.succeeds().stdout_is(" [\n  1 2 3 ]\n");
    files().sh("sum-matrices --binary=false - empty.mat").succeeds().stdout_is(" [ ]\n");
}

#[test]
fn a_negative_zero_alone_sums_to_zero() {
    let ran = Scratch::new().sh("echo '[ -0 -1 ]' | sum-matrices --binary=false - -");
    ran.succeeds().stdout_is(" [\n  0 -1 ]\n");
}

#[test]
fn what_cannot_be_summed_leaves_no_output_behind() {
    let scratch = files();
    let ran = scratch.sh("sum-matrices o 1.mat wide.mat");
    ran.fails_with(255).stderr_has("cannot add wide.mat: expected a matrix of 2 by 2, got 1 by 3");
    scratch.sh("sum-matrices o 1.mat none.mat").fails_with(255).stderr_has("none.mat");
    scratch.sh("echo [ x ] | sum-matrices o -").fails_with(255).stderr_has("expected a number");
    scratch.sh("sum-matrices o ark:1.mat").fails_with(255);
    assert_eq!(scratch.list(), ["1.mat", "2.mat", "empty.mat", "wide.mat"]);
}
