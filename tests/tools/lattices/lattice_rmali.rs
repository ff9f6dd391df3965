use crate::tools::lattices::ambiguous;

#[test]
fn transition_ids_are_removed() {
    let ran = ambiguous().sh("lattice-rmali ark:lats ark,t:- | head -n 3");
    ran.succeeds().stdout_is("a \n0\t1\t5\t1,2,\n0\t1\t6\t2,0.5,\n");
}
