use crate::support::Scratch;

#[test]
fn the_rate_is_printed_without_a_newline() {
    let scratch = Scratch::new();
    scratch.write("scores", "1 target\n1 target\n1 nontarget\n1 nontarget\n0 target\n2 nontarget\n");
    let ran = scratch.sh("compute-eer scores");
    ran.succeeds().stdout_is("66.67").stderr_has("Equal error rate is 66.6667%, at threshold 1");
    scratch.sh("cat scores | compute-eer -").succeeds().stdout_is("66.67");
    scratch.sh("echo $(compute-eer <(sort scores) 2> /dev/null)").succeeds().stdout_is("66.67\n");
}

#[test]
fn scores_are_numbers_with_any_blanks_around() {
    let t = |lines: &str, rate: &str| {
        let scratch = Scratch::new();
        scratch.write("scores", lines);
        scratch.sh("compute-eer scores").succeeds().stdout_is(rate);
    };
    t("1e1\ttarget\n  -2.5E-1   nontarget \n+3 target", "0");
    t("inf target\n-inf nontarget\n0 target\n0.5 nontarget\n", "50");
    t("1 nontarget\n2 nontarget\n0 target\n-1 target\n-3 target\n", "66.67");
}

#[test]
fn both_kinds_of_trials_are_needed() {
    let t = |lines: &str, message: &str| {
        let scratch = Scratch::new();
        scratch.write("scores", lines);
        scratch.sh("compute-eer scores").fails_with(255).stdout_is("").stderr_has(message);
    };
    t("", "scores: Empty input");
    t("1 target\n", "scores: No non-target scores seen");
    t("1 nontarget\n", "scores: No target scores seen");
}

#[test]
fn a_line_that_is_no_trial_is_an_error_with_its_place() {
    let t = |line: &str, message: &str| {
        let scratch = Scratch::new();
        scratch.write("scores", format!("1 target\n{line}\n0 nontarget\n"));
        let ran = scratch.sh("compute-eer scores");
        ran.fails_with(255).stdout_is("").stderr_has(&format!("scores:2: {message}"));
    };
    t("", "line must have two fields");
    t("1 target x", "line must have two fields");
    t("x target", "first field must be float");
    t("1x target", "first field must be float");
    t("1 Target", "second field must be \"target\" or \"nontarget\"");
    t("1 target\r", "second field must be");
}

/// Kaldi sorts such scores to any place.
#[test]
fn a_score_that_is_not_a_number_is_an_error() {
    let ran = Scratch::new().sh("printf 'nan target\\n0 nontarget\\n' | compute-eer -");
    ran.fails_with(255).stdout_is("").stderr_has("first field must be float");
}
