//! Manifests of data directories.

mod audio;
mod files;
mod hidden;
mod lhotse;
mod parquet;
mod tables;

pub use audio::{ExportAudio, ExportedSound};
pub use files::{SoundFiles, SoundPlaceKind, WantedFile};
pub use hidden::HiddenSound;
pub use parquet::ParquetFile;
pub use tables::DirectoryTables;

use std::collections::HashMap;
use std::io::Write;

use flate2::{Compression, GzBuilder};

use serde_json::{Value, json};

use crate::shard::Stored;
use crate::shard::pack::size_of;
use crate::{
    CorpusPlace, DataDirectory, DirectoryContent, DirectoryUtterance, Error, Result, TimeSpan, write_raw_line,
};

/// A kind of manifest that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Lines of JSON of NeMo.
    Nemo,
    /// Lines of JSON of WeNet, a raw list.
    Wenet,
    /// Recordings, supervisions and cuts of lhotse, in a folder.
    Lhotse,
    /// Parquet with the sound in it, as the library `datasets` reads it.
    Parquet,
    /// Comma-separated values.
    Csv,
}

impl ExportFormat {
    /// Every format with its name.
    pub const NAMES: [(&str, Self); 5] = [
        ("nemo", Self::Nemo),
        ("wenet", Self::Wenet),
        ("lhotse", Self::Lhotse),
        ("csv", Self::Csv),
        ("parquet", Self::Parquet),
    ];
}

/// How much sound a recording has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoundSize {
    /// Samples of a channel.
    pub num_samples: u64,
    /// Samples in a second.
    pub sample_rate: f64,
    /// Channels.
    pub num_channels: u32,
}

impl SoundSize {
    /// That of a recording, from its header if that has it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of(recording: &Stored) -> Result<Self, String> {
        size_of(recording)
    }

    /// The duration in seconds.
    pub fn seconds(&self) -> f64 {
        self.num_samples as f64 / self.sample_rate
    }
}

