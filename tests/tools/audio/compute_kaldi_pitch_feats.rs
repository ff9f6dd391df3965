use crate::support::Scratch;
use crate::support::signal::{float_wave, mixed, tone, wave, wave_of};

const RATE: u32 = 8000;

/// A folder with a table of one waveform.
fn with(samples: &[i16]) -> Scratch {
    let scratch = Scratch::new();
    scratch.write("a.wav", wave(RATE, samples)).write("wav.scp", "a a.wav\n");
    scratch
}

/// The two columns for the waveform.
fn columns(scratch: &Scratch, options: &str) -> (Vec<f32>, Vec<f32>) {
    let ran = scratch.sh(&format!("compute-kaldi-pitch-feats --sample-frequency={RATE} {options} scp:wav.scp ark,t:-"));
    let ran = ran.succeeds().stderr_has("Done 1 utterances, 0 with errors.");
    let text = String::from_utf8(ran.stdout().to_vec()).unwrap();
    let numbers: Vec<f32> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    (numbers.iter().step_by(2).copied().collect(), numbers.iter().skip(1).step_by(2).copied().collect())
}

fn correlations(scratch: &Scratch, options: &str) -> Vec<f32> {
    columns(scratch, options).0
}

fn pitch(scratch: &Scratch, options: &str) -> Vec<f32> {
    columns(scratch, options).1
}

#[track_caller]
fn is_about(pitch: &[f32], hz: f32) {
    assert!(!pitch.is_empty() && pitch.iter().all(|pitch| (pitch / hz - 1.0).abs() < 0.05), "{hz} Hz: {pitch:?}");
}

#[test]
fn the_pitch_of_a_tone_is_found_at_every_rate() {
    for rate in [8000, 11025, 16000, 22050, 44100, 48000] {
        let scratch = Scratch::new();
        scratch.write("a.wav", wave(rate, &tone(rate, 150.0, 5000.0, 0.5))).write("wav.scp", "a a.wav\n");
        let (correlations, pitch) = columns(&scratch, &format!("--sample-frequency={rate}"));
        assert_eq!(pitch.len(), 48);
        is_about(&pitch, 150.0);
        assert!(correlations[..46].iter().all(|value| (0.98..=1.0).contains(value)), "{rate} Hz: {correlations:?}");
    }
}

#[test]
fn frames_have_a_length_and_a_shift() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.5));
    assert_eq!(pitch(&scratch, "--frame-shift=5").len(), 96);
    assert_eq!(pitch(&scratch, "--frame-length=100").len(), 41);
    assert_eq!(pitch(&scratch, "--snip-edges=false").len(), 50);
}

#[test]
fn silence_has_the_highest_pitch_and_no_correlation() {
    let scratch = with(&[0; 4000]);
    let (correlations, highest) = columns(&scratch, "");
    assert!(correlations.iter().all(|value| *value == 0.0));
    is_about(&highest, 400.0);
    is_about(&pitch(&scratch, "--max-f0=300"), 300.0);
}

#[test]
fn pitch_stays_between_its_bounds() {
    let scratch = with(&mixed(&[tone(RATE, 100.0, 2000.0, 0.5), tone(RATE, 200.0, 6000.0, 0.5)]));
    is_about(&pitch(&scratch, ""), 100.0);
    is_about(&pitch(&scratch, "--min-f0=120"), 200.0);
    is_about(&pitch(&scratch, "--max-f0=80"), 50.3);
}

#[test]
fn low_pitch_is_made_less_likely() {
    // Most of the energy repeats after 5 ms, all of it after 10.
    let scratch = with(&mixed(&[tone(RATE, 100.0, 2000.0, 0.5), tone(RATE, 200.0, 6000.0, 0.5)]));
    is_about(&pitch(&scratch, ""), 100.0);
    is_about(&pitch(&scratch, "--soft-min-f0=50"), 200.0);
}

/// 100 Hz at first, then 160 Hz.
fn with_a_change(loudness: f64) -> Scratch {
    with(&[tone(RATE, 100.0, 5000.0, 0.5), tone(RATE, 160.0, 5000.0 * loudness, 0.5)].concat())
}

