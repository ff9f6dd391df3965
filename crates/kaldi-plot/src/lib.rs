//! Pictures of features and waveforms, as PNG files, and [`Charts`] of statistics.
//!
//! A [`Figure`] is laid out like one of a paper: a title, under it the waveform, if there is one, and the features as a heat
//! map with time to the right and dimensions upwards, axes with round numbers, and a bar that tells what the colours mean.
//! Features of one dimension are a curve instead.
//!
//! ```text
//!                 title
//!      +------------------------------+
//!      | waveform                     |
//!      +------------------------------+
//!    60+------------------------------+ +--+
//!    40| heat map                     | |  |- 10
//!    20|                              | |  |- 5
//!     0+------------------------------+ +--+
//!      0.0     0.5     1.0     1.5
//!               Time (s)
//! ```
//!
//! Everything is drawn into a [`Canvas`] of pixels; text comes from a font that is compiled in, so that nothing has to be
//! installed. [`encode_png`] makes a file of one canvas, [`Sheet`] of many.
//!
//! ```
//! use kaldi_plot::{Features, Figure, Style, encode_png};
//!
//! let values: Vec<f32> = (0..200 * 13).map(|at| (at as f32 / 50.0).sin()).collect();
//! let features = Features::new(&values, 200, 13);
//! let figure = Figure { title: "sines", features, timing: None, waveform: None };
//! let canvas = figure.draw(&Style::default())?;
//! assert!(encode_png(&canvas)?.starts_with(b"\x89PNG"));
//! # Ok::<(), kaldi_plot::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod axis;
mod canvas;
mod charts;
mod color_bar;
mod colormap;
mod curve;
mod encode;
mod error;
mod features;
mod figure;
mod font;
mod heat_map;
mod limits;
#[cfg(feature = "options")]
mod options;
mod sheet;
mod style;
mod ticks;
mod timing;

pub use canvas::{Canvas, Color};
pub use charts::{Chart, Charts};
pub use colormap::Colormap;
pub use encode::encode_png;
pub use error::{Error, Result};
pub use features::Features;
pub use figure::{Figure, Waveform};
pub use font::FontSize;
pub use heat_map::Pooling;
#[cfg(feature = "options")]
pub use options::PlotOptions;
pub use sheet::Sheet;
pub use style::Style;
pub use timing::Timing;
