//! Bytes that are kept in a file without a name until it is known what is before them.

use std::fs::File;
use std::io::Write;
use std::sync::Arc;

use kaldi_io::{Encoded, Output};

use crate::{Error, Result};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file beside the output (in the folder for temporary files, where the output is a stream), which is gone in the end.
pub(crate) struct Spool {
    file: File,
    name: String,
    buffer: Vec<u8>,
    length: u64,
}

impl Spool {
    /// Makes an empty one for an output of this name.
    pub(crate) fn create(output: &Output, name: &std::path::Path) -> Result<Self> {
        let folder = match output.position() {
            Some(_) if name.as_os_str() != "-" => whole_file::folder_of(name).to_owned(),
            _ => std::env::temp_dir(),
        };
        let name = format!("a temporary file in {}", folder.display());
        let made = whole_file::create_nameless(&folder);
        let file = made.map_err(|source| kaldi_io::Error::Open { name: name.clone(), source })?;
        Ok(Self { file, name, buffer: Vec::new(), length: 0 })
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, data: &Encoded) -> Result<()> {
        for slice in data.slices() {
            if self.buffer.len() + slice.len() > BUFFER {
                self.flush()?;
            }
            if slice.len() > BUFFER {
                self.file.write_all(slice).map_err(|source| self.failed(source))?;
            } else {
                self.buffer.extend_from_slice(slice);
            }
            self.length += slice.len() as u64;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.file.write_all(&self.buffer).map_err(|source| self.failed(source))?;
        self.buffer.clear();
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> Error {
        kaldi_io::Error::Write { name: self.name.clone(), offset: self.length, source }.into()
    }

    /// Puts all of it into the output.
    pub(crate) fn into_output(mut self, output: &mut Output) -> Result<()> {
        if self.length == self.buffer.len() as u64 {
            return Ok(output.write_all(&self.buffer)?);
        }
        self.flush()?;
        let file = Arc::new(self.file);
        output.write_from(&file, 0..self.length)?;
        Ok(output.flush()?)
    }
}
