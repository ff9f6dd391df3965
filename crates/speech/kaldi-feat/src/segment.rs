//! The frames of segments in time.

use std::fmt;
use std::ops::Range;

use crate::{Error, Result};

/// The options of cutting features into segments (Kaldi's extract-feature-segments).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FrameGrid {
    /// Shortest segment in seconds; shorter ones are left out
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameGrid::default().min_segment_length))]
    pub min_segment_length: f32,
    /// Length of a frame in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameGrid::default().frame_length, value_name = "int", value_parser = kaldi_value::number::count::<u32>))]
    pub frame_length: u32,
    /// Time from one frame to the next in milliseconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameGrid::default().frame_shift, value_name = "int", value_parser = kaldi_value::number::count::<u32>))]
    pub frame_shift: u32,
    /// How far a segment may extend beyond the end of the features, in seconds, to be cut there; others are left out
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameGrid::default().max_overshoot))]
    pub max_overshoot: f32,
    /// Leave out the last frames of a segment, which would reach beyond its end: as many as features computed from the
    /// segment's audio would lack
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FrameGrid::default().snip_edges))]
    pub snip_edges: bool,
}

impl Default for FrameGrid {
    fn default() -> Self {
        Self { min_segment_length: 0.1, frame_length: 25, frame_shift: 10, max_overshoot: 0.0, snip_edges: true }
    }
}

/// Why a segment yields no frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFrames {
    /// It starts after the last frame.
    Start(i64),
    /// It ends too far after the last frame.
    End(i64),
    /// It is too short.
    Short,
}

impl FrameGrid {
    /// Checks the options.
    ///
    /// # Errors
    /// If frames do not advance.
    pub fn check(&self) -> Result<()> {
        if self.frame_shift == 0 {
            return Err(Error::option("frame_shift", "positive", self.frame_shift));
        }
        Ok(())
    }

    /// Returns the frames of a segment out of `num_frames`, from `start` to `end` in seconds: times are rounded to
    /// frames, halves up.
    ///
    /// # Errors
    /// If there are none.
    pub fn frames(&self, start: f64, end: f64, num_frames: usize) -> Result<Range<usize>, NoFrames> {
        let in_frames = |seconds: f64| (seconds * 1000.0 / f64::from(self.frame_shift)).round() as i64;
        let num_frames = num_frames as i64;
        let start = in_frames(start);
        let mut end = in_frames(end);
        if self.snip_edges {
            let excess = f64::from(self.frame_length) - f64::from(self.frame_shift);
            end = end.saturating_sub((excess / f64::from(self.frame_shift)).ceil() as i64);
        }
        if !(0..num_frames).contains(&start) {
            return Err(NoFrames::Start(start));
        }
        if end > num_frames {
            if end >= num_frames.saturating_add(in_frames(f64::from(self.max_overshoot))) {
                return Err(NoFrames::End(end));
            }
            end = num_frames;
        }
        let shortest = in_frames(f64::from(self.min_segment_length)).max(0);
        if end <= start.saturating_add(shortest) { Err(NoFrames::Short) } else { Ok(start as usize..end as usize) }
    }
}

impl fmt::Display for NoFrames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start(frame) => write!(f, "Start sample out of range {frame}"),
            Self::End(frame) => write!(f, "End sample too far out of range {frame}"),
            Self::Short => f.write_str("too short"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRID: FrameGrid =
        FrameGrid { min_segment_length: 0.1, frame_length: 25, frame_shift: 10, max_overshoot: 0.0, snip_edges: true };
    const PLAIN: FrameGrid = FrameGrid { snip_edges: false, ..GRID };

    #[test]
    fn times_become_frames() {
        assert_eq!(PLAIN.frames(0.1, 0.5, 100), Ok(10..50));
        assert_eq!(PLAIN.frames(0.104, 0.505, 100), Ok(10..51));
        assert_eq!(FrameGrid { frame_shift: 5, ..PLAIN }.frames(0.1, 0.5, 200), Ok(20..100));
    }

    #[test]
    fn snipped_edges_are_frames_that_do_not_fit_whole() {
        assert_eq!(GRID.frames(0.1, 0.5, 100), Ok(10..48));
        assert_eq!(FrameGrid { frame_length: 10, ..GRID }.frames(0.1, 0.5, 100), Ok(10..50));
        assert_eq!(FrameGrid { frame_length: 5, ..GRID }.frames(0.1, 0.5, 100), Ok(10..50));
        assert_eq!(FrameGrid { frame_length: 31, ..GRID }.frames(0.1, 0.5, 100), Ok(10..47));
    }

    #[test]
    fn an_end_behind_the_features_is_cut_where_it_is_near() {
        assert_eq!(PLAIN.frames(0.0, 1.01, 100), Err(NoFrames::End(101)));
        let lenient = FrameGrid { max_overshoot: 0.03, ..PLAIN };
        assert_eq!(lenient.frames(0.0, 1.02, 100), Ok(0..100));
        assert_eq!(lenient.frames(0.0, 1.03, 100), Err(NoFrames::End(103)));
        assert_eq!(lenient.frames(0.0, f64::INFINITY, 100), Err(NoFrames::End(i64::MAX)));
    }

    #[test]
    fn what_is_outside_or_too_short_has_no_frames() {
        assert_eq!(PLAIN.frames(1.0, 2.0, 100), Err(NoFrames::Start(100)));
        assert_eq!(PLAIN.frames(-1.0, 2.0, 100), Err(NoFrames::Start(-100)));
        assert_eq!(PLAIN.frames(f64::INFINITY, f64::INFINITY, 100), Err(NoFrames::Start(i64::MAX)));
        assert_eq!(PLAIN.frames(0.1, 0.2, 100), Err(NoFrames::Short));
        assert_eq!(PLAIN.frames(0.1, 0.21, 100), Ok(10..21));
        assert_eq!(PLAIN.frames(0.0, 1.0, 0), Err(NoFrames::Start(0)));
        let any = FrameGrid { min_segment_length: -1.0, ..GRID };
        assert_eq!(any.frames(0.1, 0.11, 100), Err(NoFrames::Short));
        assert_eq!(any.frames(0.1, 0.13, 100), Ok(10..11));
    }

    #[test]
    fn frames_advance() {
        assert!(PLAIN.check().is_ok());
        let error = FrameGrid { frame_shift: 0, ..PLAIN }.check().unwrap_err();
        assert_eq!(error.to_string(), "expected `frame_shift` to be positive, got 0");
    }
}
