//! Shards: tar files of samples with sound and text.
//!
//! WeNet and webdataset keep training corpora in shards. A *member* of a tar file has a header of 512 bytes before its
//! content; zeros fill the content up to whole blocks. Two blocks of zeros end the file. Members whose names differ
//! only in their suffix are the *fields* of a *sample*:
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
//! | [`TarSamples`], [`Grouping`] | the samples of a shard, strictly: what is wrong is an error with its place |
//! | [`shard_samples`], [`shar_samples`], [`raw_samples`] | the samples of many shards, of Shar, or of [raw lists](crate::RawList), as a stream that can restart |
//! | [`ShardChecks`] | everything that is wrong with a shard |
//! | [`ShardNames`] | lists of shards |
//! | [`Packed`], [`ShardWriter`], [`ShardSetWriter`] | samples that are written, byte for byte as Python's `tarfile` does |
//! | [`Packing`] | samples of the utterances of a data directory |
//! | [`Places`] | samples that are copied in any order |
//! | [`NemoManifests`], [`NemoCheck`] | the manifests of tarred data sets of NeMo, written and compared with the tars |
//! | [`DaliIndex`], [`LhotseIndex`] | the indices that NVIDIA's DALI needs, and lhotse |
//!
//! ```
//! use kaldi_corpus::shard::{Grouping, Members, Packed, TarSamples, ShardWriter, Wanted};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("a.tar");
//! let name = path.to_str().unwrap_or_default().into();
//! let mut sample = Packed::new("utt1");
//! sample.add("utt1.txt".into(), b"hello".to_vec());
//! let mut shard = ShardWriter::create(name, false)?;
//! shard.put(&sample)?;
//! shard.finish()?;
//!
//! let mut samples = TarSamples::new(Members::open(name, Wanted::Contents)?, Grouping::Wenet);
//! let sample = samples.next_sample(|_, _, payload| payload.read())?.expect("a sample");
//! assert_eq!((sample.key.as_slice(), sample.fields[0].value.as_slice()), (&b"utt1"[..], &b"hello"[..]));
//! assert!(samples.next_sample(|_, _, _| Ok(()))?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod check;
mod dali;
mod lhotse_index;
mod nemo;
mod nemo_check;
pub(crate) mod pack;
mod sample_places;
mod shar_samples;
pub(crate) mod sound;
mod stored;
mod write;

pub use check::{Findings, FoundMember, ShardChecks};
pub use dali::DaliIndex;
pub use lhotse_index::LhotseIndex;
pub(crate) use nemo::nemo_shard_number;
pub use nemo::{NemoEntry, NemoManifests, nemo_stem};
pub(crate) use nemo::{NemoLine, without_sub};
pub use nemo_check::NemoCheck;
pub use pack::{PackedUtterance, Packing, SegmentGroup, ShardFormat, Utterance};
pub use sample_places::{Places, SamplePlace};
pub use shar_samples::{SharSamples, shar_samples};
pub use shards::{
    CutEntry, Error, FaultKind, Field, FieldError, FieldPath, Grouping, ListKind, Member, Members, Payload, Result,
    SampleStream, SharFolder, ShardFault, ShardName, ShardNames, TarSample, TarSamples, Wanted, count_cuts,
    count_lost_samples, excerpt, is_field, is_sound, member_header,
};
pub(crate) use sound::is_canonical;
pub use sound::sound_info;
pub use stored::{RawSamples, ShardSamples, Stored, StoredField, StoredSample, raw_samples, shard_samples};
pub use write::{Packed, ShardCompression, ShardIndex, ShardOptions, ShardSetWriter, ShardWriter};

#[cfg(test)]
mod tests;
