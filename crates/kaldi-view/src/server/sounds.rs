//! The sound of utterances, decoded once and kept for a while.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_feat::Segment;
use kaldi_types::ValueType;
use kaldi_wave::Wave;

use crate::job::{Part, cut, read_wave};
use crate::server::cache::Cache;
use crate::server::catalog::{Catalog, Says};
use crate::server::failure::{Answer, Failure};

/// Where the sound of an utterance is.
#[derive(Clone, Debug)]
pub(crate) struct SoundPlace {
    rxfilename: BString,
    part: Option<Part>,
}

impl SoundPlace {
    /// Finds the sound of an utterance; `None` if it has none.
    ///
    /// # Errors
    /// If its segment makes no sense, or its recording is not there.
    pub fn find(catalog: &Catalog, key: &BStr) -> Answer<Option<Self>> {
        for list in catalog.lists_that(|says| matches!(says, Says::Values(ValueType::Wave) | Says::Segments(_))) {
            let Some(line) = catalog.line(list, key)? else { continue };
            let Says::Segments(recordings) = catalog.lists[list].says else {
                return Ok(Some(Self { rxfilename: line.rest, part: None }));
            };
            let text = [line.key.as_slice(), b" ", &line.rest].concat();
            let segment = Segment::parse(&text).map_err(|_| {
                Failure::Unreadable(format!("expected <utterance> <recording> <start> <end>: {}", text.as_bstr()))
            })?;
            let recording = catalog.line(recordings, segment.recording.as_bstr())?.ok_or_else(|| {
                Failure::Unreadable(format!("its recording {} is not in wav.scp", segment.recording.as_bstr()))
            })?;
            let channel = segment.channel.and_then(|channel| usize::try_from(channel).ok());
            let part = Part { utterance: 0, start: segment.start, end: segment.end, channel };
            return Ok(Some(Self { rxfilename: recording.rest, part: Some(part) }));
        }
        Ok(None)
    }
}

/// Recordings that were decoded.
#[derive(Debug)]
pub(crate) struct Sounds(Cache<Wave>);

impl Sounds {
    /// Keeps `room` bytes of samples.
    pub fn new(room: usize) -> Self {
        Self(Cache::new(room, |wave| 4 * wave.num_channels() * wave.num_samples()))
    }

    /// The sound of an utterance.
    pub fn get(&self, place: &SoundPlace) -> Answer<Arc<Wave>> {
        let recording = self.0.get(&place.rxfilename, || read_wave(place.rxfilename.as_bstr()))?;
        match &place.part {
            None => Ok(recording),
            Some(part) => cut(&recording, part).map(Arc::new).map_err(Failure::Unreadable),
        }
    }
}
