#![doc = include_str!("../README.md")]
//! From a name to the contents of the table, there are three steps:
//!
//! | step | |
//! | --- | --- |
//! | [`Named::find`] | what the name names (detected): an archive, a script file, a single value, a model, a data directory |
//! | [`Entries`] | the entries of a table: their keys, places, sizes and headers; the type of the values (detected) |
//! | [`read_header`], [`read_content`], [`read_frames`], [`write_value`] | of an entry: its header; its numbers or words; its frames over time; its text |
//!
//! For whole tables: [`Summary`] and [`DirectorySummary`], reported by [`Info`]; faults: [`check`],
//! [`check_directory`]; differences: [`diff`]. By key: [`select`]. [`Statistics`] are for tables of [`Numbers`], which
//! are read on all threads; [`MeasureStatistics`] for waveforms, lattices and FSTs; [`Report`] prints them.
//!
//! Files that are no tables (arrays of other programs, lists, times of words, shards, folders) are a [`Foreign`], if
//! [`ForeignKind::find`] knows them; [`TimeMarks`] counts times, and [`check_marks`] checks them.
//!
//! Only headers are read unless more is asked for: [`Entries`] reads headers, [`read_header`] reads no more if the
//! value is binary, [`RawEntry::bytes`](kaldi_table::RawEntry::bytes) and [`read_content`] read the rest.
//!
//! ```
//! use kaldi_inspect::{Entries, read_content, read_header};
//! use kaldi_reader::Reader;
//! use kaldi_any::Content;
//!
//! let mut entries = Entries::open("ark:printf 'a [ 1 2.5 ]\\nb [ 3 ]\\n' |".into(), None)?;
//! let entry = entries.next()?.unwrap();
//! assert_eq!((entry.key(), entry.offset(), entries.value_type().name()), ("a".into(), 2, "vector"));
//! assert_eq!(read_header(&entry, entries.value_type())?.rows, Some(2));
//! let Content::Numbers { values, .. } = read_content(&entry, entries.value_type())? else { panic!() };
//! assert_eq!(values, [1.0, 2.5]);
//! # Ok::<(), kaldi_inspect::Error>(())
//! ```
//!
//! The type of an entry's value is [`Entries::value_type`] directly after the entry was delivered. If several types
//! fit, it is the most likely one; 64 entries are looked at before the first is delivered.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod agreement;
mod bare_names;
mod check;
mod diff;
mod directory;
mod directory_check;
mod dot;
mod entries;
mod error;
mod examined;
mod example;
mod fault;
mod graph;
mod group;
mod info;
mod keys;
mod kind;
mod model;
mod model_arrays;
mod model_diff;
mod model_parts;
mod numbers;
mod other_formats;
mod other_formats_info;
mod report;
mod select;
mod show;
mod sketch;
mod sound;
mod statistics;
mod summary;
#[cfg(test)]
mod tests;
mod time_marks;
mod trailing_bytes;
mod value;

pub use bare_names::{archive_to_write, copied_tables};
pub use check::{Checks, check};
pub use corpus_quality::{Distribution, Moments};
pub use diff::{Difference, Tolerance, diff};
pub use directory::DirectorySummary;
pub use directory_check::{Missing, check_directory};
pub use dot::show_dot;
pub use entries::Entries;
pub use error::{Error, Result};
pub use fault::Fault;
pub use graph::{GraphSums, read_graph};
pub use group::{By, Group, LengthGroup};
pub use info::Info;
pub use kaldi_any::ModelType;
pub use keys::{KeyRelation, Keys};
pub use kind::{Named, NamedKind};
pub use model::{ModelSummary, model_rest, model_text};
pub use model_arrays::model_arrays;
pub use model_diff::{diff_models, directory_files};
pub use numbers::{Elements, Layout, Numbers};
pub use other_formats::{Foreign, ForeignKind, ForeignPart};
pub use report::Report;
pub use select::{Selected, is_pattern, keys_of, matching_keys, select};
pub use show::{copy, cut_lines, cut_rows, show, show_json};
pub use sketch::Sketch;
pub use sound::{MeasureStatistics, Measures, decode_sound, measure_graph, measure_sound, sound_measures};
pub use statistics::{EntryStatistics, Examiner, Statistics};
pub use summary::Summary;
pub use time_marks::{MarkedRecording, TimeMarks, check_marks};
pub use value::{read_content, read_frames, read_frames_within, read_header, write_value};
