use crate::support::Scratch;
use crate::tools::graphs::golden;

#[test]
fn the_example_lists_graphs_of_an_archive() {
    let scratch = golden();
    scratch.sh("fstcopy ark:fsts.ark ark,t:- | cmp - fsts.txt").succeeds().stderr_has("Copied 5 FSTs.");
    scratch.sh("fstcopy ark:fsts.ark ark:- | cmp - fsts.ark").succeeds();
    Scratch::new().sh("fstcopy ark:- ark:o < /dev/null").fails_with(1).stderr_has("Copied 0 FSTs.");
}

#[test]
pub fn text_has_numbers_and_symbol_tables_are_lost_with_a_warning() {
    let scratch = golden();
    let ran = scratch.sh("(printf 'L '; cat lexicon-symbols.fst) | fstcopy ark:- ark,t:- > with");
    ran.succeeds().stderr_has("L: the symbol tables of the FST are lost in text");
    let ran = scratch.sh("(printf 'L '; cat lexicon.fst) | fstcopy ark:- ark,t:- > without; cmp with without");
    ran.succeeds().stderr_lacks("symbol tables");
}

#[test]
pub fn a_state_that_does_not_exist_is_an_error() {
    let ran = Scratch::new().sh("printf 'k \\n0 -1 2 3\\n0\\n\\n' | fstcopy ark:- ark,t:-");
    ran.fails_with(255).stderr_has("expected a state, got \"-1\"");
}

#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    golden().sh("fstcopy ark:c-no-space.ark ark:o").fails_with(255);
}

#[test]
fn dev_null_has_offsets_for_a_list_of_keys() {
    let ran = golden().sh("fstcopy ark:fsts.ark ark,scp:/dev/null,- | wc -l");
    ran.succeeds().stdout_is("5\n");
}
