use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, text_archive};

fn numbered(frames: impl IntoIterator<Item = usize>) -> Sample {
    Sample::Matrix(frames.into_iter().map(|frame| vec![frame as f32, -(frame as f32)]).collect())
}

/// An utterance of one second, and segments.
fn with_segments(segments: &str) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("f.ark", binary_archive(&[("utt", numbered(0..100))])).write("segments", segments);
    scratch
}

#[track_caller]
fn gives(segments: &str, options: &str, expected: &[(&str, Sample)]) {
    let ran = with_segments(segments).sh(&format!("extract-feature-segments {options} ark:f.ark segments ark:-"));
    ran.succeeds().stdout_is(binary_archive(expected));
}

#[test]
fn segments_are_cut_out() {
    let scratch = with_segments("s1 utt 0.1 0.5\ns2 utt 0.2 0.9 0\n");
    scratch.sh("copy-feats ark:f.ark ark,scp:o.ark,feats.scp").succeeds();
    let ran = scratch.sh("extract-feature-segments scp:feats.scp segments ark,t:-");
    ran.succeeds()
        .stdout_is(text_archive(&[("s1", numbered(10..48)), ("s2", numbered(20..88))]))
        .stderr_has("Successfully processed 2 lines out of 2 in the segments file.");
}

#[test]
fn edges_are_snipped_unless_they_are_not() {
    gives("s utt 0.1 0.5", "", &[("s", numbered(10..48))]);
    gives("s utt 0.1 0.5", "--snip-edges=false", &[("s", numbered(10..50))]);
    gives("s utt 0.1 0.5", "--frame-length=10", &[("s", numbered(10..50))]);
    gives("s utt 0.1 0.5", "--frame-shift=5 --frame-length=20", &[("s", numbered(20..97))]);
}

#[test]
fn short_segments_are_left_out() {
    gives("s utt 0.1 0.3\nt utt 0.1 0.5\n", "--min-segment-length=0.25", &[("t", numbered(10..48))]);
    let scratch = with_segments("s utt 0.1 0.2");
    let ran = scratch.sh("extract-feature-segments ark:f.ark segments ark:-");
    ran.fails_with(255).stderr_has("Segment s too short, skipping it.");
}

/// Kaldi aborts there.
#[test]
pub fn a_segment_without_frames_is_left_out() {
    let options = "--min-segment-length=-1 --snip-edges=false";
    gives("s utt 0.1 0.104\nt utt 0.1 0.11\n", options, &[("t", numbered(10..11))]);
}

#[test]
fn an_end_after_the_features_is_cut_where_it_is_near() {
    let segments = "s utt 0.5 1.02\nt utt 0.5 1.08\n";
    gives(segments, "--snip-edges=false --max-overshoot=0.05", &[("s", numbered(50..100))]);
    let ran = with_segments(segments).sh("extract-feature-segments --snip-edges=false ark:f.ark segments ark:-");
    ran.fails_with(255).stderr_has("End sample too far out of range 102 [length:] 100x2, skipping segment s");
}

#[test]
fn lines_that_are_no_segments_are_left_out_and_counted() {
    let bad = [
        ("s utt 0.1", "Invalid line in segments file: s utt 0.1"),
        ("", "Invalid line in segments file: \n"),
        ("s utt x 1", "Invalid line in segments file [bad start]: s utt x 1"),
        ("s utt 0 1s", "Invalid line in segments file [bad end]: s utt 0 1s"),
        ("s utt nan 1", "Invalid line in segments file [bad start]: s utt nan 1"),
        ("s utt 0 1 x", "Invalid line in segments file [bad channel]: s utt 0 1 x"),
        ("s utt 1 1", "Invalid line in segments file [empty or invalid segment]: s utt 1 1"),
        ("s utt -1 1", "[empty or invalid segment]"),
        ("s utt 0 -1", "[empty or invalid segment]"),
        ("s nobody 0 1", "Did not find features for utterance nobody, skipping segment s"),
        ("s utt 1 2", "Start sample out of range 100 [length:] 100x2, skipping segment s"),
    ];
    for (line, message) in bad {
        let scratch = with_segments(&format!("a utt 0 0.5\n{line}\nb utt 0.5 0.9\r\n"));
        let ran = scratch.sh("extract-feature-segments ark:f.ark segments ark:-");
        ran.succeeds()
            .stdout_is(binary_archive(&[("a", numbered(0..48)), ("b", numbered(50..88))]))
            .stderr_has(message)
            .stderr_has("Successfully processed 2 lines out of 3");
    }
}

#[test]
fn frames_advance() {
    let ran = with_segments("s utt 0 1").sh("extract-feature-segments --frame-shift=0 ark:f.ark segments ark:-");
    ran.fails_with(255).stderr_has("expected --frame-shift to be positive, got 0");
}

#[test]
fn segments_may_come_from_a_pipe() {
    let scratch = with_segments("s utt 0.1 0.5\n");
    let ran = scratch.sh("extract-feature-segments ark:f.ark 'cat segments |' ark:-");
    ran.succeeds().stdout_is(binary_archive(&[("s", numbered(10..48))]));
    let failing = "extract-feature-segments ark:f.ark 'cat segments; exit 3 |' ark:o";
    scratch.sh(failing).fails_with(255).stderr_has("cat segments; exit 3 |");
    scratch.sh("extract-feature-segments ark:f.ark nowhere ark:o").fails_with(255).stderr_has("cannot open nowhere");
    assert_eq!(scratch.list(), ["f.ark", "segments"]);
}
