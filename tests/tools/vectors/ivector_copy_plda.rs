use crate::support::Scratch;

const MODEL: &str = "<Plda>  [ 1 0 ]\n [\n  2 0 \n  0 1 ]\n [ 3 0.5 ]\n</Plda> ";

fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("plda", MODEL);
    scratch
}

#[test]
fn a_model_is_copied_between_binary_and_text() {
    let ran = model().sh("ivector-copy-plda plda - | ivector-copy-plda --binary=false - -");
    ran.succeeds().stdout_is(MODEL);
    let scratch = model();
    scratch.sh("ivector-copy-plda plda o").succeeds();
    let mut expected = b"\0B<Plda> DV \x04\x02\0\0\0".to_vec();
    expected.extend([1.0_f64, 0.0].iter().flat_map(|value| value.to_le_bytes()));
    expected.extend(b"DM \x04\x02\0\0\0\x04\x02\0\0\0");
    expected.extend([2.0_f64, 0.0, 0.0, 1.0].iter().flat_map(|value| value.to_le_bytes()));
    expected.extend(b"DV \x04\x02\0\0\0");
    expected.extend([3.0_f64, 0.5].iter().flat_map(|value| value.to_le_bytes()));
    expected.extend(b"</Plda> ");
    assert_eq!(scratch.read("o"), expected);
}

#[test]
fn smoothing_adds_to_the_covariance_within_speakers() {
    let ran = model().sh("ivector-copy-plda --binary=false --smoothing=1 plda -");
    // Divided by 1 + 3 and 1 + 0.5, and by their roots.
    ran.succeeds()
        .stdout_is("<Plda>  [ 1 0 ]\n [\n  1 0 \n  0 0.8164966 ]\n [ 0.75 0.3333333 ]\n</Plda> ")
        .stderr_has("Smoothing within-class covariance by 1, Psi is initially:  [ 3 0.5 ]")
        .stderr_has("New value of Psi is  [ 0.75 0.333333 ]");
    model().sh("ivector-copy-plda --smoothing=0 plda -").succeeds().stderr_lacks("Smoothing");
}

/// Kaldi takes them for its convenience.
#[test]
fn options_of_scoring_have_no_effect() {
    let ran = model()
        .sh("ivector-copy-plda --normalize-length=false --simple-length-normalization=true --binary=false plda -");
    ran.succeeds().stdout_is(MODEL);
}

#[test]
fn what_makes_no_sense_leaves_no_output_behind() {
    let scratch = model();
    for smoothing in ["1.5", "-0.1", "nan"] {
        let ran = scratch.sh(&format!("ivector-copy-plda --smoothing={smoothing} plda o"));
        ran.fails_with(255).stderr_has("expected --smoothing to be a number from 0 to 1");
    }
    for (text, message) in [
        ("<Plda> [ 1 ]\n", "got the end of the input"),
        ("<Plda>  [ 1 ]\n [ 1 2 ]\n [ 1 ]\n</Plda> ", "expected 1 columns of the transform, got 2"),
        ("<Plda>  [ ]\n [ ]\n [ ]\n</Plda> ", "expected 1 dimensions of the model at least, got 0"),
        (" [ 1 ]\n", "expected token \"<Plda>\", got \"[\""),
        ("", "expected token \"<Plda>\""),
    ] {
        let ran = scratch.sh(&format!("printf '{text}' | ivector-copy-plda - o"));
        ran.fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["plda"]);
}
