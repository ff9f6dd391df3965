//! The options of pictures.

use crate::{Colormap, Pooling, Result, Style, Timing};

/// The look of pictures, as options of a tool.
#[derive(Clone, Debug, clap::Args)]
pub struct PlotArguments {
    /// Seconds from one frame to the next; if it is 0, frames are counted, or it is 0.01 with a waveform
    #[arg(long, default_value_t = 0.0)]
    pub frame_shift: f64,
    /// Length of the window of a frame in seconds; a frame is drawn in the middle of its window if the axis has seconds
    #[arg(long, default_value_t = 0.025)]
    pub frame_length: f64,
    /// Whether the first frame starts with the waveform (the option of this name with which features were computed)
    #[arg(long, default_value_t = true)]
    pub snip_edges: bool,
    /// Width in pixels
    #[arg(long, default_value_t = 1000)]
    pub width: u32,
    /// Height in pixels; 0 means 420, or 560 with a waveform
    #[arg(long, default_value_t = 0)]
    pub height: u32,
    /// Height of a line of text in pixels, from 8 to 100
    #[arg(long, default_value_t = 20)]
    pub font_size: u32,
    /// viridis, magma, inferno, plasma, cividis, gray, or diverging (which has zero in its middle)
    #[arg(long, default_value = "viridis")]
    pub colormap: Colormap,
    /// The value with the first colour; by default the least of each matrix without outliers
    #[arg(long)]
    pub min: Option<f64>,
    /// The value with the last colour; by default the greatest of each matrix without outliers
    #[arg(long)]
    pub max: Option<f64>,
    /// How values that share a pixel are combined: mean (for integers the most frequent one) or max; curves show the
    /// extremes
    #[arg(long, default_value = "mean")]
    pub pool: Pooling,
    /// The name of the values, with their unit, to be written beside the colours
    #[arg(long, default_value = "")]
    pub value_label: String,
}

impl PlotArguments {
    /// The style of figures, with a waveform or without.
    ///
    /// # Errors
    /// As [`Style::check`].
    pub fn style(&self, with_waveform: bool) -> Result<Style> {
        let height = match (self.height, with_waveform) {
            (0, false) => 420,
            (0, true) => 560,
            (height, _) => height,
        };
        let mut style = Style::default();
        (style.width, style.height, style.font_size) = (self.width, height, self.font_size);
        (style.colormap, style.low, style.high) = (self.colormap, self.min, self.max);
        style.pooling = self.pool;
        style.value_label.clone_from(&self.value_label);
        style.check()?;
        Ok(style)
    }

    /// The times of frames, if they are needed.
    ///
    /// # Errors
    /// As [`Timing::of_windows`].
    pub fn timing(&self, with_waveform: bool) -> Result<Option<Timing>> {
        let shift = match (self.frame_shift, with_waveform) {
            (0.0, false) => return Ok(None),
            (0.0, true) => 0.01,
            (shift, _) => shift,
        };
        Timing::of_windows(shift, self.frame_length.max(shift), self.snip_edges).map(Some)
    }
}
