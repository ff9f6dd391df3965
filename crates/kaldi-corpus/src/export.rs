//! Manifests of data directories.

use std::collections::HashMap;
use std::io::Write;

use flate2::{Compression, GzBuilder};

use serde_json::{Value, json};

use crate::{CorpusPlace, DataDirectory, DirectoryUtterance, Error, Result, write_raw_line};

/// A kind of manifest that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Lines of JSON of NeMo.
    Nemo,
    /// Lines of JSON of WeNet, a raw list.
    Wenet,
    /// Recordings and supervisions of lhotse, in a folder.
    Lhotse,
    /// Comma-separated values.
    Csv,
}

impl ExportFormat {
    /// Every format with its name.
    pub const NAMES: [(&str, Self); 4] =
        [("nemo", Self::Nemo), ("wenet", Self::Wenet), ("lhotse", Self::Lhotse), ("csv", Self::Csv)];
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
    Folder([(&'static str, Vec<u8>); 2]),
}

impl DataDirectory {
    /// Whether [`DataDirectory::export`] needs the sizes of recordings.
    pub fn needs_sizes(&self, format: ExportFormat) -> bool {
        let is_open = |utterance: &DirectoryUtterance| utterance.times.is_none_or(|(_, end)| end < 0.0);
        match format {
            ExportFormat::Wenet => false,
            ExportFormat::Lhotse => true,
            ExportFormat::Nemo | ExportFormat::Csv => self.utterances.iter().any(is_open),
        }
    }

    /// Writes the utterances as manifests. `sizes` are those of the recordings, by their keys.
    ///
    /// # Errors
    /// If a size is missing, or WeNet's list is wanted and there is no text.
    pub fn export(&self, format: ExportFormat, sizes: &HashMap<String, SoundSize>) -> Result<Exported> {
        Ok(match format {
            ExportFormat::Nemo => Exported::File(self.nemo(sizes)?),
            ExportFormat::Wenet => Exported::File(self.wenet()?),
            ExportFormat::Csv => Exported::File(self.csv(sizes)?),
            ExportFormat::Lhotse => Exported::Folder([
                ("recordings.jsonl.gz", gzip(&self.recordings(sizes)?)?),
                ("supervisions.jsonl.gz", gzip(&self.supervisions(sizes)?)?),
            ]),
        })
    }

    fn size(&self, recording: usize, sizes: &HashMap<String, SoundSize>) -> Result<SoundSize> {
        let key = &self.recordings[recording].key;
        let place = || CorpusPlace { name: "wav.scp".into(), line: None };
        sizes.get(key).copied().ok_or_else(|| place().error(format!("expected the sound of {key}, got none")))
    }

    /// Start and duration in seconds.
    fn times(&self, utterance: &DirectoryUtterance, sizes: &HashMap<String, SoundSize>) -> Result<(f64, f64)> {
        let whole = || Ok::<_, Error>(self.size(utterance.recording, sizes)?.seconds());
        Ok(match utterance.times {
            None => (0.0, whole()?),
            Some((start, end)) => (start, rounded(if end < 0.0 { whole()? } else { end } - start)),
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

    fn wenet(&self) -> Result<Vec<u8>> {
        if self.text_order.is_empty() {
            return Err(Error::Nothing(
                "expected a text in the data directory for a list of WeNet, got none".to_owned(),
            ));
        }
        let mut out = Vec::new();
        for utterance in self.text_order.iter().map(|&at| &self.utterances[at]) {
            let audio = &self.recordings[utterance.recording].audio;
            let text = utterance.text.as_deref().unwrap_or_default();
            write_raw_line(&mut out, &utterance.key, audio, text, utterance.times);
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

    fn recordings(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for (at, recording) in self.recordings.iter().enumerate() {
            let size = self.size(at, sizes)?;
            let channels: Vec<u32> = (0..size.num_channels).collect();
            let (kind, source) = match recording.command() {
                Some(command) => ("command", command),
                None => ("file", recording.audio.as_str()),
            };
            let mut inner = Vec::new();
            object(&mut inner, &[("type", json!(kind)), ("channels", json!(channels)), ("source", json!(source))]);
            let inner = String::from_utf8_lossy(&inner);
            let id = json!(recording.key);
            let rate =
                if size.sample_rate.fract() == 0.0 { json!(size.sample_rate as i64) } else { json!(size.sample_rate) };
            let (samples, seconds, channels) = (size.num_samples, json!(size.seconds()), json!(channels));
            out.extend(
                format!(
                    "{{\"id\": {id}, \"sources\": [{}], \"sampling_rate\": {rate}, \"num_samples\": {samples}, \
                     \"duration\": {seconds}, \"channel_ids\": {channels}}}\n",
                    inner.trim_end()
                )
                .into_bytes(),
            );
        }
        Ok(out)
    }

    fn supervisions(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for utterance in &self.utterances {
            let (start, duration) = self.times(utterance, sizes)?;
            let channel = match (utterance.channel, self.size(utterance.recording, sizes)?.num_channels) {
                (Some(channel), _) => json!(channel),
                (None, 0 | 1) => json!(0),
                (None, channels) => json!((0..channels).collect::<Vec<_>>()),
            };
            let mut fields = vec![
                ("id", json!(utterance.key)),
                ("recording_id", json!(self.recordings[utterance.recording].key)),
                ("start", json!(start)),
                ("duration", json!(duration)),
                ("channel", channel),
            ];
            fields.extend(utterance.text.as_ref().map(|text| ("text", json!(text))));
            fields.push(("speaker", json!(utterance.speaker)));
            object(&mut out, &fields);
        }
        Ok(out)
    }
}

/// Seconds with at most 6 decimals.
fn rounded(seconds: f64) -> f64 {
    (seconds * 1e6).round() / 1e6
}

/// Appends a line with an object, with a blank after each colon and before each field.
fn object(out: &mut Vec<u8>, fields: &[(&str, Value)]) {
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
    out.extend(format!("{{{}}}\n", fields.join(", ")).into_bytes());
}

/// Compresses; the same bytes always become the same bytes.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let failed = |error| Error::Nothing(format!("cannot compress: {error}"));
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::default());
    encoder.write_all(bytes).map_err(failed)?;
    encoder.finish().map_err(failed)
}
