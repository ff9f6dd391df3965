//! Segments in time, and their samples.

use std::fmt;
use std::ops::Range;

/// The options of cutting recordings into segments (Kaldi's extract-segments).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SampleGrid {
    /// Shortest segment in seconds; shorter ones are left out
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SampleGrid::default().min_segment_length))]
    pub min_segment_length: f32,
    /// How far a segment may extend beyond the end of the recording, in seconds, to be cut there; others are left out
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SampleGrid::default().max_overshoot))]
    pub max_overshoot: f32,
}

impl Default for SampleGrid {
    fn default() -> Self {
        Self { min_segment_length: 0.1, max_overshoot: 0.5 }
    }
}

/// Why a segment yields no samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoSamples {
    /// It starts after the end of the recording, which has this many seconds.
    Start(f32),
    /// It ends too far after the end of the recording, which has this many seconds.
    End(f32),
    /// It is too short.
    Short,
}

impl SampleGrid {
    /// Returns the samples of a segment, out of `num_samples` samples, of which there are `sample_rate` a second. The
    /// segment is from `start` to `end` in seconds; without an end, to that of the recording. Times are rounded to
    /// samples, halves up.
    ///
    /// As in Kaldi, the length of the recording and the limits are numbers of 32 bits, times of 64. The result may be
    /// empty if a segment may have any length.
    ///
    /// # Errors
    /// If the segment should be left out.
    pub fn samples(
        &self,
        start: f64,
        end: Option<f64>,
        sample_rate: f32,
        num_samples: usize,
    ) -> Result<Range<usize>, NoSamples> {
        let length = num_samples as f32 / sample_rate;
        let whole = f64::from(length);
        if !(0.0..=whole).contains(&start) {
            return Err(NoSamples::Start(length));
        }
        if end.is_some_and(|end| end > f64::from(length + self.max_overshoot)) {
            return Err(NoSamples::End(length));
        }
        let end = end.unwrap_or(whole).min(whole);
        if end - start < f64::from(self.min_segment_length) {
            return Err(NoSamples::Short);
        }
        let sample = |seconds: f64| ((seconds * f64::from(sample_rate) + 0.5) as usize).min(num_samples);
        let start = sample(start);
        Ok(start..sample(end).max(start))
    }
}

impl fmt::Display for NoSamples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(length) => write!(f, "Segment start is out of file data range [0, {length}s]"),
            Self::End(length) => write!(f, "Segment end is too far out of file data range [0, {length}s]"),
            Self::Short => f.write_str("too short"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: SampleGrid = SampleGrid { min_segment_length: 0.1, max_overshoot: 0.5 };
    const ANY: SampleGrid = SampleGrid { min_segment_length: 0.0, ..GRID };

    #[test]
    fn times_are_rounded_to_samples() {
        assert_eq!(GRID.samples(0.25, Some(0.5), 8000.0, 8000), Ok(2000..4000));
        assert_eq!(GRID.samples(0.000_062_4, Some(0.200_062_5), 8000.0, 8000), Ok(0..1601));
        assert_eq!(ANY.samples(0.5, Some(0.500_01), 8000.0, 8000), Ok(4000..4000));
    }

    #[test]
    fn an_end_behind_the_recording_is_cut_where_it_is_near() {
        assert_eq!(GRID.samples(0.5, Some(1.5), 8000.0, 8000), Ok(4000..8000));
        assert_eq!(GRID.samples(0.5, Some(1.500_01), 8000.0, 8000), Err(NoSamples::End(1.0)));
        assert_eq!(GRID.samples(0.5, Some(f64::INFINITY), 8000.0, 8000), Err(NoSamples::End(1.0)));
        let strict = SampleGrid { max_overshoot: 0.0, ..GRID };
        assert_eq!(strict.samples(0.5, Some(1.0), 8000.0, 8000), Ok(4000..8000));
        assert_eq!(strict.samples(0.5, Some(1.000_01), 8000.0, 8000), Err(NoSamples::End(1.0)));
    }

    #[test]
    fn without_an_end_it_is_that_of_the_recording() {
        assert_eq!(GRID.samples(0.5, None, 8000.0, 8001), Ok(4000..8001));
    }

    #[test]
    fn what_is_outside_or_too_short_has_no_samples() {
        assert_eq!(GRID.samples(1.000_01, None, 8000.0, 8000), Err(NoSamples::Start(1.0)));
        assert_eq!(GRID.samples(f64::NAN, None, 8000.0, 8000), Err(NoSamples::Start(1.0)));
        // 0.1 of 32 bits is a little more than 0.1.
        assert_eq!(GRID.samples(0.0, Some(0.1), 8000.0, 8000), Err(NoSamples::Short));
        assert_eq!(GRID.samples(0.0, Some(0.100_01), 8000.0, 8000), Ok(0..800));
        assert_eq!(ANY.samples(1.0, None, 8000.0, 8000), Ok(8000..8000));
        assert_eq!(ANY.samples(0.0, None, 8000.0, 0), Ok(0..0));
    }
}
