//! Rectangles of pixels.

use plotters::element::Rectangle;
use plotters::style::BLACK;

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rect {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Rect {
    /// A line around it.
    pub(crate) fn frame(self) -> Rectangle<(i32, i32)> {
        let (left, top) = (self.left as i32, self.top as i32);
        let corner = (left + self.width as i32, top + self.height as i32);
        Rectangle::new([(left - 1, top - 1), corner], BLACK)
    }
}