#[test]
fn changes_are_penalized() {
    let scratch = with_a_change(1.0);
    let moving = pitch(&scratch, "");
    is_about(&moving[..44], 100.0);
    is_about(&moving[54..], 160.0);
    let fixed = pitch(&scratch, "--penalty-factor=10000");
    assert!(fixed.iter().all(|pitch| *pitch == fixed[0]), "{fixed:?}");
    // Without a penalty every frame is on its own; the ends are padded with silence, and may be anything.
    let free = pitch(&scratch, "--penalty-factor=0");
    is_about(&free[54..94], 160.0);
}

#[test]
fn quiet_frames_are_kept_where_they_were_by_the_ballast() {
    let scratch = with_a_change(0.004);
    is_about(&pitch(&scratch, "--nccf-ballast=0")[54..90], 160.0);
    is_about(&pitch(&scratch, "--nccf-ballast=1e12")[54..90], 100.0);
}

#[test]
fn a_low_pass_filter_leaves_the_pitch_alone() {
    let scratch = with(&mixed(&[tone(RATE, 150.0, 3000.0, 0.5), tone(RATE, 640.0, 3000.0, 0.5)]));
    let worst = |options: &str| correlations(&scratch, options)[..40].iter().copied().fold(1.0, f32::min);
    let (open, closed) = (worst(""), worst("--lowpass-cutoff=250"));
    assert!(open < 0.97 && closed > open + 0.02, "{open} {closed}");
    is_about(&pitch(&scratch, "--lowpass-cutoff=250")[..40], 150.0);
}

#[test]
fn filters_have_a_width() {
    let scratch = with(&mixed(&[tone(RATE, 150.0, 4000.0, 0.5), tone(RATE, 640.0, 1000.0, 0.5)]));
    let plain = correlations(&scratch, "");
    for option in ["--lowpass-filter-width=3", "--upsample-filter-width=2", "--resample-frequency=2500"] {
        let (correlations, pitch) = columns(&scratch, option);
        assert_ne!(correlations, plain, "{option}");
        is_about(&pitch[..40], 150.0);
    }
}

#[test]
fn pitch_is_found_in_steps() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.5));
    for pitch in pitch(&scratch, "--delta-pitch=0.1") {
        let step = (400.0 / pitch).ln() / 1.1_f32.ln();
        assert!((step - step.round()).abs() < 1e-3, "{pitch} Hz is {step} steps below 400 Hz");
    }
}

/// Numbers from -32 to 31 in no order.
fn noise() -> Vec<i16> {
    (1..=4000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 26) as i16 - 32).collect()
}

#[test]
fn preemphasis_makes_more_of_noise() {
    let loud = noise().iter().map(|sample| sample * 30).collect();
    let scratch = with(&mixed(&[tone(RATE, 150.0, 3000.0, 0.5), loud]));
    let (plain, emphasized) =
        (correlations(&scratch, "")[20], correlations(&scratch, "--preemphasis-coefficient=0.9")[20]);
    assert!(emphasized < plain - 0.02, "{plain} {emphasized}");
}

/// Quiet noise that rises to a loud tone: what is known of the energy matters.
fn rising() -> Scratch {
    with(&[noise(), tone(RATE, 120.0, 9000.0, 0.5)].concat())
}

#[test]
fn pieces_make_the_energy_known_later() {
    let scratch = rising();
    let whole = columns(&scratch, "");
    let pieces = columns(&scratch, "--frames-per-chunk=10 --recompute-frame=0");
    assert_eq!(whole.0.len(), pieces.0.len());
    assert_ne!(whole, pieces);
    // With a second look at the first frames it comes closer to the whole, and there are no frames to look at later.
    let again = columns(&scratch, "--frames-per-chunk=10");
    let distance = |other: &(Vec<f32>, Vec<f32>)| {
        whole.1.iter().zip(&other.1).map(|(one, other)| (one / other).ln().abs()).sum::<f32>()
    };
    assert!(distance(&again) < distance(&pieces), "{} {}", distance(&again), distance(&pieces));
    assert_eq!(columns(&scratch, "--frames-per-chunk=10000"), whole);
}

#[test]
fn the_first_pass_tells_what_is_known_when_a_frame_comes_out() {
    let scratch = with_a_change(1.0);
    let options = "--frames-per-chunk=2 --simulate-first-pass-online=true";
    let first = pitch(&scratch, options);
    assert_ne!(first, pitch(&scratch, "--frames-per-chunk=2"));
    // Who waits sees more.
    let later = pitch(&scratch, &format!("{options} --max-frames-latency=30"));
    assert_eq!(first.len(), later.len());
    assert_ne!(first, later);
}

