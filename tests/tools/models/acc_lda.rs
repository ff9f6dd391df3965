use super::scratch;

const FEATS: &str = "a  [\n  1 2\n  3 4 ]\nb  [\n  1 0 ]\nc  [\n  1 1 ]\n";

#[test]
fn statistics_are_those_of_the_pdfs() {
    let scratch = scratch();
    scratch.write("feats", FEATS).write("post", "a [ 1 1 ] [ 2 0.5 7 0.5 ]\nb [ 8 1 ]\nc [ 5 1 ]\n");
    let ran = scratch.sh("acc-lda --binary=false mdl ark:feats ark:post -");
    let stats = "<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 4 <ZERO_ACCS>  [ 1.5 0 1 1.5 ]\n<FIRST_ACCS>  [\n  2.5 4 \n  0 0 \n  1 1 \n  \
                 2.5 2 ]\n<SECOND_ACCS> [\n2.666667 \n4 6.666667 ]\n</LDAACCS> ";
    // In the second dimension: 4 + 16 + 0 + 1, minus 4² / 1.5, 1 and 2² / 1.5.
    ran.succeeds().stdout_is(stats).stderr_has("Done 3 files, failed for 0");
}

#[test]
fn utterances_that_do_not_fit_are_skipped_and_counted() {
    let scratch = scratch();
    scratch.write("feats", format!("{FEATS}d  [\n  1 2 3 ]\n")).write("post", "a [ 1 1 ]\nc [ 5 1 ]\nd [ 1 1 ]\n");
    let ran = scratch.sh("acc-lda mdl ark:feats ark:post o");
    ran.succeeds()
        .stderr_has("Posterior vs. feats size mismatch 1 vs. 2")
        .stderr_has("No posteriors for utterance b")
        .stderr_has("Feature dimension mismatch 2 vs. 3")
        .stderr_has("Done 1 files, failed for 3");
}

#[test]
fn nothing_gives_empty_statistics() {
    let ran = scratch().sh("acc-lda --binary=false mdl ark:/dev/null ark:/dev/null -");
    let empty =
        "<LDAACCS> <VECSIZE> 0 <NUMCLASSES> 0 <ZERO_ACCS>  [ ]\n<FIRST_ACCS>  [ ]\n<SECOND_ACCS> [ ]\n</LDAACCS> ";
    ran.fails_with(1).stdout_is(empty);
}

#[test]
fn small_posteriors_may_be_dropped_at_random() {
    let scratch = scratch();
    let frames = "[ 1 0.25 7 0.75 ] ".repeat(400);
    scratch.write("post", format!("a {frames}\n")).write("feats", format!("a  [\n{} ]\n", "1\n".repeat(400)));
    scratch.sh("acc-lda --rand-prune=0.5 --binary=false mdl ark:feats ark:post o").succeeds();
    let text = String::from_utf8(scratch.read("o")).unwrap();
    let counts: Vec<f64> =
        text.split(['[', ']']).nth(1).unwrap().split_whitespace().map(|n| n.parse().unwrap()).collect();
    assert_eq!(counts[3], 300.0);
    assert!((70.0..130.0).contains(&counts[0]) && counts[0] % 0.5 == 0.0, "{counts:?}");
    let negative = scratch.sh("acc-lda --rand-prune=-1 mdl ark:feats ark:post o");
    negative.fails_with(255).stderr_has("expected --rand-prune to be 0 or more, got -1");
}

#[test]
fn other_numbers_are_errors() {
    let scratch = scratch();
    scratch.write("feats", "a  [\n  1 ]\n");
    let ran = scratch.sh("echo 'a [ 9 1 ]' | acc-lda mdl ark:feats ark:- o");
    ran.fails_with(255).stderr_has("a: frame 0: expected a transition-id from 1 to 8, got 9");
}
