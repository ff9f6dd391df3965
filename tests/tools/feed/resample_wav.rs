use crate::support::Scratch;
use crate::support::signal::tone;
use crate::support::wave::{archive, samples, wave};

#[test]
fn a_tone_stays_the_tone_it_was() {
    for (from, to) in [(16000, 8000), (8000, 16000), (44100, 16000)] {
        let scratch = Scratch::new();
        scratch.write("in.wav", wave(from, &[&tone(from, 440.0, 10000.0, 0.5)]));
        scratch.sh(&format!("resample-wav --resample-rate={to} in.wav out.wav")).succeeds();
        let file = scratch.read("out.wav");
        assert_eq!(file[24..28], u32::to_le_bytes(to));
        let (got, expected) = (samples(&file), tone(to, 440.0, 10000.0, 0.5));
        assert_eq!(got.len(), expected.len());
        // But for the ends, where the tone is cut off.
        let inner = 100..got.len() - 100;
        let far = inner.filter(|&at| (i32::from(got[at]) - i32::from(expected[at])).abs() > 20).count();
        assert_eq!(far, 0, "{from} Hz to {to} Hz");
    }
}

#[test]
fn a_waveform_that_has_the_rate_stays_as_it_is() {
    let scratch = Scratch::new();
    let stereo = wave(16000, &[&[1, 2, 3], &[-1, -2, -3]]);
    scratch.write("w.ark", archive(&[("a", &stereo)]));
    scratch.sh("resample-wav ark:w.ark ark:-").succeeds().stdout_is(scratch.read("w.ark"));
}

#[test]
fn channels_are_converted_alike() {
    let scratch = Scratch::new();
    let (left, right) = (tone(8000, 300.0, 9000.0, 0.2), tone(8000, 500.0, 9000.0, 0.2));
    scratch.write("both.ark", archive(&[("a", &wave(8000, &[&left, &right]))]));
    scratch.write("left.ark", archive(&[("a", &wave(8000, &[&left]))]));
    let both = scratch.sh("resample-wav ark:both.ark ark:-").succeeds().stdout().to_vec();
    let left = scratch.sh("resample-wav ark:left.ark ark:-").succeeds().stdout().to_vec();
    assert_eq!(both.len() - 46, 2 * (left.len() - 46));
    let frames: Vec<u8> = both[46..].chunks(4).flat_map(|frame| &frame[..2]).copied().collect();
    assert_eq!(frames, left[46..]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let scratch = Scratch::new();
    scratch.write("in.wav", wave(8000, &[&[1, 2]]));
    scratch
        .sh("resample-wav --resample-rate=0 in.wav o")
        .fails_with(255)
        .stderr_has("expected --resample-rate to be 1 or more");
    scratch.write("in.wav", wave(16_777_213, &[&[1, 2]]));
    scratch.sh("resample-wav in.wav o").fails_with(255).stderr_has("weights");
    assert_eq!(scratch.list(), ["in.wav"]);
    scratch.sh("resample-wav ark:/dev/null ark:-").fails_with(1).stdout_is("");
}
