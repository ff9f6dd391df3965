//! NumPy's files of many arrays: zip files with a member `<name>.npy` for each.
//!
//! Members are stored without compression, as `numpy.savez` does it; compressed members can be read too.

use std::collections::HashSet;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};

use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::{Error, Result, read_at_most};

/// Bytes of a member from which on its sizes do not fit the 32 bits of the plain format.
const LARGE: u64 = 0xfff0_0000;

/// Writes arrays into a file, one after the other.
pub struct NpzWriter<W: Write> {
    zip: ZipWriter<StreamWriter<W>>,
}

impl<W: Write> NpzWriter<W> {
    /// Starts a file.
    pub fn new(output: W) -> Self {
        Self { zip: ZipWriter::new_stream(output) }
    }

    /// Appends an array: the pieces of its `.npy`, one after the other.
    ///
    /// # Errors
    /// If the name was there before, or the file cannot be written.
    pub fn put<'a>(&mut self, name: &str, pieces: impl Iterator<Item = &'a [u8]> + Clone) -> Result<()> {
        let length: u64 = pieces.clone().map(|piece| piece.len() as u64).sum();
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        self.zip.start_file(format!("{name}.npy"), options.large_file(length >= LARGE))?;
        for piece in pieces {
            self.zip.write_all(piece)?;
        }
        Ok(())
    }

    /// Writes the directory, and gives the output back.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<W> {
        Ok(self.zip.finish()?.into_inner())
    }
}

/// Reads arrays from a file, in the order of its directory.
pub struct NpzReader<R> {
    zip: ZipArchive<R>,
    next: usize,
}

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the directory of a file.
    ///
    /// # Errors
    /// If it is no zip file, is cut, or has two members of one name.
    pub fn open(file: R) -> Result<Self> {
        let open = |file| {
            ZipArchive::new(file).map_err(|error| Error::Content(format!("expected a zip file of arrays: {error}")))
        };
        let zip = open(file)?;
        let start = zip.central_directory_start();
        let mut file = zip.into_inner();
        refuse_repeated_names(&mut file, start)?;
        Ok(Self { zip: open(file)?, next: 0 })
    }

    /// The names of all members as they are there, in their order.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn names(&mut self) -> Result<Vec<Vec<u8>>> {
        let mut names = Vec::new();
        for index in 0..self.zip.len() {
            names.push(self.zip.by_index_raw(index)?.name_raw().to_vec());
        }
        names.retain(|name| !name.ends_with(b"/"));
        Ok(names)
    }

    /// The name of the next member as it is there (`utt1.npy`), and its bytes; `None` at the end.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn next_member(&mut self) -> Result<Option<(Vec<u8>, impl Read)>> {
        while self.next < self.zip.len() {
            let index = self.next;
            self.next += 1;
            let is_folder = self.zip.by_index_raw(index)?.name_raw().ends_with(b"/");
            if !is_folder {
                let member = self.zip.by_index(index)?;
                return Ok(Some((member.name_raw().to_vec(), member)));
            }
        }
        Ok(None)
    }
}

/// Returns an error if two members have one name: the crate `zip` delivers only the last one of them. `start` is the place
/// of the directory.
fn refuse_repeated_names(file: &mut (impl Read + Seek), start: u64) -> Result<()> {
    const SIGNATURE: &[u8] = b"PK\x01\x02";
    file.seek(SeekFrom::Start(start))?;
    let mut directory = BufReader::new(file);
    let (mut names, mut header) = (HashSet::new(), [0; 46]);
    while directory.read_exact(&mut header).is_ok() && header.starts_with(SIGNATURE) {
        let length = |at: usize| u64::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let name = read_at_most(&mut directory, length(28))?;
        io::copy(&mut (&mut directory).take(length(30) + length(32)), &mut io::sink())?;
        if !names.insert(name.clone()) {
            return Err(Error::Content(format!(
                "{}: there are two arrays of this name",
                String::from_utf8_lossy(&name)
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::npy;

    #[test]
    fn arrays_come_back_by_their_names() {
        let mut writer = NpzWriter::new(Vec::new());
        let arrays = [("a/b", npy::texts(&["x", "yz"])), ("\u{e9}", npy::texts(&[]))];
        for (name, array) in &arrays {
            writer.put(name, [&array[..5], &array[5..]].into_iter()).unwrap();
        }
        assert!(writer.put("a/b", [].into_iter()).unwrap_err().to_string().contains("Duplicate"));
        let file = writer.finish().unwrap();
        let mut reader = NpzReader::open(Cursor::new(&file)).unwrap();
        assert_eq!(reader.names().unwrap(), [b"a/b.npy".to_vec(), "\u{e9}.npy".into()]);
        for (name, array) in arrays {
            let (path, mut member) = reader.next_member().unwrap().unwrap();
            let mut bytes = Vec::new();
            member.read_to_end(&mut bytes).unwrap();
            assert_eq!((path, bytes), (format!("{name}.npy").into_bytes(), array));
        }
        assert!(reader.next_member().unwrap().is_none());
        // The same name twice, as Python's zipfile writes it with a warning.
        let mut twice = NpzWriter::new(Vec::new());
        twice.put("a/b", [&b"x"[..]].into_iter()).unwrap();
        twice.put("a/c", [&b"y"[..]].into_iter()).unwrap();
        let mut twice = twice.finish().unwrap();
        while let Some(at) = twice.windows(3).position(|bytes| bytes == b"a/c") {
            twice[at + 2] = b'b';
        }
        let error = NpzReader::open(Cursor::new(&twice)).err().unwrap();
        assert_eq!(error.to_string(), "a/b.npy: there are two arrays of this name");
        assert!(NpzReader::open(Cursor::new(&file[..file.len() / 2])).is_err());
    }
}
