use crate::support::Scratch;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("post", "a [ 1 0.5 2 0.25 ] [ 3 1 ] [ 4 1 ]\nb [ 1 1 ]\n");
    scratch
}

#[test]
fn frames_are_weighed() {
    let scratch = scratch();
    scratch.write("w", "a [ 2 0 -1 ]\nb [ 0.5 ]\n").sh("gzip -c w > w.gz").succeeds();
    let ran = scratch.sh("weight-post ark:post 'ark,s,cs:gunzip -c w.gz |' ark,t:-");
    ran.succeeds()
        .stdout_is("a [ 1 1 2 0.5 ] [ ] [ 4 -1 ] \nb [ 1 0.5 ] \n")
        .stderr_has("Scaled 2 posteriors; errors on 0");
}

#[test]
fn an_utterance_without_weights_is_skipped_and_named() {
    let ran = scratch().sh("echo 'b [ 2 ]' | weight-post ark:post ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("b [ 1 2 ] \n")
        .stderr_has("No weights for utterance a")
        .stderr_has("Scaled 1 posteriors; errors on 1");
}

#[test]
fn lengths_may_differ_by_the_tolerance() {
    let t = |option: &str, weights: &str, stdout: &str| {
        let script = format!("echo 'a [ {weights} ]' | weight-post {option} ark:post ark:- ark,t:-");
        let ran = scratch().sh(&script);
        match stdout {
            "" => ran.fails_with(1).stdout_is("").stderr_has("Weights for utterance a have wrong size"),
            _ => ran.succeeds().stdout_is(stdout),
        };
    };
    let whole = "a [ 1 0.5 2 0.25 ] [ 3 1 ] [ 4 1 ] \n";
    t("", "1 1 1 5 6", whole);
    t("", "1 1 1 5 6 7", "");
    t("--length-tolerance=3", "1 1 1 5 6 7", whole);
    t("--length-tolerance=0", "1 1 1", whole);
    t("--length-tolerance=0", "1 1 1 5", "");
    t("--length-tolerance=-1", "1 1 1", "");
    t("", "", "");
}

/// Kaldi reads beyond the end of the weights here, and what it writes depends on what it finds.
#[test]
fn frames_after_the_last_weight_become_empty() {
    let ran = scratch().sh("echo 'a [ 2 ]' | weight-post ark:post ark:- ark,t:-");
    ran.succeeds().stdout_is("a [ 1 1 2 0.5 ] [ ] [ ] \n");
}

#[test]
fn an_empty_table_is_nothing_done() {
    let ran = scratch().sh("weight-post ark:/dev/null ark:/dev/null ark:-");
    ran.fails_with(1).stdout_is("").stderr_has("Scaled 0 posteriors; errors on 0");
}
