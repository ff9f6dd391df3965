use super::scratch;
use crate::support::Scratch;

/// Features of one dimension under pdf 3, whose Gaussian has a mean of 3 and a variance of 1. Utterances `a` and `b` have
/// means of 5.
fn utterances() -> Scratch {
    let scratch = scratch();
    scratch
        .write("feats", "a  [\n  3\n  7 ]\nb  [\n  3\n  7 ]\nc  [\n  1 ]\nd  [\n  1 ]\n")
        .write("post", "a [ 7 1 ] [ 7 1 ]\nb [ 8 1 ] [ 8 1 ]\nd [ 7 1 ] [ 7 1 ]\n")
        .write("spk2utt", "s a b c\nt x\n");
    scratch
}

#[test]
fn features_of_utterances_come_to_the_model() {
    let scratch = utterances();
    let ran = scratch.sh("gmm-est-fmllr --fmllr-min-count=1 --fmllr-update-type=diag mdl ark:feats ark:post ark,t:-");
    // A standard deviation of 2 becomes 1.
    ran.succeeds()
        .stdout_is("a  [\n  0.5 0.5 ]\nb  [\n  0.5 0.5 ]\n")
        .stderr_has("Did not find posteriors for utterance c")
        .stderr_has("Posterior vector of utterance d has wrong size 2 vs. 1")
        .stderr_has("Done 2 files, 2 with errors.");
    let offset = "gmm-est-fmllr --fmllr-min-count=1 --fmllr-update-type=offset mdl ark:feats ark:post ark,t:-";
    scratch.sh(offset).succeeds().stdout_is("a  [\n  1 -2 ]\nb  [\n  1 -2 ]\n");
    let few = scratch.sh("gmm-est-fmllr --fmllr-min-count=2 mdl ark:feats ark:post ark,t:-");
    few.succeeds().stdout_is("a  [\n  1 0 ]\nb  [\n  1 0 ]\n").stderr_has("since below min-count: count is 2");
}

#[test]
fn speakers_have_one_transform_for_all_their_utterances() {
    let scratch = utterances();
    let options = "--fmllr-min-count=3 --fmllr-update-type=diag --spk2utt=ark:spk2utt";
    let expected = "s  [\n  0.5 0.5 ]\nt  [\n  1 0 ]\n";
    let ran = scratch.sh(&format!("gmm-est-fmllr {options} mdl ark:feats ark:post ark,t:-"));
    ran.succeeds()
        .stdout_is(expected)
        .stderr_has("Did not find features for utterance x")
        .stderr_has("For speaker s, auxf-impr from fMLLR is")
        .stderr_has("over 4 frames.");
    scratch.sh("gmm-post-to-gpost mdl ark:feats ark:post ark:gpost").succeeds();
    let ran = scratch.sh(&format!("gmm-est-fmllr-gpost {options} mdl ark:feats ark:gpost ark,t:-"));
    ran.succeeds().stdout_is(expected);
}

#[test]
fn what_cannot_be_estimated_names_the_utterance() {
    let scratch = utterances();
    scratch.write("same", "a  [\n  3\n  3 ]\n").write("far", "a [ 9 1 ] [ 9 1 ]\n");
    let same = scratch.sh("gmm-est-fmllr --fmllr-min-count=1 --fmllr-update-type=diag mdl ark:same ark:post ark:o");
    same.fails_with(255).stderr_has("the features do not vary in dimension 0").stderr_has("a: ");
    scratch.sh("gmm-est-fmllr mdl ark:feats ark:far ark:o").fails_with(255).stderr_has("a: ");
}

#[test]
fn a_type_of_transforms_that_is_none_is_refused_before_anything_is_read() {
    let wrong = utterances().sh("gmm-est-fmllr --fmllr-update-type=whole no-mdl ark:no-feats ark:post ark:o");
    wrong.fails_with(255).stderr_has("expected full, diag, offset or none, got \"whole\"");
    let wrong = utterances().sh("gmm-est-fmllr-gpost --fmllr-update-type=whole no-mdl ark:no-feats ark:gpost ark:o");
    wrong.fails_with(255).stderr_has("expected full, diag, offset or none, got \"whole\"");
}
