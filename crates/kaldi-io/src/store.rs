//! Stores: where objects with remote names are read from and written to.

use std::fmt;
use std::io;

use bstr::BStr;

use crate::{FrameFn, Source};

/// A store of objects. The crate `kaldi-store` has one; a program can bring another ([`set_store`](crate::set_store)).
pub trait Store: fmt::Debug + Send + Sync {
    /// Opens the object `url` at `offset`. Its source can be read at any place ([`Source::positioned`]) if the store allows
    /// that.
    ///
    /// # Errors
    /// If there is no such object, or it cannot be read.
    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>>;

    /// Starts an object. It replaces an object of the same name when it is finished.
    ///
    /// # Errors
    /// If the store takes no such object.
    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>>;

    /// Starts to fetch the values at these offsets of the object, which will be read soon, `at_once` of them side by side. `frame` finds the
    /// end of a value.
    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize, frame: FrameFn) {
        let _ = (url, offsets, at_once, frame);
    }

    /// Ends what runs for the store. Objects that are not finished do not appear.
    fn close(&self) {}
}

/// An object on its way into a store. If it is dropped before [`Upload::finish`], nothing of it appears.
pub trait Upload: fmt::Debug + Send {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// If the store refuses them.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Lets the object appear.
    ///
    /// # Errors
    /// If the store refuses it; nothing of it appears then.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
