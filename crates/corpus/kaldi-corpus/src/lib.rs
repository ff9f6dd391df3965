#![doc = include_str!("../README.md")]
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
//! | [`saved_splits`], [`saved_files`] | what is in a folder that `save_to_disk` of `datasets` wrote |
//! | [`NamedCorpus`] | utterances and recordings with their names, the content of a data directory |
//! | [`DataDirectory`], [`DIRECTORY_FILES`] | which files a data directory has, and what they say |
//! | [`expand_pattern`] | names of many files in one |
//! | [`SpeakerFiles`] | tables of speakers, languages and genders |
//! | [`Segment`], [`Segments`], [`TimeSpan`] | lines of `segments` |
//! | [`read_text`], [`read_recordings`] | `text` and `wav.scp`, as WeNet's scripts read them |
//! | [`DirectoryContent`] | a data directory that is read as a whole |
//! | [`Exported`], [`ExportFormat`] | its utterances in the order of the export, as lines of manifests |
//! | [`DirectoryTables`], [`ParquetFile`] | languages, genders and other tables of it; files of Parquet with the sound in them |
//! | [`HiddenSound`], [`SoundFiles`] | sound that other programs do not find by a name, and files of it |
//! | [`RawList`], [`ListIndex`] | lists of utterances, one object in JSON a line |
//! | [`shar`] | folders of lhotse with cuts and tar files of each field, which are written |
//! | [`shard`] | tar files of samples, which are read, written, checked and copied |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod braces;
mod corpus;
mod data_directory;
mod directory_content;
mod error;
mod export;
mod features;
mod folder;
mod found_list;
mod left_out;
mod list;
mod manifest;
mod naming;
mod parts;
mod pattern;
mod seen_fields;
mod segment;
pub mod shar;
pub mod shard;
mod sound_store;
mod speakers;
mod texts;
mod utterances;

pub use corpus::{NamedCorpus, check_folder_name};
pub use data_directory::{AfterKey, DIRECTORY_FILES, DataDirectory, DirectoryFile, KeysOf, former_tables, last_ends};
pub use directory_content::{DirectoryContent, DirectoryRecording, DirectoryUtterance};
pub use error::{CorpusPlace, Error, Result};
pub use export::{
    DirectoryTables, ExportAudio, ExportFormat, Exported, ExportedSound, HiddenSound, ParquetFile, SoundFiles,
    SoundPlaceKind, SoundSize, WantedFile,
};
pub use features::{FeatureCopies, FoundArray, FoundFeatures};
pub use left_out::LeftOut;
pub use list::{ListIndex, NemoSounds, RawList, RawUtterance, write_raw_line};
pub use manifest::{Manifest, saved_files, saved_splits};
pub use naming::{Naming, PathPattern, SpeakerRule, UtteranceRule};
pub use pattern::expand_pattern;
pub use segment::{RecordingPart, Segment, Segments, TimeSpan};
pub use sound_store::{FoundSound, SoundCopies, SoundForm, SoundStore};
pub use speakers::{SpeakerFacts, SpeakerFiles, gender_of};
pub use texts::{are_recordings, read_recordings, read_text};
pub use utterances::{Extra, FieldNames, FoundUtterance, ManifestOptions, Utterances};
