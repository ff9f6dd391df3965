//! Files that are read ahead, in their order.

use std::collections::VecDeque;

use super::files::{Files, OneFile};
use crate::{Prefetch, Reader, prefetch};

/// The reader that [`OpenFiles::ahead`](crate::OpenFiles::ahead) makes.
pub struct FilesAhead<N, R, O>
where
    R: Reader,
    O: Fn(&N) -> Result<R, R::Error>,
{
    files: Files<N, R, O>,
    num_files: usize,
    max_bytes: usize,
    mem_size: fn(&R::Item) -> usize,
    /// The files that are being read; the first one delivers now.
    running: VecDeque<Prefetch<OneFile<N, R, O>>>,
}

impl<N, R, O> FilesAhead<N, R, O>
where
    N: Send + Sync + 'static,
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    O: Fn(&N) -> Result<R, R::Error> + Send + Sync + 'static,
{
    pub(super) fn new(
        files: Files<N, R, O>,
        num_files: usize,
        max_bytes: usize,
        mem_size: fn(&R::Item) -> usize,
    ) -> Self {
        Self { files, num_files, max_bytes: max_bytes / num_files, mem_size, running: VecDeque::new() }
    }
}

impl<N, R, O> Reader for FilesAhead<N, R, O>
where
    N: Send + Sync + 'static,
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    O: Fn(&N) -> Result<R, R::Error> + Send + Sync + 'static,
{
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        loop {
            while self.running.len() < self.num_files
                && let Some(file) = self.files.start()
            {
                let mut file = prefetch(file, self.max_bytes, self.mem_size);
                file.start_early();
                self.running.push_back(file);
            }
            let Some(current) = self.running.front_mut() else { return Ok(None) };
            match current.next() {
                Ok(None) => drop(self.running.pop_front()),
                Ok(value) => return Ok(value),
                Err(error) => {
                    self.files.end();
                    self.running.clear();
                    return Err(error);
                }
            }
        }
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.running.clear();
        self.files.restart();
        Ok(())
    }

    /// Ends the reading; returns the first error of closing the files that are being read.
    fn finish(&mut self) -> Result<(), R::Error> {
        self.files.end();
        self.running.drain(..).map(|mut file| file.finish()).fold(Ok(()), Result::and)
    }
}
