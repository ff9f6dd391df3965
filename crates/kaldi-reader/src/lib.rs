//! Streams of values that can restart, and their decorators.
//!
//! A [`Reader`] delivers one value after the other. It can be started again, which an iterator cannot. A decorator takes
//! a reader and is a reader, so that they stack: [`prefetch`] reads ahead on another thread, [`par_map`] applies a
//! function on several threads and keeps the order. [`ReaderExt`] has them as methods.
//!
//! The contract of every reader, which [`testing`] checks:
//!
//! - An end stays an end until [`Reader::restart`].
//! - An error is delivered once, at its place in the order, and ends the stream. A stream that has failed never looks as
//!   if it had ended.
//! - `restart` works from any state, or says why it cannot. It delivers the same values again.
//! - `restart`, `finish` and drop stop and join all threads of the reader.
//! - Memory is bounded by bytes, which a function of the caller counts. A single value above the bound passes alone.
//!
//! ```
//! use kaldi_reader::{Reader, ReaderExt, Step, from_fn};
//!
//! let mut next = 0;
//! let numbers = from_fn(move |step| {
//!     next = if step == Step::Restart { 0 } else { next + 1 };
//!     Ok::<_, String>((next > 0 && next <= 3).then_some(next))
//! });
//! let mut squares = numbers.par_map(|| 2, 1 << 20, |_| 1, |n| Ok(n * n));
//! assert_eq!(squares.read_all()?, [1, 4, 9]);
//! squares.restart()?;
//! assert_eq!(squares.next()?, Some(1));
//! # Ok::<(), String>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod ext;
mod par_map;
mod prefetch;
mod reader;
pub mod testing;

pub use ext::{Iter, ReaderExt};
pub use par_map::{ParMap, par_map};
pub use prefetch::{Prefetch, prefetch};
pub use reader::{BoxReader, FromFn, FromSlice, Reader, Step, from_fn, from_slice};
