//! What is behind remote names: a place that objects are read from and written to.

use std::fmt;
use std::io;

use bstr::BStr;

use crate::Source;

/// A store of objects. The program `kaldi-store` is one; a program can bring another ([`set_store`](crate::set_store)).
pub trait Store: fmt::Debug + Send + Sync {
    /// Opens the object `url` at `offset`. Its source can be read at any place ([`Source::positioned`]) where the store
    /// allows that.
    ///
    /// # Errors
    /// Where there is no such object, or it cannot be read.
    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>>;

    /// Begins a new object, or one in the place of an old one.
    ///
    /// # Errors
    /// Where the store takes none.
    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>>;

    /// Takes note that values which begin at these offsets of the object will be read soon, so that they can be on their
    /// way before, `at_once` of them side by side.
    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize) {
        let _ = (url, offsets, at_once);
    }

    /// Ends what runs for the store. Objects that are not finished do not appear.
    fn close(&self) {}
}

/// An object on its way into a store. Where it is dropped before [`Upload::finish`], nothing of it appears.
pub trait Upload: fmt::Debug + Send {
    /// Takes the next bytes.
    ///
    /// # Errors
    /// Where the store refuses them.
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Lets the object appear.
    ///
    /// # Errors
    /// Where the store refuses; nothing of it appears then.
    fn finish(self: Box<Self>) -> io::Result<()>;
}
