//! A spool: bytes that are written once, in order, and then read at any place.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Blob, Error, Input, Result};

/// A file without a name, for values that are read again; it is gone when none of them is left.
#[derive(Debug)]
pub struct SpoolFile {
    file: Arc<File>,
    length: u64,
}

impl SpoolFile {
    /// Makes an empty one, in the folder `TMPDIR` or else in `/var/tmp`.
    ///
    /// # Errors
    /// If there can be none; it names the folder.
    pub fn create() -> io::Result<Self> {
        let folder = folder();
        let file = whole_file::create_nameless(&folder).map_err(|error| explained(error, &folder))?;
        Ok(Self { file: Arc::new(file), length: 0 })
    }

    /// Appends bytes, and returns them as they are in the file.
    ///
    /// # Errors
    /// If the file cannot be written; it names the folder.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<Blob> {
        self.file.write_all_at(bytes, self.length).map_err(|error| explained(error, &folder()))?;
        let start = self.length;
        self.length += bytes.len() as u64;
        Ok(Blob::in_file("", Arc::clone(&self.file), start, bytes.len() as u64))
    }
}

fn explained(error: io::Error, folder: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("cannot keep it in a file in {}: {error}", folder.display()))
}

/// Bytes that are written before they are read: the output of a command, or sound that is decoded. The first 4 MB are in memory; what is
/// longer is in a file without a name, in the folder `TMPDIR` or else in `/var/tmp`, which is gone when nothing reads it any more.
#[derive(Debug, Default)]
pub struct Spool {
    buffer: Vec<u8>,
    file: Option<SpoolFile>,
}

impl Spool {
    /// Bytes that stay in memory; more of them go to a file.
    pub const ROOM: usize = 1 << 22;

    /// Appends bytes.
    ///
    /// # Errors
    /// If a file is needed and cannot be made or written; it names the folder.
    pub fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() >= Self::ROOM { self.flush() } else { Ok(()) }
    }

    /// Appends what a stream still has, until `most` bytes or a few more are there.
    ///
    /// # Errors
    /// If the stream cannot be read, or as [`Spool::put`].
    pub fn put_stream(&mut self, input: &mut Input, most: u64) -> Result<()> {
        let (mut bytes, mut count) = (Vec::new(), 0);
        while count < most && input.read_some(&mut bytes, 1 << 16)? > 0 {
            count += bytes.len() as u64;
            self.put(&bytes).map_err(|source| Error::Read { name: input.name().to_owned(), offset: 0, source })?;
            bytes.clear();
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(SpoolFile::create()?),
        };
        file.put(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    /// The bytes that were written. Messages call them `name`.
    ///
    /// # Errors
    /// As [`Spool::put`].
    pub fn into_blob(mut self, name: impl Into<Arc<str>>) -> io::Result<Blob> {
        if self.file.is_some() {
            self.flush()?;
        }
        Ok(match self.file {
            Some(SpoolFile { file, length }) => Blob::in_file(name, file, 0, length),
            None => Blob::in_memory(name, 0, self.buffer),
        })
    }
}

/// Where files go that may be long: `/tmp` is in memory on many systems.
fn folder() -> PathBuf {
    let chosen = std::env::var_os("TMPDIR").filter(|folder| !folder.is_empty()).map(PathBuf::from);
    chosen
        .unwrap_or_else(|| Some(PathBuf::from("/var/tmp")).filter(|it| it.is_dir()).unwrap_or_else(std::env::temp_dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_is_in_a_file() {
        for (count, is_in_file) in
            [(0, false), (1000, false), (Spool::ROOM / 1000 + 1, true), (2 * Spool::ROOM / 1000 + 5, true)]
        {
            let mut spool = Spool::default();
            for at in 0..count {
                spool.put(&[at as u8; 1000]).unwrap();
            }
            let blob = spool.into_blob("x").unwrap();
            assert_eq!((blob.length(), blob.file().is_some()), (1000 * count as u64, is_in_file), "{count}");
            let bytes = blob.load().unwrap();
            assert!(bytes.chunks(1000).enumerate().all(|(at, bytes)| bytes == [at as u8; 1000]), "{count}");
        }
    }
}
