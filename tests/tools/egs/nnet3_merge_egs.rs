use super::{keys, small};
use crate::support::Scratch;

#[test]
fn minibatches_have_the_numbers_of_the_rules() {
    let scratch = Scratch::new();
    small(&scratch);
    let ran = scratch.sh("nnet3-merge-egs --minibatch-size=2 ark:small.egs ark,t:-").succeeds();
    assert_eq!(keys(ran.stdout()), ["merged-0-2", "merged-1-2"]);
    let ran = ran.stdout_has("<I1> 1 -1 0").stderr_has("6={2->2,d=1}");
    ran.stderr_has(
        "Processed 5 egs of avg. size 6 into 2 minibatches, discarding 20% of egs.  Avg minibatch size was 2, #distinct types \
         of egs/minibatches was 1/1",
    );
    let ran = scratch.sh("nnet3-merge-egs --minibatch-size=1:3 ark:small.egs ark,t:-").succeeds();
    assert_eq!(keys(ran.stdout()), ["merged-0-3", "merged-1-2"]);
    scratch.sh("nnet3-merge-egs --minibatch-size=6 ark:small.egs ark:-").fails_with(1).stderr_has("6={,d=5}");
}

#[test]
fn what_is_left_comes_in_the_order_of_kaldis_table() {
    let scratch = Scratch::new();
    small(&scratch);
    let get = "nnet3-get-egs --num-pdfs=7 --num-frames=2 ark:feats ark:post ark:two";
    let merge = "nnet3-merge-egs --minibatch-size=1:100 ark:- ark,t:-";
    scratch.sh(get).succeeds();
    for (first, second, sizes) in [("small.egs", "two", [20, 30]), ("two", "small.egs", [30, 20])] {
        let ran = scratch.sh(&format!("cat {first} {second} | {merge} | grep -o '<NnetIo> input <I1V> [0-9]*'"));
        ran.succeeds().stdout_is(sizes.map(|size| format!("<NnetIo> input <I1V> {size}\n")).concat());
    }
}

#[test]
fn options_without_effect_are_warned_of() {
    let scratch = Scratch::new();
    small(&scratch);
    let options = "--measure-output-frames=false --discard-partial-minibatches=true --multilingual-eg=true";
    let ran = scratch.sh(&format!("nnet3-merge-egs {options} --minibatch-size=5 ark:small.egs ark:-")).succeeds();
    ran.stderr_has("The --measure-output-frames option is deprecated")
        .stderr_has("--discard-partial-minibatches option");
}

#[test]
fn rules_that_are_none_are_refused() {
    for rule in ["0", "4:2", "4/8", "x"] {
        let ran = Scratch::new().sh(&format!("nnet3-merge-egs --minibatch-size={rule} ark:/dev/null ark:-"));
        ran.fails_with(255).stderr_has("expected --minibatch-size to be numbers and ranges above 0").stderr_has(rule);
    }
}

#[test]
fn compressed_minibatches_hold_the_same_rows() {
    let scratch = Scratch::new();
    small(&scratch);
    let merge = "nnet3-merge-egs --minibatch-size=5 --compress=true --num-threads=2 ark:small.egs ark:-";
    scratch.sh(&format!("{merge} | nnet3-copy-egs ark:- ark,t:- | grep -c '^  '")).succeeds().stdout_is("30\n");
}
