use crate::support::Scratch;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("lens", "a 2\nb 1\n")
        .write("p1", "a [ 0 0.5 2 0.25 ] [ ]\nb [ 1 1 ]\n")
        .write("p2", "a [ 1 1 ] [ 0 0.5 ] [ 0 9 ]\nb [ ]\n")
        .write("p2b", "b [ 0 2 ]\n");
    scratch
}

#[test]
fn indexes_come_after_those_of_the_tables_before() {
    let t = |dims: &str, tables: &str, stdout: &str| {
        let ran = scratch().sh(&format!("paste-post ark:lens {dims} {tables} ark,t:-"));
        ran.succeeds()
            .stdout_is(stdout)
            .stderr_has("Pasted posteriors for 2 sentences, missing sentences 0, failed for 0");
    };
    t("3:2", "ark:p1 ark:p2", "a [ 0 0.5 2 0.25 4 1 ] [ 3 0.5 ] \nb [ 1 1 ] \n");
    t("10,20", "ark:p2 ark:p1", "a [ 1 1 10 0.5 12 0.25 ] [ 0 0.5 ] \nb [ 11 1 ] \n");
    t("2:3,2", "ark:p2 ark:p1 ark:p2", "a [ 1 1 2 0.5 4 0.25 6 1 ] [ 0 0.5 5 0.5 ] \nb [ 3 1 ] \n");
}

#[test]
fn lengths_may_come_from_features() {
    let scratch = scratch();
    scratch.write("feats", "a [ 1\n 2 ]\n");
    let ran = scratch.sh("paste-post 'ark:feat-to-len ark:feats ark,t:- |' 3:2 ark:p1 ark:p2 ark,t:-");
    ran.succeeds().stdout_is("a [ 0 0.5 2 0.25 4 1 ] [ 3 0.5 ] \n");
}

#[test]
fn an_utterance_that_is_missing_in_a_table_is_skipped_and_named() {
    let ran = scratch().sh("paste-post ark:lens 3:2 ark:p1 ark:p2b ark,t:-");
    ran.succeeds()
        .stdout_is("b [ 1 1 3 2 ] \n")
        .stderr_has("No such utterance a in set 2 of posteriors")
        .stderr_has("for 1 sentences, missing sentences 0, failed for 1");
}

/// As Kaldi counts.
#[test]
fn an_utterance_that_is_missing_in_the_first_table_counts_as_missing() {
    let ran = scratch().sh("paste-post ark:lens 2:3 ark:p2b ark:p1 ark,t:-");
    ran.succeeds()
        .stdout_is("b [ 0 2 3 1 ] \n")
        .stderr_has("No posteriors for utterance a")
        .stderr_has("for 1 sentences, missing sentences 1, failed for 0");
}

#[test]
fn utterances_that_some_tables_have_may_be_allowed() {
    let ran = scratch().sh("paste-post --allow-partial ark:lens 2:3 ark:p2b ark:p1 ark,t:-");
    ran.succeeds().stdout_is("a [ 2 0.5 4 0.25 ] [ ] \nb [ 0 2 3 1 ] \n").stderr_has("for 2 sentences");
    let ran = scratch().sh("paste-post --allow-partial ark:lens 2:2 ark:p2b ark:p2b ark,t:-");
    ran.succeeds().stdout_is("b [ 0 2 2 2 ] \n").stderr_has("for 1 sentences, missing sentences 1, failed for 0");
}

#[test]
fn every_table_has_a_dimension() {
    for dims in ["3", "3:2:1", "3:x", "3:", "3:-2", "''", "2147483647:1"] {
        let ran = scratch().sh(&format!("paste-post ark:lens {dims} ark:p1 ark:p2 ark:o"));
        ran.fails_with(255).stderr_has("expected");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let t = |lengths: &str, dims: &str, message: &str| {
        let scratch = scratch();
        scratch.write("lens", lengths);
        let ran = scratch.sh(&format!("paste-post ark:lens {dims} ark:p1 ark:p2 ark:o"));
        ran.fails_with(255).stderr_has(message);
        assert!(!scratch.path("o").exists());
    };
    t("a 3\n", "3:2", "a: expected posteriors of at least 3 frames, got 2");
    t("a -1\n", "3:2", "a: expected a number of frames, got -1");
    t("a 2\n", "2:2", "a: expected an index below 2, got 2");
    t("a x\n", "3:2", "a: lens:1: ");
}

#[test]
fn what_does_not_fit_is_an_error_even_where_a_later_table_lacks_the_utterance() {
    for (lens, dims, message) in [("a 3\n", "3:3", "a: expected posteriors of at least 3"), ("a 2\n", "2:3", "below 2")]
    {
        let scratch = scratch();
        scratch.write("lens", lens);
        scratch.sh(&format!("paste-post ark:lens {dims} ark:p1 ark:p2b ark:o")).fails_with(255).stderr_has(message);
    }
}
