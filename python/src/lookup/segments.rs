//! Segments of recordings, as `extract-segments` cuts them.

use std::ops::Range;

use bstr::BStr;
use kaldi_corpus::{RecordingPart, Segments};
use kaldi_feat::SampleGrid;
use kaldi_table::RawEntry;
use kaldi_value::Cursor;
use kaldi_wave::{Wave, WaveInfo, WaveSamples};

use crate::errors::{Class, Failure, Result};

impl From<kaldi_corpus::Error> for Failure {
    fn from(error: kaldi_corpus::Error) -> Self {
        let message = error.to_string();
        match error {
            kaldi_corpus::Error::Io(error) => error.into(),
            kaldi_corpus::Error::Content { place, .. } => {
                let failure = Self::new(Class::Data, message).in_file(&*place.name);
                place.line.into_iter().fold(failure, Self::at_line)
            }
            _ => Self::new(Class::Data, message),
        }
    }
}

/// A segments file whose segments are cut out of recordings.
#[derive(Debug)]
pub struct SegmentCutter(pub Segments);

impl SegmentCutter {
    /// Reads a segments file.
    pub fn open(name: &BStr) -> Result<Self> {
        Ok(Self(Segments::read_spans(name)?))
    }

    /// Cuts a segment out of its recording.
    pub fn cut(&self, name: &[u8], cut: &RecordingPart, recording: &RawEntry) -> Result<Wave> {
        let (wave, channel, samples) = match Layout::of(recording) {
            Some(layout) => {
                let (channel, samples) = self.choose_in(name, cut, &layout)?;
                (layout.read(recording, &samples)?, channel, 0..samples.len())
            }
            None => {
                let wave = recording.parse::<Wave>()?;
                let (channel, samples) =
                    self.choose(name, cut, wave.num_channels(), wave.sample_rate(), wave.num_samples())?;
                (wave, channel, samples)
            }
        };
        Ok(Wave::new(wave.sample_rate(), vec![wave.channel(channel)[samples].to_vec()]))
    }

    /// The number of samples of a segment. Of most recordings, only the header is read.
    pub fn length(&self, name: &[u8], cut: &RecordingPart, recording: &RawEntry) -> Result<u64> {
        match Layout::of(recording) {
            Some(layout) => Ok(self.choose_in(name, cut, &layout)?.1.len() as u64),
            None => Ok(self.cut(name, cut, recording)?.num_samples() as u64),
        }
    }

    fn choose_in(&self, name: &[u8], cut: &RecordingPart, layout: &Layout) -> Result<(usize, Range<usize>)> {
        self.choose(name, cut, layout.info.num_channels(), layout.info.sample_rate(), layout.num_samples)
    }

    /// The channel and the samples of a segment. It may be as short as one sample.
    fn choose(
        &self,
        name: &[u8],
        cut: &RecordingPart,
        num_channels: usize,
        rate: f32,
        num_samples: usize,
    ) -> Result<(usize, Range<usize>)> {
        let failed = |reason: String| {
            let message = format!("{}:{}: {}: {reason}", self.0.name(), cut.line, BStr::new(name));
            Failure::new(Class::Data, message).in_file(self.0.name()).at_line(cut.line).at_key(name)
        };
        let channel = match cut.channel.map(|channel| channel as usize) {
            Some(channel) if channel >= num_channels => {
                return Err(failed(format!("expected one of {num_channels} channels, got {channel}")));
            }
            Some(channel) => channel,
            None if num_channels == 1 => 0,
            None => {
                let recording = &cut.recording;
                return Err(failed(format!(
                    "the recording {recording} has {num_channels} channels: add the number of one"
                )));
            }
        };
        let mut grid = SampleGrid::default();
        grid.min_segment_length = 0.0;
        let samples = grid.samples(cut.span.start, cut.span.end, rate, num_samples);
        let samples = samples.map_err(|error| failed(error.to_string()))?;
        match samples.is_empty() {
            true => Err(failed("expected a segment of one sample or more, got none".to_owned())),
            false => Ok((channel, samples)),
        }
    }
}

/// A RIFF file whose samples all have the same size.
struct Layout {
    info: WaveInfo,
    samples: WaveSamples,
    num_samples: usize,
    /// Bytes of a sample of all channels.
    frame: u64,
}

impl Layout {
    /// Looks at the header. `None` if it is no such file, or if all of it is in memory.
    fn of(raw: &RawEntry) -> Option<Self> {
        if raw.is_whole() || raw.blob().file().is_none() {
            return None;
        }
        let samples = WaveSamples::read(raw.head()).ok()?;
        let info = WaveInfo::read(&mut Cursor::new_head(raw.head(), u64::MAX / 2), None).ok()?;
        let (num_bytes, num_samples) = (samples.num_bytes?, info.num_samples()?);
        let is_plain = num_samples > 0 && num_bytes.checked_rem(num_samples)? == 0;
        let is_there = samples.start + num_bytes <= raw.size() && raw.head().len() as u64 >= samples.start;
        (is_plain && is_there && u32::try_from(num_bytes).is_ok()).then_some(Self {
            frame: num_bytes / num_samples,
            num_samples: num_samples as usize,
            info,
            samples,
        })
    }

    /// Reads some samples only.
    fn read(&self, raw: &RawEntry, range: &Range<usize>) -> Result<Wave> {
        let (from, count) = (range.start as u64 * self.frame, (range.len() as u64 * self.frame) as u32);
        // A file of the same header, but with other sizes.
        let mut file = raw.head()[..self.samples.start as usize].to_vec();
        let bytes_of = |size: u32| if self.samples.big_endian { size.to_be_bytes() } else { size.to_le_bytes() };
        let at = file.len() - 4;
        file[at..].copy_from_slice(&bytes_of(count));
        let riff = (file.len() as u32 - 8).saturating_add(count);
        file[4..8].copy_from_slice(&bytes_of(riff));
        raw.blob().read_at(self.samples.start + from, &mut file, count as usize)?;
        kaldi_value::Value::read(&mut Cursor::new(&file)).map_err(|error| raw.error(error).into())
    }
}
