//! gmm-global-acc-stats, gmm-global-acc-stats-twofeats, gmm-global-sum-accs, and those for full covariances.

use super::mixtures;
use crate::support::Scratch;

/// A mixture whose Gaussians are so far apart that posteriors are 0 or 1, and features near them.
fn apart() -> Scratch {
    let scratch = mixtures();
    scratch.write("diag", "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 0\n100 ] <INV_VARS> [ 1\n1 ] </DiagGMM> ");
    scratch.write(
        "full",
        "<FullGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVCOVARS> [ 0\n100 ] <INV_COVARS> [ 1 ]\n[ 1 ] </FullGMM> ",
    );
    scratch
        .write("feats", "a  [\n  1 \n  3 \n  100 ]\nb  [\n  99 ]\n")
        .write("other", "a  [\n 1 0\n 0 1\n 2 2 ]\nb  [\n  3 3 ]\n");
    scratch.write("lists", "a 0 ; 1 0 ; 1 ; \nb 1 ; \n").write("weights", "a [ 1 0.5 0 ]\nb [ 2 ]\n");
    scratch
}

const HEAD: &str = "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 2 <FLAGS> 7 ";

#[test]
fn frames_are_summed_by_their_posteriors() {
    let scratch = apart();
    let diag = format!(
        "{HEAD}<OCCUPANCY>  [ 2 2 ]\n<MEANACCS>  [\n  4 \n  199 ]\n<DIAGVARACCS>  [\n  10 \n  19801 ]\n</GMMACCS> "
    );
    let full = format!(
        "{HEAD}<OCCUPANCY>  [ 2 2 ]\n<MEANACCS>  [\n  4 \n  199 ]\n<FULLVARACCS> [\n2 ]\n[\n0.5 ]\n</GMMACCS> "
    );
    for options in ["", "--gselect=ark:lists"] {
        let ran = scratch.sh(&format!("gmm-global-acc-stats --binary=false {options} diag ark:feats -"));
        ran.succeeds()
            .stdout_is(&diag)
            .stderr_has("Done 2 files; 0 with errors.")
            .stderr_has("over 4 (weighted) frames.");
        let ran = scratch.sh(&format!("fgmm-global-acc-stats --binary=false {options} full ark:feats -"));
        ran.succeeds().stdout_is(&full);
    }
    let ran = scratch.sh("gmm-global-acc-stats --update-flags=m --binary=false diag ark:feats -");
    let means = "<OCCUPANCY>  [ 2 2 ]\n<MEANACCS>  [\n  4 \n  199 ]\n<DIAGVARACCS>  [ ]\n</GMMACCS> ";
    ran.succeeds().stdout_is(format!("<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 2 <FLAGS> 5 {means}"));
}

#[test]
fn frames_have_weights() {
    let scratch = apart();
    let sums =
        "<OCCUPANCY>  [ 1.5 2 ]\n<MEANACCS>  [\n  2.5 \n  198 ]\n<DIAGVARACCS>  [\n  5.5 \n  19602 ]\n</GMMACCS> ";
    for options in ["", "--gselect=ark:lists"] {
        let ran = scratch
            .sh(&format!("gmm-global-acc-stats --binary=false --weights=ark:weights {options} diag ark:feats -"));
        ran.succeeds().stdout_is(format!("{HEAD}{sums}")).stderr_has("over 3.5 (weighted) frames");
    }
    scratch.write("weights", "a [ 1 ]\n");
    let ran = scratch.sh("gmm-global-acc-stats --weights=ark:weights diag ark:feats o");
    ran.fails_with(1)
        .stderr_has("Weights for utterance a have wrong dim 1 vs. 3")
        .stderr_has("No per-frame weights available for utterance b");
}

#[test]
fn other_features_may_be_summed() {
    let scratch = apart();
    let ran = scratch.sh("gmm-global-acc-stats-twofeats --update-flags=m --binary=false diag ark:feats ark:other -");
    let sums = "<OCCUPANCY>  [ 2 2 ]\n<MEANACCS>  [\n  1 1 \n  5 5 ]\n<DIAGVARACCS>  [ ]\n</GMMACCS> ";
    ran.succeeds().stdout_is(format!("<GMMACCS> <VECSIZE> 2 <NUMCOMPONENTS> 2 <FLAGS> 5 {sums}"));
}

