use crate::support::Scratch;
use crate::support::wave::{archive, swelling, wave};

/// A recording of one second, one of half a second with two channels, and segments.
fn with_segments(segments: &str) -> Scratch {
    let scratch = Scratch::new();
    let (left, right) = (swelling(4000, 900.0), swelling(4000, -20000.0));
    scratch.write("mono.wav", wave(8000, &[&swelling(8000, 9000.0)])).write("stereo.wav", wave(8000, &[&left, &right]));
    scratch.write("wav.scp", "mono mono.wav\nstereo cat stereo.wav |\n").write("segments", segments);
    scratch
}

/// A segment of the first recording, in samples.
fn cut(samples: std::ops::Range<usize>) -> Vec<u8> {
    wave(8000, &[&swelling(8000, 9000.0)[samples]])
}

#[track_caller]
fn gives(segments: &str, options: &str, expected: &[(&str, &[u8])]) {
    let ran = with_segments(segments).sh(&format!("extract-segments {options} scp:wav.scp segments ark:-"));
    ran.succeeds().stdout_is(archive(expected));
}

#[test]
fn segments_are_cut_out() {
    let scratch = with_segments("s1 mono 0.1 0.5\ns2 mono 0.25 0.50006251\ns3 mono 0 -1\n");
    let expected = archive(&[("s1", &cut(800..4000)), ("s2", &cut(2000..4001)), ("s3", &cut(0..8000))]);
    let ran = scratch.sh("extract-segments scp:wav.scp segments ark:-");
    ran.succeeds().stdout_is(&expected).stderr_has("Successfully processed 3 lines out of 3 in the segments file.");
    scratch.sh("wav-copy scp:wav.scp ark:wav.ark").succeeds();
    for arguments in [
        "ark:wav.ark segments ark:-",
        "'ark:cat wav.ark |' 'cat segments |' ark:-",
        "ark,s,cs:wav.ark - ark:- < segments",
    ] {
        scratch.sh(&format!("extract-segments {arguments}")).succeeds().stdout_is(&expected);
    }
}

#[test]
fn recordings_may_come_again_in_any_order() {
    let scratch = with_segments("a stereo 0 0.2 1\nb mono 0.5 0.7\nc stereo 0.2 0.4 0\nd mono 0 0.2\n");
    let (left, right) = (swelling(4000, 900.0), swelling(4000, -20000.0));
    let ran = scratch.sh("extract-segments scp:wav.scp segments ark:-");
    ran.succeeds().stdout_is(archive(&[
        ("a", &wave(8000, &[&right[..1600]])),
        ("b", &cut(4000..5600)),
        ("c", &wave(8000, &[&left[1600..3200]])),
        ("d", &cut(0..1600)),
    ]));
}

#[test]
fn short_segments_are_left_out() {
    gives("s mono 0.1 0.19\nt mono 0.1 0.21\n", "", &[("t", &cut(800..1680))]);
    gives("s mono 0.1 0.19\nt mono 0.1 0.35\n", "--min-segment-length=0.2", &[("t", &cut(800..2800))]);
    gives("s mono 0.1 0.1001\n", "--min-segment-length=0", &[("s", &cut(800..801))]);
    let ran = with_segments("s mono 0.1 0.19").sh("extract-segments scp:wav.scp segments ark:-");
    ran.succeeds().stdout_is("").stderr_has("Segment s too short, skipping it.");
}

/// Kaldi aborts there.
#[test]
fn a_segment_without_samples_is_an_error() {
    let scratch = with_segments("s mono 0.5 0.50001\n");
    let ran = scratch.sh("extract-segments --min-segment-length=0 scp:wav.scp segments ark:o.ark");
    ran.fails_with(255).stderr_has("s: expected a segment of one sample or more, got none in 's mono 0.5 0.50001'");
    assert_eq!(scratch.list(), ["mono.wav", "segments", "stereo.wav", "wav.scp"]);
}

#[test]
fn an_end_after_the_recording_is_cut_where_it_is_near() {
    gives("s mono 0.5 1.4\nt mono 0.5 1.6\n", "", &[("s", &cut(4000..8000))]);
    gives(
        "s mono 0.5 1.4\nt mono 0.5 1.6\n",
        "--max-overshoot=0.7",
        &[("s", &cut(4000..8000)), ("t", &cut(4000..8000))],
    );
    gives("s mono 0.5 1.4\nt mono 0.5 1\n", "--max-overshoot=0", &[("t", &cut(4000..8000))]);
}

