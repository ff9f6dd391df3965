//! What can go wrong with statistics and the building of trees.

use super::Event;

/// Statistics, questions or phones from which no tree can be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum TreeError {
    /// Statistics that belong together have different numbers of dimensions.
    #[error("event {event}: expected statistics of dimension {expected}, got dimension {got}")]
    Dim { event: Event, expected: usize, got: usize },
    /// The features of utterances have different numbers of dimensions.
    #[error("expected features of dimension {expected}, got dimension {got}")]
    FeatsDim { expected: usize, got: usize },
    /// The value of a key is negative or too large.
    #[error(
        "event {event}: expected a value from 0 to {} for key {key}, got {value}",
        super::tree_stats::MOST_VALUES - 1
    )]
    Value { event: Event, key: i32, value: i32 },
    /// An event has no answer, or does not have a key that is needed.
    #[error(
        "the tree has no answer to event {event}; `context_width` and `central_position` must be those of the \
         statistics, and phones that are context-independent in them must not share roots with others"
    )]
    NoAnswer { event: Event },
    /// A key that is needed is missing.
    #[error(
        "key {key} is missing in event {event}; `context_width` and `central_position` must be those of the statistics"
    )]
    NoKey { event: Event, key: i32 },
    /// There are no statistics from which anything could be built.
    #[error("there are no statistics to build from")]
    NoStats,
    /// Options contradict each other or the data.
    #[error("{0}")]
    Options(String),
    /// Sets of phones that cannot be used.
    #[error("{0}")]
    PhoneSets(String),
    /// A phone has statistics but no place in the roots.
    #[error("Phone {phone} appears in stats but is not listed in roots file.")]
    NotInRoots { phone: i32 },
    /// A step of building made the tree worse.
    #[error("the objective function decreases from {before} to {after}: the statistics are damaged")]
    Worse { before: f32, after: f32 },
}
