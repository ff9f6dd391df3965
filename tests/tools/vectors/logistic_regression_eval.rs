use crate::support::Scratch;

/// Two classes, the second one of two components, and a class without any.
fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write(
            "model",
            "<LogisticRegression> <weights>  [\n  1 0 \n  0 1 \n  -1 0.5 ]\n<class> [ 0 2 2 ]\n</LogisticRegression> ",
        )
        .write("v.ark", "a [ 2 ]\nb [ 0 ]\n")
        .write("classes", "b 2\nc 0\na 0\n");
    scratch
}

/// As in Kaldi.
#[test]
fn options_of_training_have_no_effect() {
    let ran = model()
        .sh("logistic-regression-eval --max-steps=1 --mix-up=9 --normalizer=1 --power=1 model ark:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ -0.3350976 -inf -1.256208 ]\nb  [ -1.68027 -inf -0.2061927 ]\n");
}

#[test]
fn nothing_done_is_a_failure_and_writes_no_scores() {
    let scratch = model();
    scratch.sh("logistic-regression-eval model ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
    let before = scratch.list();
    let ran = scratch.sh("echo c 0 | logistic-regression-eval model ark:- ark:v.ark o");
    ran.fails_with(1).stderr_has("Read no input");
    assert_eq!(scratch.list(), before);
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = model();
    scratch.write("bad.ark", "a [ 2 ]\nb [ x ]\n").write("odd.ark", "a [ 2 ]\nb [ 1 2 ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("model ark:odd.ark ark:o", "b: expected 1 elements of a vector, got 2"),
        ("model ark:classes ark:odd.ark o", "b: expected 1 elements of a vector, got 2"),
        ("model 'ark:echo a 3 |' ark:v.ark o", "a: expected a class below 3, got 3"),
        ("model 'ark:echo a -1 |' ark:v.ark o", "a: expected a class below 3, got -1"),
        ("model ark:bad.ark ark:o", "b: bad.ark:2: expected a number"),
        ("model ark:classes ark:bad.ark o", "b: bad.ark:2: expected a number"),
        ("v.ark ark:v.ark ark:o", "expected token \"<LogisticRegression>\""),
    ] {
        scratch.sh(&format!("logistic-regression-eval {arguments}")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}

/// By hand: the scores of a are 2, 1 and -1.5, those of b are 0, 1 and 0.5.
#[test]
fn posteriors_of_a_class_are_those_of_its_components() {
    let ran = model().sh("logistic-regression-eval model ark:v.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ -0.3350976 -inf -1.256208 ]\nb  [ -1.68027 -inf -0.2061927 ]\n")
        .stderr_has("Calculated log posteriors for 2 vectors.");
    let ran = model().sh("logistic-regression-eval --apply-log=false model ark:v.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 0.7152683 0 0.2847317 ]\nb  [ 0.1863237 0 0.8136763 ]\n");
}

#[test]
fn trials_are_scored_in_their_order() {
    let ran = model().sh("logistic-regression-eval model ark:classes ark:v.ark scores && cat scores");
    ran.succeeds()
        .stdout_is("b 2 -0.2061927\na 0 -0.3350976\n")
        .stderr_has("No vector for utterance c")
        .stderr_has("Calculated scores for 2 vectors with 1 missing.");
    let ran = model().sh("logistic-regression-eval --apply-log=false model ark:classes ark:v.ark -");
    ran.succeeds().stdout_is("b 2 0.8136763\na 0 0.7152683\n");
    let ran = model().sh("echo b 1 | logistic-regression-eval model ark:- ark:v.ark -");
    ran.succeeds().stdout_is("b 1 -inf\n");
}
