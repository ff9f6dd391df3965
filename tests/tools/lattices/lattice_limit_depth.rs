use crate::tools::lattices::ambiguous;

#[test]
fn the_best_arcs_across_each_frame_stay() {
    let scratch = ambiguous();
    let ran =
        scratch.sh("lattice-limit-depth --max-arcs-per-frame=1 ark:lats ark:- | lattice-depth-per-frame ark:- ark,t:-");
    ran.succeeds().stdout_is("a 1 1 1 \nb 1 \n").stderr_has("Overall density changed from 1.5 to 1");
    let all = "lattice-limit-depth --max-arcs-per-frame=-1 ark:lats ark:- | lattice-depth-per-frame ark:- ark,t:-";
    scratch.sh(all).succeeds().stdout_is("a 2 2 1 \nb 1 \n");
    let fails = |options: &str, message: &str| {
        scratch.sh(&format!("lattice-limit-depth {options} ark:lats ark:o")).fails_with(255).stderr_has(message);
    };
    fails("--acoustic-scale=0", "expected an acoustic scale that is not 0");
}
