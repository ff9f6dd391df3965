use super::{TRANSITIONS, scratch};
use crate::support::Scratch;

/// Statistics of two utterances of phone 1 and phone 2 in one dimension.
fn stats() -> Scratch {
    let scratch = scratch();
    let (start, end) = (TRANSITIONS.find("<Topology>").unwrap(), TRANSITIONS.find("<Triples>").unwrap());
    let rows = |count: usize| (0..count).map(|row| format!("{row}\n")).collect::<String>();
    scratch
        .write("topo", &TRANSITIONS[start..end])
        .write("feats", format!("a  [\n{} ]\nb  [\n{} ]\n", rows(7), rows(7)));
    let options = "--context-width=1 --central-position=0";
    scratch.sh(&format!("acc-tree-stats {options} mdl ark:feats ark:ali treeacc")).succeeds();
    scratch
}

#[test]
fn an_old_tree_needs_an_old_model() {
    stats()
        .sh("gmm-init-model tree treeacc topo o tree")
        .fails_with(1)
        .stderr_has("expected an old model after the old tree");
}

#[test]
fn each_pdf_has_the_mean_and_the_variance_of_its_frames() {
    let scratch = stats();
    let ran = scratch.sh("gmm-init-model --write-occs=occs --binary=false tree treeacc topo m");
    ran.succeeds()
        .stderr_has("Number of separate statistics is 4")
        .stderr_has("Very small count for state 1: 2; corresponding phone list: 1")
        .stderr_has("Wrote model.");
    // Frames 0 and 1 of a and frame 3 of b; frame 2 and 4; frames 3, 4 and 5, 6; 5, 6 and 0, 1, 2.
    scratch.sh("copy-vector --binary=false occs -").succeeds().stdout_is(" [ 3 2 4 5 ]\n");
    scratch
        .sh("gmm-copy --binary=false m - | grep -A 1 INV_VARS | grep ']' | sed -n 2p")
        .succeeds()
        .stdout_is("  1 ]\n");
    scratch.sh("gmm-copy --binary=false m - | grep -A 1 MEANS | grep ']' | sed -n 2p").succeeds().stdout_is("  3 ]\n");
}

#[test]
fn an_old_model_may_give_the_gaussians() {
    let scratch = stats();
    let ran = scratch.sh("gmm-init-model --binary=false tree treeacc topo - tree mdl | sed '1,/<.TransitionModel>/d'");
    let model = ran.succeeds();
    let text = String::from_utf8(scratch.read("mdl")).unwrap();
    let (_, gaussians) = text.split_once("</TransitionModel> \n").unwrap();
    let without_constants =
        |text: &str| text.lines().filter(|line| !line.contains("GCONSTS")).collect::<Vec<_>>().join("\n");
    assert_eq!(without_constants(&String::from_utf8_lossy(model.stdout())), without_constants(gaussians));
    scratch.write("wide", super::TREE.replace("1 0 ToPdf", "3 1 ToPdf"));
    let wide = scratch.sh("gmm-init-model tree treeacc topo o wide mdl");
    wide.fails_with(255).stderr_has("expected an old tree whose context is not wider than that of the new one");
}

#[test]
fn a_pdf_without_statistics_gets_those_of_all() {
    let scratch = stats();
    scratch.sh("echo a 2 4 6 > short; printf 'a  [\\n0\\n1\\n2 ]\\n' > few").succeeds();
    scratch.sh("acc-tree-stats --context-width=1 --central-position=0 mdl ark:few ark:short acc").succeeds();
    let ran = scratch
        .sh("gmm-init-model --var-floor=0.5 --binary=false tree acc topo - | grep -A 1 MEANS | grep ']' | tail -n 1");
    ran.succeeds().stdout_is("  1.5 ]\n").stderr_has("Tree has pdf-id 3 with no stats; corresponding phone list: 2");
}
