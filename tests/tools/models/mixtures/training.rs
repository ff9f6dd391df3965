//! gmm-acc-stats and its kin, gmm-sum-accs, gmm-est and gmm-post-to-gpost.

use crate::support::Scratch;
use crate::tools::models::{TRANSITIONS, gaussians};

/// A model with pdfs of one Gaussian each, with means from 0 to 3, and alignments, posteriors and features.
fn model() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("mdl", [TRANSITIONS, &gaussians()].concat());
    scratch.write("ali", "a 1 2 7 8\n").write("feats", "a  [\n  0 \n  1 \n  3 \n  5 ]\nb  [\n  0 ]\n");
    scratch.write("post", "a [ 1 0.5 ] [ 2 1 ] [ 7 -1 ] [ 8 0.25 1 0.5 ] \nb [ 1 1 ] [ 1 1 ] \n");
    scratch
}

/// The counts of the transition-ids from 1 to 8, and the occupancies of the pdfs, in statistics as text.
const COUNTS: &str = "sed -n '1p; s/.*OCCUPANCY>//p' | sed 's/<NUMPDFS>.*//' | tr -d '\\n'";

#[test]
fn frames_of_alignments_are_summed() {
    let scratch = model();
    let ran = scratch.sh(&format!("gmm-acc-stats-ali --binary=false mdl ark:feats ark:ali - | {COUNTS}"));
    ran.succeeds()
        .stdout_is(" [ 0 1 1 0 0 0 0 1 1 ]  [ 2 ]  [ 0 ]  [ 0 ]  [ 2 ]")
        .stderr_has("No alignment for utterance b")
        .stderr_has("Done 1 files, 1 with errors.");
    let ran = scratch.sh("gmm-acc-stats-ali --binary=false mdl ark:feats ark:ali - | grep -A 1 MEANACCS | tr -d '\\n'");
    ran.succeeds().stdout_is("<MEANACCS>  [  1 ]--<MEANACCS>  [  0 ]--<MEANACCS>  [  0 ]--<MEANACCS>  [  8 ]");
}

#[test]
fn frames_of_posteriors_are_summed() {
    let scratch = model();
    let ran = scratch.sh(&format!("gmm-acc-stats --binary=false mdl ark:feats ark:post - | {COUNTS}"));
    ran.succeeds()
        .stdout_is(" [ 0 1 1 0 0 0 0 -1 0.25 ]  [ 2 ]  [ 0 ]  [ 0 ]  [ -0.75 ]")
        .stderr_has("Posterior vector of utterance b has wrong size 2 vs. 1");
    let ran =
        scratch.sh(&format!("gmm-acc-stats2 --binary=false mdl ark:feats ark:post - d | {COUNTS}; cat d | {COUNTS}"));
    ran.succeeds().stdout_is(
        " [ 0 1 1 0 0 0 0 0 0.25 ]  [ 2 ]  [ 0 ]  [ 0 ]  [ 0.25 ] [ 0 0 0 0 0 0 0 1 0 ]  [ 0 ]  [ 0 ]  [ 0 ]  [ 1 ]",
    );
    let ran = scratch.sh("echo 'a [ 9 1 ] [ 9 1 ] [ 9 1 ] [ 9 1 ]' | gmm-acc-stats mdl ark:feats ark:- o");
    ran.fails_with(255).stderr_has("a: ").stderr_has("9");
}

#[test]
pub fn other_features_may_be_summed() {
    let scratch = model();
    scratch.write("other", "a  [\n  1 1 \n  2 2 \n  3 3 \n  4 4 ]\n");
    let line =
        "gmm-acc-stats-twofeats mdl ark:feats ark:other ark:post s && gmm-est --min-gaussian-occupancy=1 mdl s o";
    let ran = scratch.sh(&format!("{line} && gmm-sum-accs --binary=false - s | grep -c 'VECSIZE> 2'"));
    ran.succeeds().stdout_is("4\n").stderr_has("Dimensions of accumulator 2 and gmm 1 do not match, resizing");
    scratch.write("other", "a  [\n  1 1 ]\n");
    let ran = scratch.sh("gmm-acc-stats-twofeats mdl ark:feats ark:other ark:post o2");
    ran.fails_with(255).stderr_has("second features have 1 frames instead of 4").stderr_has("no utterance has both");
}

