use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("m.ark", "a [\n 1 2\n 3 4 ]\nb [ 5 6 ]\n")
        .write("v.ark", "a [ 8 9 ]\nc [ 7 ]\n")
        .write("m.mat", " [ 1\n 2 ]\n")
        .write("v.vec", " [ 8 9 ]\n")
        .write("empty.mat", " [ ]\n");
    scratch
}

#[test]
fn every_row_gets_the_vector_of_its_utterance() {
    let ran = feats().sh("append-vector-to-feats ark:m.ark ark:v.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 2 8 9 \n  3 4 8 9 ]\n")
        .stderr_has("Could not read vector for utterance b")
        .stderr_has("Done 1 utts, errors on 1");
    let ran = feats().sh("echo 'b [ 0 ]' | append-vector-to-feats ark:m.ark ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("b", Sample::Matrix(vec![vec![5.0, 6.0, 0.0]]))]));
}

#[test]
fn a_file_gets_the_vector_of_a_file() {
    let scratch = feats();
    let ran = scratch.sh("append-vector-to-feats --binary=false m.mat v.vec -");
    ran.succeeds().stdout_is(" [\n  1 8 9 \n  2 8 9 ]\n").stderr_has("Wrote appended features to -");
    scratch.sh("append-vector-to-feats 'm.mat[0:0]' v.vec o.mat").succeeds();
    assert_eq!(scratch.read("o.mat"), Sample::Matrix(vec![vec![1.0, 8.0, 9.0]]).binary());
}

#[test]
fn where_nothing_is_appended_it_is_an_error() {
    for first in ["/dev/null", "m.ark"] {
        let ran = feats().sh(&format!("append-vector-to-feats ark:{first} ark:/dev/null ark,t:-"));
        ran.fails_with(255).stdout_is("").stderr_has("Done 0 utts");
    }
}

#[test]
fn nothing_is_appended_to_empty_features_and_no_empty_vector() {
    let scratch = feats();
    let before = scratch.list();
    let ran = scratch.sh("append-vector-to-feats empty.mat v.vec o");
    ran.fails_with(255).stderr_has("cannot append v.vec to empty.mat: expected a matrix with elements");
    let ran = scratch.sh("append-vector-to-feats m.mat empty.mat o");
    ran.fails_with(255).stderr_has("expected a vector with elements, got an empty one");
    let ran = scratch.sh("echo 'a [ ]' | append-vector-to-feats ark:- ark:v.ark ark:o");
    ran.fails_with(255).stderr_has("a: expected a matrix with elements, got an empty one");
    let ran = scratch.sh("echo 'a [ ]' | append-vector-to-feats ark:m.ark ark:- ark:o");
    ran.fails_with(255).stderr_has("a: expected a vector with elements, got an empty one");
    assert_eq!(scratch.list(), before);
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = feats();
    let before = scratch.list();
    scratch.sh("append-vector-to-feats m.mat ark:v.ark o").fails_with(255);
    scratch.sh("append-vector-to-feats ark:m.ark v.vec ark:o").fails_with(255).stderr_has("v.vec");
    assert_eq!(scratch.list(), before);
}
