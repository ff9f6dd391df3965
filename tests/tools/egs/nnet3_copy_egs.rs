use super::{keys, small};
use crate::support::Scratch;

const TWO: &str = "a <Nnet3Eg> <NumIo> 2 <NnetIo> input <I1V> 3 <I1> 0 -1 0 <I1> 0 0 0 <I1> 0 1 0  [\n  1 \n  2 \n  3 ]\n\
                   </NnetIo> <NnetIo> output <I1V> 1 <I1> 0 0 0 rows=1 dim=3 [ 1 0.5 ] \n</NnetIo> </Nnet3Eg> ";

#[test]
fn text_and_binary_are_the_same_example() {
    let scratch = Scratch::new();
    scratch.write("text", TWO);
    let ran = scratch.sh("nnet3-copy-egs ark:text ark:- | nnet3-copy-egs ark:- ark,t:-");
    ran.succeeds()
        .stdout_is(TWO)
        .stderr_has("Read 1 neural-network training examples, wrote 1, 0 examples had errors.");
}

#[test]
fn outputs_take_turns_in_their_own_forms() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("nnet3-copy-egs ark:small.egs ark,t:1 ark,scp:2,2.scp").succeeds();
    assert_eq!(keys(&scratch.read("1")), ["a-0", "a-8", "b-4"]);
    scratch.sh("cut -d' ' -f1 2.scp").succeeds().stdout_is("a-4\nb-0\n");
    scratch.sh("nnet3-copy-egs scp:2.scp ark,t:3").succeeds();
    assert_eq!(keys(&scratch.read("3")), ["a-4", "b-0"]);
}

#[test]
fn a_proportion_keeps_or_repeats_examples() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("nnet3-copy-egs --keep-proportion=2 ark:small.egs ark,t:twice").succeeds();
    assert_eq!(keys(&scratch.read("twice"))[..4], ["a-0", "a-0", "a-4", "a-4"]);
    scratch.sh("nnet3-copy-egs --keep-proportion=0 ark:small.egs ark:none").fails_with(1);
    let ran = scratch.sh("nnet3-copy-egs --keep-proportion=-1 ark:small.egs ark:none").fails_with(255);
    ran.stderr_has("expected --keep-proportion to be a number from 0 on, got \"-1\"");
}

#[test]
fn threads_change_nothing() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("for _ in $(seq 300); do cat small.egs; done > many.egs").succeeds();
    for options in ["--random=true --srand=3", "--frame=random --keep-proportion=1.5"] {
        for threads in [1, 4] {
            let names = format!("ark:{threads}.1 ark:{threads}.2");
            scratch.sh(&format!("nnet3-copy-egs --num-threads={threads} {options} ark:many.egs {names}")).succeeds();
        }
        scratch.sh("cmp 1.1 4.1 && cmp 1.2 4.2").succeeds();
    }
}

#[test]
fn a_frame_keeps_the_context_that_is_wanted() {
    let scratch = Scratch::new();
    scratch.write("text", TWO);
    let ran = scratch.sh("nnet3-copy-egs --frame=0 --left-context=0 --right-context=0 ark:text ark,t:-").succeeds();
    ran.stdout_has("input <I1V> 1 <I1> 0 0 0  [\n  2 ]");
    scratch.sh("nnet3-copy-egs --frame=1 ark:text ark,t:-").fails_with(1).stdout_is("");
    let ran = scratch.sh("nnet3-copy-egs --frame=x ark:text ark,t:-").fails_with(255);
    ran.stderr_has("expected --frame to be a number or random, got \"x\"");
    let ran = scratch.sh("nnet3-copy-egs --frame-shift=7 ark:text ark,t:-").succeeds();
    ran.stdout_has("output <I1V> 1 <I1> 0 7 0").stdout_has("<I1> 0 6 0");
}

#[test]
fn missing_context_is_one_warning() {
    let scratch = Scratch::new();
    scratch.write("text", TWO.repeat(3));
    let ran = scratch.sh("nnet3-copy-egs --left-context=3 ark:text ark:o 2>&1 | grep -c left-context=3,").succeeds();
    ran.stdout_is("1\n");
}

#[test]
fn weights_and_names_belong_to_keys() {
    let scratch = Scratch::new();
    scratch.write("text", format!("{TWO}{}", TWO.replacen('a', "b", 1)));
    scratch.write("weights", "a 0.5\n").write("names", "a output-1\nb output-2\n").write("all", "a 1\nb 2\n");
    let ran = scratch.sh("nnet3-copy-egs --weights=ark:weights --outputs=ark:names ark:text ark,t:-").succeeds();
    let ran = ran.stdout_has("<NnetIo> output-1 <I1V>").stdout_has("[ 1 0.25 ]");
    ran.stderr_has("No weight for example key b").stderr_has("wrote 1, 1 examples had errors");
    let ran =
        scratch.sh("nnet3-copy-egs --outputs=ark:names ark:text ark:- | nnet3-copy-egs --weights=ark:all ark:- ark:o");
    ran.fails_with(255).stderr_has("b: the example has no input or output of the name \"output\"");
}

#[test]
fn merged_examples_are_copied_but_not_cut() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("nnet3-merge-egs --minibatch-size=2 ark:small.egs ark:merged").succeeds();
    scratch.sh("nnet3-copy-egs ark:merged ark:- | cmp - merged").succeeds();
    let ran = scratch.sh("nnet3-copy-egs --left-context=0 ark:merged ark:o").fails_with(255);
    ran.stderr_has("merged-0-2: expected an example of one sequence, got n = 1 in \"input\" (is it merged already?)");
}

#[test]
fn damaged_examples_have_a_place() {
    let scratch = Scratch::new();
    small(&scratch);
    scratch.sh("head -c 100 small.egs > cut").succeeds();
    scratch.sh("nnet3-copy-egs ark:cut ark:o").fails_with(255).stderr_has("a-0: cut:100: ");
    scratch.write("rows", TWO.replace("<I1V> 1 <I1> 0 0 0", "<I1V> 0"));
    let ran = scratch.sh("nnet3-copy-egs ark:rows ark:o").fails_with(255);
    ran.stderr_has("expected 0 rows, one for each index, got 1");
    assert!(!scratch.list().contains(&"o".to_owned()));
}
