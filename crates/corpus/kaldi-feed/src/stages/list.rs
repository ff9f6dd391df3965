//! Stages of the list, before samples are read.

use crate::{Registry, Stage};

pub(super) fn register(registry: &mut Registry) {
    registry.register("list_shuffle", |params| {
        let window = params.number("shuffle_size", i64::MAX as u64, 1)?;
        let window = usize::try_from(window).unwrap_or(usize::MAX);
        Ok(Stage::list_shuffle(window))
    });
    registry.register("cycle", |params| {
        let passes = params.number("cycle", 1, 1)?;
        Ok(Stage::cycle(passes))
    });
}

impl Stage {
    /// `list_shuffle`: shuffles the lines of the list within windows of this many; `usize::MAX` for the whole list.
    pub fn list_shuffle(window: usize) -> Self {
        Self::List(Box::new(move |order| order.window = window))
    }

    /// `cycle`: reads the list this many times, each time in another order.
    pub fn cycle(passes: u64) -> Self {
        Self::List(Box::new(move |order| order.passes = passes))
    }
}
