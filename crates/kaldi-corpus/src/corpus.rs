//! Utterances and recordings with their names: the content of a data directory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use bstr::{BString, ByteSlice};
use kaldi_io::{Locator, Rxfilename};

use crate::naming::{named, stem};
use crate::utterances::without_blanks;
use crate::{CorpusPlace, Error, FoundUtterance, Naming, Result, Utterances};

/// The longest recording in seconds, 115 days: later times are mistakes.
pub(crate) const LONGEST: f64 = 1e7;

/// The content of a data directory.
#[derive(Clone, Debug, Default)]
pub struct NamedCorpus {
    recordings: BTreeMap<BString, Recording>,
    utterances: BTreeMap<BString, Utterance>,
    has_text: bool,
    num_left_out: u64,
}

/// A line of `wav.scp`.
#[derive(Clone, Debug)]
struct Recording {
    audio: BString,
    place: CorpusPlace,
}

#[derive(Clone, Debug)]
struct Utterance {
    speaker: BString,
    text: Option<String>,
    segment: Option<Segment>,
    place: CorpusPlace,
}

/// A line of `segments`.
#[derive(Clone, Debug)]
struct Segment {
    recording: BString,
    start: f64,
    end: f64,
    channel: Option<u32>,
}

impl NamedCorpus {
    /// Names what was found. If some utterances have text, those without are left out.
    ///
    /// # Errors
    /// If there is nothing; if two utterances or recordings have the same name; if a name or time makes no sense; if names of
    /// utterances are not sorted as those of their speakers.
    pub fn new(utterances: Utterances, naming: &Naming) -> Result<Self> {
        let Utterances { name, mut found, are_segments } = utterances;
        let mut corpus = Self { has_text: found.iter().any(|it| it.text.is_some()), ..Self::default() };
        if corpus.has_text {
            if let Some(without) = found.iter().find(|it| naming.strict && it.text.is_none()) {
                return Err(without.place.error("expected text, as others have it, got none"));
            }
            let all = found.len();
            found.retain(|it| it.text.is_some());
            corpus.num_left_out = (all - found.len()) as u64;
        }
        if found.is_empty() {
            return Err(Error::Nothing(format!("{name}: expected utterances, got none")));
        }
        let are_segments = are_segments || found.iter().any(|it| it.start.is_some()) || has_repeated_sound(&found);
        for utterance in found {
            corpus.add(utterance, naming, are_segments)?;
        }
        corpus.check_order()?;
        Ok(corpus)
    }

    /// The number of utterances.
    pub fn num_utterances(&self) -> usize {
        self.utterances.len()
    }

    /// The number of recordings.
    pub fn num_recordings(&self) -> usize {
        self.recordings.len()
    }

    /// The number of utterances that were left out since they have no text.
    pub fn num_left_out(&self) -> u64 {
        self.num_left_out
    }

    /// The files of the data directory: names and contents.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let (mut recordings, mut speakers, mut text, mut segments) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut of_speaker = BTreeMap::<&BString, Vec<u8>>::new();
        let line = |out: &mut Vec<u8>, words: &[&[u8]]| {
            out.extend(bstr::join(" ", words));
            out.push(b'\n');
        };
        for (key, recording) in &self.recordings {
            line(&mut recordings, &[key, &recording.audio]);
        }
        for (key, utterance) in &self.utterances {
            line(&mut speakers, &[key, &utterance.speaker]);
            let list = of_speaker.entry(&utterance.speaker).or_default();
            list.push(b' ');
            list.extend_from_slice(key);
            if let Some(words) = &utterance.text {
                line(&mut text, &[key, words.as_bytes()]);
            }
            if let Some(Segment { recording, start, end, channel }) = &utterance.segment {
                let channel = channel.map_or(String::new(), |channel| format!(" {channel}"));
                let times = format!("{} {}{channel}", seconds(*start), seconds(*end));
                line(&mut segments, &[key, recording, times.as_bytes()]);
            }
        }
        let of_speaker =
            of_speaker.into_iter().flat_map(|(speaker, list)| [speaker, &list[..], b"\n"].concat()).collect();
        let files = [
            ("wav.scp", recordings),
            ("utt2spk", speakers),
            ("spk2utt", of_speaker),
            ("text", text),
            ("segments", segments),
        ];
        files.into_iter().filter(|(_, content)| !content.is_empty()).collect()
    }

    fn add(&mut self, found: FoundUtterance, naming: &Naming, is_segment: bool) -> Result<()> {
        check_audio(&found)?;
        check_times(&found)?;
        let (segment, mut id) = match is_segment {
            false => (None, naming.id(&found)?),
            true => {
                let segment = segment(&found)?;
                let id = match &found.id {
                    Some(_) => naming.id(&found)?,
                    None => segment.name(),
                };
                (Some(segment), id)
            }
        };
        let speaker = naming.speaker(&found)?;
        if let Some(speaker) = speaker.as_ref().filter(|speaker| !id.starts_with(speaker)) {
            id = [speaker.as_slice(), b"-", &id].concat().into();
        }
        let recording = segment.as_ref().map_or(&id, |segment| &segment.recording).clone();
        let speaker = speaker.unwrap_or_else(|| id.clone());
        let place = found.place;
        match self.recordings.entry(recording) {
            Entry::Vacant(entry) => drop(entry.insert(Recording { audio: found.audio, place: place.clone() })),
            Entry::Occupied(entry) if is_segment && entry.get().audio == found.audio => {}
            Entry::Occupied(entry) => return Err(twice(entry.key(), &entry.get().place, &place)),
        }
        match self.utterances.entry(id) {
            Entry::Vacant(entry) => drop(entry.insert(Utterance { speaker, text: found.text, segment, place })),
            Entry::Occupied(entry) => return Err(twice(entry.key(), &entry.get().place, &place)),
        }
        Ok(())
    }

    /// Checks that speakers are sorted if utterances are, which Kaldi's programs expect.
    fn check_order(&self) -> Result<()> {
        let mut last: Option<(&BString, &Utterance)> = None;
        for (key, utterance) in &self.utterances {
            if let Some((other, before)) = last.filter(|(_, before)| before.speaker > utterance.speaker) {
                return Err(utterance.place.error(format!(
                    "expected utterances in the order of their speakers, got {key} of {} after {other} of {}: other names of \
                     speakers are needed",
                    utterance.speaker, before.speaker
                )));
            }
            last = Some((key, utterance));
        }
        Ok(())
    }
}

