use super::extractor::{EXTRACTOR, WITH_WEIGHTS, folder};

#[test]
fn an_extractor_is_copied_between_binary_and_text() {
    for (name, text) in [("ie", EXTRACTOR), ("w.ie", WITH_WEIGHTS)] {
        let ran = folder().sh(&format!("ivector-extractor-copy {name} - | ivector-extractor-copy --binary=false - -"));
        ran.succeeds().stdout_is(text);
    }
}

/// Kaldi takes them for its convenience.
#[test]
fn options_of_initialization_have_no_effect() {
    let ran =
        folder().sh("ivector-extractor-copy --ivector-dim=7 --num-iters=1 --use-weights=false --binary=false w.ie -");
    ran.succeeds().stdout_is(WITH_WEIGHTS);
}

#[test]
fn what_is_no_extractor_leaves_no_output_behind() {
    let scratch = folder();
    for (from, to, message) in [
        ("<M> 2", "<M> 0", "expected 1 Gaussian or more, got 0"),
        ("<M> 2", "<M> 2000000000", "got \"<SigmaInv>\""),
        ("[ 0.5 0.5 ]", "[ 0.5 ]", "expected 2 weights, got 1"),
        ("-1 0.5 \\n", "-1 0.5 1\\n", "columns"),
        ("[\\n1 \\n0 2 ]", "[\\n1 ]", "expected 2 dimensions of an inverse covariance, got 1"),
        ("<IvectorOffset>", "<Offset>", "expected token \"<IvectorOffset>\""),
        ("<IvectorExtractor>", "<Plda>", "expected token \"<IvectorExtractor>\""),
    ] {
        let (from, to) = (from.replace("\\n", "\n"), to.replace("\\n", "\n"));
        scratch.write("bad", EXTRACTOR.replacen(&from, &to, 1));
        scratch.sh("ivector-extractor-copy bad o").fails_with(255).stderr_has("bad:").stderr_has(message);
    }
    scratch.sh("head -c 100 ie >bad; ivector-extractor-copy bad o").fails_with(255).stderr_has("bad:8: ");
    assert_eq!(scratch.list(), ["bad", "feats", "ie", "post", "w.ie"]);
}

/// In both forms, and wherever they are.
#[test]
fn numbers_that_are_none_are_counted_in_a_warning() {
    let scratch = folder();
    for (from, to, odd) in [
        ("1 0.5", "nan 0.5", 1),
        ("0 0.25", "nan inf", 2),
        ("0 2 ]", "0 nan ]", 1),
        ("[ 0.5 0.5 ]", "[ nan 0.5 ]", 1),
        ("Offset> 10", "Offset> nan", 1),
    ] {
        scratch.write("bad", EXTRACTOR.replacen(from, to, 1));
        let ran = scratch.sh("ivector-extractor-copy bad o").succeeds();
        ran.stderr_has("WARNING (ivector-extractor-copy[")
            .stderr_has(&format!("bad:0: {odd} of 17 numbers are infinite or NaN\n"));
        let ran = scratch.sh("ivector-extractor-copy o - > p").succeeds();
        ran.stderr_has(&format!("{odd} of 17 numbers are infinite or NaN\n"));
    }
    scratch.sh("ivector-extractor-copy ie o").succeeds().stderr_lacks("WARNING");
}
