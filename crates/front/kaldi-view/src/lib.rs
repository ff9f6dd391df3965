#![doc = include_str!("../README.md")]
//! [`Corpus::read`] measures every utterance of data directories and tables, on all threads. [`CorpusReport`] is what there is to say
//! about them: [`CorpusReport::data`] as JSON, [`CorpusReport::page`] as one page that needs nothing else.
//!
//! ```
//! use kaldi_view::{Corpus, CorpusOptions, CorpusReport, ReportOptions};
//!
//! let tables = ["ark:printf 'a [ 1 2\\n 3 4 ]\\nb [ 5 6 ]\\n' |".into()];
//! let corpus = Corpus::read(&tables, &CorpusOptions::default())?;
//! let report = CorpusReport::of(&corpus, &ReportOptions::default());
//! assert_eq!(report.data()["summary"]["utterances"], 2);
//! # Ok::<(), kaldi_view::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod comparison;
mod copies;
mod copies_page;
mod corpus;
mod directory;
mod error;
mod job;
mod markup;
mod page;
mod report;
mod scale;
#[cfg(feature = "server")]
mod server;
mod utterance_sound;

pub use copies::{ComparedSet, CopyFamily, LeakedSound};
pub use corpus::{Corpus, CorpusOptions, CorpusTable};
pub use error::{Error, Result};
pub use report::{CorpusReport, ReportOptions};
#[cfg(feature = "server")]
pub use server::{ViewOptions, ViewServer};
