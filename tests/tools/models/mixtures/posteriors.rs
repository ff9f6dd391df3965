//! gmm-global-get-post, gmm-global-gselect-to-post, gmm-global-get-frame-likes, and those for full covariances.

use super::{CUT, mixtures};

#[test]
fn the_largest_posteriors_are_written() {
    let scratch = mixtures();
    let ran = scratch.sh(&format!("gmm-global-get-post diag ark:feats ark,t:- | {CUT}"));
    ran.succeeds()
        .stdout_is("a [ 0 0.9996 1 0.0003 ] [ 1 0.9996 0 0.0003 ] \nb [ 0 0.9820 1 0.0179 ] \n")
        .stderr_has("average UBM log-likelihood is -1.77248 over 3 frames");
    let ran = scratch.sh("gmm-global-get-post --min-post=0.1 diag ark:feats ark,t:-");
    ran.succeeds().stdout_is("a [ 0 1 ] [ 1 1 ] \nb [ 0 1 ] \n");
    scratch
        .sh("gmm-global-get-post --n=1 diag ark:feats ark,t:-")
        .succeeds()
        .stdout_is("a [ 0 1 ] [ 1 1 ] \nb [ 0 1 ] \n");
}

#[test]
fn features_that_do_not_fit_are_skipped() {
    let scratch = mixtures();
    let ran = scratch.sh("(echo 'e [ ]'; echo 'd [ 1 2 ]'; cat feats) | gmm-global-get-post --n=1 diag ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a [ 0 1 ] [ 1 1 ] \nb [ 0 1 ] \n")
        .stderr_has("Empty features for utterance e")
        .stderr_has("Dimension mismatch for utterance d: got 2, expected 1");
    for (options, message) in [("--n=0", "--n to be 1 or more"), ("--min-post=1", "--min-post from 0 to less than 1")] {
        scratch.sh(&format!("gmm-global-get-post {options} diag ark:feats ark:o")).fails_with(255).stderr_has(message);
    }
    let ran = scratch.sh("echo 'u [ nan ]' | gmm-global-get-post diag ark:- ark:o");
    ran.fails_with(255).stderr_has("u: no Gaussian has a likelihood that is a number in frame 0");
}

#[test]
fn selected_gaussians_get_posteriors() {
    let scratch = mixtures();
    for (tool, model) in [("gmm", "diag"), ("fgmm", "full")] {
        let ran = scratch.sh(&format!("{tool}-global-gselect-to-post {model} ark:feats ark:lists ark,t:- | {CUT}"));
        ran.succeeds()
            .stdout_is("a [ 1 0.0003 0 0.9996 ] [ 0 1 ] \nb [ 0 0.9820 1 0.0179 ] \n")
            .stderr_has("Done 2 files; 0 had errors.")
            .stderr_has("Overall loglike per frame is -4.439")
            .stderr_has(" with 1.66667 entries per frame,  over 3 frames");
        let ran = scratch
            .sh(&format!("{tool}-global-gselect-to-post --min-post=0.1 {model} ark:feats ark:lists ark,t:- | {CUT}"));
        ran.succeeds().stdout_is("a [ 0 1 ] [ 0 1 ] \nb [ 0 1 ] \n");
        let ran = scratch.sh(&format!("echo 'a ; ;' | {tool}-global-gselect-to-post {model} ark:feats ark:- ark:o"));
        ran.fails_with(255).stderr_has("a: expected numbers of Gaussians below 2 in frame 0, got []");
        let ran = scratch
            .sh(&format!("echo 'a [ 1 2 ]' | {tool}-global-gselect-to-post {model} ark:- 'ark:echo a 0 \\;|' ark:o"));
        ran.fails_with(255).stderr_has("a: expected features with 1 columns, got 2");
        let ran = scratch
            .sh(&format!("echo 'a [ nan ]' | {tool}-global-gselect-to-post {model} ark:- 'ark:echo a 0 \\;|' ark:o"));
        ran.fails_with(1).stderr_has("Skipping utterance a because bad posterior-sum encountered (NaN?)");
    }
}

#[test]
fn likelihoods_of_frames_are_written() {
    let scratch = mixtures();
    for (tool, model) in [("gmm", "diag"), ("fgmm", "full")] {
        let ran = scratch.sh(&format!("{tool}-global-get-frame-likes {model} ark:feats ark,t:- | {CUT}"));
        ran.succeeds()
            .stdout_is("a  [ -1.6117 -1.6117 ]\nb  [ -2.0939 ]\n")
            .stderr_has("Overall likelihood per frame = -1.77248 over 3 frames.");
        let ran = scratch.sh(&format!("{tool}-global-get-frame-likes --average {model} ark:feats ark,t:- | {CUT}"));
        ran.succeeds().stdout_is("a -1.6117 \nb -2.0939 \n");
        let ran =
            scratch.sh(&format!("{tool}-global-get-frame-likes --gselect=ark:lists {model} ark:feats ark,t:- | {CUT}"));
        ran.succeeds().stdout_is("a  [ -1.6117 -9.6120 ]\nb  [ -2.0939 ]\n");
    }
}
