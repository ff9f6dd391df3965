//! gmm-global-copy, gmm-global-info, gmm-global-to-fgmm, their counterparts for full covariances, and fgmm-global-merge.

use super::{CUT, DIAG, FULL, mixtures};
use crate::support::Scratch;

#[test]
fn one_mixture_is_not_joined() {
    mixtures().sh("fgmm-global-merge o sizes full").fails_with(1).stderr_has("expected two mixtures at least");
}

#[test]
fn mixtures_are_copied_as_text_and_binary() {
    let scratch = mixtures();
    scratch.sh("gmm-global-copy diag b && gmm-global-copy --binary=false b -").succeeds().stdout_is(DIAG);
    scratch.sh("fgmm-global-copy full b && fgmm-global-copy --binary=false b -").succeeds().stdout_is(FULL);
    assert!(scratch.read("b").starts_with(b"\0B<FullGMM> <GCONSTS> FV \x04\x02\0\0\0"));
    let ran = scratch.sh("sed 's/GCONSTS.*/GCONSTS> [ 1 2 ]/' diag | gmm-global-copy --binary=false - -");
    ran.succeeds().stdout_is(DIAG).stderr_has("Written model to -");
}

#[test]
fn sizes_are_printed() {
    let scratch = mixtures();
    let sizes = "number of gaussians 2\nfeature dimension 1\n";
    scratch.sh("gmm-global-info diag").succeeds().stdout_is(sizes);
    scratch.sh("cat full | fgmm-global-info -").succeeds().stdout_is(sizes);
}

#[test]
fn diagonal_and_full_covariances_are_converted() {
    let scratch = mixtures();
    scratch.sh("gmm-global-to-fgmm --binary=false diag -").succeeds().stdout_is(FULL);
    scratch.sh("fgmm-global-to-gmm --binary=false full -").succeeds().stdout_is(DIAG);
    // Variances of 2 and 2 with a covariance of 1.
    let full = "<FullGMM> <WEIGHTS> [ 1 ] <MEANS_INVCOVARS> [ 1 0 ] <INV_COVARS> [ 0.6666667\n -0.3333333 0.6666667 ] \
                </FullGMM> ";
    scratch.write("two", full);
    let ran = scratch.sh(&format!("fgmm-global-to-gmm --binary=false two - | tail -n 5 | {CUT} | tr -d '\\n'"));
    ran.succeeds().stdout_is("<MEANS_INVVARS>  [  1 0.5 ]<INV_VARS>  [  0.5000 0.5000 ]</DiagGMM> ");
}

#[test]
fn mixtures_are_joined_by_their_numbers_of_gaussians() {
    let scratch = mixtures();
    scratch.write("one", "<FullGMM> <WEIGHTS> [ 1 ] <MEANS_INVCOVARS> [ 3 ] <INV_COVARS> [ 1 ] </FullGMM> ");
    let ran = scratch.sh("fgmm-global-merge --binary=false - sizes one full one | grep WEIGHTS; cat sizes");
    ran.succeeds().stdout_is("<WEIGHTS>  [ 0.25 0.25 0.25 0.25 ]\n1 2 1 \n");
}

#[test]
fn mixtures_that_do_not_fit_are_not_joined_and_leave_no_sizes() {
    let scratch = mixtures();
    scratch.write("two", "<FullGMM> <WEIGHTS> [ 1 ] <MEANS_INVCOVARS> [ 3 1 ] <INV_COVARS> [ 1\n0 1 ] </FullGMM> ");
    let ran = scratch.sh("fgmm-global-merge o sizes full two");
    ran.fails_with(255).stderr_has("expected features with 1 columns, got 2");
    assert_eq!(scratch.list(), ["diag", "feats", "full", "lists", "two"]);
}

#[test]
fn what_is_no_mixture_is_refused_with_its_place() {
    let scratch = mixtures();
    for (command, message) in [
        ("gmm-global-info full", "full:0: expected token \"<DiagGMM>\", got \"<FullGMM>\""),
        ("fgmm-global-info diag", "diag:0: expected token \"<FullGMM>\", got \"<DiagGMM>\""),
        (
            "sed 's/0.5 0.5/0.5/' diag | gmm-global-copy - o",
            "expected as many weights, means and variances, got 1 weights",
        ),
        ("sed 's/0.5 0.5/-1 1/' diag | gmm-global-copy - o", "expected weights of 0 or more, got -1.0 for Gaussian 0"),
        ("head -c 90 full | fgmm-global-copy - o", "standard input:"),
        ("fgmm-global-copy none o", "none"),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["diag", "feats", "full", "lists"]);
    Scratch::new().sh("gmm-global-info /dev/null").fails_with(255).stderr_has("expected token \"<DiagGMM>\"");
}
