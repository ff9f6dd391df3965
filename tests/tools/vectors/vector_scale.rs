use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn vectors() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("v.ark", "a [ 1 -2.5 ]\nb [ ]\nc [ 4 ]\n").write("1.vec", " [ 1 -2.5 ]\n");
    scratch
}

#[test]
fn the_vectors_of_a_table_are_scaled() {
    let ran = vectors().sh("vector-scale --scale=-2.0 ark:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ -2 5 ]\nb  [ ]\nc  [ -8 ]\n");
    let ran = vectors().sh("tail -n 1 v.ark | vector-scale --scale=0.5 ark:- ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("c", Sample::Vector(vec![2.0]))]));
}

#[test]
fn a_file_is_text_unless_told_otherwise() {
    let scratch = vectors();
    scratch.sh("vector-scale --scale=-1.0 1.vec -").succeeds().stdout_is(" [ -1 2.5 ]\n");
    scratch.sh("vector-scale --binary=true --scale=2 1.vec 2.vec").succeeds();
    assert_eq!(scratch.read("2.vec"), Sample::Vector(vec![2.0, -5.0]).binary());
}

#[test]
fn a_scale_of_one_copies() {
    let scratch = vectors();
    scratch.sh("vector-scale ark:v.ark ark:o.ark; vector-scale ark:o.ark ark:- | cmp - o.ark").succeeds();
}

/// Kaldi takes its input for an output, and refuses options that outputs have not.
#[test]
pub fn rspecifiers_may_have_options() {
    let ran = vectors().sh("vector-scale --scale=2 ark,s,cs:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 2 -5 ]\nb  [ ]\nc  [ 8 ]\n");
    let scratch = vectors();
    let ran = scratch.sh("vector-scale ark,scp:v.ark,v.scp ark:o");
    ran.fails_with(255).stderr_has("Cannot mix archives and regular files: ark,scp:v.ark,v.scp is a table to write");
    assert_eq!(scratch.list(), ["1.vec", "v.ark"]);
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = vectors();
    for arguments in ["ark:v.ark o", "1.vec ark:o"] {
        scratch.sh(&format!("vector-scale {arguments}")).fails_with(255).stderr_has("Cannot mix archives");
    }
    assert_eq!(scratch.list(), ["1.vec", "v.ark"]);
}

#[test]
fn the_scale_is_a_number() {
    vectors().sh("vector-scale --scale=x ark:v.ark ark:o").fails_with(255).stderr_has("--scale");
}
