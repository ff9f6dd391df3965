use super::scratch;

const SUMMARY: &str =
    "number of phones 2\nnumber of pdfs 4\nnumber of transition-ids 8\nnumber of transition-states 4\n";

#[test]
fn a_model_is_summarized() {
    let scratch = scratch();
    scratch.sh("hmm-info mdl").succeeds().stdout_is(SUMMARY);
    scratch.sh("copy-transition-model mdl - | hmm-info -").succeeds().stdout_is(SUMMARY);
}

#[test]
fn what_follows_the_transition_model_does_not_matter() {
    let scratch = scratch();
    scratch.sh("(copy-transition-model mdl -; echo rubbish) > o && hmm-info o").succeeds().stdout_is(SUMMARY);
}

#[test]
fn damage_has_a_place() {
    let scratch = scratch();
    scratch
        .sh("sed 's/^1 1 1/7 1 1/' mdl > bad; hmm-info bad")
        .fails_with(255)
        .stderr_has("bad:")
        .stderr_has("tuple 2: phone 7");
    scratch.sh("head -c 100 mdl > cut; hmm-info cut").fails_with(255).stdout_is("").stderr_has("cut:");
}
