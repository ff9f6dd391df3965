use super::{TRANSITIONS, scratch};
use crate::support::Scratch;

fn topology() -> Scratch {
    let (start, end) = (TRANSITIONS.find("<Topology>").unwrap(), TRANSITIONS.find("<Triples>").unwrap());
    let scratch = scratch();
    scratch.write("topo", &TRANSITIONS[start..end]);
    scratch
}

#[test]
fn each_class_of_a_phone_has_a_pdf() {
    let scratch = topology();
    scratch.sh("gmm-init-mono --binary=false topo 2 m t").succeeds();
    assert_eq!(String::from_utf8(scratch.read("t")).unwrap(), super::TREE);
    let summary = "number of phones 2\nnumber of pdfs 4\nnumber of transition-ids 8\nnumber of transition-states 4\n\
                   feature dimension 2\nnumber of gaussians 4\n";
    scratch.sh("gmm-info m").succeeds().stdout_is(summary);
    scratch.sh("grep -c '^  1 1 ]' m").succeeds().stdout_is("8\n");
}

#[test]
fn features_give_the_mean_and_the_variance() {
    let scratch = topology();
    scratch.write("feats", "a  [\n  1\n  3 ]\nb  [\n  2\n  6 ]\n").write("flat", "a [ 1 ]\n");
    let ran = scratch
        .sh("gmm-init-mono --binary=false --train-feats=ark:feats topo 1 - t | grep -A 1 INV | tail -n 4 | xargs");
    // The mean is 3, the variance 3.5.
    ran.succeeds().stdout_is("<MEANS_INVVARS> [ 0.8571429 ] <INV_VARS> [ 0.2857143 ]\n");
    let flat = scratch.sh("gmm-init-mono --train-feats=ark:flat topo 1 m t");
    flat.fails_with(255).stderr_has("bad variance: the features are constant in dimension 0");
    let none = scratch.sh("gmm-init-mono --train-feats=ark:/dev/null topo 1 m t");
    none.fails_with(255).stderr_has("no features were seen");
    let other = scratch.sh("gmm-init-mono --train-feats=ark:feats topo 2 m t");
    other.fails_with(255).stderr_has("a: expected features with 2 columns, got 1");
    assert!(!scratch.list().contains(&"m".to_owned()));
}

#[test]
fn phones_may_share_their_pdfs() {
    let scratch = topology();
    scratch.write("two", "1\n2\n").write("twice", "1 2\n2\n");
    let ran = scratch
        .sh("sed 's/^2 $/2 3/' topo > more; gmm-init-mono --shared-phones=two more 1 m t && am-info m | tail -n 1");
    ran.succeeds()
        .stdout_is("number of transition-states 4\n")
        .stderr_has("no pdfs for state 0 of phone 3, which no utterance may have then");
    scratch.sh("gmm-init-mono --shared-phones=twice topo 1 m t").fails_with(255).stderr_has("phone 2 comes twice");
}

#[test]
fn means_may_be_moved_at_random() {
    let scratch = topology();
    let ran =
        scratch.sh("gmm-init-mono --binary=false --perturb-factor=0.5 topo 1 - t | grep -A 1 MEANS | sort -u | wc -l");
    // Four different means, and two other lines.
    ran.succeeds().stdout_is("6\n");
}

#[test]
fn a_dimension_is_a_number() {
    for dim in ["0", "x", "10000"] {
        let ran = topology().sh(&format!("gmm-init-mono topo {dim} m t"));
        ran.fails_with(255).stderr_has(&format!("expected a dimension from 1 to 9999, got {dim}"));
    }
}
