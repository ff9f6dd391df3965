//! Pixels.

use std::ops::Range;

/// A colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 3]);

impl Color {
    /// White: the paper.
    pub const WHITE: Self = Self([255; 3]);
    /// Black: text and axes.
    pub const BLACK: Self = Self([0; 3]);

    /// As much of `self` as `alpha` says, from 0 to 255, over `below`.
    fn over(self, below: Self, alpha: u8) -> Self {
        let alpha = u32::from(alpha);
        let mix =
            |above: u8, below: u8| ((u32::from(above) * alpha + u32::from(below) * (255 - alpha) + 127) / 255) as u8;
        Self(std::array::from_fn(|channel| mix(self.0[channel], below.0[channel])))
    }
}

/// A rectangle of pixels, white at first. Whatever is drawn beyond its borders is cut off.
#[derive(Clone, Debug, PartialEq)]
pub struct Canvas {
    width: usize,
    height: usize,
    /// Three bytes each, row by row from the top.
    pixels: Vec<u8>,
}

impl Canvas {
    /// Makes an empty one of `width × height` pixels.
    pub fn new(width: usize, height: usize) -> Self {
        Self { width, height, pixels: vec![255; 3 * width * height] }
    }

    /// Takes pixels, row by row from the top, three bytes each.
    pub(crate) fn of_pixels(width: usize, pixels: Vec<u8>) -> Self {
        Self { width, height: pixels.len() / (3 * width), pixels }
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// A row from the top, three bytes a pixel.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.pixels[3 * self.width * y..3 * self.width * (y + 1)]
    }

    /// The colour of a pixel, or nothing where there is none.
    pub fn pixel(&self, x: i64, y: i64) -> Option<Color> {
        self.index(x, y).map(|at| Color([self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]))
    }

    /// Colours one pixel.
    pub fn set(&mut self, x: i64, y: i64, color: Color) {
        if let Some(at) = self.index(x, y) {
            self.pixels[at..at + 3].copy_from_slice(&color.0);
        }
    }

    /// Mixes a colour into one pixel, `alpha` of 255 parts.
    pub fn blend(&mut self, x: i64, y: i64, color: Color, alpha: u8) {
        if let Some(below) = self.pixel(x, y) {
            self.set(x, y, color.over(below, alpha));
        }
    }

    /// Colours a rectangle.
    pub fn fill(&mut self, columns: Range<i64>, rows: Range<i64>, color: Color) {
        let clip = |range: Range<i64>, end: usize| range.start.max(0)..range.end.min(end as i64);
        for y in clip(rows, self.height) {
            for x in clip(columns.clone(), self.width) {
                self.set(x, y, color);
            }
        }
    }

    /// Draws a line of `thickness` pixels around a rectangle, outside of it.
    pub fn frame(&mut self, columns: Range<i64>, rows: Range<i64>, thickness: i64, color: Color) {
        let outer = columns.start - thickness..columns.end + thickness;
        self.fill(outer.clone(), rows.start - thickness..rows.start, color);
        self.fill(outer, rows.end..rows.end + thickness, color);
        self.fill(columns.start - thickness..columns.start, rows.clone(), color);
        self.fill(columns.end..columns.end + thickness, rows, color);
    }

    fn index(&self, x: i64, y: i64) -> Option<usize> {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < self.width && y < self.height).then(|| 3 * (y * self.width + x))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RED: Color = Color([255, 0, 0]);

    #[test]
    fn what_is_drawn_beyond_the_borders_is_cut_off() {
        let mut canvas = Canvas::new(3, 2);
        canvas.fill(-5..1, 1..9, RED);
        canvas.frame(0..3, 0..2, 4, RED);
        canvas.set(3, 0, RED);
        canvas.blend(0, -1, RED, 255);
        let red: Vec<_> = (0..6).map(|at| canvas.pixel(at % 3, at / 3) == Some(RED)).collect();
        assert_eq!(red, [false, false, false, true, false, false]);
        assert_eq!((canvas.pixel(-1, 0), canvas.pixel(0, 2)), (None, None));
        assert_eq!(canvas.row(1), [255, 0, 0, 255, 255, 255, 255, 255, 255]);
    }

    #[test]
    fn a_frame_leaves_its_inside_alone() {
        let mut canvas = Canvas::new(5, 5);
        canvas.frame(2..3, 2..3, 1, RED);
        let count = (0..25).filter(|at| canvas.pixel(at % 5, at / 5) == Some(RED)).count();
        assert_eq!((count, canvas.pixel(2, 2)), (8, Some(Color::WHITE)));
    }

    #[test]
    fn colours_mix() {
        let mut canvas = Canvas::new(1, 1);
        canvas.blend(0, 0, Color::BLACK, 51);
        assert_eq!(canvas.pixel(0, 0), Some(Color([204; 3])));
        canvas.blend(0, 0, RED, 255);
        canvas.blend(0, 0, Color::BLACK, 0);
        assert_eq!(canvas.pixel(0, 0), Some(RED));
    }
}
