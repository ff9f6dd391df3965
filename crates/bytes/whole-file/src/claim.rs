//! Names of temporary files, and which of them belong to processes that are gone.
//!
//! A temporary file is called `.kaldi-tables-<number>-<count>.tmp`. Who has the lock of `.kaldi-tables-<number>.tmp` owns all files with
//! this number. A killed process has lost its locks, so the next one knows which files are left over, on any machine and in any
//! container that uses the folder.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// How names of temporary files start and end.
const START: &str = ".kaldi-tables-";
const END: &str = ".tmp";

/// Greater than the number of any process.
const MANY: u64 = 1 << 32;

/// The numbers that this process has, by their folders.
static CLAIMS: Mutex<Vec<(PathBuf, Weak<Claim>)>> = Mutex::new(Vec::new());

/// The number of this process in the names of temporary files of a folder; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    folder: PathBuf,
    number: u64,
    /// The lock file, which is removed at the end.
    _lock: File,
}

/// What trying to lock a number gave.
enum Tried {
    Mine(File),
    /// Another process has it.
    Others,
    /// The file system has no locks.
    NoLocks(File),
}

impl Claim {
    /// The number of this process in a folder.
    ///
    /// # Errors
    /// If no file can be made there.
    pub(crate) fn of(folder: &Path) -> io::Result<Arc<Self>> {
        let mut claims = CLAIMS.lock().unwrap_or_else(PoisonError::into_inner);
        claims.retain(|(_, claim)| claim.strong_count() > 0);
        let known = claims.iter().find(|(known, _)| known == folder);
        if let Some(claim) = known.and_then(|(_, claim)| claim.upgrade()) {
            return Ok(claim);
        }
        let mut number = u64::from(std::process::id());
        loop {
            match try_lock(folder, number)? {
                Tried::Mine(lock) | Tried::NoLocks(lock) => {
                    let claim = Arc::new(Self { folder: folder.to_owned(), number, _lock: lock });
                    claims.push((folder.to_owned(), Arc::downgrade(&claim)));
                    return Ok(claim);
                }
                // A process in another container has the same number.
                Tried::Others => number += MANY,
            }
        }
    }

    /// Calls `create` with names until one is free.
    pub(crate) fn with_new_name<T>(&self, create: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = self.folder.join(format!("{START}{}-{count}{END}", self.number));
            match create(&name) {
                Ok(created) => return Ok((name, created)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        let _ = fs::remove_file(lock_path(&self.folder, self.number));
    }
}

fn lock_path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{START}{number}{END}"))
}

fn try_lock(folder: &Path, number: u64) -> io::Result<Tried> {
    let path = lock_path(folder, number);
    loop {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(&path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Tried::Others),
            Err(TryLockError::Error(_)) => return Ok(Tried::NoLocks(file)),
        }
        // The previous process may have removed the file after this one had opened it.
        let locked = file.metadata()?;
        if fs::metadata(&path).is_ok_and(|there| (there.dev(), there.ino()) == (locked.dev(), locked.ino())) {
            return Ok(Tried::Mine(file));
        }
    }
}

/// Calls [`clean_up`] for a folder that this process has not cleaned up yet.
pub(crate) fn clean_up_once(folder: &Path) {
    static DONE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let is_new = DONE.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned());
    if is_new {
        clean_up(folder);
    }
}

/// Removes temporary files of processes that are gone from a folder, as far as that is allowed.
pub fn clean_up(folder: &Path) {
    let mut found: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if let Some(number) = number_in(&entry.file_name()) {
            found.entry(number).or_default().push(entry.path());
        }
    }
    for (number, paths) in found {
        let lock = lock_path(folder, number);
        let _lock = match try_lock(folder, number) {
            Ok(Tried::Mine(lock)) => lock,
            Ok(Tried::NoLocks(_)) if !paths.contains(&lock) => {
                let _ = fs::remove_file(lock);
                continue;
            }
            Ok(Tried::NoLocks(_) | Tried::Others) | Err(_) => continue,
        };
        for path in paths {
            let is_folder = fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_dir());
            let _ = if is_folder { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
        let _ = fs::remove_file(lock);
    }
}

/// Whether a folder has temporary files of processes that are gone: one was killed, and the files that it wrote may be incomplete.
pub fn has_leftovers(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut numbers = entries.filter_map(|entry| number_in(&entry.file_name()));
    numbers.any(|number| match File::open(lock_path(folder, number)) {
        Ok(lock) => !matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)),
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    })
}

/// The number in the name of a temporary file or of a lock.
fn number_in(name: &OsStr) -> Option<u64> {
    let inside = name.to_str()?.strip_prefix(START)?.strip_suffix(END)?;
    let (number, count) = inside.split_once('-').unwrap_or((inside, "0"));
    count.parse::<u32>().ok()?;
    number.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::names;

    #[test]
    fn what_killed_processes_left_goes_and_all_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let claim = Claim::of(folder).unwrap();
        let (mine, _) = claim.with_new_name(|name| File::create_new(name)).unwrap();
        // Another process that is alive, one that was killed, one whose lock file is gone.
        let living = File::create(lock_path(folder, 1)).unwrap();
        living.try_lock().unwrap();
        for name in [".kaldi-tables-1-0.tmp", ".kaldi-tables-2.tmp", ".kaldi-tables-2-7.tmp", ".kaldi-tables-3-0.tmp"] {
            fs::write(folder.join(name), "x").unwrap();
        }
        fs::create_dir(folder.join(".kaldi-tables-3-1.tmp")).unwrap();
        fs::write(folder.join(".kaldi-tables-3-1.tmp/u.wav"), "x").unwrap();
        for name in [".kaldi-tables-x.ark.lock", ".kaldi-tables-x-1.tmp", "kaldi-tables-2-0.tmp", ".tmp"] {
            fs::write(folder.join(name), "x").unwrap();
        }
        assert!(has_leftovers(folder));
        clean_up(folder);
        assert!(!has_leftovers(folder));
        let mut expected = vec![
            ".kaldi-tables-1-0.tmp".to_owned(),
            ".kaldi-tables-1.tmp".to_owned(),
            ".kaldi-tables-x-1.tmp".to_owned(),
            ".kaldi-tables-x.ark.lock".to_owned(),
            ".tmp".to_owned(),
            "kaldi-tables-2-0.tmp".to_owned(),
            mine.file_name().unwrap().to_str().unwrap().to_owned(),
            format!(".kaldi-tables-{}.tmp", std::process::id()),
        ];
        expected.sort();
        assert_eq!(names(folder), expected);
        drop(living);
        clean_up(folder);
        assert!(!folder.join(".kaldi-tables-1-0.tmp").exists());
    }

    #[test]
    fn a_number_that_another_process_has_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        let other = File::create(lock_path(folder.path(), std::process::id().into())).unwrap();
        other.try_lock().unwrap();
        let claim = Claim::of(folder.path()).unwrap();
        assert_eq!(claim.number, u64::from(std::process::id()) + MANY);
        assert!(Arc::ptr_eq(&claim, &Claim::of(folder.path()).unwrap()));
        drop(claim);
        assert_eq!(names(folder.path()), [format!(".kaldi-tables-{}.tmp", std::process::id())]);
    }
}
