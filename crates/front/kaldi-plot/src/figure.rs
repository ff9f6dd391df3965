//! Figures and their parts.

use std::collections::HashMap;

use crate::{Features, Timing};

/// A waveform to draw.
#[derive(Clone, Copy, Debug)]
pub struct Waveform<'a> {
    /// Samples of one channel.
    pub samples: &'a [f32],
    /// Samples a second, above 0.
    pub rate: f64,
}

/// Labels of frames to draw.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrameLabels<'a> {
    /// One for each frame.
    pub labels: &'a [i32],
    /// What is written instead of the labels, such as symbols; without it, and for labels that it lacks, the integers are written.
    pub names: Option<&'a HashMap<i32, String>>,
}

impl FrameLabels<'_> {
    /// What is written for a label.
    pub(crate) fn name(&self, label: i32) -> String {
        self.names.and_then(|names| names.get(&label)).map_or_else(|| label.to_string(), String::clone)
    }
}

impl<'a> From<&'a [i32]> for FrameLabels<'a> {
    fn from(labels: &'a [i32]) -> Self {
        Self { labels, names: None }
    }
}

/// A part of a figure, with axes of its own.
#[derive(Clone, Debug)]
pub enum Panel<'a> {
    /// A heat map, or a curve if there is one dimension.
    Features(Features<'a>),
    /// A curve over seconds.
    Waveform(Waveform<'a>),
    /// A coloured band for each run of equal labels of frames.
    Labels(FrameLabels<'a>),
    /// Bars side by side.
    Bars {
        /// The text above it.
        title: String,
        /// For each bar its start, its end, and its height.
        bars: Vec<(f64, f64, f64)>,
        /// Whether the horizontal axis has only whole numbers.
        is_whole: bool,
    },
    /// A line of means in a band of deviations, one for each of the numbers from 0 on.
    Means {
        /// The text above it.
        title: String,
        /// Mean and standard deviation.
        means: Vec<(f64, f64)>,
    },
}

/// A picture before it is drawn: panels under one title.
#[derive(Clone, Debug)]
pub struct Figure<'a> {
    /// The title.
    pub title: &'a str,
    /// The times of the frames; without this, the axis counts frames.
    pub timing: Option<Timing>,
    /// From the top down.
    pub panels: Vec<Panel<'a>>,
}

impl Panel<'_> {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Features(features) => features.is_empty(),
            Self::Labels(labels) => labels.labels.is_empty(),
            Self::Waveform(_) | Self::Bars { .. } | Self::Means { .. } => false,
        }
    }
}
