use crate::support::Scratch;

/// Speaker means 3 and -1, of one and two utterances.
fn ivectors() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("iv.ark", "a1 [ 3 ]\nb1 [ -4 ]\nb2 [ 2 ]\n").write("spk2utt", "b b1 b2 b3\na a1\nc c1\n");
    scratch
}

#[test]
fn covariances_are_estimated_step_by_step() {
    let run = |options: &str| {
        ivectors().sh(&format!("ivector-compute-plda --binary=false {options} ark:spk2utt ark:iv.ark - | tr -d '\\n-'"))
    };
    // Before the first step, both variances are 1.
    run("--num-em-iters=0").succeeds().stdout_is("<Plda>  [ 1 ] [  1 ] [ 1 ]</Plda> ");
    // After it, 3.605556 / 2 between speakers and 21.05556 / 3 within them.
    run("--num-em-iters=1")
        .succeeds()
        .stdout_is("<Plda>  [ 1 ] [  0.3774655 ] [ 0.2572559 ]</Plda> ")
        .stderr_has("No iVector present in input for utterance b3")
        .stderr_has("Not producing output for speaker c since no utterances had iVectors")
        .stderr_has(
            "Accumulated stats from 2 speakers (1 with no utterances), consisting of 3 utterances (2 absent from",
        )
        .stderr_has("Plda estimation iteration 0 of 1")
        .stderr_has("Trace of within-class variance is 7.01852")
        .stderr_has("Trace of between-class variance is 1.80556")
        .stderr_has("Norm of mean of iVector distribution is 1")
        .stderr_lacks("Objective function is");
    run("--verbose=2").succeeds().stderr_has("iteration 9 of 10").stderr_has("Objective function is -2.4708");
}

#[test]
fn what_cannot_be_estimated_leaves_no_output_behind() {
    let scratch = ivectors();
    scratch
        .write("bad.ark", "a1 [ 1 ]\nb1 [ x ]\n")
        .write("odd.ark", "a1 [ 1 ]\nb1 [ 1 2 ]\nb2 [ 1 2 3 ]\n")
        .write("nan.ark", "a1 [ nan ]\nb1 [ 1 ]\nb2 [ 2 ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("'ark:echo b b1 |' ark:iv.ark", "Number of training iVectors is not greater than their dimension"),
        ("ark:/dev/null ark:iv.ark", "Number of training iVectors is not greater than their dimension"),
        ("'ark:echo a a1; echo b b1 |' ark:iv.ark", "No speakers with multiple utterances"),
        ("'ark:echo a a1; echo d |' ark:iv.ark", "Speaker with no utterances: d"),
        ("ark:spk2utt ark:odd.ark", "b: the iVector of b2 has another dimension than those before it"),
        ("'ark:echo a a1; echo b b1 |' ark:odd.ark", "b: expected 1 elements of a vector, got 2"),
        ("ark:spk2utt ark:nan.ark", "expected finite numbers"),
        ("ark:spk2utt ark:bad.ark", "b1: bad.ark:2: expected a number"),
    ] {
        scratch.sh(&format!("ivector-compute-plda {arguments} o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}
