//! Segments of recordings, as `extract-segments` cuts them.

use std::collections::HashMap;

use bstr::{BStr, BString};
use kaldi_feat::{SampleGrid, Segment};
use kaldi_io::{Lines, printable_rxfilename};
use kaldi_table::RawEntry;
use kaldi_values::Cursor;
use kaldi_wave::{Wave, WaveInfo, WaveSamples};

use crate::errors::{Class, Failure, Result};

/// A segment of a recording.
#[derive(Clone, Debug)]
pub struct Cut {
    pub recording: BString,
    start: f64,
    end: f64,
    channel: Option<usize>,
    line: u64,
}

/// The lines of a segments file, in their order.
#[derive(Debug, Default)]
pub struct Segments {
    name: String,
    pub names: Vec<BString>,
    cuts: HashMap<BString, Cut>,
}

impl Segments {
    /// Reads a segments file.
    pub fn read(name: &BStr) -> Result<Self> {
        let mut segments = Self { name: printable_rxfilename(name).into_owned(), ..Self::default() };
        let mut lines = Lines::open(name)?;
        let mut number = 0;
        while let Some(line) = lines.next_line()? {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            let parsed = Segment::parse(line).ok().filter(|segment| {
                segment.start >= 0.0 && (segment.end == -1.0 || (segment.end > 0.0 && segment.start < segment.end))
            });
            let Some(segment) = parsed else {
                let message = format!(
                    "{}:{number}: expected a segment: name, recording, start, end, got {}",
                    segments.name,
                    kaldi_io::excerpt(line)
                );
                return Err(Failure::new(Class::Data, message).in_file(&segments.name).at_line(number));
            };
            let cut = Cut {
                recording: segment.recording.into(),
                start: segment.start,
                end: segment.end,
                channel: segment.channel.and_then(|channel| usize::try_from(channel).ok()),
                line: number,
            };
            if segments.cuts.insert(segment.name.into(), cut).is_some() {
                let message =
                    format!("{}:{number}: the segment {} is there twice", segments.name, BStr::new(segment.name));
                return Err(Failure::new(Class::Data, message)
                    .in_file(&segments.name)
                    .at_line(number)
                    .at_key(segment.name));
            }
            segments.names.push(segment.name.into());
        }
        Ok(segments)
    }

    /// The segment of this name.
    pub fn find(&self, name: &[u8]) -> Option<&Cut> {
        self.cuts.get(BStr::new(name))
    }

    /// Cuts a segment out of its recording.
    pub fn cut(&self, name: &[u8], cut: &Cut, recording: &RawEntry) -> Result<Wave> {
        let failed = |reason: String| {
            let message = format!("{}:{}: {}: {reason}", self.name, cut.line, BStr::new(name));
            Failure::new(Class::Data, message).in_file(&self.name).at_line(cut.line).at_key(name)
        };
        let grid = SampleGrid::default();
        let (wave, first) = match part(recording, &grid, cut)? {
            Some(part) => part,
            None => (recording.parse::<Wave>()?, None),
        };
        let samples = match first {
            Some(_) => 0..wave.num_samples(),
            None => {
                let samples = grid.samples(cut.start, cut.end, wave.sample_rate(), wave.num_samples());
                samples.map_err(|error| failed(error.to_string()))?
            }
        };
        let num_channels = wave.num_channels();
        let channel = match cut.channel {
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
        if samples.is_empty() {
            return Err(failed("expected a segment of one sample or more, got none".to_owned()));
        }
        Ok(Wave::new(wave.sample_rate(), vec![wave.channel(channel)[samples].to_vec()]))
    }
}

/// Reads only the bytes of the segment, from a RIFF file whose samples all have the same size. `None` if it is no such file.
#[allow(clippy::type_complexity)]
fn part(raw: &RawEntry, grid: &SampleGrid, cut: &Cut) -> Result<Option<(Wave, Option<usize>)>> {
    if raw.is_whole() || raw.blob().file().is_none() {
        return Ok(None);
    }
    let head = raw.head();
    let (Ok(samples), Ok(info)) =
        (WaveSamples::read(head), WaveInfo::read(&mut Cursor::new_head(head, u64::MAX / 2), None))
    else {
        return Ok(None);
    };
    let (Some(num_bytes), Some(num_samples)) = (samples.num_bytes, info.num_samples()) else { return Ok(None) };
    if num_samples == 0 || num_bytes % num_samples != 0 || samples.start + num_bytes > raw.size() {
        return Ok(None);
    }
    let frame = num_bytes / num_samples;
    let Ok(range) = grid.samples(cut.start, cut.end, info.sample_rate(), num_samples as usize) else { return Ok(None) };
    let (from, count) = (range.start as u64 * frame, range.len() as u64 * frame);
    let (Some(header), Ok(count)) = (head.get(..samples.start as usize), u32::try_from(count)) else { return Ok(None) };
    // A file of the same header, but with other sizes.
    let mut file = header.to_vec();
    let size = if samples.big_endian { count.to_be_bytes() } else { count.to_le_bytes() };
    let at = file.len() - size.len();
    file[at..].copy_from_slice(&size);
    let riff = (file.len() as u32 - 8).saturating_add(count);
    let riff = if samples.big_endian { riff.to_be_bytes() } else { riff.to_le_bytes() };
    file[4..8].copy_from_slice(&riff);
    raw.blob().read_at(samples.start + from, &mut file, count as usize)?;
    let wave = kaldi_values::Value::read(&mut Cursor::new(&file)).map_err(|error| raw.error(error))?;
    Ok(Some((wave, Some(range.start))))
}
