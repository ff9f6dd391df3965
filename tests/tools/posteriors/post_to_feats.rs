use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

#[test]
fn weights_stand_in_the_columns_of_their_indexes() {
    let scratch = Scratch::new();
    scratch.write("post", "a [ 2 0.5 0 0.25 ] [ ]\n");
    let ran = scratch.sh("post-to-feats --post-dim=3 ark:post ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0.25 0 0.5 \n  0 0 0 ]\n").stderr_has("Done 1 utts, errors on 0");
    let matrix = Sample::Matrix(vec![vec![0.25, 0.0, 0.5], vec![0.0, 0.0, 0.0]]);
    scratch.sh("post-to-feats --post-dim=3 ark:post ark:-").succeeds().stdout_is(binary_archive(&[("a", matrix)]));
}

#[test]
fn the_last_weight_of_an_index_counts() {
    let ran = Scratch::new().sh("echo 'a [ 1 0.5 1 0.25 ]' | post-to-feats --post-dim=2 ark:- ark,t:-");
    ran.succeeds().stdout_is("a  [\n  0 0.25 ]\n");
}

/// For Kaldi they are an error: it looks for a third argument.
#[test]
pub fn single_files_work() {
    let scratch = Scratch::new();
    scratch.write("post", "[ 1 0.5 ] [ ] \n");
    let ran = scratch.sh("post-to-feats --post-dim=2 --binary=false post feats && cat feats");
    ran.succeeds().stdout_is(" [\n  0 0.5 \n  0 0 ]\n").stderr_has("to feats");
    let matrix = Sample::Matrix(vec![vec![0.0, 0.5], vec![0.0, 0.0]]);
    scratch.sh("post-to-feats --post-dim=2 post -").succeeds().stdout_is(matrix.binary());
    scratch.sh("post-to-feats --post-dim=1 post o").fails_with(255).stderr_has(") Out-of-bound Posterior element");
    scratch.sh("post-to-feats --post-dim=2 post ark:o").fails_with(255).stderr_has("Cannot mix archives");
    assert_eq!(scratch.list(), ["feats", "post"]);
}

#[test]
fn the_dimension_must_be_given() {
    for option in ["", "--post-dim=0", "--post-dim=-3"] {
        let ran = Scratch::new().sh(&format!("post-to-feats {option} ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has("expected --post-dim to be given and above 0");
    }
}

#[test]
fn an_index_that_is_no_column_is_an_error() {
    let scratch = Scratch::new();
    scratch.write("post", "a [ 1 1 ]\nb [ 2 0.5 ]\n").write("negative", "a [ -1 1 ]\n");
    let ran = scratch.sh("post-to-feats --post-dim=2 ark:post ark:o");
    ran.fails_with(255).stderr_has("b: Out-of-bound Posterior element: expected an index below 2, got 2");
    scratch.sh("post-to-feats --post-dim=2 ark:negative ark:o").fails_with(255).stderr_has("got -1");
    assert_eq!(scratch.list(), ["negative", "post"]);
}

#[test]
fn a_posterior_without_frames_is_an_error() {
    let ran = Scratch::new().sh("printf 'a [ 1 1 ]\\nb \\n' | post-to-feats --post-dim=2 ark:- ark,t:-");
    ran.fails_with(255).stdout_is("a  [\n  0 1 ]\n").stderr_has("b: expected a posterior with frames");
}

#[test]
fn an_empty_table_is_an_error() {
    let ran = Scratch::new().sh("post-to-feats --post-dim=3 ark:/dev/null ark:-");
    ran.fails_with(255).stdout_is("").stderr_has("Done 0 utts");
}
