use super::{feats, keys};
use crate::support::Scratch;

fn scratch() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("feats", feats("a", 12) + &feats("b", 8) + &feats("c", 5));
    scratch.write("ranges", "a 1 7 2 4 0\nb 0 1 0 3 1\na\t0 9  10 4 2 \n");
    scratch
}

#[test]
fn chunks_go_to_the_outputs_of_their_lines() {
    let scratch = scratch();
    let line = "nnet3-xvector-get-egs --num-pdfs=3 --compress=false ranges ark:feats ark,t:0 ark,t:1";
    let ran = scratch.sh(line).succeeds();
    let ran =
        ran.stderr_has("Could not create examples from utterance c because it has no entry in the ranges input file.");
    ran.stderr_has("successfully processed 2 feature files, wrote 3 examples; 1 files had errors.");
    assert_eq!(keys(&scratch.read("0")), ["a-10-4-2", "b-0-3-1"]);
    assert_eq!(
        String::from_utf8(scratch.read("1")).unwrap(),
        "a-2-4-0 <Nnet3Eg> <NumIo> 2 <NnetIo> input <I1V> 4 <I1> 0 0 0 <I1> 0 1 0 <I1> 0 2 0 <I1> 0 3 0  [\n  2 \n  3 \n  4 \n  \
         5 ]\n</NnetIo> <NnetIo> output <I1V> 1 <I1> 0 0 0 rows=1 dim=3 [ 0 1 ] \n</NnetIo> </Nnet3Eg> "
    );
    scratch.sh("grep -c '^  8' 0").succeeds();
}

#[test]
fn a_chunk_longer_than_the_utterance_is_a_warning() {
    let scratch = scratch();
    scratch.write("long", "a 0 0 0 13 0\n");
    let ran = scratch.sh("nnet3-xvector-get-egs --num-pdfs=3 long ark:feats ark:o").fails_with(1);
    ran.stderr_has(
        "Unable to create examples for utterance a. Requested chunk size of 13 but utterance has only 12 frames.",
    );
}

#[test]
fn lines_that_are_none_are_errors() {
    let scratch = scratch();
    for (line, message) in [
        ("a 0 1 0 3", "ranges: line 1: expected 6 fields, got 5"),
        ("", "ranges: line 1: expected 6 fields, got 0"),
        ("a x 1 0 3 0", "ranges: line 1: expected an integer, got \"x\""),
        ("a 1 1 0 3 0", "a: expected an output from 0 to 0 in the file of ranges, got 1"),
        ("a -1 1 0 3 0", "a: expected an output from 0 to 0 in the file of ranges, got -1"),
        ("a 0 1 -1 3 0", "a: expected a first frame from 0 on and frames, got -1 and 3"),
        ("a 0 1 0 0 0", "a: expected a first frame from 0 on and frames, got 0 and 0"),
        ("a 0 1 0 3 9", "a: expected an index below 9, got 9, see --num-pdfs"),
    ] {
        scratch.write("ranges", format!("{line}\n"));
        let ran = scratch.sh("nnet3-xvector-get-egs --num-pdfs=9 ranges ark:feats ark:o").fails_with(255);
        ran.stderr_has(message);
    }
    scratch.sh("nnet3-xvector-get-egs ranges ark:feats ark:o").fails_with(255).stderr_has("--num-pdfs to be given");
}
