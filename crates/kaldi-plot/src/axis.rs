//! Axes: from values to pixels, and the numbers beside them.

use crate::font::Font;
use crate::ticks::Ticks;
use crate::{Canvas, Color};

/// A range of values along a range of pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// The pixel at whose begin the lower value is; for an axis that goes up, the one that it is under.
    pub(crate) start: i64,
    /// Pixels, at least one.
    pub(crate) length: i64,
    pub(crate) goes_up: bool,
}

impl Axis {
    /// Where a value is, in pixels.
    pub(crate) fn place(&self, value: f64) -> f64 {
        let along = (value - self.low) / (self.high - self.low) * self.length as f64;
        self.start as f64 + if self.goes_up { -along } else { along }
    }

    /// The pixel that a value is in; the upper end is in the last one.
    pub(crate) fn pixel(&self, value: f64) -> i64 {
        let pixels = self.pixels();
        (self.place(value).floor() as i64).clamp(pixels.start, pixels.end - 1)
    }

    /// All pixels, from the left or from the top.
    pub(crate) fn pixels(&self) -> std::ops::Range<i64> {
        if self.goes_up { self.start - self.length..self.start } else { self.start..self.start + self.length }
    }

    /// The values between the two borders of a pixel, the lower one first.
    pub(crate) fn values(&self, pixel: i64) -> (f64, f64) {
        let per_pixel = (self.high - self.low) / self.length as f64;
        let along = if self.goes_up { self.start - 1 - pixel } else { pixel - self.start };
        (self.low + along as f64 * per_pixel, self.low + (along + 1) as f64 * per_pixel)
    }

    /// Round numbers for it that have room beside each other, or one above the other.
    pub(crate) fn ticks(&self, font: Font, least_step: f64) -> Ticks {
        let (length, lines) = (self.length, font.height() * 3 / 2);
        Ticks::new(self.low, self.high, least_step, |count, longest| {
            let needed = if self.goes_up { lines } else { (longest as i64 + 3) * font.advance() };
            count as i64 * needed <= length.max(needed)
        })
    }

    /// Draws ticks downwards from `top`, and their numbers under them where `with_labels` says so.
    pub(crate) fn draw_ticks_below(&self, canvas: &mut Canvas, font: Font, ticks: &Ticks, top: i64, with_labels: bool) {
        let (tick, thickness) = (tick_length(font), line_width(font));
        for (&value, label) in ticks.values.iter().zip(ticks.labels()) {
            let x = self.pixel(value);
            canvas.fill(x..x + thickness, top..top + tick, Color::BLACK);
            if with_labels {
                font.draw_centered(canvas, x, top + tick, &label);
            }
        }
    }

    /// Draws ticks to the left of `right`, with their numbers.
    pub(crate) fn draw_ticks_left(&self, canvas: &mut Canvas, font: Font, ticks: &Ticks, right: i64) {
        let (tick, thickness) = (tick_length(font), line_width(font));
        for (&value, label) in ticks.values.iter().zip(ticks.labels()) {
            let y = self.pixel(value);
            canvas.fill(right - tick..right, y..y + thickness, Color::BLACK);
            let x = right - tick - font.advance() / 2 - font.width(&label);
            font.draw(canvas, x, y - font.height() / 2, &label);
        }
    }

    /// Draws ticks to the right of `left`, with their numbers.
    pub(crate) fn draw_ticks_right(&self, canvas: &mut Canvas, font: Font, ticks: &Ticks, left: i64) {
        let (tick, thickness) = (tick_length(font), line_width(font));
        for (&value, label) in ticks.values.iter().zip(ticks.labels()) {
            let y = self.pixel(value);
            canvas.fill(left..left + tick, y..y + thickness, Color::BLACK);
            font.draw(canvas, left + tick + font.advance() / 2, y - font.height() / 2, &label);
        }
    }
}

/// Pixels that ticks and their numbers take beside an upright axis.
pub(crate) fn ticks_width(font: Font, ticks: &Ticks) -> i64 {
    let widest = ticks.labels().map(|label| font.width(&label)).max().unwrap_or(0);
    tick_length(font) + font.advance() / 2 + widest
}

/// The length of a tick.
pub(crate) fn tick_length(font: Font) -> i64 {
    font.height() / 4
}

/// The thickness of lines.
pub(crate) fn line_width(font: Font) -> i64 {
    (font.height() / 16).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FontSize;

    const ACROSS: Axis = Axis { low: 10.0, high: 20.0, start: 100, length: 50, goes_up: false };
    const UP: Axis = Axis { goes_up: true, ..ACROSS };

    #[test]
    fn values_and_pixels_belong_together() {
        assert_eq!((ACROSS.pixels(), UP.pixels()), (100..150, 50..100));
        assert_eq!((ACROSS.values(100), ACROSS.values(149)), ((10.0, 10.2), (19.8, 20.0)));
        assert_eq!((UP.values(99), UP.values(50)), ((10.0, 10.2), (19.8, 20.0)));
        for axis in [ACROSS, UP] {
            for pixel in axis.pixels() {
                let (low, high) = axis.values(pixel);
                assert_eq!(axis.pixel((low + high) / 2.0), pixel);
            }
        }
        assert_eq!((ACROSS.pixel(20.0), UP.pixel(20.0), UP.pixel(10.0)), (149, 50, 99));
        assert_eq!((ACROSS.place(15.0), UP.place(15.0)), (125.0, 75.0));
    }

    #[test]
    fn ticks_have_room() {
        let font = FontSize::Small.regular();
        for length in 1..400 {
            let ticks = Axis { length, ..ACROSS }.ticks(font, 0.0);
            let longest = ticks.labels().map(|label| font.width(&label)).max().unwrap_or(0);
            assert!(ticks.values.len() <= 1 || ticks.values.len() as i64 * (longest + font.advance()) <= length);
            let ticks = Axis { length, ..UP }.ticks(font, 0.0);
            assert!(ticks.values.len() <= 1 || ticks.values.len() as i64 * font.height() <= length);
        }
        assert!(Axis { length: 400, ..ACROSS }.ticks(font, 0.0).values.len() >= 5);
    }
}
