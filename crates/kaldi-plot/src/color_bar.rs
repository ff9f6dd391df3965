//! What colours mean.

use crate::axis::{Axis, line_width, ticks_width};
use crate::font::Font;
use crate::limits::Limits;
use crate::ticks::Ticks;
use crate::{Canvas, Color, Colormap};

/// A bar with all colours and the values that they stand for. Where there are values beyond its ends, these are pointed.
#[derive(Clone, Debug)]
pub(crate) struct ColorBar {
    colormap: Colormap,
    limits: Limits,
    axis: Axis,
    ticks: Ticks,
    font: Font,
}

impl ColorBar {
    /// Makes a bar that stands beside the rows of an upright axis.
    pub(crate) fn beside(up: &Axis, limits: Limits, colormap: Colormap, font: Font) -> Self {
        let tip = Self::tip(font);
        let (below, above) = (if limits.some_below { tip } else { 0 }, if limits.some_above { tip } else { 0 });
        let length = (up.length - below - above).max(1);
        let axis = Axis { low: limits.low, high: limits.high, start: up.start - below, length, goes_up: true };
        Self { colormap, limits, axis, ticks: axis.ticks(font, 0.0), font }
    }

    /// Pixels that it takes, with its numbers.
    pub(crate) fn width(&self) -> i64 {
        self.thickness() + ticks_width(self.font, &self.ticks)
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, left: i64) {
        let right = left + self.thickness();
        let rows = self.axis.pixels();
        canvas.frame(left..right, rows.clone(), line_width(self.font), Color::BLACK);
        for y in rows.clone() {
            let (low, high) = self.axis.values(y);
            canvas.fill(left..right, y..y + 1, self.colormap.color(self.limits.part((low + high) / 2.0)));
        }
        let tip = Self::tip(self.font);
        if self.limits.some_above {
            let color = self.colormap.color(1.0);
            self.draw_tip(canvas, left, color, (0..tip).map(|row| (rows.start - tip + row, row)));
        }
        if self.limits.some_below {
            let color = self.colormap.color(0.0);
            self.draw_tip(canvas, left, color, (0..tip).map(|row| (rows.end + tip - 1 - row, row)));
        }
        self.axis.draw_ticks_right(canvas, self.font, &self.ticks, right + line_width(self.font));
    }

    /// Draws a triangle: rows of the picture with their number, counted from the point.
    fn draw_tip(&self, canvas: &mut Canvas, left: i64, color: Color, rows: impl Iterator<Item = (i64, i64)>) {
        let (thickness, line, tip) = (self.thickness(), line_width(self.font), Self::tip(self.font));
        for (y, row) in rows {
            let half = (row + 1) * (thickness + 2 * line) / (2 * tip);
            let middle = left + thickness / 2;
            canvas.fill(middle - half..middle + half + 1, y..y + 1, Color::BLACK);
            canvas.fill(middle - half + line..middle + half + 1 - line, y..y + 1, color);
        }
    }

    fn thickness(&self) -> i64 {
        self.font.height()
    }

    /// The height of a pointed end.
    fn tip(font: Font) -> i64 {
        font.height() * 2 / 3
    }
}
