#![doc = include_str!("../README.md")]
//! A *member* of a tar file has a header of 512 bytes before its content; zeros fill the content up to whole blocks.
//! Two blocks of zeros end the file. Members whose names differ only in their suffix are the *fields* of a *sample*:
//!
//! ```text
//! offset  what                                 sample  field
//!      0  header: utt1.txt, 5 bytes
//!    512  hello                                utt1    txt
//!   1024  header: utt1.wav, 48044 bytes
//!   1536  RIFF...                              utt1    wav
//!  49664  header: utt2.txt ...
//! ```
//!
//! | what | |
//! | --- | --- |
//! | [`Members`] | the members of a tar file, plain or compressed, in a file or a pipe |
//! | [`TarSamples`], [`Grouping`] | the samples of a shard, strictly: what is wrong is a [`ShardFault`] with its place |
//! | [`ShardNames`], [`SampleStream`] | lists of shards, and the samples of all of them |
//! | [`SharFolder`], [`SharStream`], [`Cut`] | Shar, folders of lhotse with cuts and tar files of each field |
//! | [`FieldPath`] | a field of a sample by name, also inside of a member in JSON |
//! | [`member_header`] | a header as Python's `tarfile` writes it |
//!
//! ```
//! use shards::{Grouping, Members, TarSamples, Wanted, member_header};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a.tar");
//! let mut bytes = member_header("utt1.txt".into(), 5);
//! bytes.extend(b"hello");
//! bytes.resize(10240, 0);
//! std::fs::write(&path, bytes)?;
//!
//! let members = Members::open(path.to_str().unwrap_or_default().into(), Wanted::Contents)?;
//! let mut samples = TarSamples::new(members, Grouping::Wenet);
//! let sample = samples.next_sample(|_, _, payload| payload.read())?.expect("a sample");
//! assert_eq!((sample.key.as_slice(), sample.fields[0].value.as_slice()), (&b"utt1"[..], &b"hello"[..]));
//! assert!(samples.next_sample(|_, _, _| Ok(()))?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod concat_reader;
mod error;
mod fault;
mod field_path;
mod grouping;
mod list;
mod lost_samples;
mod samples;
mod shar;
mod source;
mod stream;
mod tar;

pub use error::{Error, Result};
pub use fault::{FaultKind, ShardFault};
pub use field_path::{FieldError, FieldPath};
pub use grouping::{Grouping, is_field, is_sound, sample_key};
pub use list::{ListKind, ListLines, ShardName, ShardNames, excerpt};
pub use lost_samples::{count_cuts, count_lost_samples};
pub use samples::{Field, SampleKeys, TarSample, TarSamples, no_suffix};
pub use shar::{
    Cut, CutEntry, CutFeatures, CutRecording, CutSource, CutSupervision, CutText, SharFiles, SharFolder, SharPart,
    SharSample, SharStream,
};
pub use source::{Wanted, comes_once};
pub use stream::{SampleStream, Shard};
pub use tar::{BLOCK, Member, Members, Payload, member_header, padding, whole_size};
