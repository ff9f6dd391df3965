//! Values as a line: waveforms, and features of one dimension.

use crate::axis::Axis;
use crate::colormap::{Special, Specials};
use crate::{Canvas, Color};

/// Values at regular places along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Curve<'a> {
    pub(crate) values: &'a [f32],
    /// The place of the first value on the horizontal axis.
    pub(crate) start: f64,
    /// The distance from one value to the next.
    pub(crate) step: f64,
    pub(crate) color: Color,
    /// Pixels.
    pub(crate) thickness: i64,
}

impl Curve<'_> {
    /// Draws the line that connects the values, from the lowest to the highest that it has in each column of pixels. Columns
    /// with a value that is not finite are filled with that value's colour.
    pub(crate) fn draw(&self, canvas: &mut Canvas, across: &Axis, up: &Axis) -> Specials {
        let mut specials = Specials::default();
        let rows = up.pixels();
        for x in across.pixels() {
            let (from, to) = across.values(x);
            let (from, to) = ((from - self.start) / self.step, (to - self.start) / self.step);
            let inside = from.ceil().max(0.0) as usize..((to.floor() + 1.0).max(0.0) as usize).min(self.values.len());
            let inside = self.values.get(inside).unwrap_or_default();
            if let Some(special) = inside.iter().find_map(|&value| Special::of(value.into())) {
                specials.add(special);
                canvas.fill(x..x + 1, rows.clone(), special.color());
                continue;
            }
            let values = inside.iter().map(|&value| f64::from(value)).chain(self.between(from)).chain(self.between(to));
            let ends = values.fold(None, |ends: Option<(f64, f64)>, value| {
                let (low, high) = ends.unwrap_or((value, value));
                Some((low.min(value), high.max(value)))
            });
            if let Some((low, high)) = ends {
                let (top, bottom) = (up.pixel(high) - (self.thickness - 1) / 2, up.pixel(low) + self.thickness / 2 + 1);
                canvas.fill(x..x + 1, top.max(rows.start)..bottom.min(rows.end), self.color);
            }
        }
        specials
    }

    /// The value of the line at a place that is counted in values.
    fn between(&self, place: f64) -> Option<f64> {
        let (whole, part) = (place.floor(), place - place.floor());
        let at = (whole >= 0.0 && whole < self.values.len() as f64).then_some(whole as usize)?;
        let (left, right) = (f64::from(self.values[at]), f64::from(*self.values.get(at + 1)?));
        Some((1.0 - part) * left + part * right).filter(|value| value.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACROSS: Axis = Axis { low: 0.0, high: 10.0, start: 0, length: 10, goes_up: false };
    const UP: Axis = Axis { low: 0.0, high: 8.0, start: 8, length: 8, goes_up: true };

    fn drawing(values: &[f32], step: f64) -> (Vec<String>, Specials) {
        let mut canvas = Canvas::new(10, 8);
        let curve = Curve { values, start: 0.0, step, color: Color::BLACK, thickness: 1 };
        let specials = curve.draw(&mut canvas, &ACROSS, &UP);
        let sign = |color| match color {
            Color::WHITE => ' ',
            Color::BLACK => '#',
            _ => '!',
        };
        let row = |y| (0..10).map(|x| sign(canvas.pixel(x, y).unwrap())).collect();
        ((0..8).map(row).collect(), specials)
    }

    #[test]
    fn values_are_connected() {
        let (rows, _) = drawing(&[0.0, 7.9, 0.1], 4.0);
        for (row, next) in rows.iter().zip(&rows[1..]) {
            // No row is empty between two that are not: the line has no gaps.
            assert!(row.contains('#') && next.contains('#'), "{rows:?}");
        }
        assert_eq!((&rows[7][..1], &rows[0][3..5], &rows[7][7..]), ("#", "##", "## "), "{rows:?}");
    }

    #[test]
    fn the_extremes_of_a_column_are_reached() {
        let values: Vec<f32> = (0..1000).map(|at| if at % 100 == 50 { 7.5 } else { 1.5 }).collect();
        let (rows, _) = drawing(&values, 0.01);
        for (y, row) in rows.iter().enumerate() {
            assert_eq!(row, if y < 7 { "##########" } else { "          " });
        }
    }

    #[test]
    fn what_is_not_finite_is_marked() {
        let (rows, specials) = drawing(&[1.0, 1.0, f32::NAN, 1.0, f32::INFINITY, 1.0, 1.0], 1.0);
        assert!(rows[0].contains('!'));
        assert_eq!(specials.iter().collect::<Vec<_>>(), [Special::Nan, Special::Infinite]);
    }

    #[test]
    fn one_value_is_a_dot_and_none_is_nothing() {
        let count = |values: &[f32]| drawing(values, 1.0).0.concat().matches('#').count();
        assert_eq!((count(&[]), count(&[3.0])), (0, 1));
    }
}
