//! Samples of recordings and their texts.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Blob, Input, Need, Rxfilename, Spool, SpoolFile, Window, printable_rxfilename};
use kaldi_value::{Frame, Value};
use kaldi_wave::{Recording, Wave, WaveInfo, sound_suffix};

use crate::shard::nemo::{NemoEntry, nemo_stem};
use crate::shard::sound::{decode_sound, encode_sound, is_as_encoded};
use crate::shard::{Packed, Stored, is_sound};
use crate::{SoundSize, TimeSpan};

/// A segment may end this many seconds after its recording, and is then cut: as in Kaldi's `extract-segments`.
const MAX_OVERSHOOT: f64 = 0.5;

/// An utterance of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct Utterance {
    /// Its key.
    pub key: String,
    /// Its text.
    pub text: String,
    /// Where it is in the recording; `None` for all of it.
    pub times: Option<TimeSpan>,
    /// The channel that is cut out; the first one if the segment names none.
    pub channel: Option<u32>,
}

/// Another program whose shards are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShardFormat {
    /// WeNet, and webdataset: a sample has a member `KEY.txt`, and one of the sound.
    #[default]
    Wenet,
    /// NeMo: a sample is its sound, and a line of manifests has the rest.
    Nemo,
}

impl ShardFormat {
    /// Every format with its name.
    pub const NAMES: [(&str, Self); 2] = [("wenet", Self::Wenet), ("nemo", Self::Nemo)];
}

/// How utterances become samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// The program that reads the shards.
    pub format: ShardFormat,
    /// The sampling frequency of 16-bit WAV files, in Hz. `None` keeps files unchanged.
    pub sample_rate: Option<u32>,
    /// Whether samples are compressed, for compressed shards.
    pub gzip: bool,
}

/// An utterance that became a sample.
#[derive(Debug)]
pub struct PackedUtterance {
    /// The sample.
    pub sample: Packed,
    /// How many of its values were clipped.
    pub num_clipped: usize,
    /// What the manifests of NeMo say about it.
    pub entry: Option<NemoEntry>,
}

/// A sound in the form of a member.
pub(crate) struct Sound {
    pub(crate) suffix: BString,
    pub(crate) content: Blob,
    pub(crate) num_clipped: usize,
}

/// The bytes of a recording in a regular file or in memory. `None` if it has to be read first.
pub(crate) fn blob_of(recording: &Stored) -> Result<Option<Blob>, String> {
    let name = match recording {
        Stored::Blob(blob) => return Ok(Some(blob.clone())),
        Stored::Named(name) => name,
    };
    let Ok(Rxfilename::File(_)) = Rxfilename::parse(name.as_ref()) else { return Ok(None) };
    let input = Input::open(name.as_ref()).map_err(|error| error.to_string())?;
    let bytes = input.positioned().filter(|bytes| bytes.as_file().is_some());
    Ok(bytes.map(|bytes| Blob::stored(input.name(), Arc::clone(&bytes), 0, bytes.length())))
}

/// What messages call a recording; nothing if it is in an archive.
fn name_of(recording: &Stored) -> Cow<'static, str> {
    match recording {
        Stored::Named(name) => printable_rxfilename(name.as_ref()),
        Stored::Blob(_) => "".into(),
    }
}

/// A recording of which parts are taken. Long ones stay in their places.
pub(crate) fn parts_of(recording: &Stored) -> Result<Recording, String> {
    let blob = match (blob_of(recording)?, recording) {
        (Some(blob), _) => blob,
        (None, Stored::Blob(blob)) => blob.clone(),
        (None, Stored::Named(name)) => spooled(name.as_ref()).map_err(|error| error.to_string())?,
    };
    match Recording::open(&blob).map_err(|error| error.message.into_owned())? {
        Some(placed) => match placed.fault() {
            Some(fault) => Err(fault.to_owned()),
            None => Ok(placed),
        },
        None => Ok(decode(recording, &blob.load().map_err(|error| error.to_string())?)?.into()),
    }
}

