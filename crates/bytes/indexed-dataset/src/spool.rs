//! Files that are being written.

use std::fs::File;
use std::ops::{Deref, DerefMut, Range};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kaldi_io::{PartError, ReadAt, ReservedBlocks, Upload, positioned_file, remote_name, store};
use whole_file::Pending;

use crate::index_writer::Region;
use crate::publish::Complete;
use crate::{Error, Result};

/// The number of bytes of an object that are moved at a time.
const PIECE: u64 = 16 << 20;

/// A buffered file without a name that is written from its start and then read again.
#[derive(Debug)]
pub(crate) struct Scratch {
    pub(crate) file: File,
    /// The file or the folder that messages name.
    pub(crate) path: PathBuf,
    region: Region,
    room: ReservedBlocks,
}

impl Scratch {
    /// A file beside the one at `path`; if that is an object, in the folder of temporary files.
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        let is_remote = remote_name(&path).is_some();
        let folder = if is_remote {
            std::env::temp_dir()
        } else {
            whole_file::folder_of(&whole_file::resolve(&path)).to_owned()
        };
        let path = if is_remote { folder.clone() } else { path };
        let file = whole_file::create_nameless(&folder).map_err(Error::open(&path))?;
        Ok(Self::of(file, path))
    }

    fn of(file: File, path: PathBuf) -> Self {
        Self { room: ReservedBlocks::of(&file), file, path, region: Region::new(0) }
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        self.room.grow(&self.file, self.end() + bytes.len() as u64);
        self.region.put(&self.file, bytes).map_err(Error::write(&self.path))
    }

    pub(crate) fn flush(&mut self) -> Result<()> {
        self.region.flush(&self.file).map_err(Error::write(&self.path))
    }

    /// Appends a part of another file, whose name is `path`.
    pub(crate) fn append(&mut self, source: &dyn ReadAt, range: Range<u64>, path: &Path) -> Result<()> {
        let Some(source) = source.as_file() else {
            return for_each_piece(source, range, path, |bytes| self.put(bytes));
        };
        let copied = self.region.append(&self.file, &mut self.room, source, range);
        copied.map_err(|error| match error {
            PartError::Read(offset, error) => Error::read(path, offset)(error),
            PartError::Write(error) => Error::write(&self.path)(error),
        })
    }

    /// The place of the next byte.
    pub(crate) fn end(&self) -> u64 {
        self.region.end()
    }

    /// Counts bytes that were appended by another way.
    pub(crate) fn skip(&mut self, length: u64) {
        self.region = Region::new(self.end() + length);
    }

    pub(crate) fn read(&self, at: u64, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        self.file.read_exact_at(&mut bytes, at + range.start).map_err(Error::read(&self.path, at + range.start))?;
        Ok(bytes)
    }
}

/// A buffered file that is written in any order, and that becomes a file with a name or an object at the end.
#[derive(Debug)]
pub(crate) struct Spool {
    scratch: Scratch,
    name: PathBuf,
    target: Target,
}

/// What a file becomes.
#[derive(Debug)]
enum Target {
    File(Pending),
    Object(Box<dyn Upload>),
}

impl Spool {
    /// A file that will have the name `path`, or none if it is not published. Writing starts at byte `at`.
    pub(crate) fn create(path: PathBuf, at: u64) -> Result<Self> {
        let (mut scratch, target) = match upload(&path)? {
            Some(upload) => (Scratch::create(path.clone())?, Target::Object(upload)),
            None => {
                let (file, pending) = whole_file::create(&path).map_err(Error::open(&path))?;
                (Scratch::of(file, path.clone()), Target::File(pending))
            }
        };
        scratch.skip(at);
        Ok(Self { scratch, name: path, target })
    }

    /// Writes all of it, so that after this nothing but the last step can fail.
    pub(crate) fn seal(mut self) -> Result<Complete> {
        self.flush()?;
        let Self { scratch, name, target } = self;
        match target {
            Target::File(pending) => {
                let length = scratch.file.metadata().map_err(Error::read(&name, 0))?.len();
                ReservedBlocks::give_back(&scratch.file, length).map_err(Error::write(&name))?;
                let sealed = pending.seal(scratch.file).map_err(Error::write(&name))?;
                Ok(Complete::File(sealed))
            }
            Target::Object(mut upload) => {
                let length = scratch.file.metadata().map_err(Error::read(&scratch.path, 0))?.len();
                let file = positioned_file(Arc::new(scratch.file), length);
                let send = |bytes: &[u8]| upload.write_all(bytes).map_err(Error::write(&name));
                for_each_piece(&*file, 0..length, &scratch.path, send)?;
                Ok(Complete::Object(name, upload))
            }
        }
    }
}

