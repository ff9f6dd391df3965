//! The tests that run the built tools. (The unit tests are beside the code; the recorded cases of real Kaldi are a
//! target of their own, `tests/golden/main.rs`, because every case is a named result there.)

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a panic is how a test fails, its output how it explains")]

/// What tests are made of: running tools and pipelines in a scratch folder, sample data.
mod support;

/// One module per tool, in the folder of its task.
mod tools;

/// What holds for any value, tried on random ones.
mod properties;

/// Nothing is lost silently, whatever goes wrong.
mod safety;

/// Several tools together, as recipes string them.
mod pipelines;

/// What the architecture says of the sources.
mod architecture;

/// The documents show what the tools do.
mod docs;

/// The conformance suite's own claims: whole, unchanged, its quirks asserted, its harness able to fail.
mod golden;
