//! Decision trees: which pdf an HMM state has in which context of phones.

mod context_dependency;
mod event;
mod event_map;

pub use context_dependency::ContextDependency;
pub use event::{Event, PDF_CLASS};
pub use event_map::{EventMap, EventNode, EventSet};
