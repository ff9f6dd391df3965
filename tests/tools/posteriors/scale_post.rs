use crate::support::Scratch;

const POSTERIORS: &str = "a [ 1 0.5 2 -1 ] [ ] \nb [ 3 1 ] \n";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("post", POSTERIORS);
    scratch
}

#[test]
fn one_scale_may_be_for_all() {
    let t = |scale: &str, stdout: &str| {
        let ran = scratch().sh(&format!("scale-post ark:post {scale} ark,t:-"));
        ran.succeeds().stdout_is(stdout).stderr_has("Done 2 posteriors;  0 had no scales.");
    };
    t("0.5", "a [ 1 0.25 2 -0.5 ] [ ] \nb [ 3 0.5 ] \n");
    t("-1", "a [ 1 -0.5 2 1 ] [ ] \nb [ 3 -1 ] \n");
    t("' +2. '", "a [ 1 1 2 -2 ] [ ] \nb [ 3 2 ] \n");
    t("1", POSTERIORS);
    t("0", "a [ ] [ ] \nb [ ] \n");
    t("inf", "a [ 1 inf 2 -inf ] [ ] \nb [ 3 inf ] \n");
}

#[test]
fn each_utterance_may_have_its_own_scale() {
    let scratch = scratch();
    scratch.write("scales", "b 0.25\na 2\n");
    let ran = scratch.sh("scale-post ark:post ark:scales ark,t:-");
    ran.succeeds().stdout_is("a [ 1 1 2 -2 ] [ ] \nb [ 3 0.25 ] \n");
}

#[test]
fn an_utterance_without_a_scale_is_skipped_and_named() {
    let ran = scratch().sh("echo b 0.25 | scale-post ark:post ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("b [ 3 0.25 ] \n")
        .stderr_has("No scale for utterance a")
        .stderr_has("Done 1 posteriors;  1 had no scales.");
    scratch().sh("echo c 1 | scale-post ark:post ark:- ark,t:-").fails_with(1).stdout_is("");
}

#[test]
fn what_is_neither_scale_nor_table_is_an_error() {
    for scale in ["abc", "1.0x", "''", "0x10", "1e", "scales"] {
        let scratch = scratch();
        scratch.sh(&format!("scale-post ark:post {scale} ark:o")).fails_with(255).stderr_has("expected a scale or");
        assert_eq!(scratch.list(), ["post"], "{scale}");
    }
}
