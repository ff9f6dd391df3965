use super::scratch;

/// The order is that of Kaldi's hash table.
#[test]
fn weights_of_pdfs_are_summed() {
    let ran =
        scratch().sh("echo 'a [ 1 0.5 7 0.25 2 0.25 ] [ ] [ 3 1 4 -1 8 1 ]' | post-to-pdf-post mdl ark:- ark,t:-");
    let done = "Done converting posteriors to pdf-level posteriors for 1 utterances.";
    ran.succeeds().stdout_is("a [ 3 0.25 0 0.75 ] [ ] [ 3 1 ] \n").stderr_has(done);
}

#[test]
fn other_numbers_are_errors() {
    let ran = scratch().sh("echo 'a [ ] [ 0 1 ]' | post-to-pdf-post mdl ark:- ark:o");
    ran.fails_with(255).stderr_has("a: frame 1: expected a transition-id from 1 to 8, got 0");
}
