//! Many files as one reader.

mod ahead;
mod unordered;

use std::marker::PhantomData;
use std::sync::Arc;

use crate::Reader;

pub use ahead::FilesAhead;
pub use unordered::FilesUnordered;

/// Reads files one after the other; `open` makes the reader of each.
///
/// A file is opened when the values of the one before are at their end, on the caller's thread. [`OpenFiles::ahead`] and
/// [`OpenFiles::unordered`] read several files at a time.
///
/// ```
/// use kaldi_reader::{ReaderExt, from_slice, open_files};
///
/// let files: [&'static [i32]; 3] = [&[1, 2], &[], &[3]];
/// let mut all = open_files([0, 1, 2], move |&file| Ok(from_slice(files[file]))).ahead(2, 1 << 20, |_| 4);
/// assert_eq!(all.read_all()?, [1, 2, 3]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub fn open_files<N, R, O>(files: impl IntoIterator<Item = N>, open: O) -> OpenFiles<N, R, O>
where
    R: Reader,
    O: Fn(&N) -> Result<R, R::Error>,
{
    let files = Files { names: files.into_iter().collect(), open: Arc::new(open), next: 0, reader: PhantomData };
    OpenFiles { files, current: None }
}

/// The files, some of which were begun.
struct Files<N, R, O> {
    names: Arc<[N]>,
    open: Arc<O>,
    next: usize,
    reader: PhantomData<fn() -> R>,
}

impl<N, R, O> Files<N, R, O> {
    /// The reader of the next file, which it opens when it is read.
    fn begin(&mut self) -> Option<OneFile<N, R, O>> {
        if self.next >= self.names.len() {
            return None;
        }
        self.next += 1;
        Some(OneFile {
            names: Arc::clone(&self.names),
            index: self.next - 1,
            open: Arc::clone(&self.open),
            reader: None,
            ended: false,
        })
    }

    fn end(&mut self) {
        self.next = self.names.len();
    }
}

/// The reader of one of the files.
struct OneFile<N, R, O> {
    names: Arc<[N]>,
    index: usize,
    open: Arc<O>,
    reader: Option<R>,
    ended: bool,
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> OneFile<N, R, O> {
    fn try_next(&mut self) -> Result<Option<R::Value>, R::Error> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            closed => closed.insert((self.open)(&self.names[self.index])?),
        };
        if let Some(value) = reader.next()? {
            return Ok(Some(value));
        }
        // A command that failed is told at the end of its values.
        reader.finish()?;
        Ok(None)
    }
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> Reader for OneFile<N, R, O> {
    type Value = R::Value;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Value>, R::Error> {
        if self.ended {
            return Ok(None);
        }
        let next = self.try_next();
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            self.reader = None;
        }
        next
    }

    /// Opens the file anew.
    fn restart(&mut self) -> Result<(), R::Error> {
        self.reader = None;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.ended = true;
        self.reader.take().map_or(Ok(()), |mut reader| reader.finish())
    }
}

/// The reader that [`open_files`] makes.
pub struct OpenFiles<N, R, O> {
    files: Files<N, R, O>,
    current: Option<OneFile<N, R, O>>,
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> OpenFiles<N, R, O> {
    /// Reads `num_files` files at a time, each on a thread of its own, and delivers their values in the order of the files.
    ///
    /// All files together hold at most `max_bytes`, as `weigh` counts them, in equal parts; of a file one value may go beyond.
    pub fn ahead(self, num_files: usize, max_bytes: usize, weigh: fn(&R::Value) -> usize) -> FilesAhead<N, R, O>
    where
        N: Send + Sync + 'static,
        R: Send + 'static,
        R::Value: Send,
        R::Error: Send,
        O: Send + Sync + 'static,
    {
        FilesAhead::new(self.files, num_files.max(1), max_bytes, weigh)
    }

    /// Reads `num_files` files at a time, each on a thread of its own, and delivers values as they come: those of a file in
    /// their order, files mixed at will.
    ///
    /// At most `max_bytes`, as `weigh` counts them, are held; a value that waits for room does not count. An error is delivered
    /// behind the values that were read before it.
    pub fn unordered(self, num_files: usize, max_bytes: usize, weigh: fn(&R::Value) -> usize) -> FilesUnordered<N, R, O>
    where
        N: Send + Sync + 'static,
        R: Send + 'static,
        R::Value: Send,
        R::Error: Send,
        O: Send + Sync + 'static,
    {
        FilesUnordered::new(self.files, num_files.max(1), max_bytes, weigh)
    }
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> Reader for OpenFiles<N, R, O> {
    type Value = R::Value;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Value>, R::Error> {
        loop {
            if self.current.is_none() {
                self.current = self.files.begin();
            }
            let Some(current) = &mut self.current else { return Ok(None) };
            match current.next() {
                Ok(None) => self.current = None,
                Ok(value) => return Ok(value),
                Err(error) => {
                    self.current = None;
                    self.files.end();
                    return Err(error);
                }
            }
        }
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.current = None;
        self.files.next = 0;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.files.end();
        self.current.take().map_or(Ok(()), |mut file| file.finish())
    }
}
