//! Sound of a data directory that other programs do not find by a name in a manifest.

use std::collections::{HashMap, HashSet};

use super::{ExportFormat, SoundPlaceKind, SoundSize, WantedFile};
use crate::{CorpusPlace, DirectoryContent, DirectoryRecording, Result};

/// Sound that other programs do not find by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HiddenSound {
    /// The place of the recording in those of the directory.
    recording: usize,
    /// The first utterance that has it.
    pub utterance: String,
    /// The file that it would be.
    pub wanted: WantedFile,
    /// Where it is.
    pub kind: SoundPlaceKind,
}

impl DirectoryContent {
    /// The sound that other programs do not find by the names of the recordings: single channels, which most manifests cannot name,
    /// and what is inside of archives or an output of a command.
    ///
    /// # Errors
    /// If the channel of a segment is none of its recording.
    pub fn hidden_sounds(&self, format: ExportFormat, sizes: &HashMap<String, SoundSize>) -> Result<Vec<HiddenSound>> {
        let is_lhotse = format == ExportFormat::Lhotse;
        let (mut hidden, mut seen) = (Vec::new(), HashSet::new());
        for utterance in &self.utterances {
            let DirectoryRecording { key, audio } = &self.recordings[utterance.recording];
            let num_channels = utterance.channel.map(|_| self.size(utterance.recording, sizes)).transpose()?;
            let num_channels = num_channels.map_or(0, |size| size.num_channels);
            if let Some(channel) = utterance.channel.filter(|&channel| channel >= num_channels) {
                let place = CorpusPlace { name: format!("segments: {}", utterance.key).into(), line: None };
                return Err(place.error(format!("expected a channel below {num_channels} of {key}, got {channel}")));
            }
            let channel = utterance.channel.filter(|_| !is_lhotse && num_channels > 1);
            let kind = SoundPlaceKind::of(audio);
            if (channel.is_some() || kind != SoundPlaceKind::File) && seen.insert((utterance.recording, channel)) {
                hidden.push(HiddenSound {
                    recording: utterance.recording,
                    utterance: utterance.key.clone(),
                    wanted: WantedFile { key: key.clone(), audio: audio.clone(), channel },
                    kind,
                });
            }
        }
        Ok(hidden)
    }

    /// Puts files in place of hidden sounds; `files` are their names in the same order.
    pub fn name_sounds(&mut self, hidden: &[HiddenSound], files: Vec<String>, sizes: &mut HashMap<String, SoundSize>) {
        let mut of_channels = HashMap::new();
        for (HiddenSound { recording, wanted, .. }, audio) in hidden.iter().zip(files) {
            let Some(channel) = wanted.channel else {
                self.recordings[*recording].audio = audio;
                continue;
            };
            // No key of a table has a line end. It is in no manifest that needs such a file.
            let key = format!("{}\n{channel}", wanted.key);
            if let Some(size) = sizes.get(&wanted.key).copied() {
                sizes.insert(key.clone(), SoundSize { num_channels: 1, ..size });
            }
            of_channels.insert((*recording, channel), self.recordings.len());
            self.recordings.push(DirectoryRecording { key, audio });
        }
        for utterance in &mut self.utterances {
            let file = utterance.channel.and_then(|channel| of_channels.get(&(utterance.recording, channel)));
            if let Some(&file) = file {
                (utterance.recording, utterance.channel) = (file, None);
            }
        }
    }
}
