use crate::tools::lattices::{golden, text_of};

#[test]
fn each_arc_is_a_word_or_silence() {
    let scratch = golden();
    let best = "lattice-best-path --acoustic-scale=0.1 ark:- ark,t:- ark,t:ali && cat ali";
    let aligned = format!("lattice-align-words --test=true word_boundary.int final.mdl ark:few.ark ark:- | {best}");
    assert_eq!(text_of(&scratch, &aligned), text_of(&scratch, &format!("lattice-copy ark:few.ark ark:- | {best}")));
    let ran = scratch.sh("lattice-align-words word_boundary.int final.mdl ark:few.ark ark:/dev/null");
    ran.succeeds().stderr_has("Successfully aligned 3 lattices; 0 had errors.");
}

#[test]
fn a_cycle_is_an_error_for_its_utterance() {
    let scratch = golden();
    let ran = scratch
        .sh("cat corner-cycle.txt few.txt | lattice-align-words word_boundary.int final.mdl ark:- ark:/dev/null");
    ran.succeeds()
        .stderr_has("cycle: the lattice has a cycle, producing no output")
        .stderr_has("aligned 3 lattices; 1 had");
}

#[test]
fn what_does_not_fit_the_model_is_an_error() {
    let scratch = golden();
    let ran =
        scratch.sh("sed 's/_[0-9]*_/_99999_/' few.txt | lattice-align-words word_boundary.int final.mdl ark:- ark:o");
    ran.fails_with(255).stderr_has("expected a transition-id from 1 to");
    let ran = scratch.sh("head -n 2 word_boundary.int > w; lattice-align-words w final.mdl ark:few.ark ark:o");
    ran.fails_with(255).stderr_has("is not in the table of word boundaries");
    let ran = scratch.sh("echo 1 middle > w; lattice-align-words w final.mdl ark:few.ark ark:o");
    ran.fails_with(255).stderr_has("w:1: expected a phone and one of nonword, begin");
}

#[test]
fn lattices_with_errors_may_be_left_out() {
    let scratch = golden();
    let ran = scratch
        .sh("lattice-align-words --reorder=false word_boundary.int final.mdl ark:few.ark ark,t:- | grep -c '^a'");
    ran.stdout_is("3\n").stderr_has("Outputting partial lattice for a01-spk0-utt0");
    let quiet =
        "lattice-align-words --output-error-lats=false --reorder=false word_boundary.int final.mdl ark:few.ark ark,t:-";
    scratch.sh(quiet).fails_with(1).stdout_is("").stderr_has("did not align correctly, producing no output.");
}

#[test]
fn any_number_may_be_a_word() {
    let scratch = golden();
    // The first word of each lattice.
    let largest = "lattice-copy ark:few.ark ark,t:- | sed 's/^0\t1\t[0-9]*/0\t1\t2147483647/'";
    let words = |align: &str| text_of(&scratch, &format!("{largest} | {align} | lattice-best-path ark:- ark,t:-"));
    let aligned = words("lattice-align-words word_boundary.int final.mdl ark:- ark:-");
    assert!(aligned.contains("2147483647"), "{aligned}");
    assert_eq!(aligned, words("cat"));
}
