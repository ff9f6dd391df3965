//! Many files as one reader.

mod ahead;
mod files;
mod unordered;

use crate::Reader;
use files::{Files, OneFile};

pub use ahead::FilesAhead;
pub use unordered::FilesUnordered;

/// Reads files one after the other; `open` makes the reader of each.
///
/// A file is opened when the values of the previous one have ended, on the caller's thread. [`OpenFiles::ahead`] and
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
    OpenFiles { files: Files::new(files.into_iter().collect(), open), current: None }
}

/// The reader that [`open_files`] makes.
pub struct OpenFiles<N, R, O> {
    files: Files<N, R, O>,
    current: Option<OneFile<N, R, O>>,
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> OpenFiles<N, R, O> {
    /// Reads `num_files` files at a time, each on a thread of its own, and delivers their values in the order of the files.
    ///
    /// All files together hold at most `max_bytes`, as `mem_size` counts them, in equal parts; each file may go beyond its
    /// part with one value.
    pub fn ahead(self, num_files: usize, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> FilesAhead<N, R, O>
    where
        N: Send + Sync + 'static,
        R: Send + 'static,
        R::Item: Send,
        R::Error: Send,
        O: Send + Sync + 'static,
    {
        FilesAhead::new(self.files, num_files.max(1), max_bytes, mem_size)
    }

    /// Reads `num_files` files at a time, each on a thread of its own, and delivers values as soon as they are read:
    /// those of a file in their order, the files mixed in any order.
    ///
    /// At most `max_bytes`, as `mem_size` counts them, are held; a value that waits for room does not count. An error is
    /// delivered after the values that were read before it.
    pub fn unordered(
        self,
        num_files: usize,
        max_bytes: usize,
        mem_size: fn(&R::Item) -> usize,
    ) -> FilesUnordered<N, R, O>
    where
        N: Send + Sync + 'static,
        R: Send + 'static,
        R::Item: Send,
        R::Error: Send,
        O: Send + Sync + 'static,
    {
        FilesUnordered::new(self.files, num_files.max(1), max_bytes, mem_size)
    }
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> Reader for OpenFiles<N, R, O> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        loop {
            if self.current.is_none() {
                self.current = self.files.start();
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
        self.files.restart();
        Ok(())
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.files.end();
        self.current.take().map_or(Ok(()), |mut file| file.finish())
    }
}
