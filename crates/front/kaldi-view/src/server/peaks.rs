//! The outline of a sound: the smallest and the largest sample of each pixel.

use kaldi_io::was_interrupted;

use crate::scale::FULL_SCALE;
use crate::server::failure::{Answer, Failure};
use crate::server::sounds::Sound;

/// Samples that are read at once.
const BATCH: u64 = 1 << 18;

/// The smallest and the largest sample of each pixel and channel, from -1 to 1: pixel after pixel, and channel after channel in each.
/// A pixel has at least one sample; outside of the sound, and with samples that are no numbers, it is NaN.
///
/// # Errors
/// If the sound cannot be read.
pub(crate) fn peaks(sound: &Sound, from: f64, to: f64, width: usize) -> Answer<Vec<f32>> {
    let (rate, channels) = (f64::from(sound.rate()), sound.num_channels());
    let mut peaks = vec![f32::NAN; 2 * channels * width];
    // A sample that starts a millionth of a sample later starts here: sums of seconds are not exact.
    let edge = |pixel: usize| (from + (to - from) * pixel as f64 / width as f64) * rate + 1e-6;
    let range = |pixel: usize| {
        let start = edge(pixel).floor();
        let end = edge(pixel + 1).floor().max(start + 1.0);
        // Casts of what is before the sound become 0.
        start.max(0.0) as u64..(end.max(0.0) as u64).min(sound.num_samples())
    };
    let mut pixel = 0;
    while pixel < width {
        // As many pixels as fit into one batch, and at least one.
        let start = range(pixel).start;
        let mut next = pixel + 1;
        while next < width && range(next).end <= start + BATCH {
            next += 1;
        }
        let end = range(next - 1).end;
        let mut at = start;
        while at < end {
            if was_interrupted() {
                return Err(Failure::Unreadable("interrupted".into()));
            }
            let last = (at + BATCH).min(end);
            let samples = sound.samples(at..last)?;
            for pixel in pixel..next {
                let range = range(pixel);
                let (first, last) = (range.start.max(at), range.end.min(last));
                if first < last {
                    let places = (first - at) as usize..(last - at) as usize;
                    for (channel, samples) in samples.iter().enumerate() {
                        let place = 2 * (pixel * channels + channel);
                        widen(&mut peaks[place..place + 2], &samples[places.clone()], first == range.start);
                    }
                }
            }
            at = last;
        }
        pixel = next;
    }
    Ok(peaks)
}

/// Widens the smallest and the largest sample of a pixel.
fn widen(peaks: &mut [f32], samples: &[f32], is_first: bool) {
    let mut span = match is_first {
        true => (f32::INFINITY, f32::NEG_INFINITY),
        false => (peaks[0], peaks[1]),
    };
    let mut is_number = !span.0.is_nan();
    for sample in samples {
        span = (span.0.min(sample / FULL_SCALE), span.1.max(sample / FULL_SCALE));
        is_number &= !sample.is_nan();
    }
    (peaks[0], peaks[1]) = if is_number { span } else { (f32::NAN, f32::NAN) };
}

#[cfg(test)]
mod tests {
    use kaldi_wave::Wave;

    use super::*;

    #[test]
    fn each_pixel_has_the_span_of_its_samples() {
        let left: Vec<f32> = (0..600_000).map(|at| (at % 1000) as f32).collect();
        let right = left.iter().map(|sample| -sample).collect();
        let sound = Sound::of(Wave::new(1000.0, vec![left, right]));
        let top = 999.0 / FULL_SCALE;
        for width in [1, 3, 600] {
            let found = peaks(&sound, 0.0, 600.0, width).unwrap();
            assert_eq!(found, [0.0, top, -top, 0.0].repeat(width), "{width}");
        }
        let near = peaks(&sound, 1.0, 1.004, 8).unwrap();
        let first: Vec<f32> = near.chunks(4).map(|pixel| pixel[0] * FULL_SCALE).collect();
        assert_eq!(first, [0.0, 0.0, 1.0, 1.0, 2.0, 2.0, 3.0, 3.0]);
        let beyond = peaks(&sound, -1.0, 601.0, 602).unwrap();
        assert!(beyond[..4].iter().chain(&beyond[beyond.len() - 4..]).all(|peak| peak.is_nan()));
        assert!(beyond[4..beyond.len() - 4].iter().all(|peak| !peak.is_nan()));
    }

    #[test]
    fn samples_that_are_no_numbers_are_seen() {
        let sound = Sound::of(Wave::new(10.0, vec![vec![1.0, f32::NAN, 2.0, 3.0]]));
        let found = peaks(&sound, 0.0, 0.4, 2).unwrap();
        assert!(found[..2].iter().all(|peak| peak.is_nan()));
        assert_eq!(found[2..], [2.0 / FULL_SCALE, 3.0 / FULL_SCALE]);
    }
}
