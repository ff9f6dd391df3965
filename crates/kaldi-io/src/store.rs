//! Stores: where objects with remote names are read from and written to.

use std::fmt;
use std::io;

use bstr::BStr;

use crate::{FrameFn, Source};

/// A store of objects. The crate `kaldi-store` has one. A program can set another one
/// ([`set_store`](crate::set_store)).
pub trait Store: fmt::Debug + Send + Sync {
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

    /// Starts to fetch the values at these offsets of the object, up to `at_once` of them at the same time. They will
    /// be read soon. `frame` finds the end of a value.
    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize, frame: FrameFn) {
        let _ = (url, offsets, at_once, frame);
    }

    /// Ends what runs for the store. Unfinished objects do not appear.
    fn close(&self) {}
}

/// An object that is being written to a store. If it is dropped before [`Upload::finish`], nothing of it appears.
pub trait Upload: fmt::Debug + Send {
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
