use crate::support::Scratch;
use crate::support::signal::{float_wave, tone, wave, wave_of};

const RATE: u32 = 8000;
const TOOL: &str = "compute-and-process-kaldi-pitch-feats --sample-frequency=8000";

/// A folder with a table of two waveforms.
fn waves() -> Scratch {
    let scratch = Scratch::new();
    let rising = [tone(RATE, 100.0, 1000.0, 1.0), tone(RATE, 250.0, 8000.0, 1.0)].concat();
    scratch.write("a.wav", wave(RATE, &rising)).write("b.wav", wave(RATE, &tone(RATE, 180.0, 4000.0, 0.7)));
    scratch.write("wav.scp", "a a.wav\nb b.wav\n");
    scratch
}

#[test]
fn it_is_two_tools_in_one() {
    let scratch = waves();
    for (tracking, processing) in [
        ("", ""),
        ("--frames-per-chunk=10 --min-f0=60", "--add-raw-log-pitch=true --delay=3"),
        ("--snip-edges=false", "--normalization-left-context=20 --normalization-right-context=5 --delta-window=3"),
    ] {
        let both = scratch.sh(&format!(
            "compute-kaldi-pitch-feats --sample-frequency=8000 {tracking} scp:wav.scp ark:- |
             process-kaldi-pitch-feats {processing} ark:- ark:-"
        ));
        let ran = scratch.sh(&format!("{TOOL} {tracking} {processing} scp:wav.scp ark:-")).succeeds();
        both.succeeds().stdout_is(ran.stdout());
        ran.stderr_has("Done 2 utterances, 0 with errors.");
    }
}

#[test]
fn the_first_pass_is_normalized_with_what_is_known() {
    let scratch = waves();
    let run = |options: &str| {
        scratch
            .sh(&format!("{TOOL} --delta-pitch-noise-stddev=0 {options} scp:wav.scp ark:-"))
            .succeeds()
            .stdout()
            .to_vec()
    };
    let (final_pass, first) =
        (run("--frames-per-chunk=10"), run("--frames-per-chunk=10 --simulate-first-pass-online=true"));
    assert_eq!(final_pass.len(), first.len());
    assert_ne!(final_pass, first);
    // In one piece there is nothing to be learned later.
    let whole = run("--frames-per-chunk=100000 --simulate-first-pass-online=true");
    assert_eq!(whole, run(""));
    // Less is known where frames need not wait for their right context.
    assert_ne!(first, run("--frames-per-chunk=10 --simulate-first-pass-online=true --normalization-right-context=10"));
}

#[test]
fn a_delay_lets_frames_out_earlier_in_the_first_pass() {
    let scratch = waves();
    let options = "--frames-per-chunk=10 --simulate-first-pass-online=true --delta-pitch-noise-stddev=0";
    let lengths = |options: &str| {
        scratch
            .sh(&format!("{TOOL} {options} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"))
            .succeeds()
            .stdout()
            .to_vec()
    };
    assert_eq!(lengths(options), b"a 198 \nb 68 \n");
    assert_eq!(lengths(&format!("{options} --delay=80")), b"a 278 \nb 148 \n");
}

#[test]
fn a_waveform_without_frames_fails_alone_but_for_the_first_pass() {
    let scratch = waves();
    scratch
        .write("s.wav", wave(RATE, &[5; 150]))
        .write("wav.scp", "s s.wav\nb b.wav\n")
        .write("short.scp", "s s.wav\n");
    let ran = scratch.sh(&format!("{TOOL} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    ran.succeeds()
        .stdout_is("b 68 \n")
        .stderr_has("Failed to compute pitch for utterance s: the signal is too short for a frame")
        .stderr_has("Done 1 utterances, 1 with errors.");
    scratch.sh(&format!("{TOOL} scp:short.scp ark:-")).fails_with(1).stdout_is("");
    let ran =
        scratch.sh(&format!("{TOOL} --frames-per-chunk=5 --simulate-first-pass-online=true scp:short.scp ark,t:-"));
    ran.succeeds().stdout_is("s  [ ]\n").stderr_has("No features output since wave file too short");
}

#[test]
fn samples_that_are_not_finite_fail_for_their_utterance_alone() {
    let scratch = waves();
    scratch.write("a.wav", float_wave(RATE, &[f32::NAN; 4000]));
    let ran = scratch.sh(&format!("{TOOL} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    ran.succeeds().stdout_is("b 68 \n").stderr_has("Failed to compute pitch for utterance a:");
}

#[test]
fn of_several_channels_the_first_one_counts() {
    let scratch = waves();
    let stereo = tone(RATE, 180.0, 4000.0, 0.7).into_iter().flat_map(|sample| [sample, 99]).collect::<Vec<_>>();
    scratch.write("s.wav", wave_of(RATE, 2, &stereo)).write("mono.scp", "a b.wav\n").write("stereo.scp", "a s.wav\n");
    let mono = scratch.sh(&format!("{TOOL} scp:mono.scp ark:-")).succeeds();
    let ran = scratch.sh(&format!("{TOOL} scp:stereo.scp ark:-"));
    ran.succeeds().stdout_is(mono.stdout()).stderr_has("data with 2 channels; defaulting to zero");
}

#[test]
fn another_sample_rate_ends_the_run() {
    let scratch = waves();
    let ran = scratch.sh("compute-and-process-kaldi-pitch-feats scp:wav.scp ark:o");
    ran.fails_with(255).stderr_has("a: Sample frequency mismatch: you specified 16000 but data has 8000");
    assert_eq!(scratch.list(), ["a.wav", "b.wav", "wav.scp"]);
}

#[test]
fn options_without_sense_are_errors_before_anything_is_read() {
    let none = "--add-pov-feature=false --add-normalized-log-pitch=false --add-delta-pitch=false";
    for (option, message) in [
        ("--delta-pitch=0", "expected --delta-pitch to be positive, got 0"),
        ("--delay=-1", "Invalid option --delay=-1: expected an integer from 0 to 2147483647"),
        ("--simulate-first-pass-online=true", "expected --simulate-first-pass-online to be false unless"),
        (none, "expected --add-pov-feature to be true unless another feature is written, got false"),
    ] {
        Scratch::new().sh(&format!("{TOOL} {option} scp:nothing ark:-")).fails_with(255).stderr_has(message);
    }
}

#[test]
fn a_broken_entry_ends_it_and_leaves_nothing() {
    let scratch = waves();
    scratch.write("text.wav", "no waveform\n").write("wav.scp", "b b.wav\nt text.wav\n");
    scratch
        .sh(&format!("{TOOL} scp:wav.scp ark,scp:o.ark,o.scp"))
        .fails_with(255)
        .stderr_has("wav.scp:2: t: text.wav:");
    assert_eq!(scratch.list(), ["a.wav", "b.wav", "text.wav", "wav.scp"]);
}
