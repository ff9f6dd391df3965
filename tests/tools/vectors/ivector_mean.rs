use crate::support::Scratch;
use crate::support::sample::Sample;

fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("iv.ark", "a1 [ 1 2 ]\na2 [ 4 3 ]\nb1 [ 0.5 -1 ]\n").write("spk2utt", "a a1 a2 a3\nb b1\nc c1\n");
    scratch
}

#[test]
fn speakers_get_the_means_of_their_utterances() {
    let ran = ivectors().sh("ivector-mean ark:spk2utt ark:iv.ark ark,t:- ark,t:num_utts; cat num_utts");
    ran.succeeds()
        .stdout_is("a  [ 2.5 2.5 ]\nb  [ 0.5 -1 ]\na 2 \nb 1 \n")
        .stderr_has("No iVector present in input for utterance a3")
        .stderr_has("Not producing output for speaker c since no utterances had iVectors")
        .stderr_has("Computed mean of 2 speakers (1 with no utterances), consisting of 3 utterances (2 absent from")
        .stderr_has("Norm of mean of speakers is 1.67705, root-mean-square speaker-iVector length divided by sqrt");
}

#[test]
fn a_mean_of_all_is_in_double_precision_and_text_by_default() {
    let scratch = ivectors();
    scratch.sh("ivector-mean ark:iv.ark -").succeeds().stdout_is(" [ 1.833333 1.333333 ]\n");
    scratch.write("v.ark", "a [ 16777216 ]\nb [ 1 ]\nc [ 1 ]\nd [ 2 ]\n");
    scratch.sh("ivector-mean --binary=true ark:v.ark mean").succeeds();
    assert_eq!(scratch.read("mean"), Sample::VectorF64(vec![4194305.0]).binary());
}

#[test]
fn nothing_has_no_mean() {
    let scratch = ivectors();
    scratch.sh("ivector-mean ark:/dev/null mean").fails_with(255).stderr_has("No iVectors read");
    let ran = scratch.sh("echo c c1 | ivector-mean ark:- ark:iv.ark ark,t:-");
    ran.fails_with(1).stdout_is("").stderr_has("Computed mean of 0 speakers (1 with no utterances)");
    scratch.sh("ivector-mean ark:/dev/null ark:iv.ark ark:-").fails_with(1).stdout_is("");
    let ran = scratch.sh("(echo a a1; echo b) | ivector-mean ark:- ark:iv.ark ark:o");
    ran.fails_with(255).stderr_has("Speaker with no utterances: b");
    assert_eq!(scratch.list(), ["iv.ark", "spk2utt"]);
}

#[test]
fn vectors_of_other_lengths_are_an_error() {
    let scratch = Scratch::new();
    scratch.write("iv.ark", "a1 [ 1 2 ]\na2 [ 4 3 1 ]\n").write("s1", "a a1 a2\n").write("s2", "a a1\nb a2\n");
    scratch
        .sh("ivector-mean ark:iv.ark o")
        .fails_with(255)
        .stderr_has("cannot add a2: expected a vector of dimension 2");
    scratch.sh("ivector-mean ark:s1 ark:iv.ark ark:o").fails_with(255).stderr_has("a: cannot add a2: expected");
    scratch.sh("ivector-mean ark:s2 ark:iv.ark ark:o").fails_with(255).stderr_has("the mean of b: expected");
    assert_eq!(scratch.list(), ["iv.ark", "s1", "s2"]);
}
