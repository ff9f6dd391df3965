#![doc = include_str!("../README.md")]
//! A [`Reader`] delivers one value after the other. Unlike an iterator, it can be started again. A decorator takes a
//! reader and is a reader, so that they can be stacked. [`ReaderExt`] has them as methods.
//!
//! | what | |
//! | --- | --- |
//! | [`file_reader`], [`open_files`] | one file, and the shape of its values; many files, in order or in any order |
//! | [`prefetch`], [`par_map`], [`threaded`] | reading ahead, work on several threads in order, one reader for several threads |
//! | [`shuffle_window`], [`shuffle_stream`], [`sort`] | another order |
//! | [`batch`], [`batch_by_frames`], [`batch_by_length`] | several values as one |
//! | [`repeat`], [`passes`], [`interleave`] | several passes, several streams |
//! | [`partition`], [`take`], [`skip`], [`filter_map`] | a part of the values, or other values computed from them |
//! | [`counting`], [`peekable`] | how many have passed, which comes next |
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
//! let mut squares = numbers.par_map(|| 2, |n| Ok(n * n)).in_flight(1 << 20, |_| 1);
//! assert_eq!(squares.read_all()?, [1, 4, 9]);
//! squares.restart()?;
//! assert_eq!(squares.next()?, Some(1));
//! # Ok::<(), String>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batch;
mod counting;
mod draws;
mod error;
mod ext;
mod file;
mod interleave;
mod open_files;
mod par_map;
mod partition;
mod peekable;
mod prefetch;
mod reader;
mod repeat;
mod select;
mod shape;
mod shuffle;
mod sort;
mod source;
pub mod sync;
pub mod testing;
mod threaded;
mod threads;

pub use batch::{Batch, BatchByFrames, BatchByLength, Buckets, Leftover, batch, batch_by_frames, batch_by_length};
pub use counting::{Counter, Counting, counting};
pub use draws::Draws;
pub use error::Error;
pub use ext::{Iter, ReaderExt};
pub use file::{FileReader, file_reader};
pub use interleave::{Interleave, interleave};
pub use open_files::{FilesAhead, FilesUnordered, OpenFiles, open_files};
pub use par_map::{ParMap, par_map};
pub use partition::{Partition, Share, partition};
pub use peekable::{Peekable, peekable};
pub use prefetch::{Prefetch, prefetch};
pub use reader::{BoxReader, FromFn, FromSlice, Reader, Step, from_fn, from_slice};
pub use repeat::{Passes, Repeat, passes, repeat};
pub use select::{FilterMap, Skip, Take, filter_map, skip, take};
pub use shape::Shape;
pub use shuffle::{Shuffle, shuffle_stream, shuffle_window};
pub use sort::{Sort, sort};
pub use threaded::{Threaded, threaded};
pub use threads::pass_on_to_threads;