#[test]
pub fn features_of_other_lengths_are_skipped() {
    let scratch = apart();
    scratch.write("other", "a  [\n 1 0 ]\nb  [\n  3 3 ]\n");
    let ran = scratch.sh("gmm-global-acc-stats-twofeats diag ark:feats ark:other o");
    ran.succeeds()
        .stderr_has("For utterance a, second features have 1 frames instead of 3")
        .stderr_has("Done 1 files; 1 with");
    let ran = scratch.sh("gmm-global-acc-stats-twofeats diag ark:feats ark:/dev/null o2");
    ran.fails_with(255).stderr_has("second features not present").stderr_has("no utterance has both features");
}

#[test]
pub fn weights_of_posteriors_do_not_compound() {
    let scratch = apart();
    scratch.write("post", "a [ 0 1 ] [ 0 0.5 1 0.5 ] [ 1 1 ]\nb [ 1 1 ]\n");
    let run = |options: &str| {
        scratch.sh(&format!("fgmm-global-acc-stats-post --binary=false {options} ark:post 2 ark:feats - | head -n 1"))
    };
    run("").succeeds().stdout_is(format!("{HEAD}<OCCUPANCY>  [ 1.5 2.5 ]\n"));
    run("--weights=ark:weights").succeeds().stdout_is(format!("{HEAD}<OCCUPANCY>  [ 1.25 2.25 ]\n"));
    let ran = scratch.sh("fgmm-global-acc-stats-post ark:post 1 ark:feats o");
    ran.fails_with(255).stderr_has("a: expected Gaussians below 1 in frame 1, got [(0, 0.5), (1, 0.5)]");
    scratch
        .sh("fgmm-global-acc-stats-post ark:post 0 ark:feats o")
        .fails_with(255)
        .stderr_has("a number of Gaussians, got 0");
}

#[test]
fn statistics_are_summed() {
    let scratch = apart();
    for (tool, model) in [("gmm", "diag"), ("fgmm", "full")] {
        scratch.sh(&format!("{tool}-global-acc-stats {model} ark:feats s && {tool}-global-acc-stats --update-flags=w {model} ark:feats w")).succeeds();
        let ran = scratch.sh(&format!("{tool}-global-sum-accs --binary=false - s s s | head -n 3 | tr -d '\\n'"));
        ran.succeeds().stdout_is(format!("{HEAD}<OCCUPANCY>  [ 6 6 ]<MEANACCS>  [  12 "));
        let ran = scratch.sh(&format!("{tool}-global-sum-accs o s w"));
        ran.fails_with(255).stderr_has("cannot add w: dimension or flags mismatch");
        let ran = scratch.sh(&format!("{tool}-global-sum-accs o {model}"));
        ran.fails_with(255).stderr_has("expected token \"<GMMACCS>\"");
    }
}

#[test]
fn without_utterances_the_statistics_are_zeros() {
    let scratch = apart();
    let ran = scratch.sh("gmm-global-acc-stats --update-flags=w --binary=false diag ark:/dev/null - | head -n 1");
    ran.fails_with(1).stdout_is("<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 2 <FLAGS> 4 <OCCUPANCY>  [ 0 0 ]\n");
    scratch.sh("gmm-global-acc-stats --update-flags=q diag ark:feats o").fails_with(255).stderr_has("got 'q' in \"q\"");
    let ran = scratch.sh("echo 'u [ 1 2 ]' | gmm-global-acc-stats diag ark:- o");
    ran.fails_with(255).stderr_has("u: expected features with 1 columns, got 2");
}

#[test]
fn a_frame_without_a_likelihood_is_an_error() {
    let scratch = apart();
    scratch.write("odd", "a [ nan ]\n").write("lists", "a 0 1 ; \n");
    for (tool, model) in [("gmm", "diag"), ("fgmm", "full")] {
        for command in [
            format!("{tool}-global-acc-stats {model} ark:odd o"),
            format!("{tool}-global-acc-stats --gselect=ark:lists {model} ark:odd o"),
            format!("{tool}-gselect --n=1 {model} ark:odd ark:o"),
            format!("{tool}-gselect --n=1 --gselect=ark:lists {model} ark:odd ark:o"),
        ] {
            let ran = scratch.sh(&format!("{command}; code=$?; [ ! -e o ] && exit $code"));
            ran.fails_with(255).stderr_has("a: no Gaussian has a likelihood that is a number in frame 0");
        }
    }
    let ran = scratch.sh("gmm-global-get-post --n=1 diag ark:odd ark:o");
    ran.fails_with(255).stderr_has("a: no Gaussian has a likelihood that is a number in frame 0");
}
