//! The inputs of all cases, once: a case has hard links to them.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use regex::Regex;
use tempfile::TempDir;

use super::case::{Case, folder};

/// A folder with copies of the files under `data` that were asked for, and the folders of the cases that run. The copies are
/// read-only; root writes to them all the same, so [`Inputs::changed_by`] looks.
pub struct Inputs {
    dir: TempDir,
    /// The sizes of the copies, by their paths under `data`.
    copies: Mutex<BTreeMap<PathBuf, u64>>,
}

impl Inputs {
    /// Makes the folder.
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder can be made");
        fs::create_dir(dir.path().join("data")).expect("a folder can be made");
        Self { dir, copies: Mutex::default() }
    }

    /// A new folder with the inputs of a case under their names. What its command line redirects to is a file of its own.
    pub fn folder_for(&self, case: &Case) -> TempDir {
        let scratch = tempfile::tempdir_in(self.dir.path()).expect("a temporary folder can be made");
        for (name, source) in &case.inputs {
            let input = scratch.path().join(name);
            if name.contains('/') {
                let parent = input.parent().expect("an input is in the folder");
                fs::create_dir_all(parent).expect("a folder can be made");
            }
            if is_written(case, name) || fs::hard_link(self.copy(source), &input).is_err() {
                fs::copy(folder().join("data").join(source), &input).expect("the suite is whole");
            }
        }
        scratch
    }

    /// The copy of a file under `data`.
    fn copy(&self, source: &Path) -> PathBuf {
        let path = self.path(source);
        let mut copies = self.copies.lock().expect("no thread has failed in here");
        if !copies.contains_key(source) {
            fs::create_dir_all(path.parent().expect("a copy is in the folder")).expect("a folder can be made");
            let size = fs::copy(folder().join("data").join(source), &path).expect("the suite is whole");
            let file = File::options().write(true).open(&path).expect("a copy can be opened");
            file.set_modified(long_ago()).expect("a copy can be dated");
            fs::set_permissions(&path, Permissions::from_mode(0o444)).expect("a copy can be protected");
            copies.insert(source.to_owned(), size);
        }
        path
    }

    fn path(&self, source: &Path) -> PathBuf {
        self.dir.path().join("data").join(source)
    }

    /// The inputs of a case that are not what they were. They are forgotten, so that a case that comes later has the right ones.
    pub fn changed_by<'a>(&self, case: &'a Case) -> impl Iterator<Item = &'a str> {
        let mut copies = self.copies.lock().expect("no thread has failed in here");
        let mut changed = Vec::new();
        for (name, source) in &case.inputs {
            let Some(size) = copies.get(source) else { continue };
            let file = fs::metadata(self.path(source)).expect("a copy is there");
            if file.len() != *size || file.modified().expect("a copy has a date") != long_ago() {
                fs::remove_file(self.path(source)).expect("a copy can be removed");
                copies.remove(source);
                changed.push(name.as_str());
            }
        }
        changed.into_iter()
    }
}

/// When all copies were made: a change gives them another date, however soon it comes.
fn long_ago() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)
}

/// Whether the command line redirects to a file of this name.
fn is_written(case: &Case, name: &str) -> bool {
    case.cmd.contains('>')
        && Regex::new(&format!(r"> *{}(?:$|[\s;)])", regex::escape(name)))
            .expect("a name is escaped")
            .is_match(&case.cmd)
}