/// Reads all of a stream; what is long goes to a file.
fn spooled(name: &BStr) -> kaldi_io::Result<Blob> {
    if matches!(Rxfilename::parse(name)?, Rxfilename::Offset(..)) {
        return Ok(read_named(name)?.into());
    }
    let mut input = Input::open(name)?;
    let mut spool = Spool::default();
    spool.put_stream(&mut input, u64::MAX)?;
    let name: Arc<str> = input.name().into();
    input.finish()?;
    spool.into_blob(Arc::clone(&name)).map_err(|source| kaldi_io::Error::Read {
        name: name.to_string(),
        offset: 0,
        source,
    })
}

/// The sound in the bytes of a recording.
pub(crate) fn decode(recording: &Stored, bytes: &[u8]) -> Result<Wave, String> {
    decode_sound(bytes).map_err(|message| kaldi_io::explain_sound(&message, bytes, &name_of(recording)))
}

/// All bytes of a recording.
pub(crate) fn load(recording: &Stored) -> Result<Cow<'_, [u8]>, String> {
    recording.load().map_err(|error| error.to_string())
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
    let mut window = Window::new(input);
    loop {
        let length = window.bytes().len();
        match Wave::frame(window.bytes(), window.at_end()) {
            Ok(Frame::Whole(length)) => return Ok(window.bytes()[..length].to_vec()),
            Ok(Frame::Beyond(wanted)) => window.grow(Need::Exactly(wanted))?,
            Ok(Frame::Partial(wanted)) => window.grow(Need::AtLeast(wanted))?,
            Ok(Frame::Rest) if window.at_end() => return Ok(window.bytes().to_vec()),
            Ok(Frame::Rest) => window.grow(Need::AtLeast(length as u64 + 1))?,
            // Decoding will tell what is wrong.
            Err(_) => return Ok(window.bytes().to_vec()),
        }
    }
}

/// How many segments of a recording are cut at the same time, and the memory that they take.
#[derive(Clone, Copy, Debug)]
pub struct SegmentGroup {
    /// The most segments.
    pub most: usize,
    /// Bytes of each, about; `None` if the whole recording is read.
    each: Option<usize>,
    whole: usize,
}

/// About the most bytes of a group: what is longer is in files.
const MOST: usize = 1 << 23;

/// Bytes of samples of a group that stay in memory.
const ROOM: usize = 1 << 22;

/// The samples of a group: the first ones are in memory, and the others in a file until they are written.
#[derive(Debug, Default)]
pub(crate) struct GroupContents {
    size: usize,
    file: Option<SpoolFile>,
}

impl GroupContents {
    /// Keeps the content of a sample.
    pub(crate) fn keep(&mut self, content: Blob) -> Result<Blob, String> {
        self.size = self.size.saturating_add(content.head().len());
        if self.size <= ROOM || !content.is_whole() {
            return Ok(content);
        }
        let kept = match &mut self.file {
            Some(file) => file.put(content.head()),
            none => SpoolFile::create().and_then(|file| none.insert(file).put(content.head())),
        };
        kept.map_err(|error| error.to_string())
    }
}

impl SegmentGroup {
    /// That of a recording, of which segments are wanted or all of it. If only the segments are read, groups are small; else all of the
    /// recording is read for each group.
    pub fn of(recording: &Stored, are_segments: bool) -> Self {
        // What cannot be read is told with the segments.
        let is_placed =
            are_segments && blob_of(recording).is_ok_and(|it| it.is_some_and(|it| Recording::opens_at_once(&it)));
        let (most, each) = if is_placed { (16, Some(1 << 19)) } else { (1000, None) };
        Self { most, each, whole: recording.size() }
    }

    /// About the bytes that so many segments take.
    pub fn size(&self, count: usize) -> usize {
        self.each.map_or(self.whole, |each| self.whole.min(count.saturating_mul(each))).min(MOST)
    }
}

impl Packing {
    /// Makes samples of a recording and its utterances, or says what is wrong with each.
    pub fn pack(&self, recording: &Stored, utterances: Vec<Utterance>) -> Vec<Result<PackedUtterance, String>> {
        if matches!(&utterances[..], [utterance] if utterance.times.is_none()) {
            let whole = |utterance| self.sample(utterance, self.whole(recording));
            return utterances.into_iter().map(whole).collect();
        }
        let sound = parts_of(recording);
        let mut contents = GroupContents::default();
        utterances
            .into_iter()
            .map(|utterance| {
                let sound = sound.as_ref().map_err(Clone::clone)?;
                let rate = self.sample_rate.ok_or("a segment cannot be copied as it is")?;
                let wave = match utterance.times {
                    Some(times) => cut(sound, times, utterance.channel)?,
                    None => part(sound, 0..sound.num_channels(), 0..sound.num_samples())?,
                };
                let mut sound = encode(wave, rate)?;
                sound.content = contents.keep(sound.content)?;
                self.sample(utterance, Ok(sound))
            })
            .collect()
    }

