//! Samples of many shards that are copied in any order.

use std::collections::HashMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Blob, Input};
use shards::sample_key;

use crate::shard::{Grouping, Packed, Result, ShardName, TarSamples, sound_info};

/// Shards that are kept open.
const MAX_OPEN: usize = 64;

/// Where a sample is.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplePlace {
    /// Its key.
    pub key: BString,
    /// The number of its shard.
    pub shard: usize,
    /// The duration of its sound in seconds, where a header has it.
    pub seconds: Option<f64>,
    /// Name, offset and size of each member.
    members: Vec<(BString, u64, u64)>,
}

/// Shards whose samples are copied. Contents stay in plain shards; those of compressed ones and of pipes are kept in a
/// temporary file.
pub struct Places {
    folder: PathBuf,
    /// The names of the shards; whether contents are kept elsewhere.
    shards: Vec<(BString, bool)>,
    open: HashMap<usize, Arc<File>>,
    kept: Option<Arc<File>>,
    kept_bytes: u64,
}

impl Places {
    /// Temporary files go to `folder`.
    pub fn new(folder: &Path) -> Self {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder }.to_owned();
        Self { folder, shards: Vec::new(), open: HashMap::new(), kept: None, kept_bytes: 0 }
    }

    /// The name of a shard by its number.
    pub fn shard(&self, number: usize) -> &BStr {
        self.shards[number].0.as_ref()
    }

    /// Adds a shard: appends the samples in it whose keys are wanted to `places`, and all others without their members.
    ///
    /// # Errors
    /// If the shard cannot be read or is damaged; whole samples before the damage are in `places` then. If the temporary
    /// file cannot be written.
    pub fn add(
        &mut self,
        name: ShardName,
        grouping: Grouping,
        is_wanted: impl Fn(&BStr) -> bool,
        places: &mut Vec<SamplePlace>,
    ) -> Result<()> {
        let shard = self.shards.len();
        let shard_name = name.name().to_owned();
        let mut samples = TarSamples::new(name.open()?, grouping);
        let is_kept = samples.members().plain_file().is_none();
        self.shards.push((shard_name, is_kept));
        while let Some(sample) = samples.next_sample(|field, member, payload| {
            let is_wanted = grouping.split(member.path.as_ref()).is_some_and(|(key, _)| is_wanted(&sample_key(key)));
            let seconds = sound_info(field, member, payload)?.and_then(|info| info.duration());
            let offset = match is_wanted && is_kept {
                true => self.keep(&payload.read()?)?,
                false => member.offset,
            };
            Ok((seconds, offset, is_wanted))
        })? {
            let seconds = sample.field("wav".into()).and_then(|field| field.value.0);
            let wanted = sample.fields.into_iter().filter(|field| field.value.2);
            let members = wanted.map(|field| (field.member.path, field.value.1, field.member.size)).collect();
            places.push(SamplePlace { key: sample.key, shard, seconds, members });
        }
        samples.finish()
    }

    /// Makes a sample of what is at a place.
    ///
    /// # Errors
    /// If the shard cannot be opened any more.
    pub fn pack(&mut self, place: SamplePlace) -> Result<Packed> {
        let file = self.file(place.shard)?;
        let name = self.shard(place.shard).to_string();
        let mut sample = Packed::new(place.key);
        for (path, offset, size) in place.members {
            sample.add(path.as_ref(), Blob::in_file(name.as_str(), Arc::clone(&file), offset, size));
        }
        Ok(sample)
    }

    fn file(&mut self, shard: usize) -> Result<Arc<File>> {
        let (name, is_kept) = &self.shards[shard];
        if let (true, Some(kept)) = (is_kept, &self.kept) {
            return Ok(Arc::clone(kept));
        }
        if let Some(file) = self.open.get(&shard) {
            return Ok(Arc::clone(file));
        }
        if self.open.len() >= MAX_OPEN {
            self.open.clear();
        }
        let input = Input::open(name.as_ref())?;
        let Some(file) = input.as_file() else {
            let message = "expected a file".to_owned();
            return Err(crate::shard::Error::Refused { shard: input.name().to_owned(), message });
        };
        self.open.insert(shard, Arc::clone(&file));
        Ok(file)
    }

    /// Writes a content to the temporary file; returns its offset there.
    fn keep(&mut self, content: &[u8]) -> Result<u64> {
        let offset = self.kept_bytes;
        let failed = |source| {
            let name = format!("a temporary file in {}", self.folder.display());
            kaldi_io::Error::Write { name, offset, source }
        };
        let file = match &self.kept {
            Some(file) => file,
            None => self.kept.insert(Arc::new(whole_file::create_nameless(&self.folder).map_err(failed)?)),
        };
        let mut writer: &File = file;
        writer.seek(SeekFrom::Start(offset)).and_then(|_| writer.write_all(content)).map_err(failed)?;
        self.kept_bytes += content.len() as u64;
        Ok(offset)
    }
}
