//! Decision trees: which pdf an HMM state has in which context of phones.

mod accumulate;
mod biphone;
mod bottom_up;
mod build;
mod context_dependency;
mod draw;
mod error;
mod event;
mod event_map;
mod gauss_stats;
mod k_means;
mod phone_sets;
mod questions;
mod roots;
mod split;
mod tree_stats;

pub use self::bottom_up::{bottom_up, bottom_up_in_groups};
pub use accumulate::{TreeStatsAccumulator, TreeStatsOptions};
pub use biphone::{BiphoneTree, PhoneCounts};
pub use build::{TreeBuilder, TreeLimits, TwoLevelTree};
pub use context_dependency::ContextDependency;
pub use draw::TreeDrawing;
pub use error::TreeError;
pub use event::{Event, EventSet, PDF_CLASS};
pub use event_map::{EventMap, EventNode};
pub use gauss_stats::GaussStats;
pub use phone_sets::{PhoneClusterer, read_phone_sets};
pub use questions::{KeyQuestions, Questions, Refinement};
pub use roots::TreeRoot;
pub use tree_stats::{TreeStats, TreeStatsSum};
