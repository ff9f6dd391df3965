//! Values with the log lines that belong before them.

use crate::log::thread_log::capture_after;
use crate::log::{capture, replay};

/// A value on its way to another thread or through a queue, and the log lines that belong before it. They come out when the
/// value is delivered, so lines and values keep their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[must_use = "the lines come out when the value is delivered"]
pub struct Logged<T> {
    /// The value.
    pub value: T,
    /// Whole lines.
    pub lines: Vec<u8>,
}

/// A value without lines.
impl<T> From<T> for Logged<T> {
    fn from(value: T) -> Self {
        Self { value, lines: Vec::new() }
    }
}

impl<T> Logged<T> {
    /// Runs `work`, and keeps the lines that it would have written with its result.
    pub fn of(work: impl FnOnce() -> T) -> Self {
        let (value, lines) = capture(work);
        Self { value, lines }
    }

    /// Writes the lines, and returns the value.
    pub fn deliver(self) -> T {
        replay(&self.lines);
        self.value
    }

    /// What `work` makes of the value. Its lines follow those of the value.
    pub fn then<U>(self, work: impl FnOnce(T) -> U) -> Logged<U> {
        let Self { value, lines } = self;
        let (value, lines) = capture_after(lines, || work(value));
        Logged { value, lines }
    }
}