#[test]
fn statistics_are_summed() {
    let scratch = model();
    scratch.sh("gmm-acc-stats-ali mdl ark:feats ark:ali s").succeeds();
    let ran = scratch.sh(&format!("gmm-sum-accs --binary=false - s s s | {COUNTS}"));
    ran.succeeds().stdout_is(" [ 0 3 3 0 0 0 0 3 3 ]  [ 6 ]  [ 0 ]  [ 0 ]  [ 6 ]");
    let ran = scratch.sh("gmm-sum-accs --binary=false - s | tail -n 1 | grep -o '<total_frames>.*'");
    ran.succeeds().stdout_is("<total_frames> 4 \n");
    // Old files end before the totals.
    let old = "gmm-sum-accs --binary=false - s | sed 's/<total_like>.*//' | gmm-sum-accs --binary=false - -";
    scratch.sh(&format!("{old} | grep -o '<total_frames>.*'")).succeeds().stdout_is("<total_frames> 0 \n");
    let ran = scratch.sh("gmm-sum-accs - s | head -c 200 | gmm-sum-accs o -");
    ran.fails_with(255).stderr_has("standard input:");
    let ran = scratch.sh("gmm-sum-accs --binary=false - s | sed '1s/ \\[ 0 1/ [ 0 1 1/' | gmm-sum-accs o s -");
    ran.fails_with(255).stderr_has("of another model");
}

#[test]
fn models_are_estimated() {
    let scratch = model();
    scratch.sh("gmm-acc-stats-ali mdl ark:feats ark:ali s1 && gmm-sum-accs s s1 s1 s1 s1 s1").succeeds();
    let options = "--binary=false --remove-low-count-gaussians=false --min-gaussian-occupancy=5";
    let ran = scratch.sh(&format!(
        "gmm-est {options} --write-occs=occs mdl s - | sed -n '/<DIM/,$p' | grep -A 1 MEANS | tr -d '\\n'; cat occs"
    ));
    // Pdf 0 gets 0 and 1, pdf 3 gets 3 and 5; the others keep their means of 1 and 2.
    ran.succeeds()
        .stdout_is("<MEANS_INVVARS>  [  2 ]--<MEANS_INVVARS>  [  1 ]--<MEANS_INVVARS>  [  2 ]--<MEANS_INVVARS>  [  4 ] [ 10 0 0 10 ]\n")
        .stderr_has("Transition model update: Overall")
        .stderr_has("GMM update: Overall avg like per frame");
    // Transition-ids 1 and 2 of the same state have occurred as often.
    let ran = scratch.sh(&format!("gmm-est {options} --update-flags=t mdl s - | grep '^ \\[ 0 -'"));
    ran.succeeds().stdout_is(" [ 0 -0.6931472 -0.6931472 -0.25 -1.5 -0.25 -1.5 -0.6931472 -0.6931472 ]\n");
    let ran =
        scratch.sh(&format!("gmm-est {options} --update-flags=t --transition-min-count=11 mdl s - | grep '^ \\[ 0 -'"));
    ran.succeeds().stdout_is(" [ 0 -0.25 -1.5 -0.25 -1.5 -0.25 -1.5 -0.75 -0.5 ]\n").stderr_has("4 skipped");
    let ran = scratch.sh(&format!("gmm-est {options} --mix-up=6 --min-count=1 mdl s - | grep -c DiagGMM"));
    ran.succeeds().stdout_is("8\n").stderr_has("Split 4 states with target = 6, power = 0.2, perturb_factor = 0.01 and min_count = 1, split #Gauss from 4 to 6");
}

#[test]
fn posteriors_of_gaussians_are_written() {
    let scratch = model();
    let ran = scratch.sh("gmm-post-to-gpost mdl ark:feats ark:post ark,t:-");
    ran.succeeds().stdout_is("a 4 1 0  [ 0.5 ]\n1 0  [ 1 ]\n1 3  [ -1 ]\n2 0  [ 0.5 ]\n3  [ 0.25 ]\n\n");
    let ran = scratch.sh("gmm-post-to-gpost --rand-prune=4 mdl ark:feats ark:post ark,t:-");
    ran.succeeds().stdout_is("a 4 0 0 0 0 \n");
}

#[test]
fn statistics_for_mllt_are_computed() {
    let scratch = model();
    let ran = scratch.sh("gmm-acc-mllt --rand-prune=0 --binary=false mdl ark:feats ark:post - | tr -d '\\n'");
    // Pdf 0: 1 and half of 25; pdf 3: a quarter of 4.
    ran.succeeds().stdout_is("<MlltAccs> 1.25 1 <G> [14.5 ]</MlltAccs> ");
}
