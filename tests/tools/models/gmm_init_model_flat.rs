use super::{TRANSITIONS, scratch};

#[test]
fn all_pdfs_are_alike() {
    let scratch = scratch();
    let (start, end) = (TRANSITIONS.find("<Topology>").unwrap(), TRANSITIONS.find("<Triples>").unwrap());
    scratch.write("topo", &TRANSITIONS[start..end]).write("feats", "a  [\n  1\n  3 ]\n");
    let ran = scratch.sh("gmm-init-model-flat --dim=2 tree topo m && gmm-info m | tail -n 2");
    ran.succeeds().stdout_is("feature dimension 2\nnumber of gaussians 4\n").stderr_has("Wrote model.");
    let ran = scratch.sh("gmm-init-model-flat --binary=false tree topo - ark:feats | grep -c '^  2 ]'");
    ran.succeeds().stdout_is("4\n");
    scratch
        .sh("gmm-init-model-flat --dim=0 tree topo m")
        .fails_with(255)
        .stderr_has("expected --dim to be from 1 to 9999");
}
