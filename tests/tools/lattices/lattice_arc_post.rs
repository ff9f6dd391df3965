use crate::support::Scratch;

#[test]
fn each_arc_has_its_probability() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 0,0,3_3\n0 1 6 0,0,3_4\n1 2 7 0,0,5\n2\n\n");
    let ran = scratch.sh("lattice-arc-post --print-alignment=true ark:lats -").succeeds();
    let ran = ran.stdout_is("u\t0\t2\t0.5\t5\t3,3\nu\t0\t2\t0.5\t6\t3,4\nu\t2\t1\t1\t7\t5\n");
    ran.stderr_has("Printed posteriors for 1 lattices (0 with errors); on average printed 3 posteriors per lattice.");
    scratch.sh("lattice-arc-post --min-post=0.6 ark:lats -").succeeds().stdout_is("u\t2\t1\t1\t7\n");
    let ran = scratch.sh("lattice-arc-post --min-post=1 ark:lats -");
    ran.fails_with(1).stdout_is("").stderr_has("No posterior printed for u");
}
