use super::scratch;

#[test]
fn transition_ids_are_counted() {
    let ran = scratch().sh("ali-to-post ark:ali ark:- | post-to-tacc --binary=false mdl ark:- -");
    let done = "Done computing transition stats over 2 utterances; wrote stats to -";
    ran.succeeds().stdout_is(" [ 0 1 2 0 2 2 2 3 2 ]\n").stderr_has(done);
}

#[test]
fn counts_are_added_up_in_double_precision() {
    let ran = scratch().sh("echo 'a [ 1 16777216 ] [ 1 1 ] [ 1 1 ]' | post-to-tacc --binary=false mdl ark:- -");
    ran.succeeds().stdout_is(" [ 0 1.677722e+07 0 0 0 0 0 0 0 ]\n");
}

/// As in Kaldi: recipes compare such counts with each other.
#[test]
fn the_last_transition_id_is_left_out_of_the_counts_of_pdfs() {
    let ran = scratch().sh("ali-to-post ark:ali ark:- | post-to-tacc --per-pdf --binary=false mdl ark:- -");
    ran.succeeds().stdout_is(" [ 3 2 4 3 ]\n").stderr_has("accumulate counts per pdf-id");
}

#[test]
fn an_empty_table_gives_zeros_and_is_nothing_done() {
    let ran = scratch().sh("post-to-tacc --binary=false mdl ark:/dev/null -");
    ran.fails_with(1).stdout_is(" [ 0 0 0 0 0 0 0 0 0 ]\n");
}

#[test]
fn a_command_that_fails_leaves_no_counts_behind() {
    let scratch = scratch();
    scratch.write("old", "old\n");
    scratch.sh("post-to-tacc mdl 'ark:ali-to-post ark:ali ark:-; exit 3 |' old").fails_with(255);
    assert_eq!(scratch.read("old"), b"old\n");
}

#[test]
fn other_numbers_are_errors() {
    let ran = scratch().sh("echo 'a [ 9 1 ]' | post-to-tacc mdl ark:- o");
    ran.fails_with(255).stderr_has("Invalid transition-id 9 encountered for utterance a: expected 1 to 8");
}
