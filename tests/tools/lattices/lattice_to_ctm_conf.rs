use crate::support::Scratch;
use crate::tools::lattices::ambiguous;

#[test]
fn words_have_times_and_confidences() {
    let scratch = Scratch::new();
    scratch.write("lats", "u \n0 1 5 0,0,3_3\n0 1 6 1,0,3_3\n1 2 7 0,0,4\n2\n\n");
    let ran = scratch.sh("lattice-to-ctm-conf ark:lats -").succeeds();
    let ran = ran.stdout_is("u 1 0.00 0.02 5 0.73\nu 1 0.02 0.01 7 1.00\n");
    ran.stderr_has("For utterance u, Bayes Risk 0.268941, avg. confidence per-word 0.865529");
    let ran = scratch.sh("lattice-to-ctm-conf --frame-shift=0.03 --confidence-digits=3 --lm-scale=0 ark:lats -");
    ran.succeeds().stdout_is("u 1 0.000 0.060 6 0.500\nu 1 0.060 0.030 7 1.000\n");
}

#[test]
fn given_words_are_scored_and_others_are_skipped() {
    let scratch = Scratch::new();
    scratch
        .write("lats", "u \n0 1 5 0,0,3\n0 1 6 1,0,3\n1\n\nv \n0 1 5\n1\n\n")
        .write("tra", "u 6\n")
        .write("none", "");
    let ran = scratch.sh("lattice-to-ctm-conf --decode-mbr=false ark:lats ark:tra -");
    ran.succeeds().stdout_is("u 1 0.00 0.01 6 0.27\n").stderr_has("No 1-best present for utterance v");
    let ran = scratch.sh("lattice-to-ctm-conf ark:lats ark:tra ark:none -");
    ran.fails_with(1).stdout_is("").stderr_has("No 'times' present for utterance u");
}

#[test]
fn words_and_times_may_be_empty_names() {
    let scratch = ambiguous();
    let lines = "a 1 0.00 0.02 6 0.62\na 1 0.02 0.01 7 1.00\nb 1 0.00 0.01 8 1.00\n";
    for names in ["", "''", "'' ''", "'' ark:missing"] {
        scratch.sh(&format!("lattice-to-ctm-conf ark:lats {names} -")).succeeds().stdout_is(lines);
    }
}

#[test]
fn the_output_is_a_file() {
    let ran = ambiguous().sh("lattice-to-ctm-conf ark:lats ark:-");
    ran.fails_with(255).stderr_has("expected the name of a file for CTM, got a table");
}
