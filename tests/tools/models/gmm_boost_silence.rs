use super::scratch;

#[test]
fn weights_of_silence_are_multiplied() {
    let t = |options: &str, weights: &str, log: &str| {
        let script =
            format!("gmm-boost-silence --binary=false {options} mdl - | grep WEIGHTS | cut -d ' ' -f 4 | xargs");
        scratch().sh(&script).succeeds().stdout_is(format!("{weights}\n")).stderr_has(log);
    };
    t("2", "1 1 1 1.5", "Boosted weights for 1 pdfs, by factor of 1.5");
    t("--boost=0.5 1:2", "0.5 0.5 0.5 0.5", "Boosted weights for 4 pdfs, by factor of 0.5");
    t("77", "1 1 1 1", "Boosted weights for 0 pdfs");
    t("''", "1 1 1 1", "gmm-boost-silence: no silence phones specified, doing nothing.");
}

#[test]
fn phones_that_are_no_numbers_count_as_none_with_a_warning() {
    let ran = scratch().sh("gmm-boost-silence a:b mdl o");
    ran.succeeds().stderr_has("invalid list of silence phones: expected phones such as 1:2:3, got \"a:b\"");
}

#[test]
fn a_phone_may_come_once() {
    let ran = scratch().sh("gmm-boost-silence 2:1:2 mdl o");
    ran.fails_with(255).stderr_has("expected each silence phone once, got 2 twice");
}
