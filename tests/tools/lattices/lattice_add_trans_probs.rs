use crate::tools::lattices::golden;

#[test]
pub fn costs_of_transitions_are_added_and_taken_off() {
    let scratch = golden();
    let ran = scratch.sh(
        "lattice-add-trans-probs --transition-scale=1 --self-loop-scale=0.1 final.mdl ark:few.ark ark:1 && \
         lattice-add-trans-probs --transition-scale=-1 --self-loop-scale=-0.1 final.mdl ark:1 ark:2 && \
         lattice-equivalent ark:few.ark ark:2 && ! lattice-equivalent ark:few.ark ark:1",
    );
    ran.succeeds().stderr_has("Done adding transition probabilities to 3 lattices.");
}
