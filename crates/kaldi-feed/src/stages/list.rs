//! Stages of the list, before samples are read.

use crate::{Registry, Stage};

pub(super) fn register(registry: &mut Registry) {
    registry.register("list_shuffle", |params| {
        let window = params.number("shuffle_size", i64::MAX as u64, 1)?;
        let window = usize::try_from(window).unwrap_or(usize::MAX);
        Ok(Stage::List(Box::new(move |order| order.window = window)))
    });
    registry.register("cycle", |params| {
        let passes = params.number("cycle", 1, 1)?;
        Ok(Stage::List(Box::new(move |order| order.passes = passes)))
    });
}
