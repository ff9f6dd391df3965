//! Sound as other programs get it.

use bytes::Bytes;

use crate::DirectoryUtterance;
use crate::shard::pack::{Sound, blob_of, channels_of, decode, encode, load, part, parts_of, samples_of, seconds};
use crate::shard::sound::is_canonical;
use crate::shard::{Packing, ShardFormat, Stored};

/// What becomes of whole recordings. Segments are cut, and they and single channels become WAV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExportAudio {
    /// Their bytes stay as they are.
    #[default]
    Copy,
    /// They become WAV of 16 bits.
    Wav,
}

/// The sound of an utterance or a recording.
#[derive(Debug)]
pub struct ExportedSound {
    pub(crate) suffix: String,
    pub(crate) bytes: Bytes,
    pub(crate) seconds: f64,
    /// How many of its samples were clipped.
    pub num_clipped: usize,
}

impl ExportAudio {
    /// Every kind with its name.
    pub const NAMES: [(&str, Self); 2] = [("copy", Self::Copy), ("wav", Self::Wav)];

    /// The sound of utterances of a recording.
    ///
    /// # Errors
    /// What is wrong, with the key of the utterance: the recording cannot be read, or a segment is outside of it.
    pub fn read(self, recording: &Stored, utterances: &[DirectoryUtterance]) -> Result<Vec<ExportedSound>, String> {
        let sound = match utterances.iter().find(|utterance| utterance.times.is_some()) {
            Some(first) => Some(parts_of(recording).map_err(|message| format!("{}: {message}", first.key))?),
            None => None,
        };
        let read = |utterance: &DirectoryUtterance| {
            ExportedSound::of(match (utterance.times, &sound) {
                (Some(times), Some(sound)) => {
                    let wave = part(sound, channels_of(sound, utterance.channel)?, samples_of(sound, times)?)?;
                    encode(wave, sound.sample_rate() as u32)?
                }
                _ => self.whole(recording)?,
            })
        };
        let named =
            |utterance: &DirectoryUtterance| read(utterance).map_err(|message| format!("{}: {message}", utterance.key));
        utterances.iter().map(named).collect()
    }

    /// The sound of a recording, or of one channel of it.
    pub(crate) fn of_recording(self, recording: &Stored, channel: Option<u32>) -> Result<ExportedSound, String> {
        ExportedSound::of(match channel {
            None => self.whole(recording)?,
            Some(_) => {
                let sound = parts_of(recording)?;
                let channel = channels_of(&sound, channel)?.start;
                let wave = part(&sound, channel..channel + 1, 0..sound.num_samples())?;
                encode(wave, sound.sample_rate() as u32)?
            }
        })
    }

    fn whole(self, recording: &Stored) -> Result<Sound, String> {
        let unchanged = Packing { format: ShardFormat::Wenet, sample_rate: None, gzip: false };
        let is_wav = || Ok::<_, String>(blob_of(recording)?.is_some_and(|blob| is_canonical(&blob)));
        if self == Self::Copy || is_wav()? {
            return unchanged.whole(recording);
        }
        let wave = decode(recording, &load(recording)?)?;
        let rate = wave.sample_rate() as u32;
        encode(wave, rate)
    }
}

impl ExportedSound {
    fn of(sound: Sound) -> Result<Self, String> {
        let Sound { suffix, content, num_clipped } = sound;
        let seconds = seconds(&content)?;
        let bytes = content.load().map_err(|error| error.to_string())?.into_owned().into();
        Ok(Self { suffix: suffix.to_string(), bytes, seconds, num_clipped })
    }
}
