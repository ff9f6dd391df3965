#![doc = include_str!("../README.md")]
//! Sentences are compared word by word, and words byte by byte. The edit distance of a hypothesis from its reference is
//! the smallest number of words that have to be inserted into the reference, deleted from it or substituted:
//!
//! ```text
//! reference    the  cat  sat      on  a  mat
//! hypothesis        cat  sat  up  in  a  mat      1 deletion, 1 insertion, 1 substitution
//! ```
//!
//! There may be several such alignments, with other numbers of insertions, deletions and substitutions. Which one is
//! taken is part of the result, and [`count_edits`] and [`align`] differ in that, as their models in Kaldi do.

mod alignment;
mod bootstrap;
mod confusions;
mod edits;
mod equal_error;
mod error;
mod mode;
mod percent;
mod rates;
mod word_numbers;

pub use alignment::align;
pub use bootstrap::{Interval, SentenceErrors, improvement, wer_interval};
pub use confusions::Confusions;
pub use edits::{Edits, count_edits};
pub use equal_error::{EqualError, equal_error};
pub use error::{Error, Result};
pub use mode::Mode;
pub use percent::Percent;
pub use rates::{ErrorRates, ScoredUnit};
