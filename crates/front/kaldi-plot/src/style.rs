//! The look of a picture.

use crate::heat_map::Pooling;
use crate::{Colormap, Error, Result};

/// How figures look.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Style {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The height of a line of text in pixels. All distances depend on it.
    pub font_size: u32,
    /// The colours of features.
    pub colormap: Colormap,
    /// The value at the lower end of the colours, if it does not come from the values.
    pub low: Option<f64>,
    /// The value at the upper end of the colours, if it does not come from the values.
    pub high: Option<f64>,
    /// How values that share a pixel are combined.
    pub pooling: Pooling,
    /// The name of the values, with their unit; if empty, nothing is written.
    pub value_label: String,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: 1000,
            height: 420,
            font_size: 20,
            colormap: Colormap::default(),
            low: None,
            high: None,
            pooling: Pooling::default(),
            value_label: String::new(),
        }
    }
}

impl Style {
    /// The longest side in pixels.
    const LONGEST_SIDE: u32 = 20_000;
    /// The heights of a line of text in pixels that can be read and make sense.
    const FONT_SIZES: std::ops::RangeInclusive<u32> = 8..=100;

    /// Checks that figures have room.
    ///
    /// # Errors
    /// If the size is too small to show anything or too large for memory, or the range of colours is empty.
    pub fn check(&self) -> Result<()> {
        if !Self::FONT_SIZES.contains(&self.font_size) {
            let (least, most) = (Self::FONT_SIZES.start(), Self::FONT_SIZES.end());
            return Err(Error::option("font_size", format!("from {least} to {most} pixels"), self.font_size));
        }
        let line = self.font_size;
        let (least_width, least_height) = (20 * line, 12 * line);
        let check = |name, size, least| match (least..=Self::LONGEST_SIDE).contains(&size) {
            true => Ok(()),
            false => Err(Error::option(name, format!("from {least} to {} pixels", Self::LONGEST_SIDE), size)),
        };
        check("width", self.width, least_width)?;
        check("height", self.height, least_height)?;
        for (name, limit) in [("min", self.low), ("max", self.high)] {
            if let Some(limit) = limit.filter(|limit| !limit.is_finite()) {
                return Err(Error::option(name, "a finite number", limit));
            }
        }
        match (self.low, self.high) {
            (Some(low), Some(high)) if low >= high => Err(Error::option("max", format!("above `min = {low}`"), high)),
            _ => Ok(()),
        }
    }
}
