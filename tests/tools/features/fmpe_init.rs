use super::fmpe_apply_transform::{GMM, TRANSFORM};
use crate::support::Scratch;

const CONTEXTS: &str = "--context-expansion='0,1:-1,0.5;1,0.25'";

fn with_gmm() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.ubm", GMM);
    scratch
}

/// As Kaldi writes it.
#[test]
fn a_transform_begins_with_its_mixture_and_ends_with_its_covariance() {
    let ran = with_gmm().sh(&format!("fmpe-init --binary=false {CONTEXTS} 1.ubm -"));
    let zeros = format!("[\n{}  0 0 0 0 ]\n", "  0 0 0 0 \n".repeat(5));
    let (mixture, rest) = TRANSFORM.split_at(TRANSFORM.find(" [\n  0.1").unwrap() + 1);
    let covariance = &rest[rest.find("]\n").unwrap() + 2..];
    ran.succeeds()
        .stdout_is(format!("{mixture}{zeros}{covariance}"))
        .stderr_has("Initialized fMPE object and wrote to -");
}

#[test]
fn nine_contexts_are_the_default() {
    let scratch = with_gmm();
    scratch.sh("fmpe-init 1.ubm 1.fmpe && fmpe-init --binary=false 1.ubm text && fmpe-init text again").succeeds();
    assert_eq!(scratch.read("1.fmpe"), scratch.read("again"));
    let text = String::from_utf8(scratch.read("text")).unwrap();
    assert!(text.contains("\n0,1.0:-1,1.0:1,1.0:-2,0.5;-3,0.5:2,0.5;3,0.5:-4,0.5;-5,0.5:"), "{text}");
    assert!(text.contains(&format!("{} \n", " 0".repeat(18))), "{text}");
    let scaled = scratch.sh("fmpe-init --binary=false --post-scale=2.5 1.ubm - | diff text -").fails_with(1);
    scaled.stderr_lacks("ERROR");
}

#[test]
fn contexts_that_make_no_sense_are_refused() {
    let scratch = with_gmm();
    for contexts in ["x", "0,1:", "0,1;;1,1", "0,1,2", "0.5,1", "0,y"] {
        let ran = scratch.sh(&format!("fmpe-init --context-expansion='{contexts}' 1.ubm o"));
        ran.fails_with(255).stderr_has("expected contexts such as 0,1.0:-1,0.5;1,0.5");
    }
    assert_eq!(scratch.list(), ["1.ubm"]);
}

#[test]
fn what_is_no_mixture_is_refused() {
    let scratch = Scratch::new();
    let t = |from: &str, to: &str, message: &str| {
        scratch.write("1.ubm", GMM.replace(from, to));
        scratch.sh("fmpe-init 1.ubm o").fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["1.ubm"]);
    };
    t("<DiagGMM>", "<FullGMM>", "1.ubm:0: expected token \"<DiagGMM>\", got \"<FullGMM>\"");
    t("0.25 0.75", "0.25", "expected as many weights, means and variances");
    t("0.25 0.75", "0 0", "cannot compute the covariance of the mixture");
    t("4 0.5 ]", "4 nan ]", "numbers");
    t("</DiagGMM>", "", "expected");
}
