//! Files that are read one after the other.

use crate::{Error, Result};

/// Files that are read one after the other, until an error that nobody takes.
pub(crate) struct InTurn<O> {
    /// The file that is being read.
    pub(crate) current: Option<O>,
    ended: bool,
    /// Takes the errors of files that are damaged, after which the next one is read.
    pub(crate) on_damage: Option<Box<dyn FnMut(Error) + Send>>,
}

/// A file that is being read.
pub(crate) trait OpenFile {
    /// Closes it.
    fn finish(self) -> Result<()>;
}

impl<O: OpenFile> InTurn<O> {
    pub(crate) fn new() -> Self {
        Self { current: None, ended: false, on_damage: None }
    }

    /// The next value: `read` returns that of a file, `None` at its end; `open` opens the next file, and returns `None` after the last.
    /// After an end or an error there is nothing more.
    pub(crate) fn next<T>(
        &mut self,
        mut open: impl FnMut() -> Result<Option<Result<O>>>,
        mut read: impl FnMut(&mut O) -> Result<Option<T>>,
    ) -> Result<Option<T>> {
        if std::mem::replace(&mut self.ended, true) {
            return Ok(None);
        }
        loop {
            if self.current.is_none() {
                match open()? {
                    None => return Ok(None),
                    Some(Ok(file)) => self.current = Some(file),
                    Some(Err(error)) => self.leave_out(error)?,
                }
            }
            let Some(file) = &mut self.current else { continue };
            let next = read(file);
            if let Ok(Some(_)) = next {
                self.ended = false;
                return next;
            }
            if let Err(error) = next.and(self.close()) {
                self.leave_out(error)?;
            }
        }
    }

    fn close(&mut self) -> Result<()> {
        self.current.take().map_or(Ok(()), O::finish)
    }

    fn leave_out(&mut self, error: Error) -> Result<()> {
        match &mut self.on_damage {
            Some(tell) => {
                tell(error);
                Ok(())
            }
            None => Err(error),
        }
    }

    /// Forgets the file that is being read, and starts again if `starts` says so.
    pub(crate) fn restart(&mut self, starts: bool) {
        (self.current, self.ended) = (None, !starts);
    }

    /// Closes the file that is being read; nothing more comes.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.ended = true;
        self.close()
    }
}
