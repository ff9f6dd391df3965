use super::{feats, keys, post};
use crate::support::Scratch;

const OPTIONS: &str = "nnet3-get-egs --num-pdfs=7 --num-threads=2";

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("feats", feats("a", 12) + &feats("b", 7)).write("post", post("a", 12) + &post("b", 8));
    scratch
}

#[test]
fn an_example_has_context_and_labels() {
    let scratch = scratch();
    let options = "--num-frames=6 --left-context=2 --right-context=1 --compress=false";
    let ran = scratch.sh(&format!("{OPTIONS} {options} ark:feats ark:post ark,t:- | tr '\\n' ' '")).succeeds();
    ran.stdout_has(
        "a-0 <Nnet3Eg> <NumIo> 2 <NnetIo> input <I1V> 9 <I1> 0 -2 0 <I1> 0 -1 0 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0 <I1> 0 3 0 \
         <I1> 0 4 0 <I1> 0 5 0 <I1> 0 6 0  [   0    0    0    1    2    3    4    5    6 ] </NnetIo> <NnetIo> output \
         <I1V> 6 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0 <I1> 0 3 0 <I1> 0 4 0 <I1> 0 5 0 rows=6 dim=7 [ 0 1 ] dim=7 [ 1 1 ] dim=7 \
         [ 2 1 ] dim=7 [ 3 1 ] dim=7 [ 4 1 ] dim=7 [ 5 1 ]",
    );
}

/// Kaldi draws the places of gaps anew in each run.
#[test]
fn gaps_are_the_same_in_each_run() {
    let scratch = scratch();
    let get = |threads: u32| {
        let line = format!("{OPTIONS} --num-threads={threads} --num-frames=11 ark:feats ark:post ark,t:-");
        scratch.sh(&line).succeeds().stdout().to_vec()
    };
    let first = get(1);
    assert_eq!(keys(&first).len(), 1);
    assert_eq!(first, get(3));
}

/// Kaldi reads weights that are not there, and labels of other frames.
#[test]
fn labels_of_every_third_frame_are_those_of_the_posteriors() {
    let scratch = Scratch::new();
    scratch.write("feats", feats("a", 12)).write("post", post("a", 4));
    let options = "--frame-subsampling-factor=3 --num-frames=11";
    let ran = scratch.sh(&format!("{OPTIONS} {options} ark:feats ark:post ark,t:-")).succeeds();
    let ran = ran.stdout_has("output <I1V> 4 <I1> 0 0 0 <I1> 0 3 0 <I1> 0 6 0 <I1> 0 9 0");
    let ran = ran.stdout_has("rows=4 dim=7 [ 0 1 ] dim=7 [ 1 1 ] dim=7 [ 2 1 ] dim=7 [ 3 1 ]");
    ran.stderr_has("Rounding up --num-frames=11 to multiples of --frame-subsampling-factor=3, to: 12");
}

#[test]
fn utterances_that_do_not_fit_are_warned_of() {
    let scratch = scratch();
    scratch.write("some", post("a", 12)).write("long", post("a", 12) + &post("b", 30));
    scratch.write("iv", "a [ 1 ]\n");
    for (options, tables, warning, code) in [
        ("--num-frames=4", "ark:some", "No pdf-level posterior for key b", 0),
        ("--num-frames=4", "ark:long", "does not have expected length for utterance b: expected length = 7, got 30", 0),
        ("--num-frames=8", "ark:post", "Not producing egs for utterance b because it is too short: 7 frames.", 0),
        ("--num-frames=13", "ark:post", "Not producing egs for utterance a because it is too short: 12 frames.", 1),
        ("--num-frames=4 --online-ivectors=ark:iv --length-tolerance=11", "ark:post", "No iVectors for utterance b", 0),
        ("--num-frames=4 --ivectors=ark:iv --length-tolerance=10", "ark:post", "Length difference between feats 12", 1),
    ] {
        let ran = scratch.sh(&format!("{OPTIONS} {options} ark:feats {tables} ark:o"));
        ran.fails_with(code).stderr_has(warning);
    }
}

#[test]
fn each_example_has_a_vector() {
    let scratch = scratch();
    scratch.write("iv", "a [ 1 2\n 3 4 ]\nb [ 5 6 ]\n");
    let options = "--num-frames=4 --online-ivectors=ark:iv --online-ivector-period=7 --compress=false";
    let ran = scratch.sh(&format!("{OPTIONS} {options} ark:feats ark:post ark,t:-")).succeeds();
    ran.stdout_has("<NnetIo> ivector <I1V> 1 <I1> 0 0 0  [\n  5 6 ]");
}

#[test]
fn options_and_labels_out_of_range_are_errors() {
    let scratch = scratch();
    for (options, message) in [
        ("--num-pdfs=0", "expected --num-pdfs to be given and above 0, got 0"),
        ("--num-pdfs=3 --num-frames=4", "a: expected an index below 3, got 3"),
        ("--num-frames=4,", "expected --num-frames to be positive numbers with commas between them, or -1, got \"4,\""),
        ("--num-frames=4 --num-frames-overlap=4", "expected --num-frames-overlap to be below the first number"),
        ("--frame-subsampling-factor=0", "expected --frame-subsampling-factor to be above 0, got \"0\""),
        ("--left-context=2000000000", "expected --left-context to be from 0 to 1000000"),
        ("--online-ivector-period=0", "expected --online-ivector-period to be above 0"),
    ] {
        let ran = scratch.sh(&format!("{OPTIONS} {options} ark:feats ark:post ark:o")).fails_with(255);
        ran.stderr_has(message);
    }
}

#[test]
fn the_log_tells_what_became_of_the_frames() {
    let scratch = scratch();
    let ran = scratch.sh(&format!("{OPTIONS} --num-frames=4,3 ark:feats ark:post ark:o")).succeeds();
    let ran = ran.stderr_has(
        "Split 2 utts, with total length 19 frames (5.27778e-05 hours assuming 100 frames per second) into 5",
    );
    ran.stderr_has("Output frames are distributed among chunk-sizes as follows: 3 = 15.79%, 4 = 84.21%");
}
