//! Samples of recordings and their texts.

use std::fs::File;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, Rxfilename};
use kaldi_values::{Frame, Value};
use kaldi_wave::{Wave, WaveInfo};

use crate::sound::{decode_sound, encode_sound, is_as_encoded};
use crate::{Content, Packed, is_sound};

/// How far a segment may end behind its recording, in seconds, to be cut off there: as far as in Kaldi's `extract-segments`.
const MAX_OVERSHOOT: f64 = 0.5;

/// Where the sound of a recording is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recording {
    /// What this rxfilename names.
    Named(BString),
    /// A file in memory.
    InMemory(Vec<u8>),
}

/// An utterance of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Utterance {
    /// Its key.
    pub key: String,
    /// Its text.
    pub text: String,
    /// From where to where it is in the recording, in seconds, or all of that.
    pub times: Option<(f64, f64)>,
}

/// How utterances become samples: a member `KEY.txt`, and one of the sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The sampling frequency, in Hz, of WAV files of 16 bits; files are taken as they are where there is none.
    pub sample_rate: Option<u32>,
    /// Whether samples are compressed for shards that are.
    pub gzip: bool,
}

/// A sound as it will be a member.
struct Sound {
    suffix: BString,
    content: Content,
    num_clipped: usize,
}

impl Recording {
    /// Its length in bytes as far as that can be told without reading it.
    pub fn size(&self) -> usize {
        let of_file = |name: &BString| match Rxfilename::parse(name.as_ref()) {
            Ok(Rxfilename::File(path)) => path.metadata().map_or(0, |metadata| metadata.len()),
            _ => 1 << 20,
        };
        match self {
            Self::Named(name) => usize::try_from(of_file(name)).unwrap_or(usize::MAX),
            Self::InMemory(bytes) => bytes.len(),
        }
    }

    /// The file that it is, where it is one.
    fn file(&self) -> Option<Result<Arc<File>, String>> {
        let Self::Named(name) = self else { return None };
        match Rxfilename::parse(name.as_ref()) {
            Ok(Rxfilename::File(_)) => {
                let input = Input::open(name.as_ref()).map_err(|error| error.to_string());
                input.map(|input| input.as_file()).transpose()
            }
            _ => None,
        }
    }

    /// All of its bytes.
    fn into_bytes(self) -> Result<Vec<u8>, String> {
        match self {
            Self::Named(name) => read_named(name.as_ref()).map_err(|error| error.to_string()),
            Self::InMemory(bytes) => Ok(bytes),
        }
    }
}

/// Reads all of a stream; one sound where an offset is given.
pub(crate) fn read_named(name: &BStr) -> kaldi_io::Result<Vec<u8>> {
    let has_offset = matches!(Rxfilename::parse(name)?, Rxfilename::Offset(..));
    let mut input = Input::open(name)?;
    if !has_offset {
        let bytes = input.read_to_end()?;
        input.finish()?;
        return Ok(bytes);
    }
    let mut bytes = Vec::new();
    loop {
        let wanted = match Wave::frame(&bytes, input.at_end()) {
            Ok(Frame::Whole(length)) => {
                bytes.truncate(length);
                return Ok(bytes);
            }
            Ok(Frame::Beyond(wanted) | Frame::Partial(wanted)) => wanted - bytes.len() as u64,
            Ok(Frame::Rest) => 1 << 20,
            // Decoding will tell what is wrong.
            Err(_) => return Ok(bytes),
        };
        input.read_some(&mut bytes, wanted.clamp(1 << 12, 1 << 20) as usize)?;
    }
}

impl Packing {
    /// Makes samples of a recording and its utterances: for each the sample, and how many of its values were clipped, or what
    /// is wrong.
    pub fn pack(&self, recording: Recording, utterances: Vec<Utterance>) -> Vec<Result<(Packed, usize), String>> {
        if let [utterance] = utterances.as_slice()
            && utterance.times.is_none()
        {
            return vec![self.sample(utterance, self.whole(recording))];
        }
        let wave = recording.into_bytes().and_then(|bytes| decode_sound(&bytes));
        utterances
            .iter()
            .map(|utterance| {
                let wave = wave.as_ref().map_err(Clone::clone)?;
                let rate = self.sample_rate.ok_or("a segment cannot be copied as it is")?;
                let wave = match utterance.times {
                    Some((start, end)) => cut(wave, start, end)?,
                    None => wave.clone(),
                };
                self.sample(utterance, encode(wave, rate))
            })
            .collect()
    }

