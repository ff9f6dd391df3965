use kaldi_value::random::Random;

use super::{PitchExtractionOptions, PitchExtractor, PitchTracker};
use crate::Error;
use crate::pitch::{ProcessPitch, ProcessPitchOptions};

/// Pulses whose frequency glides from one to another, after some silence with a little noise.
fn voiced(seconds: f64, from_hz: f64, to_hz: f64) -> Vec<f32> {
    let num_samples = (seconds * 16_000.0) as u32;
    let mut turn = 0.0;
    let sample = |n: u32| {
        let part = f64::from(n) / f64::from(num_samples);
        turn += (from_hz + (to_hz - from_hz) * part) / 16_000.0;
        let noise = f64::from(n.wrapping_mul(2_654_435_761) >> 24) - 128.0;
        let pulse = if part < 0.2 { 0.0 } else { 8000.0 * (1.0 - 6.0 * (turn % 1.0)).max(-0.2) };
        (pulse + 0.2 * noise) as f32
    };
    (0..num_samples).map(sample).collect()
}

fn extractor(options: PitchExtractionOptions) -> PitchExtractor {
    PitchExtractor::new(&options).unwrap()
}

/// All available frames.
fn ready(tracker: &PitchTracker<'_>) -> Vec<[f32; 2]> {
    (0..tracker.num_frames_ready()).map(|frame| tracker.frame(frame)).collect()
}

#[test]
fn a_glide_is_followed() {
    let feats = extractor(Default::default()).compute(&voiced(2.0, 90.0, 180.0)).unwrap();
    assert_eq!(feats.size(), (198, 2));
    for (frame, row) in feats.rows().enumerate().skip(50).take(140) {
        let expected = 90.0 + 90.0 * (frame as f32 + 2.0) / 200.0;
        assert!((row[1] / expected - 1.0).abs() < 0.04 && row[0] > 0.85, "frame {frame}: {row:?}, {expected} Hz");
    }
    let unvoiced: f32 = feats.rows().take(30).map(|row| row[0]).sum::<f32>() / 30.0;
    assert!(unvoiced < 0.6, "{unvoiced}");
}

#[test]
fn pieces_of_any_size_give_the_same_where_only_earlier_samples_count() {
    let signal = voiced(1.0, 120.0, 200.0);
    let extractor = extractor(PitchExtractionOptions { nccf_ballast: 0.0, ..Default::default() });
    let whole = extractor.compute(&signal).unwrap();
    for size in [1, 100, 161, 4000, 15_999] {
        let mut tracker = extractor.tracker();
        let mut num_ready = 0;
        for piece in signal.chunks(size) {
            tracker.accept(piece).unwrap();
            assert!(tracker.num_frames_ready() >= num_ready && !tracker.has_ended());
            num_ready = tracker.num_frames_ready();
        }
        tracker.finish().unwrap();
        assert!(tracker.has_ended() && tracker.num_frames_ready() > num_ready);
        assert_eq!(ready(&tracker).concat(), whole.as_slice(), "pieces of {size}");
    }
}

#[test]
fn frames_wait_until_their_pitch_is_settled() {
    let signal = voiced(1.0, 120.0, 200.0);
    let most = |max_frames_latency| {
        let extractor = extractor(PitchExtractionOptions { max_frames_latency, ..Default::default() });
        let mut tracker = extractor.tracker();
        let mut waiting = Vec::new();
        for piece in signal.chunks(160) {
            tracker.accept(piece).unwrap();
            waiting.push(tracker.path_len() - tracker.num_frames_ready());
        }
        tracker.finish().unwrap();
        assert_eq!(tracker.num_frames_ready(), 98, "at the end no frame waits");
        waiting.into_iter().max().unwrap()
    };
    assert_eq!(most(0), 0);
    assert_eq!(most(5), 5);
    assert!((6..=98).contains(&most(1000)), "{}", most(1000));
}

