use crate::support::Scratch;

#[track_caller]
fn normalizes(options: &str, vector: &str, expected: &str) {
    let ran = Scratch::new().sh(&format!("echo 'a {vector}' | ivector-normalize-length {options} ark:- ark,t:-"));
    ran.succeeds().stdout_is(format!("a  {expected}\n"));
}

#[test]
fn the_length_is_the_root_of_the_dimension_or_one() {
    normalizes("", "[ 0 0 0 8 ]", "[ 0 0 0 2 ]");
    normalizes("--scaleup=false", "[ 0 0 0 8 ]", "[ 0 0 0 1 ]");
    normalizes("--normalize=false", "[ 0 0 0 8 ]", "[ 0 0 0 8 ]");
    normalizes("", "[ ]", "[ ]");
}

#[test]
fn zero_vectors_stay_and_are_warned_about() {
    let ran =
        Scratch::new().sh("printf 'a [ 0 0 ]\\nb [ 2 0 ]\\n' | ivector-normalize-length --scaleup=false ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 0 0 ]\nb  [ 1 0 ]\n")
        .stderr_has("Zero iVector for key a")
        .stderr_has("Processed 2 iVectors.")
        .stderr_has("Average ratio of iVector to expected length was 1, standard deviation was 1");
}

#[test]
fn vectors_that_are_too_long_become_zeros_and_are_warned_about() {
    let ran = Scratch::new().sh("echo 'a [ 3e30 4e30 ]' | ivector-normalize-length ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [ 0 0 ]\n").stderr_has("The length of the iVector for key a is no number");
    let ran = Scratch::new().sh("echo 'a [ nan 1 ]' | ivector-normalize-length ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [ nan nan ]\n").stderr_has("The length of the iVector for key a is no number");
}

#[test]
fn nothing_done_is_a_failure() {
    let ran = Scratch::new().sh("ivector-normalize-length ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Processed 0 iVectors.");
}
