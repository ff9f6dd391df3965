//! Decision trees: which pdf an HMM state has in which context of phones.

mod context_dependency;
mod error;
mod event;
mod event_map;
mod gauss_stats;
mod questions;
mod tree_stats;

pub use context_dependency::ContextDependency;
pub use error::TreeError;
pub use event::{Event, PDF_CLASS};
pub use event_map::{EventMap, EventNode, EventSet};
pub use gauss_stats::GaussStats;
pub use questions::{KeyQuestions, Questions, Refinement};
pub use tree_stats::{TreeStats, TreeStatsSum};
