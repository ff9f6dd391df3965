//! Hidden Markov models of phones: topologies, transition models, decision trees, alignments of transition-ids.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod tree;

pub use tree::{ContextDependency, Event, EventMap, EventNode, EventSet, PDF_CLASS};
