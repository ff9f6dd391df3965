use crate::tools::lattices::ambiguous;

#[test]
fn paths_and_their_costs_are_compared() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-push ark:lats ark:1 && lattice-equivalent ark:lats ark:1");
    ran.succeeds().stderr_has("Done 2 lattices, 2 were equivalent, 0 were not; for 0, could not find 2nd lattice.");
    scratch.sh("lattice-scale --lm-scale=2 ark:lats ark:2").succeeds();
    scratch
        .sh("lattice-equivalent ark:lats ark:2")
        .fails_with(1)
        .stderr_has("Lattices were inequivalent for utterance a");
    scratch.sh("lattice-equivalent --delta=9 ark:lats ark:2").succeeds();
    scratch.sh("lattice-copy --include=keys ark:lats ark:3; lattice-equivalent ark:lats ark:3").fails_with(255);
    scratch.sh("lattice-equivalent --max-error-proportion=0.5 ark:lats ark:3").succeeds();
}