    fn sample(&self, utterance: &Utterance, sound: Result<Sound, String>) -> Result<(Packed, usize), String> {
        let Sound { suffix, content, num_clipped } = sound?;
        let key = utterance.key.as_bytes();
        let mut sample = Packed::new(key);
        sample.add([key, b".txt"].concat().as_bstr(), Content::Bytes(utterance.text.clone().into_bytes()));
        sample.add([key, b".", suffix.as_slice()].concat().as_bstr(), content);
        if self.gzip {
            sample = sample.compress().map_err(|error| error.to_string())?;
        }
        Ok((sample, num_clipped))
    }

    /// The whole sound of a recording; where nothing changes the kernel can move the file.
    fn whole(&self, recording: Recording) -> Result<Sound, String> {
        let file = recording.file().transpose()?;
        if let Some(rate) = self.sample_rate {
            return match file {
                Some(file) if is_as_encoded(&file, rate) => {
                    Ok(Sound { suffix: "wav".into(), content: all_of(file)?, num_clipped: 0 })
                }
                _ => encode(decode_sound(&recording.into_bytes()?)?, rate),
            };
        }
        let suffix = match &recording {
            Recording::Named(name) => name.rfind_byte(b'.').map(|dot| name[dot + 1..].to_ascii_lowercase()),
            Recording::InMemory(_) => None,
        };
        let suffix = suffix.map(BString::from).filter(|suffix| is_sound(suffix.as_ref()));
        let content = match file {
            Some(file) if file.metadata().is_ok_and(|metadata| metadata.is_file()) => all_of(file)?,
            _ => Content::Bytes(recording.into_bytes()?),
        };
        let head = content.head(1 << 16).map_err(|error| error.to_string())?;
        let suffix = match (suffix, head.first_chunk()) {
            (Some(suffix), _) => suffix,
            (None, Some(b"RIFF" | b"RIFX")) => "wav".into(),
            (None, Some(b"fLaC")) => "flac".into(),
            _ => return Err("expected a name with a suffix of sound, or WAV or FLAC".to_owned()),
        };
        let is_readable = suffix == "wav" || suffix == "flac";
        match WaveInfo::in_head(&head, content.size()) {
            Some(Err(error)) if is_readable => Err(error.message.into_owned()),
            _ => Ok(Sound { suffix, content, num_clipped: 0 }),
        }
    }
}

fn all_of(file: Arc<File>) -> Result<Content, String> {
    let size = file.metadata().map_err(|error| error.to_string())?.len();
    Ok(Content::File { file, offset: 0, size })
}

fn encode(wave: Wave, rate: u32) -> Result<Sound, String> {
    let (bytes, num_clipped) = encode_sound(wave, rate)?;
    Ok(Sound { suffix: "wav".into(), content: Content::Bytes(bytes), num_clipped })
}

/// Cuts a segment out of the first channel; times are cut off to samples, as in WeNet.
fn cut(wave: &Wave, start: f64, end: f64) -> Result<Wave, String> {
    let (rate, length) = (f64::from(wave.sample_rate()), wave.num_samples());
    let duration = length as f64 / rate;
    let outside = || format!("expected a segment within {duration} seconds of the recording, got {start} to {end}");
    if start < 0.0 || end > duration + MAX_OVERSHOOT {
        return Err(outside());
    }
    let [from, to] = [start, end].map(|seconds| ((seconds * rate) as usize).min(length));
    if from >= to {
        return Err(outside());
    }
    Ok(Wave::new(wave.sample_rate(), vec![wave.channel(0)[from..to].to_vec()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_off_to_samples() {
        let wave = Wave::new(1000.0, vec![(0..2000).map(|at| at as f32).collect(), vec![0.0; 2000]]);
        let t = |start, end| cut(&wave, start, end).map(|wave| (wave.num_channels(), wave.channel(0).to_vec()));
        assert_eq!(t(0.0019, 0.0049), Ok((1, vec![1.0, 2.0, 3.0])));
        assert_eq!(t(1.998, 2.5), Ok((1, vec![1998.0, 1999.0])));
        for (start, end) in [(-0.1, 1.0), (0.0, 2.51), (2.0, 2.2), (1.0, 1.0), (1.0, 0.5), (0.0, 0.0001), (0.5, -1.0)] {
            assert!(t(start, end).unwrap_err().starts_with("expected a segment within 2 seconds"), "{start} {end}");
        }
    }
}
