use crate::support::Scratch;

fn vads() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("1.ark", "a [ 0 0 1 1 ]\nb [ 1 ]\n").write("2.ark", "a [ 0 1 0 1 ]\nb [ 1 ]\n");
    scratch
}

#[test]
fn speech_is_where_both_say_so() {
    let ran = vads().sh("merge-vads ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 0 0 0 1 ]\nb  [ 1 ]\n")
        .stderr_has("processed 2 utterances successfully; 0 had errors");
}

#[test]
fn a_map_may_say_otherwise() {
    let scratch = vads();
    scratch.write("map", "# first second merged\n0 0 3\n0 1 4\n1 0 5 # both\n1\t1  -6\n");
    let ran = scratch.sh("merge-vads --map=map ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds().stdout_is("a  [ 3 4 5 -6 ]\nb  [ -6 ]\n");
    scratch.write("map", "0 1\n");
    let ran = scratch.sh("merge-vads --map=map ark:1.ark ark:2.ark ark,t:-");
    ran.fails_with(255).stdout_is("").stderr_has("map: line 1: Bad line. Expected three fields");
}

#[test]
fn a_pair_that_the_map_has_not_is_an_error() {
    let scratch = vads();
    scratch.write("3.ark", "b [ 1 ]\na [ 0 1 2 1 ]\n");
    let ran = scratch.sh("merge-vads ark:1.ark ark:3.ark ark:o");
    ran.fails_with(255).stderr_has("a: Map is missing combination 1 and 2 (frame 2)");
    assert_eq!(scratch.list(), ["1.ark", "2.ark", "3.ark"]);
}

/// Kaldi takes what is no number for 0, in maps as in vectors.
#[test]
fn labels_are_integers() {
    let scratch = vads();
    scratch.write("map", "0 0 none\n").write("3.ark", "a [ nan 0 0 0 ]\n");
    let ran = scratch.sh("merge-vads --map=map ark:1.ark ark:2.ark ark:o");
    ran.fails_with(255).stderr_has("got: \"0 0 none\"");
    let ran = scratch.sh("merge-vads ark:3.ark ark:2.ark ark:o");
    ran.fails_with(255).stderr_has("a: Map is missing combination NaN and 0 (frame 0)");
}

#[test]
fn what_is_missing_or_of_another_length_is_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch.write("1.ark", "a [ 1 ]\nb [ 1 1 ]\nc [ 1 ]\n").write("2.ark", "b [ 1 ]\nc [ 1 ]\n");
    let ran = scratch.sh("merge-vads ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds()
        .stdout_is("c  [ 1 ]\n")
        .stderr_has("No vector for utterance a")
        .stderr_has("VAD length mismatch for utterance b: 2 vs. 1")
        .stderr_has("processed 1 utterances successfully; 2 had errors");
    scratch.sh("merge-vads ark:1.ark ark:/dev/null ark,t:-").fails_with(1).stdout_is("");
}
