use crate::tools::lattices::{golden, text_of};

#[test]
fn each_arc_is_a_word_of_the_lexicon() {
    let scratch = golden();
    let best = "lattice-best-path --acoustic-scale=0.1 ark:- ark,t:- ark,t:ali && cat ali";
    let aligned = "lattice-align-words-lexicon --test=true align_lexicon.int final.mdl ark:few.ark ark:-";
    let expected = text_of(&scratch, &format!("lattice-copy ark:few.ark ark:- | {best}"));
    assert_eq!(text_of(&scratch, &format!("{aligned} | {best}")), expected);
}

#[test]
fn a_word_that_is_not_in_the_lexicon_ends_the_tool() {
    let scratch = golden();
    let ran = scratch.sh("head -n 3 align_lexicon.int > l; lattice-align-words-lexicon l final.mdl ark:few.ark ark:o");
    ran.fails_with(255).stderr_has("is not in the lexicon");
    let ran = scratch.sh("echo 5 5 x > l; lattice-align-words-lexicon l final.mdl ark:few.ark ark:o");
    ran.fails_with(255).stderr_has("l:1: expected words and phones as integers");
}

#[test]
fn a_lattice_that_would_grow_too_much_is_given_up_or_passed_on() {
    let scratch = golden();
    let small = "lattice-align-words-lexicon --max-expand=0.001 align_lexicon.int final.mdl ark:raw.ark ark,t:-";
    scratch.sh(small).fails_with(1).stdout_is("").stderr_has("Number of states in lattice exceeded max-states of");
    let passed = small.replace("lexicon --", "lexicon --output-if-empty=true --");
    assert_eq!(scratch.sh(&passed).stdout(), scratch.sh("lattice-copy ark:raw.ark ark,t:-").stdout());
}

#[test]
fn a_cycle_is_an_error_for_its_utterance() {
    let aligned = "lattice-align-words-lexicon align_lexicon.int final.mdl ark:corner-cycle.txt ark:/dev/null";
    golden().sh(aligned).fails_with(1).stderr_has("cycle: the lattice has a cycle, producing no output");
}
