use crate::tools::lattices::{ambiguous, refuses_arguments};

#[test]
fn wrong_numbers_of_arguments_are_refused() {
    refuses_arguments("lattice-rmali", &["", "ark:a", "ark:a ark:b c"]);
}

#[test]
fn transition_ids_are_removed() {
    let ran = ambiguous().sh("lattice-rmali ark:lats ark,t:- | head -n 3");
    ran.succeeds().stdout_is("a \n0\t1\t5\t1,2,\n0\t1\t6\t2,0.5,\n");
}
