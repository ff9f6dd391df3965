//! gmm-gselect and fgmm-gselect.

use super::{CUT, mixtures};
use crate::support::sample::uniform;

#[test]
fn the_best_gaussians_are_selected() {
    let scratch = mixtures();
    for tool in ["gmm-gselect", "fgmm-gselect"] {
        let model = if tool == "gmm-gselect" { "diag" } else { "full" };
        let ran = scratch.sh(&format!("{tool} --n=1 {model} ark:feats ark,t:-"));
        ran.succeeds()
            .stdout_is("a 0 ; 1 ; \nb 0 ; \n")
            .stderr_has("For 0'th file, average UBM likelihood over 2 frames is -1.61209")
            .stderr_has("Done 2 files, 0 with errors, average UBM log-likelihood is -1.77875 over 3 frames.");
        let ran = scratch.sh(&format!("{tool} {model} ark:feats ark,t:-"));
        ran.succeeds()
            .stdout_is("a 0 1 ; 1 0 ; \nb 0 1 ; \n")
            .stderr_has("You asked for 50 Gaussians but GMM only has 2");
        let ran = scratch.sh(&format!("{tool} --n=1 --write-likes=ark,t:- {model} ark:feats ark:/dev/null | {CUT}"));
        ran.succeeds().stdout_is("a -3.2241 \nb -2.1120 \n");
    }
}

#[test]
fn lists_limit_the_selection() {
    let scratch = mixtures();
    let ran = scratch.sh("gmm-gselect --n=1 --gselect=ark:lists diag ark:feats ark,t:-");
    ran.succeeds().stdout_is("a 0 ; 0 ; \nb 0 ; \n").stderr_has("Preselect size is less or equal");
    scratch.write("other", "a 0 ; \n");
    let ran = scratch.sh("gmm-gselect --n=1 --gselect=ark:other diag ark:feats ark,t:-");
    ran.fails_with(1)
        .stderr_has("gselect information for utterance a has wrong size 1 vs. 2")
        .stderr_has("No gselect information for utterance b");
    scratch.write("other", "a 0 ; 2 ; \n");
    let ran = scratch.sh("fgmm-gselect --n=1 --gselect=ark:other full ark:feats ark,t:-");
    ran.fails_with(255).stderr_has("a: expected numbers of Gaussians below 2 in frame 1, got [2]");
}

#[test]
pub fn gaussians_of_a_list_have_their_own_likelihoods_in_every_order() {
    let scratch = mixtures();
    // Three Gaussians with means of 0, 4 and 8. The list 2 0 1 ends 1 before its start, and 0 2 1 with 1 + 1 - 0 = 2.
    scratch.write(
        "three",
        "<DiagGMM> <WEIGHTS> [ 0.4 0.3 0.3 ] <MEANS_INVVARS> [ 0\n4\n8 ] <INV_VARS> [ 1\n1\n1 ] </DiagGMM> ",
    );
    scratch
        .write("one", "u [ 8.5 ]\n")
        .write("two", "u 0 2 ; \n")
        .write("first", "u 2 0 1 ; \n")
        .write("odd", "u 1 0 2 ; \n");
    for lists in ["first", "odd"] {
        let ran = scratch.sh(&format!("gmm-gselect --n=2 --gselect=ark:{lists} three ark:one ark,t:-"));
        ran.succeeds().stdout_is("u 2 1 ; \n");
    }
    scratch.sh("gmm-gselect --n=1 --gselect=ark:two three ark:one ark,t:-").succeeds().stdout_is("u 2 ; \n");
    // The posterior of the last Gaussian is the largest.
    let post = scratch.sh("gmm-global-gselect-to-post --min-post=0.9 three ark:one ark:odd ark,t:-");
    post.succeeds().stdout_is("u [ 2 1 ] \n");
}

#[test]
fn an_utterance_without_frames_is_skipped() {
    let scratch = mixtures();
    for tool in ["gmm-gselect --n=1 diag", "fgmm-gselect --n=1 full"] {
        let ran = scratch.sh(&format!("(echo 'e [ ]'; cat feats) | {tool} ark:- ark,t:-"));
        ran.succeeds().stdout_is("a 0 ; 1 ; \nb 0 ; \n").stderr_has("Empty features for utterance e");
    }
    scratch.sh("gmm-gselect --n=1 diag ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn what_cannot_be_selected_from_is_an_error() {
    let scratch = mixtures();
    for (command, message) in [
        ("gmm-gselect --n=0 diag ark:feats ark:o", "Invalid option --n=0: expected an integer from 1 to 2147483647"),
        ("echo 'u [ 1 2 ]' | gmm-gselect --n=1 diag ark:- ark:o", "u: expected features with 1 columns, got 2"),
        ("echo 'u [ nan ]' | fgmm-gselect --n=1 full ark:- ark:o", "u: no Gaussian has a likelihood that is a number"),
    ] {
        scratch.sh(command).fails_with(255).stderr_has(message);
    }
    assert_eq!(scratch.list(), ["diag", "feats", "full", "lists"]);
}

#[test]
fn threads_make_no_difference() {
    let scratch = mixtures();
    let mut numbers = uniform(1);
    let mut utterance = |u| {
        let frames: String = numbers.by_ref().take(300).map(|number| format!("{}\n", 8.0 * number - 2.0)).collect();
        format!("u{u:03} [ {frames}]\n")
    };
    scratch.write("many", (0..400).map(&mut utterance).collect::<String>());
    for threads in [1, 3] {
        let options = format!("--num-threads={threads} --print-args=false");
        let line = format!(
            "gmm-gselect {options} --n=1 --write-likes=ark,t:l{threads} diag ark:many ark:g{threads} 2> e{threads}"
        );
        scratch.sh(&line).succeeds();
        scratch.sh(&format!("gmm-global-acc-stats {options} diag ark:many s{threads}")).succeeds();
        scratch.sh(&format!("fgmm-global-acc-stats {options} full ark:many f{threads}")).succeeds();
    }
    for file in ["l", "g", "e", "s", "f"] {
        assert_eq!(scratch.read(&format!("{file}1")), scratch.read(&format!("{file}3")), "{file}");
    }
}
