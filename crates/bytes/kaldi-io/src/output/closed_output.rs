//! Outputs that are complete, and wait to be renamed to their final names.

use std::fs::{self, File};

use whole_file::{Pending, Sealed};

use super::set::ReadyFiles;
use super::{Output, ReservedBlocks, deferred_publish};
use crate::session::Session;
use crate::{Error, Result};

/// An output to which nothing more is written. If it is a file, it is closed.
#[derive(Debug)]
#[must_use = "an output is complete only after finish()"]
pub struct ClosedOutput(pub(super) Closed);

#[derive(Debug)]
pub(super) enum Closed {
    /// It is no file that gets its name at the end.
    Open(Output),
    /// It lacks only its name, which another file may have.
    Sealed { session: Session, name: String, offset: u64, sealed: Sealed, replaces: bool },
}

impl ClosedOutput {
    pub(super) fn open(output: Output) -> Self {
        Self(Closed::Open(output))
    }

    /// Completes a file, whose bytes end at `offset`.
    pub(super) fn seal(session: Session, name: String, offset: u64, file: File, pending: Pending) -> Result<Self> {
        let replaces = fs::metadata(pending.path()).is_ok_and(|old| old.len() > 0);
        let sealed = ReservedBlocks::give_back(&file, offset).and_then(|()| pending.seal(file));
        let sealed = sealed.map_err(|source| Error::Write { name: name.clone(), offset, source })?;
        Ok(Self(Closed::Sealed { session, name, offset, sealed, replaces }))
    }

    /// Gives the file its name; other outputs end as by [`Output::finish`].
    ///
    /// # Errors
    /// As [`Output::finish`].
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Closed::Open(output) => output.finish(),
            Closed::Sealed { session, name, offset, sealed, replaces } => {
                let waits = replaces && deferred_publish::must_wait(&session, offset);
                deferred_publish::publish(&session, ReadyFiles::of(name, offset, sealed), waits)
            }
        }
    }
}
