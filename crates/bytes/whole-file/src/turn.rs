//! Keeps processes apart that give names to the same files.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The turn of this process to give names to files that belong together; dropping this ends it.
///
/// It is a lock on a file that exists only during the turn. If a killed process left such a file behind, its lock is
/// free and the file is used again.
#[derive(Debug)]
#[must_use = "the turn ends when it is dropped"]
pub struct Turn {
    _file: File,
    path: PathBuf,
}

impl Turn {
    /// Waits for the turn to replace `path` and files that belong to it; `None` if its folder allows no locks. There need
    /// not be a file of this name: it stands for the files that belong together.
    pub fn take(path: &Path) -> Option<Self> {
        let mut name = OsString::from(".kaldi-tables-");
        name.push(path.file_name()?);
        name.push(".lock");
        Self::lock(path.with_file_name(name))
    }

    /// Waits for the turn to give names to files of a folder that belong together; `None` if it allows no locks.
    pub fn take_folder(folder: &Path) -> Option<Self> {
        Self::lock(folder.join(".kaldi-tables-.lock"))
    }

    fn lock(path: PathBuf) -> Option<Self> {
        loop {
            let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path).ok()?;
            file.lock().ok()?;
            // The previous process may have removed the file after this one had opened it.
            let locked = file.metadata().ok()?;
            if fs::metadata(&path).is_ok_and(|there| (there.dev(), there.ino()) == (locked.dev(), locked.ino())) {
                return Some(Self { _file: file, path });
            }
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn turns_of_the_same_path_do_not_overlap_and_leave_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.ark");
        let (inside, turns) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let turn = Turn::take(&path).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        turns.fetch_add(1, Ordering::SeqCst);
                        inside.fetch_sub(1, Ordering::SeqCst);
                        drop(turn);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 400);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(Turn::take(Path::new("/nonexistent/x.ark")).is_none());
    }
}