/// The content of manifests.
#[derive(Clone, Debug)]
pub enum Exported {
    /// A file.
    File(Vec<u8>),
    /// Files of a folder, with their names.
    Folder([(&'static str, Vec<u8>); 3]),
}

impl DirectoryContent {
    /// Whether [`DirectoryContent::export`] needs the sizes of recordings.
    pub fn needs_sizes(&self, format: ExportFormat) -> bool {
        let any = |needs: fn(&DirectoryUtterance) -> bool| self.utterances.iter().any(needs);
        let is_open = |it: &DirectoryUtterance| it.channel.is_some() || it.times.is_some_and(|it| it.end.is_none());
        match format {
            ExportFormat::Parquet => false,
            ExportFormat::Lhotse => true,
            ExportFormat::Wenet => any(is_open),
            ExportFormat::Nemo | ExportFormat::Csv => any(is_open) || any(|it| it.times.is_none()),
        }
    }

    /// Writes the utterances as manifests. `sizes` are those of the recordings, by their keys.
    ///
    /// # Errors
    /// If a size is missing, or WeNet's list is wanted and there is no text; for Parquet, which is a [`ParquetFile`].
    pub fn export(
        &self,
        format: ExportFormat,
        tables: &DirectoryTables,
        sizes: &HashMap<String, SoundSize>,
    ) -> Result<Exported> {
        Ok(match format {
            ExportFormat::Nemo => Exported::File(self.nemo(sizes)?),
            ExportFormat::Wenet => Exported::File(self.wenet(sizes)?),
            ExportFormat::Csv => Exported::File(self.csv(sizes)?),
            ExportFormat::Lhotse => Exported::Folder([
                ("recordings.jsonl.gz", gzip(&self.recordings(sizes)?)?),
                ("supervisions.jsonl.gz", gzip(&self.supervisions(tables, sizes)?)?),
                ("cuts.jsonl.gz", gzip(&self.cuts(tables, sizes)?)?),
            ]),
            ExportFormat::Parquet => return Err(Error::Nothing("expected a manifest, got parquet".to_owned())),
        })
    }

    fn size(&self, recording: usize, sizes: &HashMap<String, SoundSize>) -> Result<SoundSize> {
        let key = &self.recordings[recording].key;
        let place = || CorpusPlace { name: DataDirectory::WAV_SCP.into(), line: None };
        sizes.get(key).copied().ok_or_else(|| place().error(format!("expected the sound of {key}, got none")))
    }

    /// Start and duration in seconds.
    fn times(&self, utterance: &DirectoryUtterance, sizes: &HashMap<String, SoundSize>) -> Result<(f64, f64)> {
        let whole = || Ok::<_, Error>(self.size(utterance.recording, sizes)?.seconds());
        Ok(match utterance.times {
            None => (0.0, whole()?),
            Some(TimeSpan { start, end }) => (start, rounded(end.map_or_else(whole, Ok)? - start)),
        })
    }

    fn nemo(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for utterance in &self.utterances {
            let (start, duration) = self.times(utterance, sizes)?;
            let mut fields = vec![
                ("audio_filepath", json!(self.recordings[utterance.recording].audio)),
                ("duration", json!(duration)),
            ];
            fields.extend(utterance.times.map(|_| ("offset", json!(start))));
            fields.extend(utterance.text.as_ref().map(|text| ("text", json!(text))));
            fields.extend([("speaker", json!(utterance.speaker)), ("utt_id", json!(utterance.key))]);
            object(&mut out, &fields);
        }
        Ok(out)
    }

    fn wenet(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        if self.text_order.is_empty() {
            return Err(Error::Nothing(
                "expected a text in the data directory for a list of WeNet, got none".to_owned(),
            ));
        }
        let mut out = Vec::new();
        for utterance in self.text_order.iter().map(|&at| &self.utterances[at]) {
            let audio = &self.recordings[utterance.recording].audio;
            let text = utterance.text.as_deref().unwrap_or_default();
            let times = match utterance.times {
                Some(TimeSpan { start, end: None }) => Some((start, self.size(utterance.recording, sizes)?.seconds())),
                times => times.and_then(|it| Some((it.start, it.end?))),
            };
            write_raw_line(&mut out, &utterance.key, audio, text, times);
        }
        Ok(out)
    }

    fn csv(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let has_segments = self.utterances.iter().any(|utterance| utterance.times.is_some());
        let failed = |error: csv::Error| Error::Nothing(format!("cannot write lines with commas: {error}"));
        let mut lines = csv::Writer::from_writer(Vec::new());
        let names = ["id", "path", "duration", "text", "speaker", "offset"];
        lines.write_record(&names[..if has_segments { 6 } else { 5 }]).map_err(failed)?;
        for utterance in &self.utterances {
            let (start, duration) = self.times(utterance, sizes)?;
            let (start, duration) = (json!(start).to_string(), json!(duration).to_string());
            let audio = &self.recordings[utterance.recording].audio;
            let text = utterance.text.as_deref().unwrap_or_default();
            let fields = [&utterance.key, audio, &duration, text, &utterance.speaker, &start];
            lines.write_record(&fields[..if has_segments { 6 } else { 5 }]).map_err(failed)?;
        }
        lines.into_inner().map_err(|error| Error::Nothing(format!("cannot write lines with commas: {error}")))
    }
}

/// Seconds with at most 6 decimals.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Appends a line with an object, with a blank after each colon and before each field.
fn object(out: &mut Vec<u8>, fields: &[(&str, Value)]) {
    let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.to_string())).collect();
    out.extend(json_object(&fields).into_bytes());
    out.push(b'\n');
}

/// An object of names and what they are in JSON, with a blank after each colon and before each entry.
pub(crate) fn json_object(fields: &[(&str, String)]) -> String {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("{}: {value}", json!(name))).collect();
    format!("{{{}}}", fields.join(", "))
}

/// Compresses; the same bytes always become the same bytes.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let failed = |error| Error::Nothing(format!("cannot compress: {error}"));
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    encoder.write_all(bytes).map_err(failed)?;
    encoder.finish().map_err(failed)
}
