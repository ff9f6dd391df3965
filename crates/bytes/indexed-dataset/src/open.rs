//! Opening files of datasets, and objects of stores and of the web.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::{ReadAt, positioned_file, remote_name, store};

use crate::{Error, Result};

/// The number of bytes of an object that are fetched at a time.
const PIECE: usize = 1 << 18;

/// Opens a file that is read in many places. An object is fetched into a file without a name.
pub(crate) fn open_whole(path: &Path) -> Result<Arc<dyn ReadAt>> {
    match remote_name(path) {
        Some(name) => fetch(name, path),
        None => open_file(path),
    }
}

/// Opens a file of which only some ranges are read. Of an object, only these are requested.
pub(crate) fn open_ranges(path: &Path) -> Result<Arc<dyn ReadAt>> {
    match remote_name(path) {
        Some(name) => store().and_then(|store| store.open_at(name)).map_err(Error::open(path)),
        None => open_file(path),
    }
}

/// Opens a regular file.
fn open_file(path: &Path) -> Result<Arc<dyn ReadAt>> {
    // This comes before opening: opening a named pipe would wait for its writer.
    let metadata = std::fs::metadata(path).map_err(Error::open(path))?;
    if !metadata.is_file() {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file");
        return Err(Error::Open { path: path.to_owned(), source });
    }
    let file = File::open(path).map_err(Error::open(path))?;
    let length = file.metadata().map_err(Error::open(path))?.len();
    Ok(positioned_file(Arc::new(file), length))
}

/// Copies an object into a file without a name, in the folder of temporary files.
fn fetch(name: &BStr, path: &Path) -> Result<Arc<dyn ReadAt>> {
    let mut source = store().and_then(|store| store.open(name, 0)).map_err(Error::open(path))?;
    let folder = std::env::temp_dir();
    let mut file = whole_file::create_nameless(&folder).map_err(Error::write(&folder))?;
    let (mut bytes, mut length) = (Vec::new(), 0);
    loop {
        let count = source.read_some(&mut bytes, PIECE).map_err(Error::read(path, length))?;
        if count == 0 {
            return Ok(positioned_file(Arc::new(file), length));
        }
        file.write_all(&bytes).map_err(Error::write(&folder))?;
        bytes.clear();
        length += count as u64;
    }
}

/// The first bytes of a file, at most `count`.
pub(crate) fn head(file: &dyn ReadAt, path: &Path, count: usize) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    let count = file.length().min(count as u64) as usize;
    file.read_at(0, &mut head, count).map_err(Error::read(path, 0))?;
    Ok(head)
}

/// The names of the files in a folder, or of the objects, sorted.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>> {
    let names = kaldi_io::names_in_folder(folder)?;
    Ok(names.iter().map(|name| name.to_string_lossy().into_owned()).collect())
}
