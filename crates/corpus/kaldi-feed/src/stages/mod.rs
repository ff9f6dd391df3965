//! The stages by name.

mod augment;
mod cmvn;
mod features;
mod list;
mod order;
mod sound;
mod text;

pub use features::LogMelOptions;
pub use text::Labels;

use crate::Registry;

/// The stages of this crate, by their names.
pub fn standard_stages() -> Registry {
    let mut registry = Registry::new();
    list::register(&mut registry);
    text::register(&mut registry);
    sound::register(&mut registry);
    features::register(&mut registry);
    augment::register(&mut registry);
    cmvn::register(&mut registry);
    order::register(&mut registry);
    registry
}
