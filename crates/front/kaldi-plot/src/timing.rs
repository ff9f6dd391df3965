//! The times of frames.

use crate::{Error, Result};

/// The times of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Seconds from one frame to the next.
    pub shift: f64,
    /// The start of the time that the first frame represents, in seconds.
    pub start: f64,
}

impl Timing {
    /// Frames that were computed over windows of `length` seconds, `shift` seconds apart. Each frame represents the
    /// `shift` seconds in the middle of its window.
    ///
    /// The first window starts with the waveform, or, without `snip_edges`, is around the middle of the first shift
    /// (Kaldi's option of that name).
    ///
    /// # Errors
    /// If the shift is not above 0, or the window is shorter.
    pub fn of_windows(shift: f64, length: f64, snip_edges: bool) -> Result<Self> {
        if !(shift > 0.0 && shift < 1.0) {
            let advice = if shift >= 1.0 { " (it is in seconds)" } else { "" };
            return Err(Error::option("frame_shift", "above 0 and below 1", format!("{shift}{advice}")));
        }
        if !(length >= shift && length < 10.0) {
            return Err(Error::option(
                "frame_length",
                format!("`frame_shift` ({shift}) or more, and below 10"),
                length,
            ));
        }
        Ok(Self { shift, start: if snip_edges { (length - shift) / 2.0 } else { 0.0 } })
    }

    /// The end of the time that the last of `num_frames` represents, in seconds.
    pub fn end(&self, num_frames: usize) -> f64 {
        self.start + num_frames as f64 * self.shift
    }
}
