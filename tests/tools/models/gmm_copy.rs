use super::{TRANSITIONS, scratch};

#[test]
fn a_model_is_copied_between_text_and_binary() {
    let scratch = scratch();
    scratch.sh("gmm-copy mdl b").succeeds().stderr_has("Written model to b");
    assert!(scratch.read("b").starts_with(b"\0B<TransitionModel> "));
    let text = scratch.sh("gmm-copy --binary=false b - | tee t | gmm-copy - -").succeeds();
    assert_eq!(text.stdout(), scratch.read("b"));
    assert!(scratch.read("t").starts_with(TRANSITIONS.as_bytes()));
}

#[test]
fn a_part_may_be_left_out() {
    let scratch = scratch();
    scratch.sh("gmm-copy --copy-am=false --binary=false mdl -").succeeds().stdout_is(TRANSITIONS);
    scratch.sh("gmm-copy --copy-am=false --copy-tm=false mdl -").succeeds().stdout_is("\0B");
}

/// Kaldi takes the transitions for Gaussians, and fails.
#[test]
pub fn transitions_that_are_not_copied_may_be_there_or_not() {
    let scratch = scratch();
    let whole = scratch.sh("gmm-copy --copy-tm=false --binary=false mdl - | tee am | head -n 1");
    whole.succeeds().stdout_is("<DIMENSION> 1 <NUMPDFS> 4 <DiagGMM> \n");
    let alone = scratch.sh("gmm-copy --copy-tm=false --binary=false am -").succeeds();
    assert_eq!(alone.stdout(), scratch.read("am"));
}