impl Segment {
    /// The name of an utterance that has none.
    fn name(&self) -> BString {
        let milliseconds = |seconds: f64| (seconds * 1000.0).round() as u64;
        let (start, end) = (milliseconds(self.start), milliseconds(self.end));
        BString::from([self.recording.as_slice(), format!("-{start:07}-{end:07}").as_bytes()].concat())
    }
}

/// Whether a file comes twice, and parts of it are known.
fn has_repeated_sound(found: &[FoundUtterance]) -> bool {
    let mut first = HashMap::<&BString, &FoundUtterance>::new();
    found.iter().filter(|it| it.end.is_some()).any(|it| first.insert(&it.audio, it).is_some())
}

/// The part of a recording that an utterance is.
fn segment(found: &FoundUtterance) -> Result<Segment> {
    let start = found.start.unwrap_or(0.0);
    let Some(end) = found.end else {
        return Err(found.place.error("expected a duration, since others are parts of recordings, got none"));
    };
    if end <= start || seconds(end) == seconds(start) {
        let message = format!("expected a part of a recording, got one from {start} to {end} s");
        return Err(found.place.error(message));
    }
    let name = match &found.recording {
        Some(recording) => without_blanks(recording),
        None => without_blanks(stem(&found.path)),
    };
    Ok(Segment { recording: named(found, name, "recording")?, start, end, channel: found.channel })
}

/// Makes sure that the times of an utterance can be those of sound.
fn check_times(found: &FoundUtterance) -> Result<()> {
    let start = found.start.unwrap_or(0.0);
    if !(0.0..=LONGEST).contains(&start) {
        return Err(found.place.error(format!("expected a start from 0 to {LONGEST} s, got {start} s")));
    }
    match found.end {
        Some(end) if !(end >= start && end <= LONGEST) => {
            Err(found.place.error(format!("expected an end from the start, {start} s, to {LONGEST} s, got {end} s")))
        }
        _ => Ok(()),
    }
}

/// Makes sure that a line of `wav.scp` leads to the sound.
fn check_audio(found: &FoundUtterance) -> Result<()> {
    let audio = found.audio.as_bstr();
    let is_line = audio.trim_ascii() == audio.as_bytes() && !audio.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0));
    let is_whole = || match Locator::parse(audio) {
        Ok(locator) => {
            locator.name() == audio && matches!(Rxfilename::parse(audio), Ok(name) if name != Rxfilename::Stdin)
        }
        Err(_) => false,
    };
    // What is in a folder is a file, whatever it is called.
    let is_file = || found.place.line.is_some() || matches!(Rxfilename::parse(audio), Ok(Rxfilename::File(_)));
    if is_line && is_whole() && is_file() {
        return Ok(());
    }
    Err(found.place.error(format!("expected a name of sound that can stand in wav.scp, got {audio:?}: rename it")))
}

fn twice(key: &BString, first: &CorpusPlace, second: &CorpusPlace) -> Error {
    second.error(format!("expected each name once, got {key} again, which {first} has"))
}

/// Seconds with at most 6 decimals.
fn seconds(time: f64) -> String {
    let text = format!("{time:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_six_decimals_at_most() {
        for (time, text) in [(0.0, "0"), (10.0, "10"), (0.1 + 0.2, "0.3"), (1.234_567_89, "1.234568"), (100.5, "100.5")]
        {
            assert_eq!(seconds(time), text);
        }
    }
}
