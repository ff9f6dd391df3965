//! Sound as other programs get it.

use bytes::Bytes;
use kaldi_wave::Wave;

use crate::DirectoryUtterance;
use crate::shard::pack::{Sound, blob_of, channels_of, decode, encode, load, samples_of, seconds};
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
        let wave = match utterances.iter().find(|utterance| utterance.times.is_some()) {
            Some(first) => {
                let wave = load(recording).and_then(|bytes| decode(recording, &bytes));
                Some(wave.map_err(|message| format!("{}: {message}", first.key))?)
            }
            None => None,
        };
        let read = |utterance: &DirectoryUtterance| {
            ExportedSound::of(match (utterance.times, &wave) {
                (Some(times), Some(wave)) => {
                    let samples = samples_of(wave, times)?;
                    let channels = channels_of(wave, utterance.channel)?;
                    let channels = channels.map(|channel| wave.channel(channel)[samples.clone()].to_vec()).collect();
                    encode(Wave::new(wave.sample_rate(), channels), wave.sample_rate() as u32)?
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
                let wave = decode(recording, &load(recording)?)?;
                let channel = wave.channel(channels_of(&wave, channel)?.start).to_vec();
                encode(Wave::new(wave.sample_rate(), vec![channel]), wave.sample_rate() as u32)?
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
