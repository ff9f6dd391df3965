use crate::support::Scratch;

#[test]
fn every_word_costs_a_penalty() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 1,2,3\n1 2 0 1,2,3\n2 1,1,\n\n");
    let ran = scratch.sh("lattice-add-penalty --word-ins-penalty=0.5 ark:lats ark,t:-");
    ran.succeeds().stdout_is("u \n0\t1\t5\t1.5,2,3\n1\t2\t0\t1,2,3\n2\t1,1,\n\n").stderr_has("penalty to 1 lattices");
    scratch.sh("lattice-add-penalty ark:/dev/null ark:-").fails_with(1).stdout_is("");
}