#[test]
fn lines_that_are_no_segments_are_left_out_and_counted() {
    let bad = [
        ("s mono 0.1", "Invalid line in segments file: s mono 0.1"),
        ("s mono 0.1 0.2 0 0", "Invalid line in segments file: s mono 0.1 0.2 0 0"),
        ("", "Invalid line in segments file: \n"),
        ("s mono x 1", "Invalid line in segments file [bad start]: s mono x 1"),
        ("s mono 0 1s", "Invalid line in segments file [bad end]: s mono 0 1s"),
        ("s mono nan 1", "Invalid line in segments file [bad start]: s mono nan 1"),
        ("s mono 0 1 x", "Invalid line in segments file [bad channel]: s mono 0 1 x"),
        ("s mono 0 1 -1", "Invalid line in segments file [bad channel]: s mono 0 1 -1"),
        ("s mono 1 1", "Invalid line in segments file [empty or invalid segment]: s mono 1 1"),
        ("s mono -1 1", "[empty or invalid segment]"),
        ("s mono 0 -2", "[empty or invalid segment]"),
        ("s mono 0 0", "[empty or invalid segment]"),
        ("s nobody 0 1", "Could not find recording nobody, skipping segment s"),
        ("s mono 1.1 1.2", "Segment start is out of file data range [0, 1s]; skipping segment 's mono 1.1 1.2'"),
        ("s mono 0 2", "Segment end is too far out of file data range [0, 1s]; skipping segment 's mono 0 2'"),
        ("s mono inf -1", "Segment start is out of file data range [0, 1s]; skipping segment 's mono inf -1'"),
        ("s mono 0 1 1", "Invalid channel 1 >= 1. Skipping segment s"),
        ("s stereo 0 0.5 2", "Invalid channel 2 >= 2. Skipping segment s"),
    ];
    for (line, message) in bad {
        let scratch = with_segments(&format!("a mono 0 0.5\n{line}\nb\tmono  0.5 0.9\r\n"));
        let ran = scratch.sh("extract-segments scp:wav.scp segments ark:-");
        ran.succeeds()
            .stdout_is(archive(&[("a", &cut(0..4000)), ("b", &cut(4000..7200))]))
            .stderr_has(message)
            .stderr_has("Successfully processed 2 lines out of 3");
    }
}

#[test]
fn several_channels_need_a_choice() {
    let ran = with_segments("s stereo 0 0.5\n").sh("extract-segments scp:wav.scp segments ark:-");
    ran.fails_with(255).stdout_is("").stderr_has("s: Your data has multiple channels. You must specify the channel");
}

#[test]
fn nothing_cut_out_is_no_error() {
    with_segments("").sh("extract-segments scp:wav.scp segments ark:-").succeeds().stdout_is("");
}

#[test]
fn a_recording_that_cannot_be_read_is_an_error_unless_permitted() {
    let scratch = with_segments("s bad 0 1\nt mono 0 0.5\n");
    for (place, message) in
        [("nowhere.wav", "cannot open nowhere.wav"), ("segments", "segments:0: expected RIFF"), ("exit 4 |", "exit 4")]
    {
        scratch.write("wav.scp", format!("mono mono.wav\nbad {place}\n"));
        let ran = scratch.sh("extract-segments scp:wav.scp segments ark:o.ark");
        ran.fails_with(255).stderr_has("wav.scp:2: bad: ").stderr_has(message);
        let ran = scratch.sh("extract-segments scp,p:wav.scp segments ark:-");
        ran.succeeds().stdout_is(archive(&[("t", &cut(0..4000))])).stderr_has("Could not find recording bad");
    }
    assert_eq!(scratch.list(), ["mono.wav", "segments", "stereo.wav", "wav.scp"]);
}

#[test]
fn a_segments_file_that_fails_is_an_error() {
    let scratch = with_segments("s mono 0 1\n");
    scratch.sh("extract-segments scp:wav.scp nowhere ark:o").fails_with(255).stderr_has("cannot open nowhere");
    let ran = scratch.sh("extract-segments scp:wav.scp 'cat segments; exit 3 |' ark:o");
    ran.fails_with(255).stderr_has("cat segments; exit 3 |");
    scratch.sh("extract-segments scp:wav.scp mono.wav ark:o").fails_with(255).stderr_has("expected text, got binary");
    assert_eq!(scratch.list(), ["mono.wav", "segments", "stereo.wav", "wav.scp"]);
}

/// The start of the result is there before the last segment is known.
#[test]
fn segments_stream_through() {
    let scratch = with_segments("s mono 0 1\n");
    let script = "mkfifo in out; extract-segments scp:wav.scp in ark,f:out & exec 4< out 3> in; \
                  echo s mono 0 1 >&3; head -c 2 <&4; echo t mono 0 1 >&3; exec 3>&-; tail -c +1 <&4 | wc -c; wait";
    let size = cut(0..8000).len();
    scratch.sh(script).succeeds().stdout_is(format!("s {}\n", 2 * (size + 2) - 2));
}
