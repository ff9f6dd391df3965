//! Matrices as colours.

use std::str::FromStr;

use crate::axis::Axis;
use crate::colormap::{Palette, Special, Specials};
use crate::limits::Limits;
use crate::{Canvas, Colormap, Error, Features};

/// What becomes of values that share a pixel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The greatest, so that what is rare stays visible.
    Max,
}

impl FromStr for Pooling {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "mean" => Ok(Self::Mean),
            "max" => Ok(Self::Max),
            _ => Err(Error::option("pool", "mean or max", name)),
        }
    }
}

impl Pooling {
    /// Puts another value to what is known of a pixel, of which it covers the part `weight`.
    fn add(self, sum: &mut f64, value: f64, weight: f64) {
        match self {
            Self::Mean => *sum += weight * value,
            Self::Max if value.is_nan() || value > *sum => *sum = value,
            Self::Max => {}
        }
    }

    fn start(self) -> f64 {
        match self {
            Self::Mean => 0.0,
            Self::Max => f64::NEG_INFINITY,
        }
    }
}

/// Cells that a range of places covers, each with its part of what is covered; parts sum up to one.
fn covered(from: f64, to: f64, num_cells: usize) -> impl Iterator<Item = (usize, f64)> {
    // Slivers at the ends come of rounding.
    let slack = 1e-6 * (to - from);
    let (from, to) = ((from + slack).max(0.0), (to - slack).min(num_cells as f64));
    let last = (to.ceil() as usize).min(num_cells);
    let cells = if to > from { from as usize..last } else { 0..0 };
    cells.map(move |cell| (cell, (to.min(cell as f64 + 1.0) - from.max(cell as f64)) / (to - from)))
}

/// How a matrix is drawn: frames to the right, dimensions upwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeatMap<'a> {
    pub(crate) features: Features<'a>,
    /// Where the first frame begins on the horizontal axis.
    pub(crate) start: f64,
    /// The width of a frame.
    pub(crate) step: f64,
    pub(crate) pooling: Pooling,
    pub(crate) limits: Limits,
    pub(crate) colormap: Colormap,
}