    fn sample(&self, utterance: Utterance, sound: Result<Sound, String>) -> Result<PackedUtterance, String> {
        let Sound { suffix, content, num_clipped } = sound?;
        let key = utterance.key.as_bytes();
        let mut sample = Packed::new(key);
        let entry = match self.format {
            ShardFormat::Wenet => {
                sample.add([key, b".txt"].concat().as_bstr(), utterance.text.into_bytes());
                sample.add([key, b".", suffix.as_slice()].concat().as_bstr(), content);
                None
            }
            ShardFormat::Nemo => {
                let entry = NemoEntry {
                    member: format!("{}.{suffix}", nemo_stem(&utterance.key)),
                    seconds: seconds(&content)?,
                    text: utterance.text,
                    key: utterance.key,
                };
                sample.add(entry.member.as_str().into(), content);
                Some(entry)
            }
        };
        if self.gzip {
            sample = sample.compress().map_err(|error| error.to_string())?;
        }
        Ok(PackedUtterance { sample, num_clipped, entry })
    }

    /// The whole sound of a recording; where nothing changes the kernel can move the file.
    pub(crate) fn whole(&self, recording: &Stored) -> Result<Sound, String> {
        let blob = blob_of(recording)?;
        if let Some(rate) = self.sample_rate {
            return match blob {
                Some(content) if content.file().is_some() && is_as_encoded(&content, rate) => {
                    Ok(Sound { suffix: "wav".into(), content, num_clipped: 0 })
                }
                _ => encode(decode(recording, &load(recording)?)?, rate),
            };
        }
        let suffix = match recording {
            Stored::Named(name) => name.rfind_byte(b'.').map(|dot| name[dot + 1..].to_ascii_lowercase()),
            Stored::Blob(_) => None,
        };
        let suffix = suffix.map(BString::from).filter(|suffix| is_sound(suffix.as_ref()));
        let content = match blob {
            Some(blob) => blob,
            None => load(recording)?.into_owned().into(),
        };
        let head = content.first(1 << 16).map_err(|error| error.to_string())?;
        let known = sound_suffix(&head);
        let suffix = match (suffix, known) {
            (Some(suffix), _) => suffix,
            (None, Some(known)) => known.into(),
            (None, None) => {
                return Err("expected a name with a suffix of sound, or sound that can be decoded".to_owned());
            }
        };
        let is_readable = suffix == "wav" || suffix == "flac";
        match WaveInfo::in_head(&head, content.length()) {
            Some(Err(error)) if is_readable => Err(kaldi_io::explain_sound(&error.message, &head, &name_of(recording))),
            _ => Ok(Sound { suffix, content, num_clipped: 0 }),
        }
    }
}

pub(crate) fn encode(wave: Wave, rate: u32) -> Result<Sound, String> {
    let (bytes, num_clipped) = encode_sound(wave, rate)?;
    Ok(Sound { suffix: "wav".into(), content: bytes.into(), num_clipped })
}

/// The duration of a sound, from its header if that has it.
pub(crate) fn seconds(content: &Blob) -> Result<f64, String> {
    let read = |error: kaldi_io::Error| error.to_string();
    let info = |head: &[u8]| WaveInfo::in_head(head, content.length()).and_then(Result::ok);
    let seconds = match info(&content.first(1 << 16).map_err(read)?) {
        Some(info) => info.duration(),
        None => info(&content.load().map_err(read)?).and_then(|info| info.duration()),
    };
    match seconds {
        Some(seconds) => Ok(seconds),
        None => Ok(decode_sound(&content.load().map_err(read)?)?.duration()),
    }
}

