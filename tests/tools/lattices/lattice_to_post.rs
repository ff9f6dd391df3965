use crate::support::Scratch;

#[test]
fn each_frame_has_the_probabilities_of_its_transition_ids() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 0,0,3_3\n0 1 6 0,0,3_4\n1 2 7 0,0,5\n2\n\n");
    let ran = scratch.sh("lattice-to-post ark:lats ark,t:- ark,t:l && cat l").succeeds();
    let ran = ran.stdout_is("u [ 3 1 ] [ 3 0.5 4 0.5 ] [ 5 1 ] \nu 0.6931472 \n");
    ran.stderr_has("Overall average log-like/frame is 0.231049 over 3 frames.");
    let ran = scratch.sh("lattice-to-post --acoustic-scale=0 ark:lats ark:o");
    ran.fails_with(255).stderr_has("expected an acoustic scale that is not 0");
}

#[test]
fn a_lattice_without_a_path_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n\n").write("lengths", "u \n0 1 5 0,0,1\n0\n1\n\n");
    scratch.sh("lattice-to-post ark:lats ark:o").fails_with(255).stderr_has("u: the lattice has no path");
    scratch.sh("lattice-to-post ark:lengths ark:o").fails_with(255).stderr_has("u: some paths have 1 frames, others 0");
}
