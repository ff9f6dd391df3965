//! gmm-global-est, fgmm-global-est, fgmm-global-init-from-accs and gmm-global-init-from-feats.

use super::mixtures;
use crate::support::Scratch;
use crate::support::sample::uniform;

/// Statistics of 24 frames: of 1 and 3 for the first Gaussian, of 4 and 8 for the second.
fn with_stats() -> Scratch {
    let scratch = mixtures();
    let head =
        "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 2 <FLAGS> 7 <OCCUPANCY>  [ 12 12 ]\n<MEANACCS>  [\n  24 \n  72 ]\n";
    scratch.write("s", format!("{head}<DIAGVARACCS>  [\n  60 \n  480 ]\n</GMMACCS> "));
    scratch.write("f", format!("{head}<FULLVARACCS> [\n12 ]\n[\n48 ]\n</GMMACCS> "));
    scratch
}

#[test]
fn parameters_are_estimated() {
    let scratch = with_stats();
    let ran = scratch.sh("gmm-global-est --binary=false diag s - | tail -n +3 | tr -d '\\n'");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 0.5 0.5 ]<MEANS_INVVARS>  [  2   1.5 ]<INV_VARS>  [  1   0.25 ]</DiagGMM> ")
        .stderr_has("per frame over 24 frames.");
    let ran =
        scratch.sh("fgmm-global-est --min-gaussian-occupancy=5 --binary=false full f - | tail -n +3 | tr -d '\\n'");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 0.5 0.5 ]<MEANS_INVCOVARS>  [  2   1.5 ]<INV_COVARS> [1 ][0.25 ]</FullGMM> ");
    // Only the variances, around the old means of 0 and 4.
    let ran = scratch.sh("gmm-global-est --update-flags=v --binary=false diag s - | tail -n +3 | tr -d '\\n'");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 0.5 0.5 ]<MEANS_INVVARS>  [  0   0.5 ]<INV_VARS>  [  0.2   0.125 ]</DiagGMM> ");
    let ran = scratch.sh("gmm-global-est --min-variance=2 --binary=false diag s - | grep -A 2 INV_VARS | tr -d '\\n'");
    ran.succeeds().stdout_is("<INV_VARS>  [  0.5   0.25 ]");
    let ran = scratch.sh("fgmm-global-est --variance-floor=2 --min-gaussian-occupancy=5 full f o");
    ran.succeeds().stderr_has("1 variances floored in 1 Gaussians.");
}

#[test]
fn gaussians_with_few_frames_are_removed_or_kept() {
    let scratch = with_stats();
    let ran = scratch.sh("gmm-global-est --min-gaussian-occupancy=20 --binary=false diag s - | grep WEIGHTS");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 1 ]\n")
        .stderr_has("removing Gaussian (weight 0.500000, occupation count 12.000000, vector size 1)")
        .stderr_has("not removing it because it is the last Gaussian: i = 1, occ = 12.000000, weight = 0.500000");
    let keep = "--min-gaussian-occupancy=20 --remove-low-count-gaussians=false --binary=false";
    let ran = scratch.sh(&format!("gmm-global-est {keep} diag s - | grep -A 2 MEANS | tr -d '\\n'"));
    ran.succeeds().stdout_is("<MEANS_INVVARS>  [  0   4 ]").stderr_has("remove-low-count-gaussians == false: i = 0");
}

#[test]
fn gaussians_are_split() {
    let scratch = with_stats();
    let ran = scratch.sh("gmm-global-est --mix-up=3 --binary=false diag s - | grep WEIGHTS");
    ran.succeeds().stdout_is("<WEIGHTS>  [ 0.25 0.5 0.25 ]\n");
    scratch.sh("gmm-global-est --mix-up=2 diag s o").succeeds().stderr_has("Already have the target # of Gaussians");
    scratch.sh("gmm-global-est --mix-up=1 diag s o2").fails_with(255).stderr_has("cannot split 2 Gaussians to get 1");
    let ran = scratch.sh("fgmm-global-est --min-gaussian-occupancy=5 --mix-up=3 full f o && fgmm-global-info o");
    ran.succeeds().stdout_is("number of gaussians 3\nfeature dimension 1\n");
    let ran = scratch.sh("fgmm-global-est --min-gaussian-occupancy=5 --mix-up=1 full f o");
    ran.succeeds().stderr_has("Cannot split from 2 to 1 components");
}

