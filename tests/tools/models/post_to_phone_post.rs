use super::scratch;

#[test]
fn weights_of_phones_are_summed() {
    let ran = scratch().sh("echo 'a [ 7 0.5 1 0.25 6 0.25 ] [ 8 1 7 -1 ]' | post-to-phone-post mdl ark:- ark,t:-");
    let done = "Done converting posteriors to phone posteriors for 1 utterances.";
    ran.succeeds().stdout_is("a [ 1 0.5 2 0.5 ] [ ] \n").stderr_has(done);
}

#[test]
fn pdfs_are_distributed_by_counts() {
    let scratch = scratch();
    scratch.write("tacc", " [ 0 1 1 1 1 1 1 1 1 ]\n").write("short", " [ 0 1 ]\n");
    let pdfs = |counts: &str, post: &str| {
        let script = format!("echo '{post}' | post-to-phone-post --transition-id-counts={counts} mdl ark:- ark,t:-");
        scratch.sh(&script)
    };
    pdfs("tacc", "a [ 0 0.5 3 0.5 1 0.25 ]").succeeds().stdout_is("a [ 2 0.5 1 0.75 ] \n");
    pdfs("tacc", "a [ 4 1 ]")
        .fails_with(255)
        .stderr_has("a: frame 0: pdf-id on input out of range, expected 0 to 3, got 4");
    pdfs("short", "a [ 1 1 ]").fails_with(255).stderr_has("expected 9 counts of transition-ids");
}

#[test]
fn other_numbers_are_errors() {
    let ran = scratch().sh("echo 'a [ 9 1 ]' | post-to-phone-post mdl ark:- ark:o");
    ran.fails_with(255).stderr_has("a: frame 0: expected a transition-id from 1 to 8, got 9");
}
