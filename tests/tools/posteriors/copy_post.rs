use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, posterior, text_archive};

fn posteriors() -> [(&'static str, Sample); 3] {
    [("a", posterior(1, 40)), ("b", Sample::Posterior(vec![])), ("c", Sample::Posterior(vec![vec![(-3, 0.5)], vec![]]))]
}

#[test]
fn archives_are_copied_between_text_and_binary() {
    let scratch = Scratch::new();
    scratch.write("p.ark", binary_archive(&posteriors())).write("p.txt", text_archive(&posteriors()));
    let ran = scratch.sh("copy-post ark:p.ark ark:-");
    ran.succeeds().stdout_is(binary_archive(&posteriors())).stderr_has("Done copying 3 posteriors.");
    scratch.sh("copy-post ark:p.ark ark,t:-").succeeds().stdout_is(text_archive(&posteriors()));
    let ran = scratch.sh("copy-post ark:p.txt ark:- | copy-post ark:- ark,t:-");
    ran.succeeds().stdout_is(text_archive(&posteriors()));
}

#[test]
fn weights_are_scaled() {
    let scratch = Scratch::new();
    scratch.write("post.txt", "a [ 1 0.5 2 -1 ] [ ]\n").sh("copy-post ark:post.txt ark,scp:p.ark,post.scp").succeeds();
    let t = |scale: &str, stdout: &str| {
        scratch.sh(&format!("copy-post --scale={scale} scp:post.scp ark,t:-")).succeeds().stdout_is(stdout);
    };
    t("0.5", "a [ 1 0.25 2 -0.5 ] [ ] \n");
    t("-2", "a [ 1 -1 2 2 ] [ ] \n");
    t("1", "a [ 1 0.5 2 -1 ] [ ] \n");
}

#[test]
fn a_scale_of_zero_leaves_the_frames_empty() {
    let scratch = Scratch::new();
    scratch.write("p.txt", "a [ 1 0.5 2 -1 ] [ ]\n");
    scratch.sh("copy-post --scale=0 ark:p.txt ark,t:-").succeeds().stdout_is("a [ ] [ ] \n");
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = Scratch::new().sh("copy-post ark:/dev/null ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("Done copying 0 posteriors.");
}

#[test]
fn an_alignment_is_no_posterior() {
    let scratch = Scratch::new();
    scratch.write("ali", "a 1 2 3\n");
    let ran = scratch.sh("copy-post ark:ali ark:o");
    ran.fails_with(255).stderr_has("a: ali:1: ").stderr_has("did you provide alignments instead of posteriors?");
    assert_eq!(scratch.list(), ["ali"]);
}

#[test]
fn only_tables_are_copied() {
    let scratch = Scratch::new();
    scratch.write("p.txt", "a [ 1 0.5 ]\n");
    scratch.sh("copy-post p.txt -").fails_with(255).stderr_has("invalid rspecifier");
    scratch.sh("copy-post ark:p.txt -").fails_with(255).stderr_has("invalid wspecifier");
}
