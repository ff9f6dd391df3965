use crate::support::Scratch;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("ref", "a 1 2 3 4\nb 1 2\nc 5 6 7\n")
        .write("hyp1", "a 1 2 3\nb 1 x\nc 5 6 7\n")
        .write("hyp2", "a 1 2 3 4\nb 1 2\nc 5 6\n");
    scratch
}

/// Kaldi prints these digits.
#[test]
fn the_interval_is_that_of_kaldi() {
    let ran = scratch().sh("compute-wer-bootci ark:ref ark:hyp1");
    ran.succeeds().stdout_is("Set1: %WER 22.95 95% Conf Interval [ 2.30, 43.60 ]\n");
    let ran = scratch().sh("compute-wer-bootci --replications=100 ark:ref ark:hyp1 ark:hyp2");
    ran.succeeds().stdout_is(
        "Set1: %WER 21.05 95% Conf Interval [ 0.41, 41.68 ]\n\
         Set2: %WER 11.50 95% Conf Interval [ -6.01, 29.01 ]\n\
         Probability of Set2 improving Set1: 80.00\n",
    );
}

#[test]
fn sentences_without_a_hypothesis_are_an_error_left_out_or_empty() {
    let t = |options: &str, hypotheses: &str, stdout: &str| {
        let scratch = Scratch::new();
        scratch.write("ref", "a 1 2\nb 3 4\n").write("all", "a 1 x\nb 3 y\n").write("part", "b 3 y\n");
        let ran = scratch.sh(&format!("compute-wer-bootci {options} ark:ref {hypotheses}"));
        ran.succeeds().stdout_is(stdout);
    };
    let half = "%WER 50.00 95% Conf Interval [ 50.00, 50.00 ]\n";
    t("--mode=present", "ark:part", &format!("Set1: {half}"));
    let both = format!("Set1: {half}Set2: {half}Probability of Set2 improving Set1: 0.00\n");
    t("--mode=present", "ark:part ark:all", &both);
    t("--mode=present", "ark:all ark:part", &both);
    t("--mode=all --replications=1", "ark:/dev/null", "Set1: %WER 100.00 95% Conf Interval [ 100.00, 100.00 ]\n");
}

#[test]
fn strict_mode_needs_all_hypotheses() {
    let fails = |hypotheses: &str, message: &str| {
        let scratch = scratch();
        scratch.write("part", "a 1\nb 2\n");
        let ran = scratch.sh(&format!("compute-wer-bootci ark:ref {hypotheses}"));
        ran.fails_with(255).stdout_is("").stderr_has(message);
    };
    fails("ark:part", "No hypothesis for key c and strict mode specifier");
    fails("ark:hyp1 ark:part", "No hypothesis for key c in both transcripts");
    fails("ark:part ark:hyp1", "No hypothesis for key c in both transcripts");
}

#[test]
fn another_mode_is_an_error() {
    let ran = scratch().sh("compute-wer-bootci --mode=none ark:ref ark:hyp1");
    ran.fails_with(255).stderr_has("--mode option invalid");
}

#[test]
fn nothing_to_score_is_no_failure() {
    let ran = scratch().sh("compute-wer-bootci ark:/dev/null ark:hyp1");
    ran.succeeds().stdout_is("Set1: %WER -nan 95% Conf Interval [ -nan, -nan ]\n");
}
