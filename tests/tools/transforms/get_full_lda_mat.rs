use crate::support::Scratch;
use crate::support::sample::Sample;

fn files() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("mllt.mat", " [ 2 0 1 ]\n").write("full.mat", " [ 9 9 9\n 0 4 0\n 0 0 5 ]\n");
    scratch
}

#[test]
fn the_first_rows_are_replaced() {
    let scratch = files();
    let ran = scratch.sh("get-full-lda-mat --binary=false mllt.mat full.mat -");
    ran.succeeds().stdout_is(" [\n  2 0 1 \n  0 4 0 \n  0 0 5 ]\n");
    scratch.sh("get-full-lda-mat mllt.mat full.mat o").succeeds();
    let rows = [[2.0, 0.0, 1.0], [0.0, 4.0, 0.0], [0.0, 0.0, 5.0]].map(|row| row.to_vec());
    assert_eq!(scratch.read("o"), Sample::Matrix(rows.to_vec()).binary());
}

#[test]
fn the_inverse_is_written_where_wanted() {
    let scratch = files();
    let ran = scratch.sh("get-full-lda-mat --binary=false mllt.mat full.mat o inverse; cat inverse");
    ran.succeeds().stdout_is(" [\n  0.5 0 -0.1 \n  0 0.25 0 \n  0 0 0.2 ]\n");
}

/// Kaldi writes the transform before it finds out.
#[test]
fn nothing_is_written_where_there_is_no_inverse() {
    let scratch = files();
    scratch.write("zero.mat", " [ 0 0 0 ]\n");
    let ran = scratch.sh("get-full-lda-mat zero.mat full.mat o inverse");
    ran.fails_with(255).stderr_has("cannot invert the full transform: expected a matrix that can be inverted");
    assert_eq!(scratch.list(), ["full.mat", "mllt.mat", "zero.mat"]);
    scratch.sh("get-full-lda-mat zero.mat full.mat o").succeeds();
}

#[test]
fn other_sizes_are_refused() {
    let scratch = files();
    scratch.write("narrow.mat", " [ 1 2 ]\n").write("tall.mat", " [ 1 2 3\n 1 2 3\n 1 2 3\n 1 2 3 ]\n");
    let before = scratch.list();
    let ran = scratch.sh("get-full-lda-mat narrow.mat full.mat o");
    ran.fails_with(255).stderr_has("narrow.mat: expected 3 columns and not more rows, got 1 by 2");
    let ran = scratch.sh("get-full-lda-mat tall.mat full.mat o");
    ran.fails_with(255).stderr_has("tall.mat: expected 3 columns and not more rows, got 4 by 3");
    let ran = scratch.sh("get-full-lda-mat mllt.mat mllt.mat o");
    ran.fails_with(255).stderr_has("mllt.mat: expected a square matrix, got 1 by 3");
    scratch.sh("get-full-lda-mat mllt.mat none.mat o").fails_with(255).stderr_has("none.mat");
    assert_eq!(scratch.list(), before);
}
