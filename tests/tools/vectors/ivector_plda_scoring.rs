use crate::support::Scratch;

/// A model in one dimension, with variances 1 within and 3 between speakers; two speakers and two utterances.
fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("plda", "<Plda>  [ 0 ]\n [\n  1 ]\n [ 3 ]\n</Plda> ")
        .write("train.ark", "s [ 2 ]\nt [ -7 ]\n")
        .write("test.ark", "x [ 2 ]\ny [ -1 ]\n")
        .write("num_utts", "s 3\n")
        .write("trials", "s x\ns y\n");
    scratch
}

#[track_caller]
fn scores(options: &str, expected: &str) {
    let ran = model().sh(&format!("ivector-plda-scoring {options} plda ark:train.ark ark:test.ark trials -"));
    ran.succeeds().stdout_is(expected).stderr_has("Processed 2 trials, 0 had errors.");
}

#[test]
fn scores_are_ratios_of_likelihoods() {
    scores("--normalize-length=false", "s x 0.8419107\ns y -1.247375\n");
    scores("--normalize-length=false --num-utts=ark:num_utts", "s x 1.04658\ns y -2.32842\n");
}

#[test]
fn lengths_are_normalized_by_the_model_or_simply() {
    // To the root of 3 + 1 each, or of 3 + 1/3 for an average of three.
    scores("", "s x 0.8419107\ns y -2.586661\n");
    scores("--num-utts=ark:num_utts", "s x 1.012992\ns y -4.042908\n");
    scores("--simple-length-normalization=true", "s x 0.5204821\ns y -0.3366607\n");
}

#[test]
fn what_was_read_is_logged() {
    let ran = model().sh("ivector-plda-scoring --num-utts=ark:num_utts plda ark:train.ark ark:test.ark trials scores");
    ran.succeeds()
        .stderr_has("Number of utterances not given for speaker t")
        .stderr_has("Read 1 training iVectors, errors on 1")
        .stderr_has("Average renormalization scale on training iVectors was 0.912871")
        .stderr_has("Read 2 test iVectors")
        .stderr_has("Average renormalization scale on test iVectors was 1.5")
        .stderr_has("Mean score was");
}

#[test]
fn trials_with_a_key_that_has_no_vector_are_left_out_and_counted() {
    let scratch = model();
    scratch.write("trials", "s x\nnope x\ns nope\n");
    let ran = scratch.sh("ivector-plda-scoring --normalize-length=false plda ark:train.ark ark:test.ark trials -");
    ran.succeeds()
        .stdout_is("s x 0.8419107\n")
        .stderr_has("Key nope not present in training iVectors.")
        .stderr_has("Key nope not present in test iVectors.")
        .stderr_has("Processed 1 trials, 2 had errors.");
    let ran = scratch.sh("echo a b | ivector-plda-scoring plda ark:train.ark ark:test.ark - -");
    ran.fails_with(1).stdout_is("");
}

#[track_caller]
fn refuses(arguments: &str, message: &str) {
    let scratch = model();
    scratch.write("two.ark", "a [ 1 2 ]\n").write("bad.ark", "a [ 1 ]\nb [ x ]\n");
    let before = scratch.list();
    scratch.sh(&format!("ivector-plda-scoring {arguments} o")).fails_with(255).stderr_has(message);
    assert_eq!(scratch.list(), before);
}

#[test]
fn what_cannot_be_scored_leaves_no_output_behind() {
    refuses("trials ark:train.ark ark:test.ark trials", "expected token \"<Plda>\", got \"s\"");
    refuses("plda 'ark:cat train.ark train.ark |' ark:test.ark trials", "Duplicate training iVector found for key s");
    refuses("plda ark:train.ark 'ark:cat test.ark test.ark |' trials", "Duplicate test iVector found for key x");
    refuses("plda ark:/dev/null ark:test.ark trials", "No training iVectors present.");
    refuses("plda ark:train.ark ark:/dev/null trials", "No test iVectors present.");
    refuses("plda ark:two.ark ark:test.ark trials", "a: expected 1 elements of a vector, got 2");
    refuses("plda ark:bad.ark ark:test.ark trials", "b: bad.ark:2: expected a number");
    refuses("plda ark:train.ark ark:bad.ark trials", "b: bad.ark:2: expected a number");
    refuses("plda ark:train.ark ark:test.ark 'echo a |'", "expected two fields: key1 key2, got \"a\"");
    let number = "--num-utts='ark:echo s 0 |' plda ark:train.ark ark:test.ark trials";
    refuses(number, "s: expected 1 utterance at least, got 0");
}

/// In Kaldi without a word.
#[test]
fn a_vector_that_is_the_mean_has_no_scores_and_is_warned_about() {
    let scratch = model();
    scratch.write("zero.ark", "x [ 0 ]\ny [ 2 ]\n");
    let ran = scratch.sh("ivector-plda-scoring plda ark:train.ark ark:zero.ark trials -");
    ran.succeeds().stderr_has("The length of the iVector of x cannot be normalized");
}

#[test]
fn what_comes_from_a_pipe_that_fails_is_an_error() {
    let fails = |arguments: &str, message: &str| refuses(arguments, message);
    fails("plda 'ark:cat train.ark; false |' ark:test.ark trials", "cat train.ark; false");
    fails("plda ark:train.ark 'ark:cat test.ark; false |' trials", "cat test.ark; false");
    fails("plda ark:train.ark ark:test.ark 'cat trials; false |'", "cat trials; false");
    let number = "--num-utts='ark:cat num_utts; false |' plda ark:train.ark ark:test.ark trials";
    fails(number, "cat num_utts; false");
}
