use super::{TRANSITIONS, scratch};

#[test]
fn a_model_is_summarized() {
    let scratch = scratch();
    let summary = "number of phones 2\nnumber of pdfs 4\nnumber of transition-ids 8\nnumber of transition-states 4\n\
                   feature dimension 1\nnumber of gaussians 4\n";
    scratch.sh("gmm-info mdl").succeeds().stdout_is(summary);
    scratch.sh("gmm-copy mdl - | gmm-info -").succeeds().stdout_is(summary);
}

#[test]
fn a_model_without_gaussians_is_an_error() {
    let scratch = scratch();
    scratch.write("tm", TRANSITIONS);
    scratch.sh("gmm-info tm").fails_with(255).stderr_has("tm:").stderr_has("expected token \"<DIMENSION>\"");
}
