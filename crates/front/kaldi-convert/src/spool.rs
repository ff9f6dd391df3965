//! Bytes that are kept in a file without a name until it is known what is before them.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::sync::Arc;

use kaldi_io::{Encoded, Output};

use crate::{Error, Result};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// A file beside the output (in the folder for temporary files, where the output is a stream), which is gone in the end.
pub(crate) struct Spool {
    file: BufWriter<File>,
    name: String,
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
        Ok(Self { file: BufWriter::with_capacity(BUFFER, file), name, length: 0 })
    }

    /// Appends bytes.
    pub(crate) fn write(&mut self, data: &Encoded) -> Result<()> {
        for slice in data.slices() {
            self.file.write_all(slice).map_err(|source| self.failed(source))?;
            self.length += slice.len() as u64;
        }
        Ok(())
    }

    fn failed(&self, source: std::io::Error) -> Error {
        kaldi_io::Error::Write { name: self.name.clone(), offset: self.length, source }.into()
    }

    /// Puts all of it into the output.
    pub(crate) fn into_output(mut self, output: &mut Output) -> Result<()> {
        if self.length == self.file.buffer().len() as u64 {
            return Ok(output.write_all(self.file.buffer())?);
        }
        self.file.flush().map_err(|source| self.failed(source))?;
        output.write_from(&Arc::new(self.file.into_parts().0), 0..self.length)?;
        Ok(output.flush()?)
    }
}
