use crate::support::Scratch;
use crate::support::sample::Sample;

fn transforms() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("linear.mat", " [ 1 2\n 3 4 ]\n")
        .write("affine.mat", " [ 1 2 8\n 3 4 9 ]\n")
        .write("t.ark", "a [ 1 2\n 3 4 ]\nb [ 5 7 ]\n");
    scratch
}

#[test]
fn new_dimensions_are_left_as_they_are() {
    let scratch = transforms();
    let ran = scratch.sh("extend-transform-dim --new-dimension=3 --binary=false linear.mat -");
    ran.succeeds()
        .stdout_is(" [\n  1 2 0 \n  3 4 0 \n  0 0 1 ]\n")
        .stderr_has("Increased transform dim from 2 to 3 and wrote to -");
    scratch.sh("extend-transform-dim --new-dimension=3 affine.mat o").succeeds();
    let rows = [[1.0, 2.0, 0.0, 8.0], [3.0, 4.0, 0.0, 9.0], [0.0, 0.0, 1.0, 0.0]].map(|row| row.to_vec());
    assert_eq!(scratch.read("o"), Sample::Matrix(rows.to_vec()).binary());
}

#[test]
fn the_transforms_of_a_table_are_extended() {
    let ran = transforms().sh("extend-transform-dim --new-dimension=2 ark:t.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 2 \n  3 4 ]\nb  [\n  5 0 7 \n  0 1 0 ]\n")
        .stderr_has("Increased transform dim to 2 for 2 matrices.");
    let ran = transforms().sh("extend-transform-dim --new-dimension=2 ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("for 0 matrices");
}

#[test]
fn what_cannot_be_extended_leaves_no_output_behind() {
    let scratch = transforms();
    scratch.write("wide.mat", " [ 1 2 3 ]\n").write("bad.ark", "a [ 1 ]\nb [ x ]\n");
    let before = scratch.list();
    let ran = scratch.sh("extend-transform-dim linear.mat o");
    ran.fails_with(255).stderr_has("linear.mat: expected --new-dimension to be 2 or more, got -1");
    let ran = scratch.sh("extend-transform-dim --new-dimension=1 ark:t.ark ark:o");
    ran.fails_with(255).stderr_has("a: expected --new-dimension to be 2 or more, got 1");
    let ran = scratch.sh("extend-transform-dim --new-dimension=5 wide.mat o");
    ran.fails_with(255).stderr_has("wide.mat: expected a transform with 1 or 2 columns, got 1 by 3");
    let ran = scratch.sh("extend-transform-dim --new-dimension=5 ark:bad.ark ark:o");
    ran.fails_with(255).stderr_has("b: bad.ark:2: expected a number");
    for arguments in ["ark:t.ark o", "linear.mat ark:o"] {
        let ran = scratch.sh(&format!("extend-transform-dim --new-dimension=5 {arguments}"));
        ran.fails_with(255).stderr_has("Cannot mix archives");
    }
    assert_eq!(scratch.list(), before);
}
