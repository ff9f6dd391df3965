//! The index of lhotse 2, by which it finds lines and members.
//!
//! ```text
//! 00 00 00 00 00 00 00 00   offset of the first line, or of the header of the first member of the first pair
//! 00 0a 00 00 00 00 00 00   that of the second one: 2560
//! 00 28 00 00 00 00 00 00   last, the size of the file: 10240
//! ```

use bstr::{BStr, ByteSlice};
use kaldi_io::{Lines, Output};

use crate::shard::{Error, Members, Result};

/// An index: for a tar file of pairs, or for lines.
#[derive(Clone, Debug, Default)]
pub struct LhotseIndex {
    offsets: Vec<u64>,
}

impl LhotseIndex {
    /// Adds a line or a pair of members, which starts at this offset.
    pub fn add(&mut self, offset: u64) {
        self.offsets.push(offset);
    }

    /// Makes the index of a tar file, whose members come in pairs; writes it beside the file.
    ///
    /// # Errors
    /// If it cannot be read, is compressed, or has an odd number of members; if the index cannot be written.
    pub fn write_for_tar(mut members: Members) -> Result<()> {
        let name = members.name().to_owned();
        let Some(file) = members.plain_file() else { return Err(refused(&name)) };
        let size = file.metadata().map_err(|source| kaldi_io::Error::Open { name: name.clone(), source })?.len();
        let (mut index, mut count) = (Self::default(), 0_u64);
        while let Some((member, _)) = members.next_member()? {
            if count.is_multiple_of(2) {
                index.add(member.header);
            }
            count += 1;
        }
        members.finish()?;
        if !count.is_multiple_of(2) {
            let message = format!("expected pairs of members, data and what lhotse says about it, got {count} members");
            return Err(Error::Refused { shard: name, message });
        }
        index.write(name.as_bytes().as_bstr(), size)
    }

    /// Makes the index of a file of lines; writes it beside the file.
    ///
    /// # Errors
    /// If it cannot be read or is compressed; if the index cannot be written.
    pub fn write_for_lines(name: &BStr) -> Result<()> {
        if name.ends_with(b".gz") {
            return Err(refused(&name.to_str_lossy()));
        }
        let mut lines = Lines::open(name)?;
        let mut index = Self::default();
        while let Some(line) = lines.next_line()? {
            if !line.trim_ascii().is_empty() {
                index.add(lines.offset());
            }
        }
        lines.finish()?;
        let size = std::fs::metadata(name.to_path_lossy())
            .map_err(|source| kaldi_io::Error::Open { name: name.to_string(), source })?
            .len();
        index.write(name, size)
    }

    /// Writes the index beside a file of this size: `x.tar.idx` for `x.tar`.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self, of: &BStr, size: u64) -> Result<()> {
        Ok(self.output(of, size)?.finish()?)
    }

    /// As [`LhotseIndex::write`]; the file has no name yet.
    pub(crate) fn output(self, of: &BStr, size: u64) -> Result<Output> {
        let name = [of.as_bytes(), b".idx"].concat();
        let name = name.as_bstr();
        let mut output = Output::create_file(&name.to_path_lossy(), name.to_string(), false)?;
        let bytes: Vec<u8> = self.offsets.into_iter().chain([size]).flat_map(u64::to_le_bytes).collect();
        output.write_all(&bytes)?;
        Ok(output)
    }
}

fn refused(name: &str) -> Error {
    let message = "expected a file that is not compressed: an index has places in the file itself".to_owned();
    Error::Refused { shard: name.to_owned(), message }
}
