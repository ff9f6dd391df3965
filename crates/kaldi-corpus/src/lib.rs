//! Kaldi's data directories, made of folders of sound and of manifests of other programs, and exported as such.
//!
//! A data directory has a line for each utterance or recording in several files, sorted by the bytes of the keys:
//!
//! ```text
//! wav.scp     <recording> <file or command>
//! segments    <utterance> <recording> <start> <end> [<channel>]     if utterances are parts of recordings
//! utt2spk     <utterance> <speaker>
//! spk2utt     <speaker> <utterance> ...
//! text        <utterance> <word> ...                                if there are texts
//! ```
//!
//! | what | |
//! | --- | --- |
//! | [`Utterances`] | what a folder or a manifest has |
//! | [`Naming`] | how utterances and speakers get their names |
//! | [`NamedCorpus`] | utterances and recordings with their names, the content of a data directory |
//! | [`DataDirectory`] | a data directory that is read |
//! | [`Exported`], [`ExportFormat`] | its utterances in the order of the export, as lines of manifests |
//!
//! No sound is read here.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod corpus;
mod directory;
mod error;
mod export;
mod folder;
mod manifest;
mod naming;
mod utterances;

pub use corpus::NamedCorpus;
pub use directory::{DataDirectory, DirectoryRecording, DirectoryUtterance};
pub use error::{CorpusPlace, Error, Result};
pub use export::{ExportFormat, Exported, SoundSize};
pub use manifest::Manifest;
pub use naming::{Naming, PathPattern, SpeakerRule, UtteranceRule};
pub use utterances::{FoundUtterance, ManifestOptions, Utterances};
