//! The files of a reader of many, and the reader of each.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::Reader;

/// The files, some of which have been started.
pub(super) struct Files<N, R, O> {
    pub(super) names: Arc<[N]>,
    open: Arc<O>,
    next: usize,
    reader: PhantomData<fn() -> R>,
}

impl<N, R, O> Files<N, R, O> {
    /// The files with these names, none of which has been started.
    pub(super) fn new(names: Arc<[N]>, open: O) -> Self {
        Self { names, open: Arc::new(open), next: 0, reader: PhantomData }
    }

    /// The reader of the next file, which opens the file with the first value.
    pub(super) fn start(&mut self) -> Option<OneFile<N, R, O>> {
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

    /// Starts no more files.
    pub(super) fn end(&mut self) {
        self.next = self.names.len();
    }

    /// Starts with the first file again.
    pub(super) fn restart(&mut self) {
        self.next = 0;
    }
}

/// The reader of one of the files.
pub(super) struct OneFile<N, R, O> {
    names: Arc<[N]>,
    index: usize,
    open: Arc<O>,
    reader: Option<R>,
    ended: bool,
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> OneFile<N, R, O> {
    fn try_next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            closed => closed.insert((self.open)(&self.names[self.index])?),
        };
        if let Some(value) = reader.next()? {
            return Ok(Some(value));
        }
        // The failure of a command is reported at the end of its values.
        reader.finish()?;
        Ok(None)
    }
}

impl<N, R: Reader, O: Fn(&N) -> Result<R, R::Error>> Reader for OneFile<N, R, O> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
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

    /// Opens the file again.
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
