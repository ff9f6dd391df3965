//! The tools of examples of chain models.

use super::keys;
use crate::support::Scratch;

/// An example of two frames.
fn example(key: &str) -> String {
    format!(
        "{key} <Nnet3ChainEg> <NumInputs> 1 \n<NnetIo> input <I1V> 4 <I1> 0 -1 0 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0  [\n  1 \n  2 \n  \
         3 \n  4 ]\n</NnetIo> \n<NumOutputs> 1 \n<NnetChainSup> output <I1V> 2 <I1> 0 0 0 <I1> 0 1 0 <Supervision> <Weight> 1 \
         <NumSequences> 1 <FramesPerSeq> 2 <LabelDim> 3 <End2End> F \n0\t1\t2\t2\n1\t2\t3\t3\t0.5\n2\n\n</Supervision> <DW2>  [ 1 \
         0.5 ]\n</NnetChainSup> \n</Nnet3ChainEg> "
    )
}

pub fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("egs", ["a", "b", "c", "d", "e"].map(example).concat());
    scratch
}

/// Kaldi takes what is left of the key for the end of the archive.
#[test]
pub fn an_archive_cut_inside_a_key_is_an_error() {
    let scratch = scratch();
    scratch.sh("head -c 1 egs > cut; nnet3-chain-copy-egs ark:cut ark:o").fails_with(255).stderr_has("a: cut:1: ");
}

#[test]
fn acceptors_pass_in_both_forms() {
    let scratch = scratch();
    let ran = scratch.sh("nnet3-chain-copy-egs ark:egs ark:b.egs && nnet3-chain-copy-egs ark:b.egs ark,t:-").succeeds();
    ran.stdout_is(scratch.read("egs")).stderr_has("Read 5 neural-network training examples, wrote 5\n");
    scratch.sh("nnet3-chain-copy-egs ark:b.egs ark:- | cmp - b.egs").succeeds();
}

#[test]
fn shuffled_and_chosen_examples_are_the_same_ones() {
    let scratch = scratch();
    let run = |line: &str| keys(scratch.sh(line).succeeds().stdout());
    let mut shuffled = run("nnet3-chain-shuffle-egs ark:egs ark,t:-");
    shuffled.sort();
    assert_eq!(shuffled, ["a", "b", "c", "d", "e"]);
    assert_eq!(run("nnet3-chain-shuffle-egs --buffer-size=1 ark:egs ark,t:-"), ["a", "b", "c", "d", "e"]);
    assert_eq!(run("nnet3-chain-subset-egs --n=9 --randomize-order=false ark:egs ark,t:-"), ["a", "b", "c", "d", "e"]);
    let ran = scratch.sh("nnet3-chain-subset-egs --n=2 ark:egs ark:-").succeeds();
    ran.stderr_has("Selected a subset of 2 out of 5 nnet3+chain training examples");
}

/// Kaldi draws an order anew in each run, whatever the seed is.
#[test]
fn the_seed_gives_the_order_of_all() {
    let scratch = scratch();
    let run = |seed: u32| {
        keys(scratch.sh(&format!("nnet3-chain-shuffle-egs --srand={seed} ark:egs ark,t:-")).succeeds().stdout())
    };
    assert_eq!(run(1), run(1));
    assert!((2..9).any(|seed| run(seed) != run(1)));
}

#[test]
fn examples_are_cut_shifted_weighted_and_renamed() {
    let scratch = scratch();
    let copy = |options: &str| scratch.sh(&format!("nnet3-chain-copy-egs {options} ark:egs ark,t:-"));
    copy("--left-context=0 --right-context=0")
        .succeeds()
        .stdout_has("input <I1V> 2 <I1> 0 0 0 <I1> 0 1 0  [\n  2 \n  3 ]");
    let ran = copy("--frame-shift=2").succeeds().stdout_has("output <I1V> 2 <I1> 0 2 0 <I1> 0 3 0");
    ran.stdout_has("input <I1V> 4 <I1> 0 1 0");
    scratch.write("weights", "a 0.25\n").write("names", "a output-1\n");
    let ran = copy("--weights=ark:weights --outputs=ark:names").succeeds();
    let ran = ran.stdout_has("<Weight> 0.25").stdout_has("<NnetChainSup> output-1");
    ran.stderr_has("No weight for example key b").stderr_has("Read 5 neural-network training examples, wrote 1");
    assert_eq!(keys(copy("--keep-proportion=2").succeeds().stdout()).len(), 10);
}

#[test]
fn damaged_acceptors_have_a_place() {
    let scratch = scratch();
    scratch.write("bad", example("a").replace("1\t2\t3\t3\t0.5", "1\t2\t3\t4"));
    let ran = scratch.sh("nnet3-chain-copy-egs ark:bad ark:o").fails_with(255);
    ran.stderr_has("a: bad:").stderr_has("expected a line of an FST, got");
    scratch
        .sh("nnet3-chain-copy-egs ark:egs ark:b.egs; sed s/compact_acceptor/compact_acceptol/ b.egs > bad")
        .succeeds();
    scratch
        .sh("nnet3-chain-copy-egs ark:bad ark:o")
        .fails_with(255)
        .stderr_has("expected an FST of type \"compact_acceptor\"");
    scratch.write("bad", example("a").replace("<DW2>  [ 1 0.5 ]", "<DW2>  [ 1 ]"));
    scratch
        .sh("nnet3-chain-copy-egs ark:bad ark:o")
        .fails_with(255)
        .stderr_has("expected 2 weights, one for each index, or none, got 1");
}