impl HeatMap<'_> {
    /// Colours the pixels of two axes, of which the upright one counts dimensions from -0.5 on. Takes memory for one
    /// column, whatever the size of the matrix.
    pub(crate) fn draw(&self, canvas: &mut Canvas, across: &Axis, up: &Axis) -> Specials {
        let Features { values, num_frames, dim } = self.features;
        let mut specials = Specials::default();
        let mut column = vec![0.0; dim];
        let palette = Palette::of(self.colormap);
        for x in across.pixels() {
            let (from, to) = across.values(x);
            let frames = covered((from - self.start) / self.step, (to - self.start) / self.step, num_frames);
            column.fill(self.pooling.start());
            let mut is_empty = true;
            for (frame, weight) in frames {
                is_empty = false;
                for (sum, &value) in column.iter_mut().zip(&values[frame * dim..(frame + 1) * dim]) {
                    self.pooling.add(sum, value.into(), weight);
                }
            }
            if is_empty {
                continue;
            }
            for y in up.pixels() {
                let (from, to) = up.values(y);
                let mut value = self.pooling.start();
                for (row, weight) in covered(from + 0.5, to + 0.5, dim) {
                    self.pooling.add(&mut value, column[row], weight);
                }
                let color = match Special::of(value) {
                    Some(special) => {
                        specials.add(special);
                        special.color()
                    }
                    None => palette.color(self.limits.part(value)),
                };
                canvas.set(x, y, color);
            }
        }
        specials
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;

    fn axes(num_frames: usize, dim: usize, width: i64, height: i64) -> (Axis, Axis) {
        let across = Axis { low: 0.0, high: num_frames as f64, start: 0, length: width, goes_up: false };
        (across, Axis { low: -0.5, high: dim as f64 - 0.5, start: height, length: height, goes_up: true })
    }

    /// Draws values from 0 to 1 in grays and reads the pixels, from the top.
    fn drawing(values: &[f32], dim: usize, size: (i64, i64), pooling: Pooling) -> (Vec<Vec<Color>>, Specials) {
        let num_frames = values.len() / dim;
        let (across, up) = axes(num_frames, dim, size.0, size.1);
        let mut canvas = Canvas::new(size.0 as usize, size.1 as usize);
        let map = HeatMap {
            features: Features::new(values, num_frames, dim),
            start: 0.0,
            step: 1.0,
            pooling,
            limits: Limits { low: 0.0, high: 1.0, some_below: false, some_above: false },
            colormap: Colormap::Viridis,
        };
        let specials = map.draw(&mut canvas, &across, &up);
        let rows = (0..size.1).map(|y| (0..size.0).map(|x| canvas.pixel(x, y).unwrap()).collect()).collect();
        (rows, specials)
    }

    fn color(part: f64) -> Color {
        Palette::of(Colormap::Viridis).color(part)
    }

    #[test]
    fn frames_go_right_and_dimensions_up() {
        let (rows, _) = drawing(&[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 2, (3, 2), Pooling::Mean);
        let expected = |row: [f32; 3]| row.map(|value| color(value.into())).to_vec();
        assert_eq!(rows, [expected([0.2, 0.4, 0.6]), expected([0.1, 0.3, 0.5])]);
    }

    #[test]
    fn cells_are_as_large_as_there_is_room() {
        let (rows, _) = drawing(&[0.0, 1.0], 1, (10, 3), Pooling::Mean);
        let expected: Vec<_> = (0..10).map(|x| color(if x < 5 { 0.0 } else { 1.0 })).collect();
        assert_eq!(rows, vec![expected; 3]);
        // A pixel that two cells share is of both.
        let (rows, _) = drawing(&[0.0, 1.0], 1, (3, 1), Pooling::Mean);
        assert_eq!(rows, [[color(0.0), color(0.5), color(1.0)]]);
    }

    #[test]
    fn cells_that_share_a_pixel_are_averaged_or_the_greatest_wins() {
        let values: Vec<f32> = (0..100_000).map(|at| if at % 1000 == 7 { 1.0 } else { 0.25 }).collect();
        let (rows, _) = drawing(&values, 10, (10, 5), Pooling::Max);
        // Dimension 7 is in the fourth pixel from below.
        let row = |part| vec![color(part); 10];
        assert_eq!(rows, [row(0.25), row(1.0), row(0.25), row(0.25), row(0.25)]);
        let (rows, _) = drawing(&values, 10, (10, 5), Pooling::Mean);
        assert_eq!(rows[0], row(0.25));
        assert_eq!(rows[1], row(0.25 + 0.75 * 10.0 / 2000.0));
    }

    #[test]
    fn values_that_are_not_finite_show_among_many() {
        for (value, special) in
            [(f32::NAN, Special::Nan), (f32::INFINITY, Special::Infinite), (f32::NEG_INFINITY, Special::MinusInfinite)]
        {
            let mut values = vec![0.5; 1000];
            values[123] = value;
            let (rows, specials) = drawing(&values, 1, (10, 1), Pooling::Mean);
            let expected: Vec<_> = (0..10).map(|x| if x == 1 { special.color() } else { color(0.5) }).collect();
            assert_eq!(rows, [expected]);
            assert_eq!(specials.iter().collect::<Vec<_>>(), [special]);
        }
        let (rows, _) = drawing(&[0.5, f32::NAN, 0.9], 1, (1, 1), Pooling::Max);
        assert_eq!(rows, [[Special::Nan.color()]]);
    }

    #[test]
    fn what_is_covered_sums_up_to_one() {
        for (from, to, count) in [(0.0, 1.0, 5), (2.3, 4.9, 5), (-1.0, 0.4, 5), (4.5, 9.0, 5), (0.2, 0.3, 1)] {
            let sum: f64 = covered(from, to, count).map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{from} {to}");
        }
        assert_eq!(covered(5.0, 6.0, 5).count() + covered(-2.0, 0.0, 5).count(), 0);
        assert_eq!(covered(1.0 - 1e-12, 2.0 + 1e-12, 5).count(), 1);
    }
}
