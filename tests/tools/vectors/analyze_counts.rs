use crate::support::Scratch;
use crate::support::sample::Sample;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("ali", "a 1 3 3\nb 3\nc\n");
    scratch
}

#[test]
fn half_a_count_is_added_to_each() {
    let ran = scratch().sh("analyze-counts ark:ali prior.counts && cat prior.counts");
    ran.succeeds()
        .stdout_is(" [ 0.5 1.5 0.5 3.5 ]\n")
        .stderr_has("Zero count for label 0, this is suspicious")
        .stderr_has("Zero count for label 2, this is suspicious")
        .stderr_has("Summed 3 int32 vectors to counts, skipped 0 vectors.")
        .stderr_has("Counts written to prior.counts");
    let binary = Sample::VectorF64(vec![0.5, 1.5, 0.5, 3.5]).binary();
    scratch().sh("analyze-counts --binary ark:ali -").succeeds().stdout_is(binary);
}

#[test]
fn the_dimension_is_the_least() {
    scratch().sh("analyze-counts --counts-dim=6 ark:ali -").succeeds().stdout_is(" [ 0.5 1.5 0.5 3.5 0.5 0.5 ]\n");
    scratch().sh("analyze-counts --counts-dim=2 ark:ali -").succeeds().stdout_is(" [ 0.5 1.5 0.5 3.5 ]\n");
    scratch().sh("analyze-counts --counts-dim=-1 ark:ali -").fails_with(255).stderr_has("--counts-dim");
}

#[test]
fn vectors_and_elements_may_have_weights() {
    let scratch = scratch();
    scratch.write("utt", "a 2\nb 0.5\nc 1\n").write("frames", "a [ 1 0.25 0.5 ]\nb [ -1 ]\nc [ ]\n");
    let t = |options: &str, counts: &str| {
        scratch.sh(&format!("analyze-counts {options} ark:ali -")).succeeds().stdout_is(counts);
    };
    t("--utt-weights=ark:utt", " [ 0.5 2.5 0.5 5 ]\n");
    t("--frame-weights=ark:frames", " [ 0.5 1.5 0.5 0.25 ]\n");
    t("--utt-weights=ark:utt --frame-weights=ark:frames", " [ 0.5 2.5 0.5 1.5 ]\n");
}

#[test]
fn vectors_without_weights_are_skipped_and_named() {
    let t = |option: &str, weights: &str, counts: &str, warning: &str| {
        let scratch = scratch();
        scratch.write("weights", weights);
        let ran = scratch.sh(&format!("analyze-counts {option}=ark:weights ark:ali -"));
        ran.succeeds().stdout_is(counts).stderr_has(warning).stderr_has("counts, skipped 1 vectors");
    };
    t("--utt-weights", "b 1\nc 1\n", " [ 0.5 0.5 0.5 1.5 ]\n", "a, missing per-utterance weight");
    t("--frame-weights", "a [ 1 1 1 ]\nc [ ]\n", " [ 0.5 1.5 0.5 2.5 ]\n", "b, missing per-frame weights");
}

#[test]
fn what_cannot_be_counted_is_an_error() {
    let t = |vectors: &str, option: &str, message: &str| {
        let scratch = Scratch::new();
        scratch.write("ali", vectors).write("weights", "a [ 1 1 ]\n");
        scratch.sh(&format!("analyze-counts {option} ark:ali o")).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["ali", "weights"]);
    };
    t("a 1 -2\n", "", "a: expected integers from 0 to 2147483646, got -2");
    t("a 2147483647\n", "", "a: expected integers from 0 to 2147483646, got 2147483647");
    t("a 1 2 3\n", "--frame-weights=ark:weights", "a: expected 3 weights, got 2");
    t("a 1 x\n", "", "a: ali:1: expected an integer");
}

#[test]
fn the_log_may_show_the_counts_in_their_order() {
    let scratch = scratch();
    scratch.write("phones.txt", "sil 1\nah 3\n").write("bad.txt", "sil 1 2\n");
    let ran = scratch.sh("analyze-counts --symbol-table=phones.txt ark:ali - > /dev/null");
    ran.succeeds().stderr_has(
        "The sorted count table,\ncount\t(norm),\tid\t(symbol):\n0\t(0),\t0\t()\n0\t(0),\t2\t()\n1\t(0.25),\t1\t(sil)\n\
         3\t(0.75),\t3\t(ah)\n\n#total 4 (1.11111e-05h)\n",
    );
    let ran = scratch.sh("analyze-counts --verbose=1 ark:ali - > /dev/null");
    ran.succeeds().stderr_has("\n3\t(0.75),\t3\t\n");
    scratch.sh("analyze-counts ark:ali -").succeeds().stderr_lacks("The sorted count table");
    let ran = scratch.sh("analyze-counts --symbol-table=bad.txt ark:ali o");
    ran.fails_with(255).stderr_has("bad.txt:1: expected a symbol and a number, got 3 fields");
    assert!(!scratch.path("o").exists());
}

#[test]
fn an_empty_table_has_no_counts() {
    Scratch::new().sh("analyze-counts ark:/dev/null -").succeeds().stdout_is(" [ ]\n");
    Scratch::new().sh("analyze-counts --counts-dim=2 ark:/dev/null -").succeeds().stdout_is(" [ 0.5 0.5 ]\n");
}
