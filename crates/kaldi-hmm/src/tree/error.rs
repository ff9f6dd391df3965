//! What can go wrong with statistics and the building of trees.

use std::fmt;

use super::Event;

/// Statistics, questions or phones from which no tree can be built.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TreeError {
    /// Statistics that belong together have different numbers of dimensions.
    Dim {
        /// The event of the statistics.
        event: Event,
        /// The number of dimensions of the statistics before.
        expected: usize,
        /// That of these.
        got: usize,
    },
    /// The features of utterances have different numbers of dimensions.
    FeatsDim {
        /// That of the utterances before.
        expected: usize,
        /// That of this one.
        got: usize,
    },
    /// The value of a key is negative or too large.
    Value {
        /// The event.
        event: Event,
        /// The key.
        key: i32,
        /// The value.
        value: i32,
    },
    /// An event has no answer, or does not have a key that is needed.
    NoAnswer {
        /// The event.
        event: Event,
    },
    /// A key that is needed is missing.
    NoKey {
        /// The event.
        event: Event,
        /// The key.
        key: i32,
    },
    /// There are no statistics from which anything could be built.
    NoStats,
    /// Options contradict each other or the data.
    Options(String),
    /// Sets of phones that cannot be used.
    PhoneSets(String),
    /// A phone has statistics but no place in the roots.
    NotInRoots {
        /// The phone.
        phone: i32,
    },
    /// A step of building made the tree worse.
    Worse {
        /// The objective function before.
        before: f32,
        /// The objective function after.
        after: f32,
    },
}

impl fmt::Display for TreeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dim { event, expected, got } => {
                write!(f, "event {event}: expected statistics of dimension {expected}, got dimension {got}")
            }
            Self::FeatsDim { expected, got } => {
                write!(f, "expected features of dimension {expected}, got dimension {got}")
            }
            Self::Value { event, key, value } => write!(
                f,
                "event {event}: expected a value from 0 to {} for key {key}, got {value}",
                super::tree_stats::MOST_VALUES - 1
            ),
            Self::NoAnswer { event } => write!(
                f,
                "the tree has no answer to event {event}; --context-width and --central-position must be those of the \
                 statistics, and phones that are context-independent in them must not share roots with others"
            ),
            Self::NoKey { event, key } => write!(
                f,
                "key {key} is missing in event {event}; --context-width and --central-position must be those of the \
                 statistics"
            ),
            Self::NoStats => f.write_str("there are no statistics to build from"),
            Self::Options(message) | Self::PhoneSets(message) => f.write_str(message),
            Self::NotInRoots { phone } => {
                write!(f, "Phone {phone} appears in stats but is not listed in roots file.")
            }
            Self::Worse { before, after } => {
                write!(f, "the objective function decreases from {before} to {after}: the statistics are damaged")
            }
        }
    }
}

impl std::error::Error for TreeError {}
