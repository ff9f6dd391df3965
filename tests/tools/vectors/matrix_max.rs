use crate::support::Scratch;
use crate::support::sample::Sample;

fn groups() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("spk2utt", "anna a1 a2\nben b1\nnone\n")
        .write("m.ark", "a1 [\n 1 -2\n 3 4 ]\na2 [\n 0 -1\n 5 1\n 9 9 ]\nb1 [ 7 8 ]\n");
    scratch
}

#[test]
fn the_largest_elements_are_taken_from_as_many_rows_as_all_have() {
    let ran = groups().sh("matrix-max ark:spk2utt ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("anna  [\n  1 0 \n  5 4 ]\nben  [\n  7 8 ]\n")
        .stderr_has("Cropping rows of matrix a2 from 3 to 2")
        .stderr_has("Speaker none has no utterances. Not processing further.")
        .stderr_has(
            "Computed max for 2 speakers (0 with no utterances), consisting of 3 utterances (0 absent from input).",
        );
}

#[test]
fn the_form_of_the_output_is_that_of_its_wspecifier() {
    let scratch = groups();
    scratch.sh("echo s b1 | matrix-max --binary=false ark:- ark:m.ark ark:o").succeeds();
    assert_eq!(scratch.read("o")[2..], Sample::Matrix(vec![vec![7.0, 8.0]]).binary());
}

#[test]
fn missing_matrices_are_counted() {
    let ran = groups().sh("printf 's x a1\\nt y\\n' | matrix-max ark:- ark:m.ark ark,t:-");
    ran.succeeds()
        .stdout_is("s  [\n  1 0 \n  3 4 ]\n")
        .stderr_has("No matrix present in input for utterance x")
        .stderr_has("Not producing output for speaker t since no utterances had matrices")
        .stderr_has(
            "Computed max for 1 speakers (1 with no utterances), consisting of 1 utterances (2 absent from input).",
        );
    groups().sh("echo s x | matrix-max ark:- ark:m.ark ark,t:-").fails_with(1).stdout_is("");
    groups().sh("matrix-max ark:/dev/null ark:m.ark ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn what_is_not_a_number_is_passed_over() {
    let scratch = Scratch::new();
    scratch.write("m.ark", "a [ 1 nan nan inf ]\nb [ nan 2 nan -inf ]\n");
    let ran = scratch.sh("echo s a b | matrix-max ark:- ark:m.ark ark,t:-");
    ran.succeeds().stdout_is("s  [\n  1 2 0 inf ]\n");
}

#[test]
fn matrices_of_other_widths_are_an_error() {
    let scratch = groups();
    scratch.write("m.ark", "a1 [ 1 2 ]\na2 [ 1 2 3 ]\nb1 [ ]\n");
    let ran = scratch.sh("matrix-max ark:spk2utt ark:m.ark ark:o");
    ran.fails_with(255).stderr_has("anna: expected 2 columns, as a1 has, got 3 of a2");
    let ran = scratch.sh("echo s a1 b1 | matrix-max ark:- ark:m.ark ark:o");
    ran.fails_with(255).stderr_has("s: expected 2 columns, as a1 has, got 0 of b1");
    assert_eq!(scratch.list(), ["m.ark", "spk2utt"]);
    scratch.sh("echo s b1 b1 | matrix-max ark:- ark:m.ark ark,t:-").succeeds().stdout_is("s  [ ]\n");
}
