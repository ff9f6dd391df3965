//! Archives that stay open, since many lines of a script file name values of the same one.

use std::path::PathBuf;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::sync::Mutex;
use kaldi_io::{Blob, Frame, ReadAt, Rxfilename};
use kaldi_matrix::Matrix;
use kaldi_value::{Cursor, Value};

use super::content;

/// The number of archives that stay open. Each thread needs one at a time.
const MOST: usize = 16;

/// Bytes that are enough for the header of binary features.
const HEAD: usize = 64;

/// The archives that were used last. Whatever cannot be read through them, such as text, is `None`: it is opened by itself.
#[derive(Debug, Default)]
pub(super) struct OpenArchives(Mutex<Vec<Archive>>);

#[derive(Clone, Debug)]
struct Archive {
    path: PathBuf,
    name: Arc<str>,
    bytes: Arc<dyn ReadAt>,
}

/// Where binary features are.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// File and offset.
    name: BString,
    num_bytes: u64,
    pub(super) num_rows: usize,
    pub(super) num_cols: usize,
}

impl OpenArchives {
    /// Finds binary features by their header.
    pub(super) fn place(&self, name: &BStr) -> Option<Placed> {
        let blob = self.open(name)?;
        let head = blob.first(HEAD).ok().filter(|head| head.starts_with(b"\0B"))?;
        let num_bytes = match Matrix::<f32>::frame(&head, false).ok()? {
            Frame::Whole(count) => count as u64,
            Frame::Beyond(count) => count,
            Frame::Partial(_) | Frame::Rest => return None,
        };
        let beyond = blob.length().checked_sub(head.len() as u64).filter(|_| num_bytes <= blob.length())?;
        let (num_rows, num_cols) = Matrix::<f32>::read_size(&mut Cursor::new_head(&head, beyond), None).ok()?;
        Some(Placed { name: name.to_owned(), num_bytes, num_rows, num_cols })
    }

    /// Reads features that were found.
    pub(super) fn load(&self, placed: &Placed) -> Option<Matrix<f32>> {
        let blob = self.open(placed.name.as_ref()).filter(|blob| placed.num_bytes <= blob.length())?;
        let mut bytes = Vec::new();
        blob.read_at(0, &mut bytes, usize::try_from(placed.num_bytes).ok()?).ok()?;
        let feats = Matrix::read(&mut Cursor::new(&bytes)).ok()?;
        // Another file may have the name by now.
        (feats.num_rows() == placed.num_rows && feats.num_cols() == placed.num_cols).then_some(feats)
    }

    /// The bytes of an archive from an offset on. `None` if `name` is anything else.
    fn open(&self, name: &BStr) -> Option<Blob> {
        let Ok(Rxfilename::Offset(path, offset)) = Rxfilename::parse(name) else { return None };
        if let Some(Archive { name, bytes, .. }) = self.find(&path) {
            let length = bytes.length().checked_sub(offset)?;
            return Some(Blob::stored(name, bytes, offset, length));
        }
        // A named pipe can be opened only once, and each look at an object takes time.
        let blob = path.is_file().then(|| content::open(name).ok()).flatten()?;
        let bytes = Arc::clone(blob.rest().filter(|bytes| bytes.as_file().is_some())?);
        let mut archives = self.0.lock();
        archives.insert(0, Archive { path, name: Arc::clone(blob.name()), bytes });
        archives.truncate(MOST);
        Some(blob)
    }

    fn find(&self, path: &PathBuf) -> Option<Archive> {
        let mut archives = self.0.lock();
        let place = archives.iter().position(|archive| archive.path == *path)?;
        archives[..=place].rotate_right(1);
        archives.first().cloned()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use kaldi_value::Format;

    use super::*;

    #[test]
    fn what_is_read_through_open_archives_is_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let archives = OpenArchives::default();
        let matrix = |start: f32| Matrix::from_vec(2, 2, vec![start, start + 1.0, start + 2.0, start + 3.0]);
        let mut names = Vec::new();
        // More archives than stay open.
        for number in 0..MOST + 3 {
            let path = folder.path().join(format!("{number}.ark"));
            let mut bytes = Vec::new();
            for (key, format) in [("a ", Format::Binary), ("b ", Format::Text), ("c ", Format::Binary)] {
                bytes.extend_from_slice(key.as_bytes());
                names.push((BString::from(format!("{}:{}", path.display(), bytes.len())), format, number));
                matrix(number as f32).write(&mut bytes, format);
            }
            fs::write(path, bytes).unwrap();
        }
        for (name, format, number) in names.iter().chain(names.iter().rev()) {
            let placed = archives.place(name.as_ref());
            assert_eq!(placed.is_some(), *format == Format::Binary, "{name}");
            let Some(placed) = placed else { continue };
            assert_eq!((placed.num_rows, placed.num_cols), (2, 2));
            assert_eq!(archives.load(&placed).unwrap(), matrix(*number as f32));
        }
        assert_eq!(archives.0.lock().len(), MOST);
        let whole = folder.path().join("0.ark").display().to_string();
        for other in [whole.clone(), format!("{whole}:100000"), format!("{whole}:1"), "cat 0.ark |".into()] {
            assert!(archives.place(other.as_str().into()).is_none(), "{other}");
        }
    }
}
