//! Complete files get their names.
//!
//! Those in folders are a set ([`FileSet`]), so those of one dataset come from one process. A store has no locks.
//! There the order protects readers: old files that say what is in others, such as an index, go first, then the new
//! tokens appear, and then the new index. If that ends anywhere, an index never has the tokens of another run.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kaldi_io::{ReadAt, Upload, remote_name, store};
use whole_file::{FileSet, Sealed, SetError};

use crate::open::open_whole;
use crate::spool::for_each_piece;
use crate::{Error, Result};

/// A file that is written and lacks only its name, or an object whose bytes were sent and that does not exist yet.
#[derive(Debug)]
pub(crate) enum Complete {
    File(Sealed),
    Object(PathBuf, Box<dyn Upload>),
}

/// Gives complete files their names, in this order: a `.bin` before its index, so that any program that finds the index
/// finds the tokens. `others` completes files that belong to them. Meanwhile no other process does the same with files, so
/// all of them come from one process, and all appear or none.
pub(crate) fn publish<E: From<Error>>(
    files: impl IntoIterator<Item = Complete>,
    others: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let (mut set, mut objects) = (FileSet::default(), Vec::new());
    for file in files {
        match file {
            Complete::File(sealed) => set.push(sealed),
            Complete::Object(path, upload) => objects.push((path, upload)),
        }
    }
    let published = set.publish(|| {
        others().map_err(Failure::Other)?;
        finish_objects(objects).map_err(|error| Failure::Other(error.into()))?;
        Ok(Vec::new())
    });
    published.map_err(|failure| match failure {
        Failure::Other(error) => error,
        Failure::File(SetError { path, source }) => Error::write(&path)(source).into(),
    })
}

/// Why files did not appear.
enum Failure<E> {
    Other(E),
    File(SetError),
}

impl<E> From<SetError> for Failure<E> {
    fn from(error: SetError) -> Self {
        Self::File(error)
    }
}

/// Completes objects, in this order. If one fails, old ones come back.
fn finish_objects(objects: Vec<(PathBuf, Box<dyn Upload>)>) -> Result<()> {
    let old = OldObjects::remove(objects.iter().map(|(path, _)| path.as_path()))?;
    let mut done = Vec::new();
    for (path, upload) in objects {
        match upload.finish() {
            Ok(()) => done.push(path),
            Err(error) => {
                old.restore_after(&done);
                return Err(Error::write(&path)(error));
            }
        }
    }
    Ok(())
}

/// Removes an object, which may be missing, before others appear that it does not fit. `false` if it is a file, or the
/// store removes nothing.
pub(crate) fn remove_object(path: &Path) -> Result<bool> {
    let Some(name) = remote_name(path) else { return Ok(false) };
    match store().and_then(|store| store.remove(name)) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => Ok(false),
        Err(error) => Err(Error::write(path)(error)),
    }
}

/// The objects that new ones replace and that say what is in other ones. They are removed before a new object appears.
struct OldObjects(Vec<(PathBuf, Arc<dyn ReadAt>)>);

impl OldObjects {
    /// Removes them from their store, and keeps their bytes in files without names.
    fn remove<'a>(paths: impl Iterator<Item = &'a Path>) -> Result<Self> {
        let mut old = Self(Vec::new());
        for path in paths {
            if remote_name(path).is_none() || path.extension().is_none_or(|end| end == "bin") {
                continue;
            }
            match open_whole(path).and_then(|bytes| Ok((remove_object(path)?, bytes))) {
                Ok((true, bytes)) => old.0.push((path.to_owned(), bytes)),
                Ok((false, _)) => {}
                // A store that does not let its user look has nothing that can be kept.
                Err(Error::Open { source, .. })
                    if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied) => {}
                Err(error) => {
                    old.restore_after(&[]);
                    return Err(error);
                }
            }
        }
        Ok(old)
    }

    /// After a failure: new objects that have appeared are removed, and old ones come back unless what they belong to was
    /// replaced. A second failure changes nothing more.
    fn restore_after(&self, done: &[PathBuf]) {
        let Ok(store) = store() else { return };
        for path in done {
            let _ = remote_name(path).map(|name| store.remove(name));
        }
        let stem = |path: &Path| path.with_extension("");
        let is_index = |path: &Path| path.extension().is_some_and(|end| end == "idx");
        for (path, bytes) in &self.0 {
            // The tokens of another dataset are still those of its index.
            if done.iter().any(|new| !is_index(path) || stem(new) == stem(path)) {
                continue;
            }
            let Some(mut upload) = remote_name(path).and_then(|name| store.create(name).ok()) else { continue };
            let send = |bytes: &[u8]| upload.write_all(bytes).map_err(Error::write(path));
            if for_each_piece(&**bytes, 0..bytes.length(), path, send).is_ok() {
                let _ = upload.finish();
            }
        }
    }
}
