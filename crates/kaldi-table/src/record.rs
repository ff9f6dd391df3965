//! Entries in the form in which they are written.

use std::marker::PhantomData;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Encoded, Output};
use kaldi_log::warning;
use kaldi_values::{Format, Value};

use crate::Result;
use crate::raw::RawEntry;

/// A key and its value in the form in which they are written. Worker threads make records, and the writer of a table
/// writes them.
#[derive(Debug)]
pub struct Record<T> {
    pub(crate) key: BString,
    pub(crate) body: Body,
    value: PhantomData<fn() -> T>,
}

/// A copy shares the bytes.
impl<T> Clone for Record<T> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), body: self.body.clone(), value: PhantomData }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The encoded value.
    Encoded(Encoded),
    /// The bytes that were read. The key is that of the record.
    Raw(RawEntry),
}

impl Body {
    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => Ok(output.write_encoded(value)?),
            Self::Raw(raw) => raw.write_value(output),
        }
    }

    pub(crate) fn write_with_key(&self, key: &BStr, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => {
                output.write_all(&[key.as_bytes(), b" "].concat())?;
                Ok(output.write_encoded(value)?)
            }
            Self::Raw(raw) => raw.write_with_key(key, output),
        }
    }
}

impl<T: Value> Record<T> {
    /// Encodes a value. If something of it is lost, that is a warning.
    pub fn new(key: impl AsRef<[u8]>, value: &T, format: Format) -> Self {
        let key = BStr::new(key.as_ref());
        warn_of_loss(key, value);
        let mut bytes = Vec::new();
        value.write(&mut bytes, format);
        Self::from_bytes(key, bytes)
    }

    /// Encodes a value that is not needed any more. In many cases this saves a copy of its elements.
    pub fn from_value(key: impl AsRef<[u8]>, value: T, format: Format) -> Self {
        let key = BStr::new(key.as_ref());
        warn_of_loss(key, &value);
        Self::from_bytes(key, value.into_encoded(format))
    }

    /// Takes the bytes of an entry of a table as they are.
    pub(crate) fn from_raw(mut raw: RawEntry) -> Self {
        Self { key: std::mem::take(&mut raw.key), body: Body::Raw(raw), value: PhantomData }
    }

    /// Takes a value that was encoded before.
    pub fn from_bytes(key: impl AsRef<[u8]>, bytes: impl Into<Encoded>) -> Self {
        Self { key: key.as_ref().into(), body: Body::Encoded(bytes.into()), value: PhantomData }
    }
}

impl<T> Record<T> {
    /// The key.
    pub fn key(&self) -> &BStr {
        self.key.as_ref()
    }
}

/// Logs what is lost of a value that is written under `key`. The key is empty for a file that is no table.
pub(crate) fn warn_of_loss<T: Value>(key: &BStr, value: &T) {
    match value.loss() {
        Some(loss) if key.is_empty() => warning!("{loss}"),
        Some(loss) => warning!("{key}: {loss}"),
        None => {}
    }
}
