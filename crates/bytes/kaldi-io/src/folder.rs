//! Folders: new ones for outputs, and what is in them.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use whole_file::WaitingFolder;

use crate::{Error, Result, remote_name, store};

/// Folders that were created for files. Those that are empty when this is dropped are removed: a run that fails leaves none behind.
#[derive(Debug, Default)]
#[must_use = "the folder is removed if nothing is in it yet"]
pub struct NewFolder {
    /// The last one first.
    created: Vec<PathBuf>,
}

impl NewFolder {
    /// Lets the folders stay even if they are empty.
    pub fn keep(mut self) {
        self.created.clear();
    }
}

impl Drop for NewFolder {
    fn drop(&mut self) {
        for folder in &self.created {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
    }
}

/// Creates a folder for files, and its parents, if they do not exist; nothing in a store, which has no folders.
///
/// # Errors
/// If the system refuses.
pub fn make_folder(path: &Path) -> Result<NewFolder> {
    let mut folder = NewFolder::default();
    if remote_name(path).is_none() {
        let missing = path.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        folder.created = missing.map(ToOwned::to_owned).collect();
        fs::create_dir_all(path).map_err(|source| failed(path, source))?;
    }
    Ok(folder)
}

/// Creates a folder with these permissions if it does not exist, but not its parents; nothing in a store. Another process may do so
/// at the same time.
///
/// # Errors
/// If the system refuses.
pub fn make_last_folder(path: &Path, mode: u32) -> Result<NewFolder> {
    if remote_name(path).is_some() {
        return Ok(NewFolder::default());
    }
    match DirBuilder::new().mode(mode).create(path) {
        Ok(()) => Ok(NewFolder { created: vec![path.to_owned()] }),
        Err(_) if path.is_dir() => Ok(NewFolder::default()),
        Err(error) => Err(failed(path, error)),
    }
}

/// Starts with files that wait until they appear in this folder, which is created if it does not exist.
///
/// # Errors
/// If the system refuses.
pub fn make_waiting_folder(path: &Path) -> Result<WaitingFolder> {
    WaitingFolder::create(path).map_err(|source| failed(path, source))
}

/// The names of what is in a folder, or of the objects in a folder of a store, sorted.
///
/// # Errors
/// If there is no such folder, or its names cannot be read.
pub fn names_in_folder(path: &Path) -> Result<Vec<OsString>> {
    let names = match remote_name(path) {
        Some(url) => store().and_then(|store| {
            Ok(store.list(url)?.into_iter().map(|name| OsString::from_vec(name.into())).collect::<Vec<_>>())
        }),
        None => fs::read_dir(path).and_then(|entries| entries.map(|entry| Ok(entry?.file_name())).collect()),
    };
    let mut names = names.map_err(|source| Error::Open { name: path.display().to_string(), source })?;
    names.sort();
    Ok(names)
}

/// The names of what is in a folder before outputs are written there, sorted; none in a store, where who may write may not always list.
///
/// # Errors
/// If the names cannot be read.
pub fn former_names(path: &Path) -> Result<Vec<OsString>> {
    if remote_name(path).is_some() { Ok(Vec::new()) } else { names_in_folder(path) }
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::Folder { name: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_new_folders_without_files_are_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let path = |name: &str| scratch.path().join(name);
        fs::create_dir(path("old")).unwrap();
        drop(make_folder(&path("old/a/b")).unwrap());
        drop(make_last_folder(&path("old"), 0o777).unwrap());
        assert_eq!(fs::read_dir(path("old")).unwrap().count(), 0);
        let folder = make_folder(&path("a/b/")).unwrap();
        fs::write(path("a/file"), "").unwrap();
        drop(folder);
        assert!(path("a").exists() && !path("a/b").exists());
        make_last_folder(&path("c"), 0o777).unwrap().keep();
        assert!(path("c").exists());
        fs::write(path("d"), "").unwrap();
        assert!(make_folder(&path("e/../d/f")).is_err() && make_last_folder(&path("d"), 0o777).is_err());
    }
}
