//! The reader under a decorator that holds values back.

use crate::Reader;

/// A reader whose end, or error, waits until the values before it have been delivered.
pub(crate) struct Source<R: Reader> {
    reader: R,
    ended: bool,
    error: Option<R::Error>,
}

impl<R: Reader> Source<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader, ended: false, error: None }
    }

    /// The next value; `None` at the end and at an error, which is kept.
    pub(crate) fn read(&mut self) -> Option<R::Item> {
        if self.ended {
            return None;
        }
        match self.reader.next() {
            Ok(Some(value)) => Some(value),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err(error) => {
                self.ended = true;
                self.error = Some(error);
                None
            }
        }
    }

    /// The error after the last value, once.
    pub(crate) fn end<V>(&mut self) -> Result<Option<V>, R::Error> {
        self.error.take().map_or(Ok(None), Err)
    }

    pub(crate) fn restart(&mut self) -> Result<(), R::Error> {
        self.error = None;
        let restarted = self.reader.restart();
        self.ended = restarted.is_err();
        restarted
    }

    pub(crate) fn finish(&mut self) -> Result<(), R::Error> {
        self.error = None;
        self.ended = true;
        self.reader.finish()
    }
}