#[test]
fn what_cannot_be_estimated_leaves_no_output() {
    let scratch = with_stats();
    scratch.write("w", "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 2 <FLAGS> 4 <OCCUPANCY> [ 12 12 ]\n<MEANACCS> [ ]\n<DIAGVARACCS> [ ]\n</GMMACCS> ");
    let other = "<DiagGMM> <WEIGHTS> [ 1 ] <MEANS_INVVARS> [ 0 ] <INV_VARS> [ 1 ] </DiagGMM> ";
    scratch.write("one", other);
    let before = scratch.list();
    for (command, message) in [
        ("gmm-global-est diag w o", "expected statistics for the flags mvw, got those for w"),
        ("gmm-global-est one s o", "expected statistics of 1 Gaussians in 1 dimensions, as the model has, got 2 in 1"),
        ("gmm-global-est diag f o", "expected token \"<DIAGVARACCS>\", got \"<FULLVARACCS>\""),
        ("gmm-global-est --update-flags=x diag s o", "got 'x' in \"x\""),
        ("fgmm-global-init-from-accs f 3 o", "expected statistics of 3 Gaussians"),
        ("fgmm-global-init-from-accs f 0 o", "expected a number of Gaussians, got 0"),
        ("gmm-global-init-from-feats ark:feats o", "expected 1000 frames at least for 100 Gaussians, got 3"),
        ("gmm-global-init-from-feats --num-gauss=0 ark:feats o", "expected --num-gauss to be 1 or more, got 0"),
        ("gmm-global-init-from-feats --num-frames=0 ark:feats o", "expected --num-frames to be 1 or more, got 0"),
        ("(cat feats; echo 'c [ 1 2 ]') | gmm-global-init-from-feats ark:- o", "c: expected features with 1 columns"),
        (
            "yes 1 | head -n 32 | tr '\\n' ';' | sed 's/^/u [ /; s/;/\\n/g; s/$/ ]/' | gmm-global-init-from-feats --num-gauss=2 ark:- o",
            "all frames are the same",
        ),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), before);
    }
}

#[test]
fn statistics_alone_make_a_mixture() {
    let scratch = with_stats();
    let ran = scratch.sh("fgmm-global-init-from-accs --binary=false f 2 - | tail -n +3 | tr -d '\\n'");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 0.5 0.5 ]<MEANS_INVCOVARS>  [  2   1.5 ]<INV_COVARS> [1 ][0.25 ]</FullGMM> ");
    let ran = scratch.sh("sed 's/12 12/0 12/' f | fgmm-global-init-from-accs - 2 o");
    ran.succeeds().stderr_has("1 out of 2 Gaussians had very low occupancy.");
}

/// Two clusters of 40 frames.
fn frames() -> Scratch {
    let mut numbers = uniform(3);
    let mut number = || numbers.next().unwrap();
    let frames: String = (0..80).map(|t| format!("{} {}\n", f64::from(t % 2 * 20) + number(), number())).collect();
    let scratch = Scratch::new();
    scratch.write("f", format!("u [\n{frames}]\n"));
    scratch
}

#[test]
fn a_mixture_is_trained_on_features() {
    let scratch = frames();
    let ran = scratch.sh("gmm-global-init-from-feats --num-gauss=2 --num-iters=5 ark:f o && gmm-global-copy --binary=false o - | grep WEIGHTS");
    ran.succeeds()
        .stdout_is("<WEIGHTS>  [ 0.5 0.5 ]\n")
        .stderr_has("Number of frames read 80 was less than target number 200000, using all we read.")
        .stderr_has("Likelihood per frame on iteration 4 was");
    let ran = scratch.sh("gmm-global-init-from-feats --num-gauss=3 --num-gauss-init=1 --num-iters=4 --num-frames=50 --min-gaussian-occupancy=0 ark:f o && gmm-global-info o");
    ran.succeeds()
        .stdout_is("number of gaussians 3\nfeature dimension 2\n")
        .stderr_has("Splitting to 3 Gaussians.")
        .stderr_has("Kept 50 out of 80 input frames = 62.5%.");
    let run = |options: &str| {
        scratch
            .sh(&format!("gmm-global-init-from-feats --num-gauss=2 --num-iters=3 {options} ark:f -"))
            .succeeds()
            .stdout()
            .to_vec()
    };
    assert_eq!(run("--num-threads=1"), run("--num-threads=4"));
    assert_ne!(run(""), run("--srand=5"));
}

#[test]
pub fn one_iteration_is_enough() {
    let ran = frames()
        .sh("gmm-global-init-from-feats --num-gauss=2 --num-gauss-init=1 --num-iters=1 ark:f o && gmm-global-info o");
    ran.succeeds().stdout_is("number of gaussians 2\nfeature dimension 2\n");
}
