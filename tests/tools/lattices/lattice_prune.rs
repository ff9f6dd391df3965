use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn arcs_beyond_the_beam_are_dropped() {
    let scratch = ambiguous();
    let ran = scratch.sh("lattice-prune --beam=0.25 ark:lats ark,t:- | head -n 5");
    let ran = ran.succeeds().stdout_is("a \n0\t1\t6\t2,0.5,4_4\n1\t2\t7\t0,0,5\n2\t0.5,0,\n\n");
    ran.stderr_has("For utterance a, pruned #states from 3 to 3 and #arcs from 3 to 2");
    let ran = scratch.sh("lattice-prune --beam=1 ark:lats ark:/dev/null");
    ran.succeeds().stderr_has("from 3 to 3 and #arcs from 3 to 3").stderr_has("over 2 utterances.");
}

#[test]
fn what_cannot_be_pruned_is_written_with_a_warning() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5\n1 0 6\n1\n\nv \n0 1 5\n1 Infinity,Infinity,\n\n");
    let ran = scratch.sh("lattice-prune ark:lats ark,t:-").succeeds();
    let ran = ran.stdout_is("u \n0\t1\t5\n1\t0\t6\n1\n\nv \n\n");
    ran.stderr_has("Error pruning lattice for utterance u: it has a cycle").stderr_has("utterance v: it has no path");
}

#[test]
fn a_beam_and_a_scale_that_make_no_sense_are_refused() {
    let fails = |options: &str, message: &str| {
        ambiguous().sh(&format!("lattice-prune {options} ark:lats ark:o")).fails_with(255).stderr_has(message);
    };
    fails("--beam=0", "expected --beam to be above 0, got 0");
    fails("--beam=nan", "expected --beam to be above 0");
    fails("--acoustic-scale=0", "expected an acoustic scale that is not 0");
}
