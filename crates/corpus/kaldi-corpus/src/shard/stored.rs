//! Samples of shards and of raw lists, as readers.

use std::borrow::Cow;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Blob, Rxfilename};
use kaldi_reader::Reader;

use crate::shard::pack::read_named;
use crate::shard::{Error, Grouping, Result, ShardName, Wanted};
use crate::{RawList, RawUtterance, TimeSpan};
use shards::{SampleStream, sample_key};

/// A sample of a shard or of a raw list, with its fields in their order. Contents are in memory or stay in their files.
#[derive(Clone, Debug)]
pub struct StoredSample {
    /// The key.
    pub key: BString,
    /// The name of the shard or of the list.
    pub source: Arc<str>,
    /// The fields. For a raw list, these are `wav`, `txt` and then the other fields of the object, by name.
    pub fields: Vec<StoredField>,
    /// Where the utterance is in the sound. `None` for all of it, as in shards.
    pub segment: Option<TimeSpan>,
}

/// A field of a sample.
#[derive(Clone, Debug)]
pub struct StoredField {
    /// Its name: the suffix of a member, the name in an object.
    pub name: BString,
    /// Its content.
    pub content: Stored,
}

/// A content, or its name.
#[derive(Clone, Debug)]
pub enum Stored {
    /// Bytes in memory or of an uncompressed shard.
    Blob(Blob),
    /// What this rxfilename names.
    Named(BString),
}

impl StoredSample {
    /// The first field that `wanted` means; `wav` means sound of any suffix.
    pub fn field(&self, wanted: &BStr) -> Option<&StoredField> {
        self.fields.iter().find(|field| crate::shard::is_field(field.name.as_ref(), wanted))
    }

    /// About how many bytes the sample takes in memory.
    pub fn weight(&self) -> usize {
        let of_field = |field: &StoredField| size_of::<StoredField>() + field.name.len() + field.content.weight();
        size_of::<Self>() + self.key.len() + self.fields.iter().map(of_field).sum::<usize>()
    }

    /// The sample of a line of a raw list. A text field has its text, others have JSON.
    pub fn of_raw(utterance: RawUtterance, list: &Arc<str>) -> Self {
        let field = |name: String, content| StoredField { name: name.into(), content };
        let mut fields = vec![
            field("wav".to_owned(), Stored::Named(utterance.wav.into())),
            field("txt".to_owned(), Stored::Blob(utterance.txt.into_bytes().into())),
        ];
        fields.extend(utterance.extra.into_iter().map(|(name, value)| {
            let text = serde_json::from_str::<String>(&value).unwrap_or(value);
            field(name, Stored::Blob(text.into_bytes().into()))
        }));
        let key = sample_key(utterance.key.as_str().into()).into_owned();
        Self { key, source: Arc::clone(list), fields, segment: utterance.segment }
    }
}

impl Stored {
    /// The content. It is read now if it is not in memory. Any thread can do that.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn load(&self) -> Result<Cow<'_, [u8]>> {
        match self {
            Self::Blob(blob) => Ok(blob.load()?),
            Self::Named(name) => Ok(read_named(name.as_ref())?.into()),
        }
    }

    /// Its length in bytes, as far as known without reading it.
    pub fn size(&self) -> usize {
        let length = match self {
            Self::Blob(blob) => blob.length(),
            Self::Named(name) => match Rxfilename::parse(name.as_ref()) {
                Ok(Rxfilename::File(path)) => path.metadata().map_or(0, |metadata| metadata.len()),
                _ => 1 << 20,
            },
        };
        usize::try_from(length).unwrap_or(usize::MAX)
    }

    fn weight(&self) -> usize {
        match self {
            Self::Blob(blob) => blob.head().len(),
            Self::Named(name) => name.len(),
        }
    }
}

/// Reads the samples of shards, one shard after the other, as [`TarSamples`](crate::shard::TarSamples) does.
///
/// `names` are [`ShardNames`](crate::shard::ShardNames), or a share of them, or in another order. If their contents are
/// [`Wanted`], samples come with them. Otherwise contents of uncompressed shards stay in their files until
/// [`Stored::load`]; those of compressed shards and of pipes are in memory anyway.
///
/// ```
/// use kaldi_reader::{Reader, Share};
/// use kaldi_corpus::shard::{Grouping, ShardNames, Wanted, shard_samples};
///
/// let folder = tempfile::tempdir()?;
/// let list = folder.path().join("data.list");
/// std::fs::write(&list, "shards_000000000.tar\nshards_000000001.tar\n")?;
/// let names = ShardNames::new([list.to_str().unwrap_or_default().into()], Wanted::Headers);
/// let mut samples = shard_samples(names, Grouping::Wenet);
/// assert!(samples.next().unwrap_err().to_string().starts_with("cannot open shards_000000000.tar"));
/// assert!(samples.next()?.is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn shard_samples<R: Reader<Item = ShardName, Error = Error>>(names: R, grouping: Grouping) -> ShardSamples<R> {
    ShardSamples(SampleStream::new(names, grouping))
}

/// The reader that [`shard_samples`] returns.
pub struct ShardSamples<R>(SampleStream<R>);

impl<R: Reader<Item = ShardName, Error = Error>> ShardSamples<R> {
    /// Continues with the next shard if one cannot be opened or is damaged. `tell` is called with the error. Samples
    /// before the damage were delivered. A list of shards that cannot be read still ends the reader.
    pub fn leave_out_damaged(mut self, tell: impl FnMut(Error) + Send + 'static) -> Self {
        self.0.leave_out_damaged(tell);
        self
    }
}

impl<R: Reader<Item = ShardName, Error = Error>> Reader for ShardSamples<R> {
    type Item = StoredSample;
    type Error = Error;

    fn next(&mut self) -> Result<Option<StoredSample>> {
        let sample = self.0.next_with(|shard, _, member, payload| {
            match shard.bytes.as_ref().filter(|it| it.as_file().is_some()) {
                Some(bytes) if shard.wanted == Wanted::Headers => {
                    let (name, bytes) = (Arc::clone(&shard.name), Arc::clone(bytes));
                    Ok(Stored::Blob(Blob::stored(name, bytes, member.offset, member.size)))
                }
                _ => {
                    let (name, content) = (Arc::clone(&shard.name), payload.read()?);
                    Ok(Stored::Blob(Blob::in_memory(name, member.offset, content)))
                }
            }
        })?;
        let source = self.0.shard().map_or_else(|| Arc::from(""), |shard| Arc::clone(&shard.name));
        let field = |field: crate::shard::Field<Stored>| StoredField { name: field.name, content: field.value };
        Ok(sample.map(|sample| StoredSample {
            key: sample.key,
            source,
            fields: sample.fields.into_iter().map(field).collect(),
            segment: None,
        }))
    }

    fn restart(&mut self) -> Result<()> {
        self.0.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}

/// Reads the samples of a raw list. Sound stays in its file until [`Stored::load`].
pub fn raw_samples(list: RawList) -> RawSamples {
    RawSamples { name: list.name().to_string().into(), list }
}

/// The reader that [`raw_samples`] returns.
pub struct RawSamples {
    list: RawList,
    name: Arc<str>,
}

impl Reader for RawSamples {
    type Item = StoredSample;
    type Error = Error;

    fn next(&mut self) -> Result<Option<StoredSample>> {
        let utterance = self.list.next()?;
        Ok(utterance.map(|utterance| StoredSample::of_raw(utterance, &self.name)))
    }

    fn restart(&mut self) -> Result<()> {
        self.list.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.list.finish()
    }
}
