use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn paths_of_all_systems_share_the_probability() {
    let scratch = Scratch::new();
    scratch.write("1", "u \n0 1 5 1,0,3\n1\n\n").write("2", "u \n0 1 6 3,0,3\n1\n\n");
    let ran = scratch.sh("lattice-combine --lat-weights=3:1 ark:1 ark:2 ark:- | lattice-to-ctm-conf ark:- -");
    ran.succeeds().stdout_is("u 1 0.00 0.01 5 0.75\n").stderr_has("Weights sum to 4 instead of 1: renormalizing");
    let ran = scratch.sh("lattice-combine --lat-weights=1 ark:1 ark:2 ark:/dev/null");
    ran.succeeds().stderr_has("Expecting 2 weights, found 1: using uniform weights.");
    let ran = scratch.sh("lattice-combine --lat-weights=-1:2 ark:1 ark:2 ark:/dev/null");
    ran.succeeds().stderr_has("Cannot use negative weight: -1");
    let ran = scratch.sh("lattice-combine --lat-weights=1:0 ark:1 ark:2 ark,t:- | grep -c 5");
    ran.succeeds().stdout_is("1\n").stderr_has("Weights must be positive; found: 0");
}

#[test]
fn lattices_that_are_missing_are_counted() {
    let scratch = ambiguous();
    scratch.write("2", "a \n0 1 6 3,0,3\n1\n\n");
    let ran = scratch.sh("lattice-combine ark:lats ark:2 ark:/dev/null").fails_with(1);
    let ran = ran.stderr_has("No lattice found for utterance b for system 2, rspecifier: ark:2");
    ran.stderr_has("Produced output for 2 utterances; 1 total missing lattices and 0 total lattices had errors");
}

#[test]
fn a_lattice_without_a_path_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("1", "u \n0 1 5\n1 Infinity,Infinity,\n\n").write("2", "u \n0 1 6\n1 0 5\n1\n\n");
    scratch
        .sh("lattice-combine ark:1 ark:2 ark:o")
        .fails_with(1)
        .stderr_has("for system 1, utterance: u: the lattice has no path");
    scratch.sh("lattice-combine ark:2 ark:1 ark:o").fails_with(1).stderr_has("utterance: u: the lattice has a cycle");
}
