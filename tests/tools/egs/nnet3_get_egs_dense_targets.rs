use super::feats;
use crate::support::Scratch;

#[test]
fn targets_are_rows_of_the_matrices() {
    let scratch = Scratch::new();
    scratch.write("feats", feats("a", 6)).write("targets", "a [ 0 0\n 1 1\n 2 4\n 3 9\n 4 16\n 5 25 ]\n");
    let line =
        "nnet3-get-egs-dense-targets --num-targets=2 --num-frames=3 --compress=false ark:feats ark:targets ark,t:-";
    let ran = scratch.sh(line).succeeds();
    ran.stdout_has("output <I1V> 3 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0  [\n  3 9 \n  4 16 \n  5 25 ]");
}

#[test]
fn targets_that_do_not_fit_are_errors_or_warnings() {
    let scratch = Scratch::new();
    scratch
        .write("feats", feats("a", 6))
        .write("targets", "a [ 0 0\n 1 1\n 2 4\n 3 9\n 4 16 ]\n")
        .write("short", "a [ 1 ]\n");
    for (options, tables, message, code) in [
        ("--num-targets=3 --num-frames=3", "ark:targets", "a: expected rows of 3 columns in \"output\", got 2", 255),
        (
            "--num-frames=3",
            "ark:targets",
            "a: expected at least 6 rows of targets, as the last chunk needs, got 5",
            255,
        ),
        ("--num-frames=3", "ark:short", "does not have expected length for utterance a", 1),
        ("--num-frames=3", "ark:/dev/null", "No target matrix for key a", 1),
        ("--num-frames=9", "ark:targets", "1 utterances had errors and could not be processed.", 1),
    ] {
        let ran = scratch.sh(&format!("nnet3-get-egs-dense-targets {options} ark:feats {tables} ark:o"));
        ran.fails_with(code).stderr_has(message);
    }
}
