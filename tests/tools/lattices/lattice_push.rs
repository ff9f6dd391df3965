use crate::support::Scratch;
use crate::tools::lattices::text_of;

#[test]
fn strings_and_costs_are_pushed() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 1,0,\n1 2 6 1,0,3_4\n1 2 7 2,0,3_5\n2\n\n");
    let pushed = |options: &str| text_of(&scratch, &format!("lattice-push {options} ark:lats ark,t:-"));
    assert_eq!(pushed(""), "u \n0\t1\t5\t2,0,3\n1\t2\t6\t0,0,4\n1\t2\t7\t1,0,5\n2\n\n");
    assert_eq!(pushed("--push-weights=false"), "u \n0\t1\t5\t1,0,3\n1\t2\t6\t1,0,4\n1\t2\t7\t2,0,5\n2\n\n");
    assert_eq!(pushed("--push-strings=false"), "u \n0\t1\t5\t2,0,\n1\t2\t6\t0,0,3_4\n1\t2\t7\t1,0,3_5\n2\n\n");
}

#[test]
fn a_cycle_is_an_error_for_its_utterance() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5\n1 0 6\n1\n\nv \n\n");
    let ran = scratch.sh("lattice-push ark:lats ark,t:-").fails_with(1).stdout_is("");
    ran.stderr_has("for key u: the lattice has a cycle")
        .stderr_has("Empty lattice for key v")
        .stderr_has("Pushed 0 lattices, errors on 2");
}
