use crate::support::Scratch;
use crate::support::sample::Sample;

/// Three tables; the second lacks a key and is longer for another.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("1.ark", "a [ 1 2 ]\nb [ 3 4 ]\nc [ 5 6 ]\n")
        .write("2.ark", "b [ 10 20 30 ]\nc [ 0.5 -1 ]\n")
        .write("3.ark", "a [ 1 ]\nb [ 2 ]\nc [ 2 3 ]\n")
        .write("1.vec", " [ 2 3 ]\n")
        .write("2.vec", " [ 4 5 6 ]\n")
        .write("3.vec", " [ 0.5 0.25 ]\n");
    scratch
}

#[test]
fn tables_are_multiplied_by_the_keys_of_the_first() {
    let ran = tables().sh("multiply-vectors ark:1.ark ark:2.ark ark:3.ark ark,t:-");
    ran.succeeds()
        .stdout_is("c  [ 5 -18 ]\n")
        .stderr_has("Missing utt a from input ark:2.ark")
        .stderr_has("Length mismatch 3 vs. 1 for utt b exceeds tolerance 0")
        .stderr_has("Done 1 utts, errors on 2");
}

#[test]
fn a_length_tolerance_cuts_to_the_shortest() {
    let ran = tables().sh("multiply-vectors --verbose=2 --length-tolerance=2 ark:1.ark ark:2.ark ark:3.ark ark,t:-");
    ran.succeeds()
        .stdout_is("b  [ 60 ]\nc  [ 5 -18 ]\n")
        .stderr_has("Length mismatch 3 vs. 1 for utt b within tolerance 2");
    let ran = tables().sh("multiply-vectors --length-tolerance=1 --binary=false 1.vec 2.vec -");
    ran.succeeds().stdout_is(" [ 8 15 ]\n");
    tables().sh("multiply-vectors --length-tolerance=-1 1.vec 3.vec -").fails_with(1).stdout_is("");
}

#[test]
fn files_are_multiplied() {
    let scratch = tables();
    let ran = scratch.sh("multiply-vectors --binary=false 1.vec 3.vec 3.vec -");
    ran.succeeds().stdout_is(" [ 0.5 0.1875 ]\n").stderr_has("Wrote multiplied vector to -");
    scratch.sh("multiply-vectors 1.vec 3.vec o.vec").succeeds();
    assert_eq!(scratch.read("o.vec"), Sample::Vector(vec![1.0, 0.75]).binary());
}

#[test]
fn files_of_other_lengths_are_a_failure() {
    let scratch = tables();
    let ran = scratch.sh("multiply-vectors 1.vec 2.vec o.vec");
    ran.fails_with(1).stderr_has("Length mismatch 3 vs. 2 exceeds tolerance 0");
    assert!(!scratch.list().contains(&"o.vec".to_owned()));
}

#[test]
fn nothing_is_left_of_an_empty_vector() {
    let scratch = tables();
    scratch.write("e.ark", "a [ ]\n");
    let ran = scratch.sh("multiply-vectors --length-tolerance=9 ark:e.ark ark:1.ark ark,t:-");
    ran.fails_with(255).stdout_is("").stderr_has("Length mismatch 2 vs. 0 for utt a").stderr_has("errors on 1");
}

#[test]
fn an_empty_table_is_an_error() {
    let ran = tables().sh("multiply-vectors ark:/dev/null ark:1.ark ark,t:-");
    ran.fails_with(255).stdout_is("").stderr_has("Done 0 utts, errors on 0");
}

#[test]
fn tables_and_files_are_not_mixed() {
    let scratch = tables();
    let before = scratch.list();
    for arguments in ["ark:1.ark 1.vec ark:o", "1.vec ark:1.ark o", "ark:1.ark ark:2.ark o", "1.vec 3.vec ark:o"] {
        scratch.sh(&format!("multiply-vectors {arguments}")).fails_with(255);
    }
    assert_eq!(scratch.list(), before);
}
