//! One submitter at a time.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::folder::remove;
use crate::owner::{HEARTBEAT, Owner, beat, create_owned, look_at};
use crate::{Error, Folder, Result};

/// How long a lock may be without its content, which is written after the file is made.
const BEING_WRITTEN: Duration = Duration::from_secs(1);

/// The lock of a submitter, released when it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    owner: Owner,
    last: Instant,
}

impl Folder {
    fn lock_path(&self) -> PathBuf {
        self.path().join("lock")
    }

    /// The process that submits the pieces of this folder; `None` if there is none, or it is dead.
    pub(crate) fn submitter(&self, silence: Duration) -> Option<Owner> {
        look_at(&self.lock_path()).filter(|there| there.seems_alive(silence)).map(|there| there.owner)
    }

    /// Takes the lock of the submitter, also that of a dead one.
    ///
    /// # Errors
    /// If another submitter lives.
    pub(crate) fn lock(&self, silence: Duration) -> Result<Lock> {
        let (path, start) = (self.lock_path(), Instant::now());
        while !create_owned(&path)? {
            let Some(there) = look_at(&path) else { continue };
            if !there.owner.is_known() && start.elapsed() < BEING_WRITTEN {
                std::thread::sleep(BEING_WRITTEN / 20);
                continue;
            }
            if there.seems_alive(silence) {
                return Err(self.in_use(&there.owner));
            }
            self.bury(&there.owner)?;
        }
        Ok(Lock { path, owner: Owner::this(), last: Instant::now() })
    }

    pub(crate) fn in_use(&self, owner: &Owner) -> Error {
        let folder = self.path().display();
        Error::Folder(match owner.is_known() {
            true => format!("{folder} is in use: {owner} submits these pieces"),
            false => {
                let lock = self.lock_path();
                format!("{} does not say which process submits these pieces: remove it if none does", lock.display())
            }
        })
    }

    /// Removes the lock of a dead submitter. Another process may do the same, and have a new lock already: so it is looked at
    /// again after it was taken away, when nobody else can take it.
    fn bury(&self, dead: &Owner) -> Result<()> {
        let aside = self.path().join(format!("lock.{}", std::process::id()));
        if fs::rename(self.lock_path(), &aside).is_err() {
            // Somebody else was faster.
            return Ok(());
        }
        let taken = look_at(&aside).map(|there| there.owner);
        if taken.as_ref() != Some(dead) {
            let _ = fs::hard_link(&aside, self.lock_path());
        }
        remove(&aside)
    }
}

impl Lock {
    fn is_ours(&self) -> bool {
        look_at(&self.path).is_some_and(|there| there.owner == self.owner)
    }

    /// Renews the heartbeat if it is time.
    ///
    /// # Errors
    /// If another process has the lock now, since this one was silent for too long.
    pub(crate) fn beat(&mut self) -> Result<()> {
        if self.last.elapsed() < HEARTBEAT {
            return Ok(());
        }
        if !self.is_ours() {
            let message = "another process submits these pieces now, since this one was silent for too long";
            return Err(Error::Folder(format!("{}: {message}", self.path.display())));
        }
        beat(&self.path);
        self.last = Instant::now();
        Ok(())
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if self.is_ours() {
            let _ = fs::remove_file(&self.path);
        }
    }
}
