//! Entries in the form in which they are written.

use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::log::warning;
use kaldi_io::{Blob, Encoded, Output};
use kaldi_value::{Format, Value};

use crate::Result;
use crate::raw::{RawEntry, write_with_key};

/// A key and its value in the form in which they are written. Worker threads make records, and the writer of a table
/// writes them.
#[derive(Debug)]
pub struct Record<T> {
    record: AnyRecord,
    value: PhantomData<fn() -> T>,
}

/// A copy shares the bytes.
impl<T> Clone for Record<T> {
    fn clone(&self) -> Self {
        Self::of(self.record.clone())
    }
}

/// A record whose value is of any type.
#[derive(Clone, Debug)]
pub(crate) struct AnyRecord {
    pub(crate) key: BString,
    pub(crate) body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The encoded value.
    Encoded(Encoded),
    /// The bytes that were read, and how many of the key and the space are directly before them.
    Raw(Blob, usize),
}

impl Body {
    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => Ok(output.write_encoded(value)?),
            Self::Raw(blob, _) => Ok(blob.write(0, output)?),
        }
    }

    pub(crate) fn write_with_key(&self, key: &BStr, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => {
                output.write_all(&[key.as_bytes(), b" "].concat())?;
                Ok(output.write_encoded(value)?)
            }
            Self::Raw(blob, prefix) => write_with_key(blob, *prefix, key, output),
        }
    }
}

impl<T: Value> Record<T> {
    /// Encodes a value. If something of it is lost, that is a warning.
    pub fn new(key: impl AsRef<[u8]>, value: &T, format: Format) -> Self {
        let key = key.as_ref();
        warn_of_loss(key, value);
        Self::of(AnyRecord::new(key, value.to_bytes(format).into()))
    }

    /// Encodes a value that is not needed any more. In many cases this saves a copy of its elements.
    pub fn from_value(key: impl AsRef<[u8]>, value: T, format: Format) -> Self {
        let key = key.as_ref();
        warn_of_loss(key, &value);
        Self::of(AnyRecord::new(key, value.into_encoded(format)))
    }

    /// Takes the bytes of an entry of a table as they are.
    pub(crate) fn from_raw(raw: &RawEntry) -> Self {
        Self::of(AnyRecord { key: raw.key.clone(), body: Body::Raw(raw.blob.clone(), raw.prefix) })
    }

    /// Takes a value that was encoded before.
    pub fn from_bytes(key: impl AsRef<[u8]>, bytes: impl Into<Encoded>) -> Self {
        Self::of(AnyRecord::new(key.as_ref(), bytes.into()))
    }
}

impl<T> Record<T> {
    fn of(record: AnyRecord) -> Self {
        Self { record, value: PhantomData }
    }

    /// The key.
    pub fn key(&self) -> &BStr {
        self.record.key.as_ref()
    }

    pub(crate) fn as_any(&self) -> &AnyRecord {
        &self.record
    }

    pub(crate) fn into_any(self) -> AnyRecord {
        self.record
    }
}

impl AnyRecord {
    fn new(key: &[u8], value: Encoded) -> Self {
        Self { key: key.into(), body: Body::Encoded(value) }
    }
}

/// Logs what is lost of a value that is written under `key`. The key is empty for a file that is no table.
pub(crate) fn warn_of_loss<T: Value>(key: &[u8], value: &T) {
    if let Some(loss) = value.loss() {
        warn_of(BStr::new(key), &loss);
    }
}

fn warn_of(key: &BStr, loss: &str) {
    match key.is_empty() {
        true => warning!("{loss}"),
        false => warning!("{key}: {loss}"),
    }
}
