//! Stores: where objects with remote names are read from and written to.

use std::fmt;
use std::io;
use std::sync::Arc;

use bstr::{BStr, BString};

use crate::{FrameFn, ReadAt, Source};

/// A store of objects. The crate `kaldi-store` has one. A session has a store, or none
/// ([`SessionSettings::store`](crate::SessionSettings::store)).
pub trait Store: fmt::Debug + Send + Sync {
    /// Whether names with this scheme, in lower case and without `://`, are objects of it, beside those that are remote anyway.
    fn has_scheme(&self, scheme: &str) -> bool {
        let _ = scheme;
        false
    }

    /// Opens the object `url` at `offset`. Its source can be read at any offset ([`Source::positioned`]) if the store
    /// allows that.
    ///
    /// # Errors
    /// If there is no such object, or it cannot be read.
    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>>;

    /// Starts writing an object. When it is finished, it replaces an object of the same name.
    ///
    /// # Errors
    /// If the store does not accept such an object.
    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>>;

    /// Opens the bytes of the object `url` as they are stored, for reading at any offset. Nothing of them is read ahead.
    ///
    /// # Errors
    /// If there is no such object, or the store sends it in one piece only.
    fn open_at(&self, url: &BStr) -> io::Result<Arc<dyn ReadAt>>;

    /// What the store says of the object `url`, without its bytes.
    ///
    /// # Errors
    /// If there is no such object ([`io::ErrorKind::NotFound`]), the store refuses that, or has no such request
    /// ([`io::ErrorKind::Unsupported`]).
    fn metadata(&self, url: &BStr) -> io::Result<ObjectMetadata> {
        let _ = url;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Removes the object `url`. It may be missing.
    ///
    /// # Errors
    /// If the store refuses that, or has no such request ([`io::ErrorKind::Unsupported`]).
    fn remove(&self, url: &BStr) -> io::Result<()>;

    /// The names of the objects in the folder `url`, without that of the folder and without what is in folders of it.
    ///
    /// # Errors
    /// If the store refuses that, or has no such request ([`io::ErrorKind::Unsupported`]).
    fn list(&self, url: &BStr) -> io::Result<Vec<BString>>;

    /// Starts to fetch the values at these offsets of the object, up to `at_once` of them at the same time. They will
    /// be read soon. `frame` finds the end of a value.
    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize, frame: FrameFn) {
        let _ = (url, offsets, at_once, frame);
    }

    /// Stops the background work of the store. Unfinished objects do not appear.
    fn close(&self) {}
}

/// What a store says of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectMetadata {
    /// Its number of bytes, if that is known.
    pub length: Option<u64>,
    /// A text that changes with the object: an entity tag, or the time of its last change.
    pub version: Option<String>,
}

/// An object that is being written to a store. If it is dropped before [`Upload::finish`], nothing of it appears.
pub trait Upload: fmt::Debug + Send + Sync {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// If the store refuses them.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Completes the object: it appears in the store.
    ///
    /// # Errors
    /// If the store refuses it. Then nothing of it appears.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
