//! Shards that are written, and the list of them.

mod existing_folder;
mod gzip;
mod packed;
mod shard;

pub use packed::Packed;
pub use shard::ShardWriter;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{NewFolder, Output, OutputSet, is_remote};
use whole_file::Turn;

use crate::shard::dali::DaliIndex;
use crate::shard::{Error, Result, ShardFormat};
use shards::whole_size;

/// How shards are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShardOptions {
    /// The program that reads them: NeMo has numbers without zeros before them.
    pub format: ShardFormat,
    /// The folder that they go to.
    pub folder: BString,
    /// What their names start with: `shards` makes them `shards_000000000.tar` and so on, or `shards_0.tar`.
    pub prefix: BString,
    /// The most samples of one.
    pub max_samples: u64,
    /// The most bytes of one, its end mark included; before it is compressed.
    pub max_bytes: u64,
    /// Whether they are compressed by gzip, and their names end in `.gz`.
    pub gzip: bool,
    /// Whether a DALI index is written beside each.
    pub dali: bool,
}

/// How shards are compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardCompression {
    /// Not at all.
    #[default]
    None,
    /// By gzip; their names end in `.gz`.
    Gzip,
}

impl ShardCompression {
    /// Every way with its name.
    pub const NAMES: [(&str, Self); 2] = [("none", Self::None), ("gzip", Self::Gzip)];
}

/// What is written beside a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShardIndex {
    /// The index that NVIDIA's DALI reads.
    Dali,
}

impl ShardIndex {
    /// Every index with its name.
    pub const NAMES: [(&str, Self); 1] = [("dali", Self::Dali)];
}

/// Writes samples to shards, one after the other. All shards and then the list appear together; objects of a store when each is complete.
#[must_use = "the list is written by finish()"]
pub struct ShardSetWriter {
    options: ShardOptions,
    list: Output,
    files: OutputSet,
    names: Vec<BString>,
    shard: Option<(ShardWriter, DaliIndex)>,
    num_samples: u64,
    /// Until the list is there, no other process writes shards of this prefix in this folder.
    _turn: Option<Turn>,
    /// After all that is in it.
    _created: NewFolder,
}

impl ShardSetWriter {
    /// Makes the folder, if there is none, and opens the list. If another process writes shards of the same prefix
    /// there, waits until its list is complete: otherwise a list would name shards of both.
    ///
    /// At most `num_samples` samples will be written. Shards of a former run that these may replace are replaced.
    ///
    /// # Errors
    /// If that is impossible, or if shards of another run would stay beside the new ones.
    pub fn create(options: ShardOptions, list: &BStr, num_samples: u64) -> Result<Self> {
        let created = kaldi_io::make_folder(&options.folder.to_path_lossy())?;
        let turn = match is_remote(&options.folder) {
            true => None,
            false => Turn::take(&options.folder.to_path_lossy().join(options.prefix.to_path_lossy())),
        };
        // Every shard has a sample.
        let most = if options.max_bytes == u64::MAX { num_samples.div_ceil(options.max_samples) } else { num_samples };
        existing_folder::refuse_former(&options, most)?;
        let list = Output::create(list, false)?;
        let files = OutputSet::default();
        Ok(Self {
            options,
            list,
            files,
            names: Vec::new(),
            shard: None,
            num_samples: 0,
            _turn: turn,
            _created: created,
        })
    }

    /// The name of a shard by its number, as the list has it.
    pub fn shard_name(options: &ShardOptions, number: usize) -> BString {
        let ShardOptions { folder, prefix, gzip, .. } = options;
        let slash = if folder.is_empty() || folder.ends_with(b"/") { "" } else { "/" };
        let suffix = if *gzip { "tar.gz" } else { "tar" };
        let end = match options.format {
            ShardFormat::Wenet => format!("_{number:09}.{suffix}"),
            ShardFormat::Nemo => format!("_{number}.{suffix}"),
        };
        [folder.as_slice(), slash.as_bytes(), prefix, end.as_bytes()].concat().into()
    }

    /// Writes a sample, to the next shard where this one has no room for it.
    ///
    /// # Errors
    /// If writing fails, or if the sample alone is too large for a shard.
    pub fn put(&mut self, sample: &Packed) -> Result<()> {
        let ShardOptions { max_samples, max_bytes, .. } = self.options;
        let has_room = self.shard.as_ref().is_some_and(|(shard, _)| {
            shard.num_samples() < max_samples && whole_size(shard.size() + sample.size()) <= max_bytes
        });
        if !has_room {
            self.finish_shard()?;
        }
        if whole_size(sample.size()) > max_bytes {
            let message = format!(
                "sample {} needs a shard of {} bytes, and at most {max_bytes} are allowed",
                kaldi_io::quote_name(sample.key()),
                whole_size(sample.size())
            );
            return Err(Error::Refused { shard: self.options.folder.to_string(), message });
        }
        let (shard, index) = match &mut self.shard {
            Some(open) => open,
            None => {
                let name = Self::shard_name(&self.options, self.names.len());
                let shard = ShardWriter::create(name.as_ref(), self.options.gzip)?;
                self.names.push(name);
                self.shard.insert((shard, DaliIndex::default()))
            }
        };
        if self.options.dali {
            for (path, offset, size) in sample.members(shard.size()) {
                index.add(path, offset, size)?;
            }
        }
        shard.put(sample)?;
        self.num_samples += 1;
        Ok(())
    }

    /// How many samples were written.
    pub fn num_samples(&self) -> u64 {
        self.num_samples
    }

    /// How many shards were started.
    pub fn num_shards(&self) -> usize {
        self.names.len()
    }

    /// The files that will appear before the list.
    pub fn files(&mut self) -> &mut OutputSet {
        &mut self.files
    }

    /// Completes the last shard and the list, and gives all files their names.
    ///
    /// # Errors
    /// If writing fails.
    pub fn finish(mut self) -> Result<()> {
        self.finish_shard()?;
        for name in &self.names {
            self.list.write_all(name)?;
            self.list.write_all(b"\n")?;
        }
        let Self { mut files, list, options, names, .. } = self;
        files.add(list)?;
        files.replacing(move || existing_folder::left_over(&options, names.len() as u64));
        Ok(files.finish()?)
    }

    fn finish_shard(&mut self) -> Result<()> {
        let Some((shard, index)) = self.shard.take() else { return Ok(()) };
        self.files.add_one_of_many(shard.complete()?)?;
        if self.options.dali
            && let Some(name) = self.names.last()
        {
            self.files.add_one_of_many(index.output(name.as_ref())?)?;
        }
        Ok(())
    }
}