#[test]
fn the_energy_may_be_that_of_earlier_samples() {
    let scratch = rising();
    let online = columns(&scratch, "--nccf-ballast-online=true");
    assert_ne!(online, columns(&scratch, ""));
    assert_eq!(online, columns(&scratch, "--nccf-ballast-online=true --recompute-frame=0"));
}

#[test]
fn of_several_channels_the_first_one_counts() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.5));
    let mono = scratch.sh("compute-kaldi-pitch-feats --sample-frequency=8000 scp:wav.scp ark:-").succeeds();
    let stereo = tone(RATE, 150.0, 5000.0, 0.5).into_iter().flat_map(|sample| [sample, -7]).collect::<Vec<_>>();
    scratch.write("a.wav", wave_of(RATE, 2, &stereo));
    let ran = scratch.sh("compute-kaldi-pitch-feats --sample-frequency=8000 scp:wav.scp ark:-");
    ran.succeeds()
        .stdout_is(mono.stdout())
        .stderr_has("Channel not specified but you have data with 2 channels; defaulting to zero");
}

#[test]
fn another_sample_rate_ends_the_run() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.5));
    let ran = scratch.sh("compute-kaldi-pitch-feats scp:wav.scp ark,scp:o.ark,o.scp");
    ran.fails_with(255).stderr_has("a: Sample frequency mismatch: you specified 16000 but data has 8000");
    assert_eq!(scratch.list(), ["a.wav", "wav.scp"]);
}

#[test]
fn a_waveform_that_is_too_short_gives_an_empty_matrix() {
    let scratch = with(&[1; 198]);
    for (options, message) in [
        ("", "No frames output in pitch extraction"),
        ("--frames-per-chunk=1 --simulate-first-pass-online=true", "No features output since wave file too short"),
    ] {
        let ran =
            scratch.sh(&format!("compute-kaldi-pitch-feats --sample-frequency=8000 {options} scp:wav.scp ark,t:-"));
        ran.succeeds().stdout_is("a  [ ]\n").stderr_has(message).stderr_has("Done 1 utterances, 0 with errors.");
    }
    // One sample more makes 100 at 4000 Hz, which is a frame.
    scratch.write("a.wav", wave(RATE, &[1; 199]));
    assert_eq!(pitch(&scratch, "").len(), 1);
}

#[test]
fn samples_that_are_not_finite_fail_for_their_utterance_alone() {
    let scratch = Scratch::new();
    let clean: Vec<f32> = tone(RATE, 150.0, 5000.0, 0.5).iter().map(|sample| f32::from(*sample) / 32768.0).collect();
    scratch.write("a.wav", float_wave(RATE, &clean));
    for (name, value) in [("n.wav", f32::NAN), ("i.wav", f32::INFINITY), ("l.wav", 1e30)] {
        let mut samples = clean.clone();
        samples[2000] = value;
        scratch.write(name, float_wave(RATE, &samples));
    }
    scratch.write("wav.scp", "n n.wav\ni i.wav\na a.wav\nl l.wav\n").write("bad.scp", "n n.wav\n");
    let tool = "compute-kaldi-pitch-feats --sample-frequency=8000";
    let ran = scratch.sh(&format!("{tool} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    ran.succeeds()
        .stdout_is("a 48 \n")
        .stderr_has("Failed to compute pitch for utterance n: ")
        .stderr_has("Failed to compute pitch for utterance i: ")
        .stderr_has("Failed to compute pitch for utterance l: expected the energy of the samples to be finite and not too large")
        .stderr_has("Done 1 utterances, 3 with errors.");
    scratch.sh(&format!("{tool} scp:bad.scp ark:-")).fails_with(1).stdout_is("");
}

#[test]
fn a_frame_whose_samples_kaldi_has_lost_fails_for_its_utterance_alone() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.035));
    let tool = "compute-kaldi-pitch-feats --sample-frequency=8000 --snip-edges=false";
    let message = "Failed to compute pitch for utterance a: frame 0 starts before the last piece of the signal";
    scratch.sh(&format!("{tool} scp:wav.scp ark:-")).fails_with(1).stdout_is("").stderr_has(message);
    scratch.write("b.wav", wave(RATE, &tone(RATE, 150.0, 5000.0, 0.5))).write("wav.scp", "a a.wav\nb b.wav\n");
    let ran = scratch.sh(&format!("{tool} scp:wav.scp ark:- | feat-to-len ark:- ark,t:-"));
    ran.succeeds().stdout_is("b 50 \n").stderr_has("Done 1 utterances, 1 with errors.");
    // Pieces of a frame are too short as well.
    scratch.sh(&format!("{tool} --frames-per-chunk=1 scp:wav.scp ark:-")).fails_with(1).stdout_is("");
}