#[test]
fn a_second_look_at_the_first_frames_finds_what_the_whole_would() {
    // The signal is quiet at first, so that the ballast is too small for these frames until the loud part is known.
    let mut signal = voiced(1.0, 120.0, 200.0);
    signal[..6400].iter_mut().for_each(|sample| *sample *= 0.01);
    let pitch = |frames_per_chunk, recompute_frame| {
        let options = PitchExtractionOptions { frames_per_chunk, recompute_frame, ..Default::default() };
        extractor(options).compute(&signal).unwrap().column(1).into_vec()
    };
    let distance = |one: &[f32], other: &[f32]| -> f32 {
        one.iter().zip(other).map(|(one, other)| (one / other).ln().abs()).sum()
    };
    let whole = pitch(0, 500);
    let (never, late) = (pitch(5, 0), pitch(5, 500));
    assert!(distance(&never, &whole) > 0.1 && distance(&late, &whole) < 0.01);
}

#[test]
fn silence_and_constants_are_no_trouble() {
    for level in [0.0, 1.0, -32_768.0] {
        let feats = extractor(Default::default()).compute(&[level; 16_000]).unwrap();
        assert_eq!(feats.num_rows(), 98);
        assert!(feats.rows().all(|row| row[0].is_finite() && (50.0..=400.0).contains(&row[1])));
    }
    let feats = extractor(Default::default()).compute(&[0.0; 16_000]).unwrap();
    assert!(feats.rows().all(|row| *row == [0.0, 400.0]));
}

#[test]
fn silence_before_a_voice_is_no_trouble_without_ballast() {
    let mut signal = voiced(1.0, 120.0, 200.0);
    signal[..6400].fill(0.0);
    let options = PitchExtractionOptions { nccf_ballast: 0.0, frames_per_chunk: 5, ..Default::default() };
    let feats = extractor(options).compute(&signal).unwrap();
    assert!(feats.rows().all(|row| row[0].is_finite()));
    assert_eq!(feats.row(10)[0], 0.0);
    assert!(feats.row(80)[0] > 0.9);
}

#[test]
fn what_is_too_short_has_no_frames() {
    let extractor = extractor(Default::default());
    assert_eq!(extractor.compute(&[]).unwrap().size(), (0, 0));
    assert_eq!(extractor.compute(&[1.0; 396]).unwrap().size(), (0, 0));
    assert_eq!(extractor.compute(&[1.0; 397]).unwrap().size(), (1, 2));
    let process = ProcessPitch::new(&ProcessPitchOptions::default()).unwrap();
    assert_eq!(extractor.compute_processed(&process, &[1.0; 396]).unwrap_err(), Error::TooShort);
}

#[test]
fn samples_that_cannot_be_are_refused() {
    let extractor = extractor(Default::default());
    for (value, message) in [
        (f32::NAN, "NaN"),
        (f32::NEG_INFINITY, "-inf"),
        (1e30, "the energy of the samples to be finite and not too large"),
    ] {
        let mut signal = voiced(0.5, 120.0, 120.0);
        signal[3000] = value;
        let error = extractor.compute(&signal).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn one_lag_is_enough() {
    let options = PitchExtractionOptions { min_f0: 200.0, max_f0: 200.0, ..Default::default() };
    let feats = extractor(options).compute(&voiced(0.5, 120.0, 120.0)).unwrap();
    assert!(feats.rows().all(|row| row[1] == 200.0));
}

#[test]
fn the_first_pass_in_one_piece_is_what_comes_out_at_the_end() {
    let signal = voiced(1.2, 120.0, 200.0);
    let process = ProcessPitch::new(&ProcessPitchOptions::default()).unwrap();
    let features = |simulate_first_pass_online, frames_per_chunk| {
        let options = PitchExtractionOptions { simulate_first_pass_online, frames_per_chunk, ..Default::default() };
        let processed = extractor(options).compute_processed(&process, &signal).unwrap();
        processed.with_noise(&mut Random::default())
    };
    let last = features(false, 0);
    assert_eq!(last.size(), (118, 3));
    assert_eq!(features(true, 1000), last);
    assert_ne!(features(true, 5), last);
    assert_eq!(features(true, 5).num_rows(), 118);
}
