#![doc = include_str!("../README.md")]
//! A [`Figure`] looks like one in a paper: a title, and under it one [`Panel`] or several, with axes that have round
//! numbers. Panels over time share one axis; so a waveform can be above its features. A bar beside a heat map shows the
//! meaning of the colours; squares do the same beside bands of labels.
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
//! `plotters` draws lines, letters and axes. The font is compiled in, so that nothing has to be installed. Values that
//! share a pixel are combined first: in heat maps by [`Pooling`], in curves to their extremes, labels to the most
//! frequent one. So memory and the size of files are bounded by the size of the picture.
//!
//! [`Picture::encode`] makes a file of one picture, [`Sheet`] of many.
//!
//! ```
//! use kaldi_plot::{Features, Figure, PictureFormat, Panel, Style};
//!
//! let values: Vec<f32> = (0..200 * 13).map(|at| (at as f32 / 50.0).sin()).collect();
//! let features = Features::new(&values, 200, 13);
//! let figure = Figure { title: "sines", timing: None, panels: vec![Panel::Features(features)] };
//! let picture = figure.draw(&Style::default(), PictureFormat::Png)?;
//! assert!(picture.encode()?.starts_with(b"\x89PNG"));
//! # Ok::<(), kaldi_plot::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bands;
mod buckets;
mod chart;
mod colormap;
mod draw;
mod error;
mod features;
mod figure;
mod heat_map;
mod layout;
mod limits;
mod picture;
#[cfg(feature = "cli")]
mod plot_options;
mod rect;
mod scale;
mod sheet;
mod side;
mod style;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod text;
mod timing;

pub use colormap::Colormap;
pub use error::{Error, Result};
pub use features::Features;
pub use figure::{Figure, FrameLabels, Panel, Waveform};
pub use heat_map::Pooling;
pub use picture::{Picture, PictureFormat};
#[cfg(feature = "cli")]
pub use plot_options::PlotArguments;
pub use sheet::Sheet;
pub use style::Style;
pub use timing::Timing;
