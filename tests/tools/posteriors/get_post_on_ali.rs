use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.post", "a [ 3 0.5 4 0.25 ] [ 3 1 ]\nb [ 1 0.75 1 0.25 ]\n");
    scratch
}

#[test]
fn each_frame_has_the_weight_of_its_index() {
    let scratch = scratch();
    scratch.write("ali", "a 4 5\nb 1\n").sh("gzip -c ali > ali.1.gz").succeeds();
    let ran = scratch.sh("get-post-on-ali ark:1.post 'ark,s,cs:gunzip -c ali.1.gz |' ark,t:-");
    ran.succeeds().stdout_is("a  [ 0.25 0 ]\nb  [ 0.75 ]\n").stderr_has("for 2 utterances. 0 with missing alignments.");
    let weights = [("a", Sample::Vector(vec![0.25, 0.0])), ("b", Sample::Vector(vec![0.75]))];
    scratch.sh("get-post-on-ali ark:1.post ark:ali ark:-").succeeds().stdout_is(binary_archive(&weights));
}

#[test]
fn an_utterance_without_an_alignment_is_skipped_and_named() {
    let ran = scratch().sh("echo b 2 | get-post-on-ali ark:1.post ark:- ark,t:-");
    ran.succeeds()
        .stdout_is("b  [ 0 ]\n")
        .stderr_has("No alignment for utterance a")
        .stderr_has("for 1 utterances. 1 with missing alignments.");
}

#[test]
fn an_alignment_of_another_length_is_an_error() {
    let scratch = scratch();
    scratch.write("ali", "a 3 3\nb 1 1\n");
    let ran = scratch.sh("get-post-on-ali ark:1.post ark:ali ark:o");
    ran.fails_with(255).stderr_has("b: expected an alignment of 1 frames, got 2");
    assert_eq!(scratch.list(), ["1.post", "ali"]);
}
