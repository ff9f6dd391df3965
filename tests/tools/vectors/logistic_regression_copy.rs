use crate::support::Scratch;

const MODEL: &str =
    "<LogisticRegression> <weights>  [\n  1 0 \n  0 1 \n  -1 0.5 ]\n<class> [ 0 1 1 ]\n</LogisticRegression> ";

fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("model", MODEL);
    scratch
}

#[test]
fn a_model_is_copied_between_binary_and_text() {
    let ran = model().sh("logistic-regression-copy model - | logistic-regression-copy --binary=false - -");
    ran.succeeds().stdout_is(MODEL).stderr_has("Wrote model to standard output");
    let scratch = model();
    scratch.sh("logistic-regression-copy model o").succeeds().stderr_has("Wrote model to o");
    let mut expected = b"\0B<LogisticRegression> <weights> FM \x04\x03\0\0\0\x04\x02\0\0\0".to_vec();
    expected.extend([1.0_f32, 0.0, 0.0, 1.0, -1.0, 0.5].iter().flat_map(|value| value.to_le_bytes()));
    expected.extend(b"<class> \x04\x03\0\0\0\0\0\0\0\x01\0\0\0\x01\0\0\0</LogisticRegression> ");
    assert_eq!(scratch.read("o"), expected);
}

#[test]
fn priors_are_scaled_by_class() {
    let ran = model()
        .sh("echo '[ 1 2.7182818 ]' | logistic-regression-copy --binary=false --scale-priors=- model - | sed -n 2,4p");
    ran.succeeds().stdout_is("  1 0 \n  0 2 \n  -1 1.5 ]\n");
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = model();
    scratch.write("empty", "").write("cut", &MODEL[..60]).write("vector", "[ 1 2 3 ]\n");
    let before = scratch.list();
    for (arguments, message) in [
        ("empty o", "empty:0: the file is empty: expected token"),
        ("cut o", "cut:5: "),
        ("vector o", "expected token \"<LogisticRegression>\""),
        ("nowhere o", "cannot open nowhere"),
        ("--scale-priors=vector model o", "expected 2 scales of priors, got 3"),
        ("--scale-priors='echo [ 1 -1 ] |' model o", "expected --scale-priors to be 0 or more, got -1"),
        ("--scale-priors=model model o", "model:0: expected"),
        ("--scale-priors=nowhere model o", "cannot open nowhere"),
        ("model nowhere/o", "cannot open nowhere/o"),
    ] {
        let ran = scratch.sh(&format!("logistic-regression-copy {arguments}"));
        ran.fails_with(255).stderr_has(message).stderr_lacks("Wrote model");
        assert_eq!(scratch.list(), before);
    }
}
