use crate::support::Scratch;

/// Three classes; each is the most likely one somewhere in utterance a.
fn likes() -> Scratch {
    let scratch = Scratch::new();
    scratch
        .write("0.ark", "a [ -1 -2 -3 -1 ]\nb [ -1 ]\n")
        .write("1.ark", "b [ -2 ]\na [ -2 -1 -3 -1 ]\n")
        .write("2.ark", "a [ -3 -3 -0.5 -1 ]\nb [ 0 ]\n");
    scratch
}

#[test]
fn the_most_likely_class_wins_the_first_of_equal_ones() {
    let ran = likes().sh("compute-vad-from-frame-likes ark:0.ark ark:1.ark ark:2.ark ark,t:-");
    ran.succeeds()
        .stdout_is("a  [ 0 1 2 0 ]\nb  [ 2 ]\n")
        .stderr_has("processed 2 utterances successfully; 0 had empty features");
    likes()
        .sh("compute-vad-from-frame-likes ark:0.ark ark:1.ark ark,t:-")
        .succeeds()
        .stdout_is("a  [ 0 1 0 0 ]\nb  [ 0 ]\n");
}

#[test]
fn priors_count() {
    let run = |priors: &str| {
        likes().sh(&format!("compute-vad-from-frame-likes --priors={priors} ark:0.ark ark:1.ark ark:2.ark ark,t:-"))
    };
    run("0.01,0.98,0.01").succeeds().stdout_is("a  [ 1 1 1 1 ]\nb  [ 1 ]\n");
    run("0.5,0,0.5").succeeds().stdout_is("a  [ 0 0 2 0 ]\nb  [ 2 ]\n");
    run("0.5,0.5").fails_with(255).stdout_is("").stderr_has("--priors: expected 3 priors, one for each class, got 2");
    for priors in ["1,1,x", "1,,1", "1,1,-1", "1,1,nan"] {
        run(priors).fails_with(255).stderr_has("--priors: expected numbers that are not negative");
    }
}

#[test]
fn a_map_gives_labels() {
    let scratch = likes();
    let run = |map: &str| {
        scratch.write("map", map);
        scratch.sh("compute-vad-from-frame-likes --map=map ark:0.ark ark:1.ark ark:2.ark ark,t:-")
    };
    run("0 5 # speech\n\n2 -1\n").succeeds().stdout_is("a  [ 5 1 -1 5 ]\nb  [ -1 ]\n");
    run("0 1\n3 1\n").fails_with(255).stderr_has("map: expected a class below 3, got 3");
    run("0 1\n1 1 1\n").fails_with(255).stderr_has("map: line 2: Bad line. Expected two fields");
}

/// Kaldi takes what is no number for 0.
#[test]
fn a_map_has_integers_only() {
    let scratch = likes();
    scratch.write("map", "0 speech\n");
    let ran = scratch.sh("compute-vad-from-frame-likes --map=map ark:0.ark ark:1.ark ark:o");
    ran.fails_with(255).stderr_has("got: \"0 speech\"");
    assert_eq!(scratch.list(), ["0.ark", "1.ark", "2.ark", "map"]);
}

/// Kaldi reads beyond its memory.
#[test]
fn an_utterance_that_lacks_a_class_is_skipped_and_counted() {
    let scratch = Scratch::new();
    scratch.write("0.ark", "a [ -1 ]\nb [ -1 -1 ]\nc [ -1 ]\nd [ ]\n").write("1.ark", "b [ -2 ]\nc [ 0 ]\nd [ ]\n");
    let ran = scratch.sh("compute-vad-from-frame-likes ark:0.ark ark:1.ark ark,t:-");
    ran.succeeds()
        .stdout_is("c  [ 1 ]\n")
        .stderr_has("No vector for utterance a")
        .stderr_has("Dimension mismatch in input vectors in b: 2 vs. 1")
        .stderr_has("Empty vector for utterance d")
        .stderr_has("processed 1 utterances successfully; 3 had empty features or lacked a class");
    let ran = scratch.sh("compute-vad-from-frame-likes ark:0.ark ark:/dev/null ark,t:-");
    ran.fails_with(1).stdout_is("");
}
