use crate::support::Scratch;

fn feats() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.txt", "a  [\n  1 2 \n  3 4 ]\nb  [\n  5 6 ]\nc  [\n  7 8 \n  9 10 \n  11 12 ]\nd  [\n  13 14 ]\n");
    scratch.write("batches", "b0 b a\nb1 d c\n");
    scratch
}

#[test]
fn members_of_a_batch_get_the_length_of_its_longest() {
    let scratch = feats();
    let ran = scratch.sh("pad-feats --batches=ark:batches --write-lengths=ark,t:lengths ark:f.txt ark,t:-").succeeds();
    let ran = ran.stdout_is(
        "b  [\n  5 6 \n  0 0 ]\na  [\n  1 2 \n  3 4 ]\nd  [\n  13 14 \n  0 0 \n  0 0 ]\nc  [\n  7 8 \n  9 10 \n  11 12 ]\n",
    );
    ran.stderr_has("Wrote the features of 4 utterances, 30.00 percent padding; left out 0");
    assert_eq!(scratch.read("lengths"), b"b 1 \na 2 \nd 1 \nc 3 \n");
}

#[test]
fn all_get_one_length_and_longer_ones_are_left_out() {
    let ran = feats().sh("pad-feats --num-frames=2 --padding=-1 ark:f.txt ark,t:-").succeeds();
    let ran = ran.stdout_is("a  [\n  1 2 \n  3 4 ]\nb  [\n  5 6 \n  -1 -1 ]\nd  [\n  13 14 \n  -1 -1 ]\n");
    ran.stderr_has("c: expected at most 2 frames, got 3; left out");
}

#[test]
fn a_member_without_features_is_left_out() {
    let scratch = feats();
    scratch.write("batches", "b0 b x\n");
    let ran = scratch.sh("pad-feats --batches=ark:batches ark:f.txt ark,t:-");
    ran.succeeds().stdout_is("b  [\n  5 6 ]\n").stderr_has("b0: x: no features; left out");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = feats();
    for options in ["", "--num-frames=2 --batches=ark:batches"] {
        let ran = scratch.sh(&format!("pad-feats {options} ark:f.txt ark:o"));
        ran.fails_with(255).stderr_has("expected one of --batches and --num-frames");
    }
    scratch.write("f.txt", "a  [\n  1 2 ]\nb  [\n  5 ]\n");
    let ran = scratch.sh("pad-feats --batches=ark:batches ark:f.txt ark:o");
    ran.fails_with(255).stderr_has("b0: a: expected features of 1 dimensions as before in the batch, got 2");
    assert_eq!(scratch.list(), ["batches", "f.txt"]);
    scratch.sh("pad-feats --num-frames=3 ark:/dev/null ark:-").fails_with(1).stdout_is("");
}
