//! Methods that every reader has.

use crate::{
    Batch, BatchByFrames, BatchByLength, BoxReader, Buckets, Counter, Counting, FilterMap, Leftover, ParMap, Partition,
    Peekable, Prefetch, Reader, Repeat, Share, Shuffle, Skip, Sort, Take, Threaded, batch, batch_by_frames,
    batch_by_length, counting, filter_map, par_map, partition, peekable, prefetch, repeat, shuffle_stream,
    shuffle_window, skip, sort, take, threaded,
};

/// The decorators as methods, and the conversion to an iterator.
pub trait ReaderExt: Reader {
    /// The rest of the values as an iterator of results: `for value in reader.iter() { let value = value?; ... }`.
    fn iter(&mut self) -> Iter<'_, Self> {
        Iter { reader: self }
    }

    /// The rest of the values in a vector.
    ///
    /// # Errors
    /// The error that ends the reader.
    fn read_all(&mut self) -> Result<Vec<Self::Item>, Self::Error> {
        self.iter().collect()
    }

    /// See [`prefetch`].
    fn prefetch(self, max_bytes: usize, mem_size: fn(&Self::Item) -> usize) -> Prefetch<Self>
    where
        Self: Sized + Send + 'static,
        Self::Item: Send,
        Self::Error: Send,
    {
        prefetch(self, max_bytes, mem_size)
    }

    /// See [`par_map`].
    fn par_map<U, F>(self, threads: impl Fn() -> usize + Send + 'static, work: F) -> ParMap<Self, U>
    where
        Self: Sized + Send + 'static,
        Self::Item: Send,
        Self::Error: Send,
        U: Send + 'static,
        F: Fn(Self::Item) -> Result<U, Self::Error> + Send + Sync + 'static,
    {
        par_map(self, threads, work)
    }

    /// Reads up to `depth` values ahead on a background thread; see [`prefetch`].
    fn double_buffer(self, depth: usize) -> Prefetch<Self>
    where
        Self: Sized + Send + 'static,
        Self::Item: Send,
        Self::Error: Send,
    {
        prefetch(self, depth, |_| 1)
    }

    /// See [`threaded`].
    fn threaded(self) -> Threaded<Self>
    where
        Self: Sized,
    {
        threaded(self)
    }

    /// See [`shuffle_window`].
    fn shuffle_window(self, window: usize, seed: u64) -> Shuffle<Self>
    where
        Self: Sized,
    {
        shuffle_window(self, window, seed)
    }

    /// See [`shuffle_stream`].
    fn shuffle_stream(self, window: usize, seed: u64) -> Shuffle<Self>
    where
        Self: Sized,
    {
        shuffle_stream(self, window, seed)
    }

    /// See [`sort`].
    fn sort<K: Ord, F: FnMut(&Self::Item) -> K>(self, window: usize, key: F) -> Sort<Self, F>
    where
        Self: Sized,
    {
        sort(self, window, key)
    }

    /// See [`batch`].
    fn batch(self, size: usize, leftover: Leftover<Self::Item>) -> Batch<Self>
    where
        Self: Sized,
    {
        batch(self, size, leftover)
    }

    /// See [`batch_by_frames`].
    fn batch_by_frames<L: FnMut(&Self::Item) -> usize>(self, max_frames: usize, length: L) -> BatchByFrames<Self, L>
    where
        Self: Sized,
    {
        batch_by_frames(self, max_frames, length)
    }

    /// See [`batch_by_length`].
    fn batch_by_length<L: FnMut(&Self::Item) -> usize>(
        self,
        buckets: Buckets,
        max_values: usize,
        leftover: Leftover<Self::Item>,
        length: L,
    ) -> BatchByLength<Self, L>
    where
        Self: Sized,
    {
        batch_by_length(self, buckets, max_values, leftover, length)
    }

    /// See [`repeat`].
    fn repeat(self, passes: u64) -> Repeat<Self>
    where
        Self: Sized,
    {
        repeat(self, passes)
    }

    /// See [`partition`].
    fn partition(self, share: Share) -> Partition<Self>
    where
        Self: Sized,
    {
        partition(self, share)
    }

    /// See [`take`].
    fn take(self, number: u64) -> Take<Self>
    where
        Self: Sized,
    {
        take(self, number)
    }

    /// See [`skip`].
    fn skip(self, number: u64) -> Skip<Self>
    where
        Self: Sized,
    {
        skip(self, number)
    }

    /// See [`filter_map`].
    fn filter_map<U, F>(self, work: F) -> FilterMap<Self, F>
    where
        Self: Sized,
        F: FnMut(Self::Item) -> Result<Option<U>, Self::Error>,
    {
        filter_map(self, work)
    }

    /// See [`counting`].
    fn counting(self, counter: &Counter) -> Counting<Self>
    where
        Self: Sized,
    {
        counting(self, counter)
    }

    /// See [`peekable`].
    fn peekable(self) -> Peekable<Self>
    where
        Self: Sized,
    {
        peekable(self)
    }

    /// Hides the type of the reader.
    fn boxed(self) -> BoxReader<Self::Item, Self::Error>
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
    type Item = Result<R::Item, R::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.next().transpose()
    }
}
