//! Matrices as colours.

use plotters::style::RGBColor;

use crate::colormap::{Palette, Special, Specials};
use crate::limits::Limits;
use crate::{Colormap, Features};

/// How values that share a pixel are combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Pooling {
    /// Their mean.
    #[default]
    Mean,
    /// The greatest, so that rare values stay visible.
    Max,
}

impl Pooling {
    /// Adds another value, which covers the part `weight` of a pixel, to the sum for this pixel.
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

/// The cells that a range covers, each with its share of the range; shares sum up to one.
fn covered(from: f64, to: f64, num_cells: usize) -> impl Iterator<Item = (usize, f64)> {
    // Rounding makes tiny parts at the ends.
    let slack = 1e-6 * (to - from);
    let (from, to) = ((from + slack).max(0.0), (to - slack).min(num_cells as f64));
    let last = (to.ceil() as usize).min(num_cells);
    let cells = if to > from { from as usize..last } else { 0..0 };
    cells.map(move |cell| (cell, (to.min(cell as f64 + 1.0) - from.max(cell as f64)) / (to - from)))
}

/// How features are drawn: frames to the right, dimensions upwards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeatMap<'a> {
    pub(crate) features: &'a Features<'a>,
    pub(crate) pooling: Pooling,
    pub(crate) limits: Limits,
    pub(crate) colormap: Colormap,
}

impl HeatMap<'_> {
    /// The colours of `width × height` pixels, row by row from the top, three bytes each, and which values without a
    /// colour were drawn. From left to right, the pixels are the columns `from` to `to`; those without a column are
    /// white. Upwards they are all rows. Takes memory for one more column.
    pub(crate) fn draw(&self, (width, height): (u32, u32), (from, to): (f64, f64)) -> (Vec<u8>, Specials) {
        let Features { values, columns, rows, .. } = self.features;
        let (width, height) = (width as usize, height as usize);
        let mut pixels = vec![255; 3 * width * height];
        let mut specials = Specials::default();
        let mut column = vec![0.0; *rows];
        let palette = Palette::of(self.colormap);
        let place = |at: usize| from + (to - from) * at as f64 / width as f64;
        let mut before: Vec<(usize, f64)> = Vec::new();
        for x in 0..width {
            let frames: Vec<_> = covered(place(x), place(x + 1), *columns).collect();
            if frames.is_empty() {
                continue;
            }
            let is_same = frames == before;
            before = frames;
            if is_same {
                // Frames can be wider than a pixel.
                (0..height).for_each(|y| {
                    pixels.copy_within(3 * (y * width + x - 1)..3 * (y * width + x), 3 * (y * width + x))
                });
                continue;
            }
            column.fill(self.pooling.start());
            for &(frame, weight) in &before {
                for (sum, &value) in column.iter_mut().zip(&values[frame * rows..(frame + 1) * rows]) {
                    self.pooling.add(sum, value.into(), weight);
                }
            }
            let border = |at: usize| *rows as f64 * at as f64 / height as f64;
            for y in 0..height {
                let mut value = self.pooling.start();
                for (row, weight) in covered(border(y), border(y + 1), *rows) {
                    self.pooling.add(&mut value, column[row], weight);
                }
                let RGBColor(red, green, blue) = match Special::of(value) {
                    Some(special) => {
                        specials.add(special);
                        special.color()
                    }
                    None => palette.color(self.limits.part(value)),
                };
                let at = 3 * ((height - 1 - y) * width + x);
                pixels[at..at + 3].copy_from_slice(&[red, green, blue]);
            }
        }
        (pixels, specials)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Pixel = [u8; 3];

    /// Draws values from 0 to 1 and reads the pixels, from the top.
    fn drawing(values: &[f32], dim: usize, size: (u32, u32), pooling: Pooling) -> (Vec<Vec<Pixel>>, Specials) {
        let num_frames = values.len() / dim;
        let map = HeatMap {
            features: &Features::new(values, num_frames, dim),
            pooling,
            limits: Limits { low: 0.0, high: 1.0, some_below: false, some_above: false },
            colormap: Colormap::Viridis,
        };
        let (pixels, specials) = map.draw(size, (0.0, num_frames as f64));
        let pixels = pixels.as_chunks::<3>().0;
        (pixels.chunks(size.0 as usize).map(<[Pixel]>::to_vec).collect(), specials)
    }

    fn bytes(RGBColor(red, green, blue): RGBColor) -> Pixel {
        [red, green, blue]
    }

    fn color(part: f64) -> Pixel {
        bytes(Palette::of(Colormap::Viridis).color(part))
    }

    #[test]
    fn where_there_are_no_frames_it_is_white() {
        let map = HeatMap {
            features: &Features::new(&[0.0, 1.0], 2, 1),
            pooling: Pooling::Max,
            limits: Limits { low: 0.0, high: 1.0, some_below: false, some_above: false },
            colormap: Colormap::Viridis,
        };
        let (pixels, _) = map.draw((4, 1), (-1.0, 3.0));
        assert_eq!(pixels.as_chunks::<3>().0, [[255; 3], color(0.0), color(1.0), [255; 3]]);
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
        // A pixel that two cells share has a part of both.
        let (rows, _) = drawing(&[0.0, 1.0], 1, (3, 1), Pooling::Mean);
        assert_eq!(rows, [[color(0.0), color(0.5), color(1.0)]]);
    }

    #[test]
    fn cells_that_share_a_pixel_are_averaged_or_the_greatest_wins() {
        let values: Vec<f32> = (0..100_000).map(|at| if at % 1000 == 7 { 1.0 } else { 0.25 }).collect();
        let (rows, _) = drawing(&values, 10, (10, 5), Pooling::Max);
        // Dimension 7 is in the fourth pixel from the bottom.
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
            let expected: Vec<_> = (0..10).map(|x| if x == 1 { bytes(special.color()) } else { color(0.5) }).collect();
            assert_eq!(rows, [expected]);
            assert_eq!(specials.iter().collect::<Vec<_>>(), [special]);
        }
        let (rows, _) = drawing(&[0.5, f32::NAN, 0.9], 1, (1, 1), Pooling::Max);
        assert_eq!(rows, [[bytes(Special::Nan.color())]]);
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
