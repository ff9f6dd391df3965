use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn the_depth_is_the_average_number_of_arcs_across_a_frame() {
    let ran = ambiguous().sh("lattice-depth ark:lats ark,t:-").succeeds();
    ran.stdout_is("a 1.666667 \nb 1 \n").stderr_has("Overall density is 1.5 over 4 frames.");
}

#[test]
fn paths_of_different_times_are_an_error() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 0,0,1\n0 1 6 0,0,1_1\n1\n\n").write("cycle", "u \n0 1 5\n1 0 5\n1\n\n");
    scratch.sh("lattice-depth ark:lats").fails_with(255).stderr_has("u: state 1 is reached after 1 frames and after 2");
    scratch.sh("lattice-depth ark:cycle").fails_with(255).stderr_has("u: the lattice has a cycle");
}