impl Deref for Spool {
    type Target = Scratch;

    fn deref(&self) -> &Scratch {
        &self.scratch
    }
}

impl DerefMut for Spool {
    fn deref_mut(&mut self) -> &mut Scratch {
        &mut self.scratch
    }
}

/// A file of tokens that is being written. An object is sent while it is written, so no disk has to have room for it.
#[derive(Debug)]
pub(crate) enum TokenFile {
    Spool(Spool),
    Sent { name: PathBuf, upload: Box<dyn Upload>, end: u64 },
}

impl TokenFile {
    pub(crate) fn create(path: PathBuf) -> Result<Self> {
        match upload(&path)? {
            Some(upload) => Ok(Self::Sent { name: path, upload, end: 0 }),
            None => Self::spooled(path),
        }
    }

    /// A file of tokens that can be read before it is sealed.
    pub(crate) fn spooled(path: PathBuf) -> Result<Self> {
        Ok(Self::Spool(Spool::create(path, 0)?))
    }

    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<()> {
        match self {
            Self::Spool(spool) => spool.put(bytes),
            Self::Sent { name, upload, end } => {
                *end += bytes.len() as u64;
                upload.write_all(bytes).map_err(Error::write(name))
            }
        }
    }

    /// Appends a part of another file, whose name is `path`.
    pub(crate) fn append(&mut self, source: &dyn ReadAt, range: Range<u64>, path: &Path) -> Result<()> {
        match self {
            Self::Spool(spool) => spool.append(source, range, path),
            Self::Sent { .. } => for_each_piece(source, range, path, |bytes| self.put(bytes)),
        }
    }

    pub(crate) fn seal(self) -> Result<Complete> {
        match self {
            Self::Spool(spool) => spool.seal(),
            Self::Sent { name, upload, .. } => Ok(Complete::Object(name, upload)),
        }
    }
}

/// Calls `each` with the bytes of a range of a file, whose name is `path`.
pub(crate) fn for_each_piece(
    source: &dyn ReadAt,
    range: Range<u64>,
    path: &Path,
    mut each: impl FnMut(&[u8]) -> Result<()>,
) -> Result<()> {
    let mut bytes = Vec::new();
    for start in range.clone().step_by(PIECE as usize) {
        bytes.clear();
        let length = PIECE.min(range.end - start) as usize;
        source.read_at(start, &mut bytes, length).map_err(Error::read(path, start))?;
        each(&bytes)?;
    }
    Ok(())
}

/// Starts an object, if the path is the name of one.
fn upload(path: &Path) -> Result<Option<Box<dyn Upload>>> {
    let Some(name) = remote_name(path) else { return Ok(None) };
    store().and_then(|store| store.create(name)).map(Some).map_err(Error::open(path))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::publish::publish;

    #[test]
    fn parts_of_a_file_and_bytes_follow_one_another() {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..3_000_000).map(|at| (at % 251) as u8 ^ (at / 251 % 256) as u8).collect();
        let source_path = folder.path().join("source");
        std::fs::write(&source_path, &content).unwrap();
        let source = positioned_file(Arc::new(File::open(&source_path).unwrap()), content.len() as u64);
        let path = folder.path().join("out.bin");
        let mut spool = Spool::create(path.clone(), 0).unwrap();
        let mut expected = Vec::new();
        for round in 0..3 {
            for range in [0..10, 10..2_000_001, 5..5, 2_000_001..3_000_000, 7..300_000] {
                spool.append(&*source, range.start as u64..range.end as u64, &source_path).unwrap();
                expected.extend_from_slice(&content[range]);
                let between = vec![b'-'; [0, 3, 400_000][round]];
                spool.put(&between).unwrap();
                expected.extend(between);
                assert_eq!(spool.end(), expected.len() as u64);
            }
        }
        let shorter = spool.append(&*source, 2_999_999..3_000_001, &source_path).unwrap_err().to_string();
        assert!(shorter.contains("source"), "{shorter}");
        publish([spool.seal().unwrap()], || Ok::<_, Error>(())).unwrap();
        assert!(std::fs::read(&path).unwrap()[..expected.len()] == expected);
    }
}
