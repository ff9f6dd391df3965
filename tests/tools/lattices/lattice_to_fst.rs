use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn words_have_one_cost() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-to-fst --lm-scale=1 --acoustic-scale=2 ark:lats ark,t:- | tail -n 4");
    ran.succeeds().stdout_is("b \n0\t1\t8\t8\t3\n1\n\n");
    scratch.sh("lattice-to-fst ark:lats ark,t:- | tail -n 4").succeeds().stdout_is("b \n0\t1\t8\t8\n1\n\n");
}

#[test]
fn arcs_without_a_word_are_joined() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 0 1,0,3\n1 2 5 2,0,3\n2\n\n");
    let ran = scratch.sh("lattice-to-fst --lm-scale=1 ark:lats ark,t:-");
    ran.succeeds().stdout_is("u \n0\t1\t5\t5\t3\n1\n\n");
    let ran = scratch.sh("lattice-to-fst --rm-eps=false --lm-scale=1 ark:lats ark,t:-");
    ran.succeeds().stdout_is("u \n0\t1\t0\t0\t1\n1\t2\t5\t5\t2\n2\n\n");
}
