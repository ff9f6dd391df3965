use super::scratch;

/// Utterance a has three frames of phone 1 and one of phone 2.
fn utterances() -> crate::support::Scratch {
    let scratch = scratch();
    scratch
        .write("ali", "a 2 4 6 8\nb 8\n")
        .write("ph", "a 1 1 1 2\nc 1\n")
        .write("map", "1 1\n2 2\n")
        .write("probs", "a  [\n  0.25 0.125 0.125 0.5\n  1 0 0 0\n  1 0 0 0\n  0.5 0.25 0 0.25 ]\nb  [\n  1 0 0 0 ]\nc  [\n  1 0 0 0 ]\n");
    scratch
}

/// Kaldi's assertion fails without a map.
#[test]
pub fn phones_are_scored_with_and_without_a_map() {
    for option in ["", "--phone-map=map"] {
        let command = format!("compute-gop --log-applied=false {option} mdl ark:ali ark:ph ark:probs ark,t:- ark,t:f");
        let scratch = utterances();
        let ran = scratch.sh(&command);
        ran.succeeds()
            .stdout_is("a [ 1 0 ] [ 2 -1.098612 ] \n")
            .stderr_has("No phoneme alignment for utterance b")
            .stderr_has("No transition alignment for utterance c")
            .stderr_has("Processed 1 prob matrices.");
        let features = String::from_utf8(scratch.read("f")).unwrap();
        assert!(features.starts_with("a.0  [ 1 -10 -0.2310491 -inf "), "{features}");
        assert!(features.contains("\na.1  [ 2 -10 -0.2876821 -1.386294 "), "{features}");
    }
}

#[test]
fn skipped_phones_have_no_score() {
    let command =
        "compute-gop --log-applied=false --skip-phones-string=0:2 mdl ark:ali ark:ph ark:probs ark,t:- ark,t:/dev/null";
    utterances().sh(command).succeeds().stdout_is("a [ 1 0 ] \n");
    let command = "compute-gop --skip-phones-string=x mdl ark:ali ark:ph ark:probs ark,t:- ark,t:/dev/null";
    utterances().sh(command).fails_with(255).stderr_has("expected phones such as 1:2:3, got \"x\"");
}

#[test]
fn alignments_that_do_not_fit_are_errors() {
    let scratch = utterances();
    scratch.write("short", "a 8\n");
    let ran = scratch.sh("compute-gop --log-applied=false mdl ark:short ark:ph ark:probs ark:- ark:o");
    ran.fails_with(255).stderr_has("a: expected 1 frame or more, and as many in both alignments, got 4 and 1");
}
