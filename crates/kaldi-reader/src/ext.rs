//! Methods that every reader has.

use crate::{BoxReader, ParMap, Prefetch, Reader, par_map, prefetch};

/// The decorators as methods, and the way to an iterator.
pub trait ReaderExt: Reader {
    /// The rest of the values as an iterator of results: `for value in reader.iter() { let value = value?; ... }`.
    fn iter(&mut self) -> Iter<'_, Self> {
        Iter { reader: self }
    }

    /// The rest of the values in a vector.
    ///
    /// # Errors
    /// The error that ends the reader.
    fn read_all(&mut self) -> Result<Vec<Self::Value>, Self::Error> {
        self.iter().collect()
    }

    /// See [`prefetch`].
    fn prefetch(self, max_bytes: usize, weigh: fn(&Self::Value) -> usize) -> Prefetch<Self>
    where
        Self: Sized + Send + 'static,
        Self::Value: Send,
        Self::Error: Send,
    {
        prefetch(self, max_bytes, weigh)
    }

    /// See [`par_map`].
    fn par_map<U, F>(
        self,
        threads: impl Fn() -> usize + Send + 'static,
        max_bytes: usize,
        weigh: fn(&Self::Value) -> usize,
        work: F,
    ) -> ParMap<Self, U>
    where
        Self: Sized + Send + 'static,
        Self::Value: Send,
        Self::Error: Send,
        U: Send + 'static,
        F: Fn(Self::Value) -> Result<U, Self::Error> + Send + Sync + 'static,
    {
        par_map(self, threads, max_bytes, weigh, work)
    }

    /// Hides the type of the reader.
    fn boxed(self) -> BoxReader<Self::Value, Self::Error>
    where
        Self: Sized + Send + 'static,
    {
        Box::new(self)
    }
}

impl<R: Reader + ?Sized> ReaderExt for R {}

/// The iterator of [`ReaderExt::iter`].
#[derive(Debug)]
pub struct Iter<'a, R: ?Sized> {
    reader: &'a mut R,
}

impl<R: Reader + ?Sized> Iterator for Iter<'_, R> {
    type Item = Result<R::Value, R::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next().transpose()
    }
}
