//! The sound of utterances.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bstr::{BStr, ByteSlice};
use kaldi_any::{Frames, ValueType};
use kaldi_corpus::Segment;
#[cfg(test)]
use kaldi_wave::Wave;

use crate::job::{Part, samples_of_part};
use crate::server::cache::Cache;
use crate::server::catalog::{Catalog, Says, ValuePlace};
use crate::server::failure::{Answer, Failure};
use crate::server::limits::Limits;
use crate::server::lines::Line;
use crate::server::recording::Recording;

/// Where the sound of an utterance is.
#[derive(Clone, Debug)]
pub(crate) struct SoundPlace {
    recording: ValuePlace,
    pub part: Option<Part>,
}

impl SoundPlace {
    /// Finds the sound of an utterance; `None` if it has none.
    ///
    /// # Errors
    /// If its segment makes no sense, or its recording is not there.
    pub fn find(catalog: &Catalog, key: &BStr) -> Answer<Option<Self>> {
        for list in catalog.lists_that(|says| matches!(says, Says::Values(ValueType::Wave) | Says::Segments(_))) {
            let Says::Segments(recordings) = catalog.lists[list].says else {
                match catalog.place(list, key)? {
                    None => continue,
                    Some(recording) => return Ok(Some(Self { recording, part: None })),
                }
            };
            let Some(line) = catalog.line(list, key)? else { continue };
            let segment = segment(&line)?;
            let recording = catalog
                .place(recordings, segment.recording)?
                .ok_or_else(|| Failure::Unreadable(format!("its recording {} is not in wav.scp", segment.recording)))?;
            let channel = segment.channel.map(|channel| channel as usize);
            let part = Part { utterance: 0, span: segment.span, channel };
            return Ok(Some(Self { recording, part: Some(part) }));
        }
        Ok(None)
    }

    /// The name of its recording.
    pub fn name(&self) -> &BStr {
        self.recording.rxfilename.as_bstr()
    }
}

/// Reads a line of segments.
///
/// # Errors
/// If it makes no sense.
pub(crate) fn segment(line: &Line) -> Answer<Segment<'_>> {
    let Line { key, rest } = line;
    let expected = |_| Failure::Unreadable(format!("expected <utterance> <recording> <start> <end>: {key} {rest}"));
    Segment::after_key(key.as_bstr(), rest).map_err(expected)
}

/// The sound of an utterance: a recording, or a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Sound {
    recording: Arc<Recording>,
    range: Range<u64>,
    channel: Option<usize>,
}

impl Sound {
    /// A waveform in memory.
    #[cfg(test)]
    pub fn of(wave: Wave) -> Self {
        let range = 0..wave.num_samples() as u64;
        Self { recording: Arc::new(Recording::of(wave)), range, channel: None }
    }

    /// Samples in a second.
    pub fn rate(&self) -> f32 {
        self.recording.rate
    }

    pub fn num_channels(&self) -> usize {
        self.channel.map_or(self.recording.num_channels, |_| 1)
    }

    pub fn num_samples(&self) -> u64 {
        self.range.end - self.range.start
    }

    /// Seconds.
    pub fn duration(&self) -> f64 {
        self.num_samples() as f64 / f64::from(self.rate())
    }

    /// Samples of each channel at the 16-bit scale.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn samples(&self, range: Range<u64>) -> Answer<Vec<Vec<f32>>> {
        let place = |sample: u64| self.range.start + sample.min(self.num_samples());
        let mut channels = self.recording.samples(place(range.start)..place(range.end))?;
        if let Some(channel) = self.channel {
            channels = vec![channels.swap_remove(channel)];
        }
        Ok(channels)
    }

    /// The mean of all channels.
    ///
    /// # Errors
    /// As [`Sound::samples`].
    pub fn mono(&self, range: Range<u64>) -> Answer<Vec<f32>> {
        let mut channels = self.samples(range)?.into_iter();
        let mut sum = channels.next().unwrap_or_default();
        for channel in channels {
            sum.iter_mut().zip(&channel).for_each(|(sum, sample)| *sum += sample);
        }
        let scale = 1.0 / self.num_channels() as f32;
        sum.iter_mut().for_each(|sample| *sample *= scale);
        Ok(sum)
    }
}

/// Recordings that were read.
#[derive(Debug)]
pub(crate) struct Sounds {
    kept: Arc<Cache<Recording>>,
    /// What reading may take.
    pub limits: Arc<Limits>,
}

impl Sounds {
    /// Keeps `room` bytes of recordings and of other values, which have room of their own, too. A command may take this time.
    pub fn new(room: usize, time: Duration, values: &Arc<Cache<Frames>>) -> Self {
        let kept = Arc::new(Cache::new(room, Recording::size));
        Self { limits: Arc::new(Limits::new(room, time, Arc::clone(&kept), Arc::clone(values))), kept }
    }

    #[cfg(test)]
    pub fn for_tests(room: usize) -> Self {
        Self::new(room, Duration::from_secs(60), &Arc::new(Cache::new(0, |_| 0)))
    }

    /// The sound of an utterance.
    pub fn get(&self, place: &SoundPlace) -> Answer<Sound> {
        let read = || Recording::read(&place.recording, &self.limits);
        let recording =
            self.kept.get(&place.recording.name(), || self.limits.read(place.recording.rxfilename.as_ref(), read))?;
        let whole = 0..recording.num_samples;
        let Some(part) = &place.part else { return Ok(Sound { recording, range: whole, channel: None }) };
        let num_samples = usize::try_from(recording.num_samples).unwrap_or(usize::MAX);
        let samples = samples_of_part(part, recording.rate, recording.num_channels, num_samples);
        let samples = samples.map_err(Failure::Unreadable)?;
        Ok(Sound { recording, range: samples.start as u64..samples.end as u64, channel: part.channel })
    }
}
