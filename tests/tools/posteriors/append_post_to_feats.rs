use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("feats", "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\n").write("post", "a [ 1 0.5 ] [ 0 0.25 ]\nb [ ]\n");
    scratch
}

#[test]
fn every_frame_gets_more_columns() {
    let ran = scratch().sh("append-post-to-feats --post-dim=2 ark:feats ark:post ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 2 0 0.5 \n  3 4 0.25 0 ]\nb  [\n  5 6 0 0 ]\n")
        .stderr_has("Done 2 utts, errors on 0");
    let matrix = Sample::Matrix(vec![vec![5.0, 6.0, 0.0]]);
    let ran = scratch().sh("grep b feats | append-post-to-feats --post-dim=1 ark:- ark:post ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("b", matrix)]));
}

#[test]
fn single_files_are_appended() {
    let scratch = scratch();
    scratch.write("f", "[ 1 2 ]\n").write("p", "[ 0 0.5 ]\n");
    let ran = scratch.sh("append-post-to-feats --post-dim=1 --binary=false f p o && cat o");
    ran.succeeds().stdout_is(" [\n  1 2 0.5 ]\n").stderr_has("to o");
    let ran = scratch.sh("append-post-to-feats --post-dim=1 f p -");
    ran.succeeds().stdout_is(Sample::Matrix(vec![vec![1.0, 2.0, 0.5]]).binary());
}

#[test]
fn tables_and_files_are_not_mixed() {
    for arguments in ["f ark:post o", "ark:feats p ark:o", "f p ark:o"] {
        let ran = scratch().sh(&format!("append-post-to-feats --post-dim=2 {arguments}"));
        ran.fails_with(255).stderr_has("Cannot mix archives");
    }
}

#[test]
fn an_utterance_without_posteriors_is_skipped_and_named() {
    let ran = scratch().sh("head -n 1 post | append-post-to-feats --post-dim=2 ark:feats ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("a  [\n  1 2 0 0.5 \n  3 4 0.25 0 ]\n")
        .stderr_has("Could not read posteriors for utterance b")
        .stderr_has("Done 1 utts, errors on 1");
}

#[test]
fn the_dimension_must_be_given() {
    for option in ["", "--post-dim=0", "--post-dim=-3"] {
        let ran = scratch().sh(&format!("append-post-to-feats {option} ark:feats ark:post ark:-"));
        ran.fails_with(255).stderr_has("expected --post-dim to be given and above 0");
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let t = |posteriors: &str, message: &str| {
        let scratch = scratch();
        scratch.write("post", posteriors);
        scratch.sh("append-post-to-feats --post-dim=2 ark:feats ark:post ark:o").fails_with(255).stderr_has(message);
        assert_eq!(scratch.list(), ["feats", "post"]);
    };
    t("a [ 1 1 ]\n", "a: Mismatch of length! features: 2 posteriors: 1");
    t("a [ 1 1 ] [ 2 1 ]\n", "a: Out-of-bound Posterior element: expected an index below 2, got 2");
    t("a [ -1 1 ] [ 2 1 ]\n", "a: Out-of-bound Posterior element: expected an index below 2, got -1");
    t("a 1 2\n", "did you provide alignments");
}

#[test]
fn nothing_cannot_be_appended_to_nothing() {
    let scratch = scratch();
    scratch.write("feats", "a [ ]\n").write("post", "a \n");
    let ran = scratch.sh("append-post-to-feats --post-dim=2 ark:feats ark:post ark:o");
    ran.fails_with(255).stderr_has("features: 0 posteriors: 0");
}
