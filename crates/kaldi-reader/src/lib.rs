//! Streams of values that can restart, and their decorators.
//!
//! A [`Reader`] is an iterator of results that can be started again. Decorators take a reader and are readers, so that
//! they stack: [`prefetch`] reads ahead on another thread, [`par_map`] applies a function on several threads and keeps
//! the order.
//!
//! The contract of every reader:
//!
//! - An end stays an end until [`Reader::restart`].
//! - An error is delivered once, at its place in the order, and ends the stream; "ended" and "failed" are never
//!   confused.
//! - `restart` and drop stop and join all threads first.
//! - Memory is bounded by bytes, as a weighing function given by the caller counts them; a single value above the bound
//!   is let through alone.
//!
//! ```
//! use kaldi_reader::{Reader, from_fn, par_map};
//!
//! let mut next = 0;
//! let numbers = from_fn(move |restart| {
//!     next = if restart { 0 } else { next + 1 };
//!     Ok::<_, String>((next > 0 && next <= 3).then_some(next))
//! });
//! let mut squares = par_map(numbers, || 2, 1 << 20, |_| 1, |n| Ok(n * n));
//! assert_eq!(squares.by_ref().collect::<Result<Vec<_>, _>>(), Ok(vec![1, 4, 9]));
//! squares.restart()?;
//! assert_eq!(squares.next(), Some(Ok(1)));
//! # Ok::<(), String>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod par_map;
mod prefetch;

pub use par_map::{ParMap, par_map};
pub use prefetch::{Prefetch, prefetch};

/// A stream of values that can be started again; see the crate's documentation for the contract.
pub trait Reader: Iterator<Item = Result<Self::Value, Self::Error>> {
    /// What the reader delivers.
    type Value;
    /// What ends it early.
    type Error;

    /// Goes back to the begin of the stream.
    ///
    /// # Errors
    /// Where the source cannot be opened again; a standard input or a pipe that was read cannot.
    fn restart(&mut self) -> Result<(), Self::Error>;
}

impl<R: Reader + ?Sized> Reader for Box<R> {
    type Value = R::Value;
    type Error = R::Error;

    fn restart(&mut self) -> Result<(), R::Error> {
        (**self).restart()
    }
}

/// Makes a reader of a function that returns the next value, nothing at the end, or an error.
///
/// The function is called with `true` for a restart (what it returns then is ignored unless it is an error) and with
/// `false` for a value; it is not called again after an end or an error before a restart.
pub fn from_fn<V, E>(step: impl FnMut(bool) -> Result<Option<V>, E>) -> impl Reader<Value = V, Error = E> {
    FromFn { step, ended: false }
}

struct FromFn<F> {
    step: F,
    ended: bool,
}

impl<V, E, F: FnMut(bool) -> Result<Option<V>, E>> Iterator for FromFn<F> {
    type Item = Result<V, E>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let step = (self.step)(false).transpose();
        self.ended = !matches!(step, Some(Ok(_)));
        step
    }
}

impl<V, E, F: FnMut(bool) -> Result<Option<V>, E>> Reader for FromFn<F> {
    type Value = V;
    type Error = E;

    fn restart(&mut self) -> Result<(), E> {
        self.ended = false;
        (self.step)(true).map(drop)
    }
}

#[cfg(test)]
mod contract;
