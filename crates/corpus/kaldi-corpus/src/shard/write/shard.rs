//! One shard that is written.

use bstr::{BStr, ByteSlice};
use kaldi_io::Output;

use super::gzip::{GzipPiece, GzipStream};
use super::packed::Packed;
use crate::shard::{Error, Result};
use shards::whole_size;

/// Writes one shard, which appears when it is complete.
#[must_use = "a shard is complete only after finish()"]
pub struct ShardWriter {
    output: Output,
    gzip: Option<GzipStream>,
    size: u64,
    num_samples: u64,
}

impl ShardWriter {
    /// Opens the file.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn create(name: &BStr, gzip: bool) -> Result<Self> {
        let mut output = Output::create_file(&name.to_path_lossy(), name.to_string(), false)?;
        if gzip {
            output.write_all(&GzipStream::HEADER)?;
        }
        Ok(Self { output, gzip: gzip.then(GzipStream::default), size: 0, num_samples: 0 })
    }

    /// The bytes so far, before they are compressed.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The number of samples so far.
    pub fn num_samples(&self) -> u64 {
        self.num_samples
    }

    /// Writes a sample; for a compressed shard it has been [compressed](Packed::compress).
    ///
    /// # Errors
    /// If writing fails.
    pub fn put(&mut self, sample: &Packed) -> Result<()> {
        match (&mut self.gzip, &sample.gzip) {
            (Some(stream), Some(piece)) => self.output.write_all(stream.add(piece))?,
            (None, None) => sample.write(&mut self.output)?,
            _ => {
                let message = format!("sample {} was packed for another kind of shard", sample.key());
                return Err(Error::Refused { shard: self.output.name(), message });
            }
        }
        self.size += sample.size();
        self.num_samples += 1;
        Ok(())
    }

    /// Writes the end mark and gives the file its name.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(self) -> Result<()> {
        Ok(self.complete()?.finish()?)
    }

    /// Writes the end mark.
    pub(crate) fn complete(mut self) -> Result<Output> {
        let zeros = vec![0; (whole_size(self.size) - self.size) as usize];
        match &mut self.gzip {
            Some(stream) => {
                let mut piece = GzipPiece::default();
                let failed = |source| kaldi_io::Error::Write { name: self.output.name(), offset: self.size, source };
                piece.add(&zeros).and_then(|()| piece.flush()).map_err(failed)?;
                self.output.write_all(stream.add(&piece))?;
                self.output.write_all(&stream.trailer())?;
            }
            None => self.output.write_all(&zeros)?,
        }
        Ok(self.output)
    }
}
