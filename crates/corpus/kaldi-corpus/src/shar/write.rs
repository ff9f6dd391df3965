//! Cuts and their fields, written to the files of a folder.

use std::io::Write;
use std::path::PathBuf;

use bstr::BString;
use flate2::{Compression, GzBuilder};
use kaldi_io::{ClosedOutput, NewFolder, Output, OutputSet};
use shards::whole_size;
use whole_file::Turn;

use super::existing_folder;
use super::pack::PackedCut;
use crate::shard::{Error, LhotseIndex, Result, ShardWriter};

/// How a Shar folder is written.
#[derive(Clone, Debug)]
pub struct SharOptions {
    /// The folder.
    pub folder: PathBuf,
    /// The most cuts of a file.
    pub max_cuts: u64,
    /// Whether files of cuts are compressed by gzip.
    pub gzip: bool,
    /// Whether there is a field of features.
    pub has_features: bool,
    /// Whether an index of lhotse is written beside each file that is not compressed.
    pub index: bool,
}

/// Writes a Shar folder, whose files appear together.
#[must_use = "the last files are written by finish()"]
pub struct SharWriter {
    options: SharOptions,
    open: Option<Open>,
    /// The files of the fields, and the files of cuts.
    fields: OutputSet,
    cuts: Vec<ClosedOutput>,
    num_files: u64,
    num_cuts: u64,
    /// Until all files are there, no other process writes to this folder.
    _turn: Option<Turn>,
    /// After all that is in it.
    _created: NewFolder,
}

/// The files of a number that are being written.
struct Open {
    cuts: Output,
    lines: Vec<u8>,
    line_index: LhotseIndex,
    fields: Vec<(BString, ShardWriter, LhotseIndex)>,
    num_cuts: u64,
}

impl SharWriter {
    /// Makes the folder, if there is none. At most `num_cuts` cuts will be written. Files of a former run that these may replace are
    /// replaced.
    ///
    /// # Errors
    /// If that is impossible, or if other files would stay in the folder: lhotse takes every file of it for a field.
    pub fn create(options: SharOptions, num_cuts: u64) -> Result<Self> {
        let created = kaldi_io::make_folder(&options.folder)?;
        let turn = Turn::take(&options.folder.join("cuts"));
        existing_folder::refuse_others(&options, num_cuts.div_ceil(options.max_cuts))?;
        let (fields, cuts) = (OutputSet::default(), Vec::new());
        Ok(Self { options, open: None, fields, cuts, num_files: 0, num_cuts: 0, _turn: turn, _created: created })
    }

    /// Writes a cut.
    ///
    /// # Errors
    /// If writing fails.
    pub fn put(&mut self, cut: &PackedCut) -> Result<()> {
        if self.open.as_ref().is_some_and(|open| open.num_cuts >= self.options.max_cuts) {
            self.finish_files()?;
        }
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let open = Open::create(&self.options, self.num_files)?;
                self.num_files += 1;
                self.open.insert(open)
            }
        };
        let packed = std::iter::once(&cut.recording).chain(&cut.features);
        for ((_, shard, index), packed) in open.fields.iter_mut().zip(packed) {
            index.add(shard.size());
            shard.put(packed)?;
        }
        open.line_index.add(open.lines.len() as u64);
        open.lines.extend_from_slice(&cut.line);
        open.num_cuts += 1;
        self.num_cuts += 1;
        Ok(())
    }

    /// How many cuts were written.
    pub fn num_cuts(&self) -> u64 {
        self.num_cuts
    }

    /// How many files of cuts were started.
    pub fn num_files(&self) -> u64 {
        self.num_files
    }

    /// Completes the last files and gives all of them their names. Those of a former run that were to be replaced go.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<()> {
        self.finish_files()?;
        let Self { options, fields: mut files, cuts, num_files, .. } = self;
        // As long as a file of cuts is missing, fields have more files than cuts.
        cuts.into_iter().rev().for_each(|cuts| files.add_closed(cuts));
        files.replacing(move || existing_folder::left_over(&options, num_files));
        Ok(files.finish()?)
    }

    fn finish_files(&mut self) -> Result<()> {
        let Some(Open { mut cuts, lines, line_index, fields, .. }) = self.open.take() else { return Ok(()) };
        let has_index = self.options.index;
        for (name, shard, index) in fields {
            let size = whole_size(shard.size());
            self.fields.add(shard.complete()?)?;
            if has_index {
                self.fields.add(index.output(name.as_ref(), size)?)?;
            }
        }
        let name = cuts.name();
        if self.options.gzip {
            let failed = |error| Error::Refused { shard: name.clone(), message: format!("cannot compress: {error}") };
            let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
            encoder.write_all(&lines).map_err(failed)?;
            cuts.write_all(&encoder.finish().map_err(failed)?)?;
        } else {
            cuts.write_all(&lines)?;
        }
        self.cuts.push(cuts.close()?);
        if has_index && !self.options.gzip {
            self.fields.add(line_index.output(name.as_str().into(), lines.len() as u64)?)?;
        }
        Ok(())
    }
}

impl Open {
    fn create(options: &SharOptions, number: u64) -> Result<Self> {
        let path = |name: String| options.folder.join(name);
        let suffix = if options.gzip { "jsonl.gz" } else { "jsonl" };
        let cuts = path(format!("cuts.{number:06}.{suffix}"));
        let cuts = Output::create_file(&cuts, cuts.display().to_string(), false)?;
        let fields = existing_folder::fields(options).iter().map(|field| {
            let name = BString::from(path(format!("{field}.{number:06}.tar")).into_os_string().into_encoded_bytes());
            let shard = ShardWriter::create(name.as_ref(), false)?;
            Ok((name, shard, LhotseIndex::default()))
        });
        let fields = fields.collect::<Result<_>>()?;
        Ok(Self { cuts, lines: Vec::new(), line_index: LhotseIndex::default(), fields, num_cuts: 0 })
    }
}
