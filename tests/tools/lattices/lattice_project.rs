use crate::tools::lattices::ambiguous;

#[test]
fn words_or_transition_ids_are_left() {
    let scratch = ambiguous();
    scratch.sh("lattice-project ark:lats ark,t:- | tail -n 4").succeeds().stdout_is("b \n0\t1\t8\t8\t1,1\n1\n\n");
    let ran = scratch.sh("lattice-project --project-output=false ark:lats ark,t:- | tail -n 4");
    ran.succeeds().stdout_is("b \n0\t1\t6\t6\t1,1\n1\n\n");
}
