//! Manifests of lhotse: recordings, supervisions and cuts.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::tables::DirectoryTables;
use super::{SoundSize, json_object, rounded};
use crate::{DirectoryContent, DirectoryUtterance, Result};

impl DirectoryContent {
    pub(super) fn recordings(&self, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for at in 0..self.recordings.len() {
            out.extend(self.recording(at, sizes)?.into_bytes());
            out.push(b'\n');
        }
        Ok(out)
    }

    fn recording(&self, at: usize, sizes: &HashMap<String, SoundSize>) -> Result<String> {
        let (recording, size) = (&self.recordings[at], self.size(at, sizes)?);
        let channels = json!((0..size.num_channels).collect::<Vec<u32>>()).to_string();
        let (kind, source) = match recording.command() {
            Some(command) => ("command", command),
            None if recording.audio.contains("://") => ("url", recording.audio.as_str()),
            None => ("file", recording.audio.as_str()),
        };
        let source =
            [("type", json!(kind).to_string()), ("channels", channels.clone()), ("source", json!(source).to_string())];
        Ok(json_object(&[
            ("id", json!(recording.key).to_string()),
            ("sources", format!("[{}]", json_object(&source))),
            ("sampling_rate", rate(&size).to_string()),
            ("num_samples", size.num_samples.to_string()),
            ("duration", json!(size.seconds()).to_string()),
            ("channel_ids", channels),
        ]))
    }

    pub(super) fn supervisions(&self, tables: &DirectoryTables, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for utterance in &self.utterances {
            let (start, duration) = self.times(utterance, sizes)?;
            let channel = match (utterance.channel, self.size(utterance.recording, sizes)?.num_channels) {
                (Some(channel), _) => json!(channel),
                (None, 0 | 1) => json!(0),
                (None, channels) => json!((0..channels).collect::<Vec<_>>()),
            };
            out.extend(self.supervision(utterance, tables, start, duration, channel).into_bytes());
            out.push(b'\n');
        }
        Ok(out)
    }

    fn supervision(
        &self,
        utterance: &DirectoryUtterance,
        tables: &DirectoryTables,
        start: f64,
        duration: f64,
        channel: Value,
    ) -> String {
        let mut fields = vec![
            ("id", json!(utterance.key)),
            ("recording_id", json!(self.recordings[utterance.recording].key)),
            ("start", json!(start)),
            ("duration", json!(duration)),
            ("channel", channel),
        ];
        fields.extend(utterance.text.as_ref().map(|text| ("text", json!(text))));
        fields.extend(tables.language(&utterance.key).map(|language| ("language", json!(language))));
        fields.push(("speaker", json!(utterance.speaker)));
        fields.extend(tables.gender(&utterance.speaker).map(|gender| ("gender", json!(gender))));
        let fields: Vec<_> = fields.iter().map(|(name, value)| (*name, value.to_string())).collect();
        json_object(&fields)
    }

    /// A cut for each utterance, which has its recording, a supervision as long as the cut, features and the other tables.
    pub(super) fn cuts(&self, tables: &DirectoryTables, sizes: &HashMap<String, SoundSize>) -> Result<Vec<u8>> {
        let mut out = Vec::new();
        for utterance in &self.utterances {
            let (start, duration) = self.times(utterance, sizes)?;
            // Like all tools, it takes the first channel where none is named.
            let channel = utterance.channel.unwrap_or(0);
            let supervision = self.supervision(utterance, tables, 0.0, duration, json!(channel));
            let mut fields = vec![
                ("id", json!(utterance.key).to_string()),
                ("start", json!(start).to_string()),
                ("duration", json!(duration).to_string()),
                ("channel", channel.to_string()),
                ("supervisions", format!("[{supervision}]")),
            ];
            if let Some(features) = tables.features(&utterance.key) {
                let size = self.size(utterance.recording, sizes)?;
                // As lhotse counts, which wants frames to fill the duration.
                let seconds = rounded(features.num_frames as f64 * tables.frame_shift);
                let features = [
                    ("type", json!("kaldi")),
                    ("num_frames", json!(features.num_frames)),
                    ("num_features", json!(features.dim)),
                    ("frame_shift", json!(tables.frame_shift)),
                    ("sampling_rate", rate(&size)),
                    ("start", json!(start)),
                    ("duration", json!(seconds)),
                    ("storage_type", json!("kaldiio")),
                    ("storage_path", json!(features.place)),
                    ("storage_key", json!(utterance.key)),
                    ("recording_id", json!(self.recordings[utterance.recording].key)),
                    ("channels", json!(channel)),
                ];
                fields.push(("features", json_object(&features.map(|(name, value)| (name, value.to_string())))));
            }
            fields.push(("recording", self.recording(utterance.recording, sizes)?));
            let custom: Vec<_> = tables.entries(&utterance.key).collect();
            if !custom.is_empty() {
                fields.push(("custom", json_object(&custom)));
            }
            fields.push(("type", json!("MonoCut").to_string()));
            out.extend(json_object(&fields).into_bytes());
            out.push(b'\n');
        }
        Ok(out)
    }
}

/// Samples in a second, an integer where it is one.
fn rate(size: &SoundSize) -> Value {
    if size.sample_rate.fract() == 0.0 { json!(size.sample_rate as i64) } else { json!(size.sample_rate) }
}
