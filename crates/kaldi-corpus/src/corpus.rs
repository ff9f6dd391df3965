//! Utterances and recordings with their names: the content of a data directory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use kaldi_io::{Locator, Rxfilename};

use crate::naming::{named, stem};
use crate::sound_store::Wanted as WantedSound;
use crate::utterances::{has_control, without_blanks};
use crate::{
    CorpusPlace, Error, FeatureCopies, FoundFeatures, FoundSound, FoundUtterance, LeftOut, Naming, Result, SoundCopies,
    SoundStore, SpeakerFacts, SpeakerFiles, Utterances,
};

/// The longest recording in seconds, 115 days: later times are mistakes.
pub(crate) const LONGEST: f64 = 1e7;

/// The content of a data directory.
#[derive(Clone, Debug, Default)]
pub struct NamedCorpus {
    recordings: BTreeMap<BString, Recording>,
    utterances: BTreeMap<BString, Utterance>,
    stores: Vec<Arc<dyn SoundStore>>,
    left_out: LeftOut,
}

/// A line of `wav.scp`.
#[derive(Clone, Debug)]
struct Recording {
    audio: FoundSound,
    /// Its duration in seconds, if that is known.
    seconds: Option<f64>,
    place: CorpusPlace,
}

#[derive(Clone, Debug)]
struct Utterance {
    speaker: BString,
    text: Option<String>,
    segment: Option<Segment>,
    /// Its duration, if the manifest says it.
    seconds: Option<f64>,
    features: Option<FoundFeatures>,
    extra: Vec<(String, String)>,
    facts: SpeakerFacts,
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
    /// If there is nothing, or anything would be left out that must not be; if two utterances or recordings have the same name; if a name or time makes no sense; if names of
    /// utterances are not sorted as those of their speakers.
    pub fn new(utterances: Utterances, naming: &Naming) -> Result<Self> {
        let Utterances { name, mut found, stores, left_out, are_segments } = utterances;
        let mut corpus = Self { stores, left_out, ..Self::default() };
        let is_odd = |found: &FoundUtterance| found.text.as_deref().is_some_and(has_control);
        for odd in found.iter().filter(|found| is_odd(found)) {
            corpus.left_out.add("utterances have control characters in their text", &odd.place)?;
        }
        found.retain(|found| !is_odd(found));
        if found.iter().any(|it| it.text.is_some()) {
            for without in found.iter().filter(|it| it.text.is_none()) {
                if naming.strict {
                    return Err(without.place.error("expected text, as others have it, got none"));
                }
                corpus.left_out.add("utterances have no text", &without.place)?;
            }
            found.retain(|it| it.text.is_some());
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

    /// Whether [`copy_sound`](Self::copy_sound) has anything to do.
    pub fn has_sound_inside(&self) -> bool {
        self.recordings.values().any(|recording| matches!(recording.audio, FoundSound::Inside { .. }))
    }

    /// Copies sound that lies inside of other files, on up to `threads` threads. Utterances whose sound is none are left out.
    ///
    /// # Errors
    /// If sound cannot be read, decoded or written; if nothing is left.
    pub fn copy_sound(&mut self, copies: &mut SoundCopies, threads: usize) -> Result<()> {
        let wanted = self.recordings.iter().filter_map(|(name, recording)| match recording.audio {
            FoundSound::Named(_) => None,
            FoundSound::Inside { store, index } => {
                Some(WantedSound { recording: name.clone(), store, index, place: recording.place.clone() })
            }
        });
        let (stores, wanted) = (self.stores.clone(), wanted.collect());
        let mut without = Vec::new();
        copies.copy(&stores, wanted, threads, |copied| match copied.sound {
            None => without.push((copied.recording, copied.place)),
            Some((name, seconds)) => {
                if let Some(recording) = self.recordings.get_mut(&copied.recording) {
                    recording.audio = FoundSound::Named(name);
                    recording.seconds = seconds;
                }
            }
        })?;
        for (recording, place) in without {
            self.left_out.add("recordings have no sound of a known kind", &place)?;
            self.recordings.remove(&recording);
        }
        let recordings = &self.recordings;
        self.utterances.retain(|key, utterance| {
            recordings.contains_key(utterance.segment.as_ref().map_or(key, |segment| &segment.recording))
        });
        match self.utterances.is_empty() {
            true => Err(Error::Nothing("expected sound, got none of a known kind".to_owned())),
            false => Ok(()),
        }
    }

    /// Whether [`copy_features`](Self::copy_features) has anything to do.
    pub fn has_arrays(&self) -> bool {
        self.utterances.values().any(|it| matches!(it.features, Some(FoundFeatures::Array(_))))
    }

    /// Copies features that are arrays of NumPy, in the order of the utterances.
    ///
    /// # Errors
    /// If one cannot be read, or is no matrix; if it cannot be written.
    pub fn copy_features(&mut self, copies: &mut FeatureCopies) -> Result<()> {
        for (key, utterance) in &mut self.utterances {
            if let Some(FoundFeatures::Array(array)) = &utterance.features {
                let place = copies.copy(key.as_ref(), array, &utterance.place)?;
                utterance.features = Some(FoundFeatures::Named(place));
            }
        }
        Ok(())
    }

    /// The number of utterances.
    pub fn num_utterances(&self) -> usize {
        self.utterances.len()
    }

    /// The number of recordings.
    pub fn num_recordings(&self) -> usize {
        self.recordings.len()
    }

    /// What was left out, a sentence for each kind.
    pub fn left_out(&self) -> impl Iterator<Item = String> {
        let [odd, both] = self.speaker_tables().num_left_out();
        let odd =
            (odd > 0).then(|| format!("{odd} utterances have a gender that is neither f nor m, and it was left out"));
        let both = (both > 0).then(|| format!("{both} speakers have two genders, which were left out"));
        self.left_out.sentences().chain(odd).chain(both)
    }

    fn speaker_tables(&self) -> SpeakerFiles {
        let mut tables = SpeakerFiles::default();
        for (key, utterance) in &self.utterances {
            tables.add(key.as_ref(), &utterance.facts);
        }
        tables
    }

    /// The files of the data directory: names and contents. Sound inside of other files has been copied.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = BTreeMap::<String, Vec<u8>>::new();
        let mut line = |file: &str, words: &[&[u8]]| {
            let content = match files.get_mut(file) {
                Some(content) => content,
                None => files.entry(file.to_owned()).or_default(),
            };
            content.extend(bstr::join(" ", words));
            content.push(b'\n');
        };
        for (key, recording) in &self.recordings {
            if let FoundSound::Named(audio) = &recording.audio {
                line("wav.scp", &[key, audio]);
            }
        }
        let durations: Option<Vec<f64>> =
            self.utterances.iter().map(|(key, utterance)| self.duration(key, utterance)).collect();
        for (index, (key, utterance)) in self.utterances.iter().enumerate() {
            if let Some(words) = &utterance.text {
                line("text", &[key, words.as_bytes()]);
            }
            if let Some(Segment { recording, start, end, channel }) = &utterance.segment {
                let channel = channel.map_or(String::new(), |channel| format!(" {channel}"));
                let times = format!("{} {}{channel}", seconds(*start), seconds(*end));
                line("segments", &[key, recording, times.as_bytes()]);
            }
            if let Some(FoundFeatures::Named(place)) = &utterance.features {
                line("feats.scp", &[key, place]);
            }
            if let Some(durations) = &durations {
                line("utt2dur", &[key, seconds(durations[index]).as_bytes()]);
            }
            for (name, words) in &utterance.extra {
                line(&format!("utt2{name}"), &[key, words.as_bytes()]);
            }
        }
        files
            .into_iter()
            .chain(self.speaker_tables().files().into_iter().map(|(name, it)| (name.to_owned(), it)))
            .collect()
    }

    /// The duration of an utterance in seconds, if it is known.
    fn duration(&self, key: &BString, utterance: &Utterance) -> Option<f64> {
        let part = utterance.segment.as_ref().map(|segment| segment.end - segment.start);
        part.or(utterance.seconds).or_else(|| self.recordings.get(key)?.seconds)
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
            Entry::Vacant(entry) => {
                entry.insert(Recording { audio: found.audio, seconds: None, place: place.clone() });
            }
            Entry::Occupied(entry) if is_segment && entry.get().audio == found.audio => {}
            Entry::Occupied(entry) => return Err(twice(entry.key(), &entry.get().place, &place)),
        }
        match self.utterances.entry(id) {
            Entry::Vacant(entry) => {
                let facts =
                    SpeakerFacts { speaker: Some(speaker.clone()), language: found.language, gender: found.gender };
                entry.insert(Utterance {
                    speaker,
                    text: found.text,
                    segment,
                    seconds: found.end.filter(|_| found.start.is_none()),
                    features: found.features,
                    extra: found.extra,
                    facts,
                    place,
                });
            }
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
    let mut first = HashMap::<&FoundSound, &FoundUtterance>::new();
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
    let FoundSound::Named(audio) = &found.audio else { return Ok(()) };
    let audio = audio.as_bstr();
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
    let advice = if second.is_row() { "; `utt_field` names another column" } else { "" };
    second.error(format!("expected each name once, got {key} again, which {first} has{advice}"))
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