/// How much sound a recording has, from its header if that has it.
pub(crate) fn size_of(recording: &Stored) -> Result<SoundSize, String> {
    let head = match blob_of(recording)? {
        Some(blob) => {
            let head = blob.first(1 << 16).map_err(|error| error.to_string())?;
            WaveInfo::in_head(&head, blob.length()).and_then(Result::ok)
        }
        None => None,
    };
    if let Some((num_samples, info)) = head.and_then(|info| Some((info.num_samples()?, info))) {
        let (sample_rate, num_channels) = (info.sample_rate().into(), info.num_channels() as u32);
        return Ok(SoundSize { num_samples, sample_rate, num_channels });
    }
    let wave = decode(recording, &load(recording)?)?;
    Ok(SoundSize {
        num_samples: wave.num_samples() as u64,
        sample_rate: wave.sample_rate().into(),
        num_channels: wave.num_channels() as u32,
    })
}

/// Cuts a segment out of a channel, which is the first one unless another is wanted; times are cut off to samples, as in WeNet.
fn cut(sound: &Recording, times: TimeSpan, channel: Option<u32>) -> Result<Wave, String> {
    let (samples, channel) = (samples_of(sound, times)?, channels_of(sound, channel)?.start);
    part(sound, channel..channel + 1, samples)
}

/// A part of a recording.
pub(crate) fn part(sound: &Recording, channels: Range<usize>, samples: Range<usize>) -> Result<Wave, String> {
    sound.part(channels, samples).map_err(|error| error.message.into_owned())
}

/// The channels of a recording that are wanted: one, or all.
pub(crate) fn channels_of(sound: &Recording, channel: Option<u32>) -> Result<Range<usize>, String> {
    match channel.map(|channel| channel as usize) {
        None => Ok(0..sound.num_channels()),
        Some(channel) if channel < sound.num_channels() => Ok(channel..channel + 1),
        Some(channel) => Err(format!("expected a channel below {}, got {channel}", sound.num_channels())),
    }
}

/// The samples of a segment.
pub(crate) fn samples_of(sound: &Recording, times: TimeSpan) -> Result<Range<usize>, String> {
    let (rate, length) = (f64::from(sound.sample_rate()), sound.num_samples());
    let duration = length as f64 / rate;
    let (start, end) = (times.start, times.end_in(duration));
    let outside = || format!("expected a segment within {duration} seconds of the recording, got {start} to {end}");
    if start < 0.0 || end > duration + MAX_OVERSHOOT {
        return Err(outside());
    }
    let [from, to] = [start, end].map(|seconds| ((seconds * rate) as usize).min(length));
    if from < to { Ok(from..to) } else { Err(outside()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_off_to_samples() {
        let wave = Wave::new(1000.0, vec![(0..2000).map(|at| at as f32).collect(), vec![0.0; 2000]]).into();
        let t = |start, end| {
            let wave = cut(&wave, TimeSpan { start, end: Some(end) }, None)?;
            Ok::<_, String>((wave.num_channels(), wave.channel(0).to_vec()))
        };
        assert_eq!(t(0.0019, 0.0049), Ok((1, vec![1.0, 2.0, 3.0])));
        assert_eq!(t(1.998, 2.5), Ok((1, vec![1998.0, 1999.0])));
        for (start, end) in [(-0.1, 1.0), (0.0, 2.51), (2.0, 2.2), (1.0, 1.0), (1.0, 0.5), (0.0, 0.0001), (0.5, -1.0)] {
            assert!(t(start, end).unwrap_err().starts_with("expected a segment within 2 seconds"), "{start} {end}");
        }
    }

    #[test]
    fn a_segment_is_of_its_channel_and_may_end_with_the_recording() {
        let wave = Wave::new(1000.0, vec![vec![1.0; 2000], (0..2000).map(|at| at as f32).collect()]).into();
        let t = |start, channel| cut(&wave, TimeSpan { start, end: None }, channel).map(|it| it.channel(0).to_vec());
        assert_eq!(t(1.997, Some(1)), Ok(vec![1997.0, 1998.0, 1999.0]));
        assert_eq!((t(1.998, Some(0)), t(1.998, None)), (Ok(vec![1.0; 2]), Ok(vec![1.0; 2])));
        assert_eq!(t(0.0, Some(2)).unwrap_err(), "expected a channel below 2, got 2");
        assert!(t(2.0, Some(1)).unwrap_err().starts_with("expected a segment within 2 seconds"));
    }
}