#[test]
fn options_without_sense_are_errors_before_anything_is_read() {
    for (option, message) in [
        ("--sample-frequency=0", "expected --sample-frequency to be from 1 to 1000000000, got 0"),
        ("--resample-frequency=nan", "expected --resample-frequency to be from 1 to 1000000000, got NaN"),
        ("--frame-length=0.1", "expected --frame-length to be as long as a sample"),
        ("--frame-shift=-1", "expected --frame-shift to be positive, got -1"),
        ("--min-f0=0", "expected --min-f0 to be positive, got 0"),
        ("--min-f0=401", "expected --max-f0 to be at least --min-f0, got 400"),
        ("--max-f0=4000", "expected --max-f0 to be so low"),
        ("--soft-min-f0=inf", "expected --soft-min-f0 to be a finite number, got inf"),
        ("--penalty-factor=-0.1", "expected --penalty-factor to be 0 or more, got -0.1"),
        ("--lowpass-cutoff=2001", "expected --lowpass-cutoff to be at most half of"),
        ("--delta-pitch=0", "expected --delta-pitch to be positive, got 0"),
        ("--delta-pitch=1e-7", "expected --delta-pitch to be so large"),
        ("--nccf-ballast=-1", "expected --nccf-ballast to be 0 or more, got -1"),
        ("--lowpass-filter-width=0", "expected --lowpass-filter-width to be positive, got 0"),
        (
            "--upsample-filter-width=-5",
            "Invalid option --upsample-filter-width=-5: expected an integer from 0 to 2147483647",
        ),
        ("--frames-per-chunk=-1", "Invalid option --frames-per-chunk=-1: expected an integer from 0 to 2147483647"),
        ("--simulate-first-pass-online=true", "expected --simulate-first-pass-online to be false unless"),
        ("--preemphasis-coefficient=nan", "expected --preemphasis-coefficient to be a finite number, got NaN"),
        ("--sample-frequency=999999937 --resample-frequency=4001", "at most 16777216 weights"),
    ] {
        let ran = Scratch::new().sh(&format!("compute-kaldi-pitch-feats {option} scp:nothing ark:-"));
        ran.fails_with(255).stderr_has(message);
    }
    Scratch::new().sh("compute-kaldi-pitch-feats --channel=0 scp:nothing ark:-").fails_with(255);
}

#[test]
fn output_is_the_same_for_any_number_of_threads() {
    let scratch = Scratch::new();
    let mut script = String::new();
    for n in 0..40 {
        let samples = tone(RATE, 80.0 + 7.0 * f64::from(n), 5000.0, 0.5 + 0.05 * f64::from(n % 7));
        scratch.write(&format!("{n}.wav"), wave(RATE, &samples));
        script += &format!("utt{n} {n}.wav\n");
    }
    scratch.write("wav.scp", script);
    let run = |threads| {
        scratch
            .sh(&format!("compute-kaldi-pitch-feats --num-threads={threads} --sample-frequency=8000 scp:wav.scp ark:-"))
            .succeeds()
    };
    let one = run(1);
    for threads in [2, 7] {
        run(threads).stdout_is(one.stdout());
    }
}

#[test]
fn a_broken_entry_ends_it_and_leaves_nothing() {
    let scratch = with(&tone(RATE, 150.0, 5000.0, 0.5));
    scratch.write("text.wav", "no waveform\n").write("wav.scp", "a a.wav\nb text.wav\n");
    let ran = scratch.sh("compute-kaldi-pitch-feats --sample-frequency=8000 scp:wav.scp ark,scp:o.ark,o.scp");
    ran.fails_with(255).stderr_has("wav.scp:2: b: text.wav:");
    assert_eq!(scratch.list(), ["a.wav", "text.wav", "wav.scp"]);
}
