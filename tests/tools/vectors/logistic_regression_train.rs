use crate::support::Scratch;

fn vectors() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("v.ark", "a [ -2 ]\nb [ -1 ]\nc [ -1.5 ]\nd [ 0.5 ]\ne [ 1 ]\nf [ 2 ]\ng [ -0.5 ]\nh [ 3 ]\n")
        .write("classes", "a 0\nb 0\nc 0\nd 0\ne 1\nf 1\ng 1\nh 1\nnone 1\n");
    scratch
}

#[test]
fn a_classifier_tells_what_it_was_trained_on() {
    let ran = vectors().sh(
        "logistic-regression-train ark:v.ark ark:classes model && logistic-regression-eval --apply-log=false model \
         ark:v.ark ark,t:- | awk '{print $1, ($4 > 0.5)}' | tr '\\n' ' '",
    );
    ran.succeeds()
        .stdout_is("a 0 b 0 c 0 d 1 e 1 f 1 g 0 h 1 ")
        .stderr_has("No vector for utterance none")
        .stderr_has("Retrieved 8 vectors with 1 missing. There were 2 class labels.")
        .stderr_has("Objective function is -0.693147")
        .stderr_has("Finished training parameters without mixture components.");
}

#[test]
fn classes_may_have_several_components() {
    let ran = vectors()
        .sh("logistic-regression-train --mix-up=3 --power=0.5 --binary=false ark:v.ark ark:classes - | grep class");
    ran.succeeds()
        .stdout_is("<class> [ 0 1 0 ]\n")
        .stderr_has("Target number mixture components was 3. Training 3 mixture components.")
        .stderr_has("Finished training mixture components.");
    let ran = vectors().sh("logistic-regression-train --mix-up=99 ark:v.ark ark:classes o");
    ran.succeeds()
        .stderr_has("Could not split up to 99 mixture components")
        .stderr_has("Target number mixture components was 99. Training 6 mixture components.");
    let ran = vectors().sh("logistic-regression-train --mix-up=2 ark:v.ark ark:classes o");
    ran.succeeds().stderr_lacks("mixture components was");
}

#[test]
fn a_class_without_vectors_is_warned_about() {
    let ran = vectors().sh("logistic-regression-train ark:v.ark 'ark:sed s/1/2/ classes |' o");
    ran.succeeds().stderr_has("There are no vectors of class 1").stderr_has("There were 3 class labels.");
}

/// Kaldi writes beyond its memory where they are negative, and fills it where they are large.
#[test]
fn classes_that_cannot_be_are_an_error() {
    for class in ["-1", "2", "2000000000"] {
        let scratch = vectors();
        let ran = scratch.sh(&format!("(echo a 0; echo b {class}) | logistic-regression-train ark:v.ark ark:- o"));
        ran.fails_with(255).stderr_has(&format!("cannot train: expected a class below 2, got {class}"));
        assert_eq!(scratch.list(), ["classes", "v.ark"]);
    }
}

#[test]
fn what_cannot_be_trained_on_leaves_no_output_behind() {
    let scratch = vectors();
    scratch
        .write("bad.ark", "a [ 2 ]\nb [ x ]\n")
        .write("odd.ark", "a [ 2 ]\nb [ 1 2 ]\n")
        .write("nan.ark", "a [ 2 ]\nb [ nan ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("ark:v.ark 'ark:echo x 1 |'", "No vectors processed. Unable to train."),
        ("ark:odd.ark ark:classes", "cannot train: expected 1 elements of a vector, got 2"),
        ("ark:nan.ark ark:classes", "expected finite numbers"),
        ("ark:bad.ark ark:classes", "b: bad.ark:2: expected a number"),
        ("ark:v.ark 'ark:echo a x |'", "expected an integer"),
    ] {
        scratch.sh(&format!("logistic-regression-train {arguments} o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}

#[test]
fn steps_and_regularization_are_as_asked_for() {
    let train = |options: &str, tail: &str| {
        let command = format!("logistic-regression-train --binary=false {options} ark:v.ark ark:classes model");
        let ran = vectors().sh(&format!("{command} 2> log; {tail}")).succeeds();
        String::from_utf8(ran.stdout().to_vec()).unwrap()
    };
    for (options, expected) in [("", "20\n"), ("--max-steps=3", "3\n"), ("--max-steps=0", "0\n")] {
        assert_eq!(train(options, "grep -c 'Objective function is' log || true"), expected);
    }
    assert_eq!(train("--max-steps=0", "sed -n 2,3p model"), "  0 0 \n  0 0 ]\n");
    let largest = |options: &str| {
        let weights = train(options, "sed -n 2,3p model");
        let weights: Vec<f64> = weights.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        assert_eq!(weights.len(), 4, "{weights:?}");
        weights.into_iter().fold(0.0, |largest: f64, weight| largest.max(weight.abs()))
    };
    let weights = [largest("--normalizer=10"), largest("--normalizer=0.1"), largest("--normalizer=0.001")];
    assert!(weights[0] < 0.1 && 5.0 * weights[0] < weights[1] && weights[1] < weights[2], "{weights:?}");
}
