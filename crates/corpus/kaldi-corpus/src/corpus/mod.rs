//! Utterances and recordings with their names: the content of a data directory.

mod tables;

use std::collections::HashSet;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Locator, Rxfilename, WorkStage};

use crate::found_list::{FoundList, Part};
use crate::naming::{named, stem};
use crate::sound_store::Wanted as WantedSound;
use crate::utterances::{has_control, without_blanks};
use crate::{
    CorpusPlace, Error, FeatureCopies, FoundArray, FoundSound, FoundUtterance, LeftOut, Naming, Result, SoundCopies,
    SoundStore, Utterances,
};

/// The longest recording in seconds, 115 days: later times are mistakes.
pub(crate) const LONGEST: f64 = 1e7;

/// The content of a data directory.
#[derive(Clone, Debug, Default)]
pub struct NamedCorpus {
    found: FoundList,
    /// Sorted by their names.
    recordings: Vec<Recording>,
    /// What was learned of the recordings when sound was copied; nothing before.
    copied: Vec<Copied>,
    /// Sorted by their names.
    utterances: Vec<Utterance>,
    are_segments: bool,
    stores: Vec<Arc<dyn SoundStore>>,
    left_out: LeftOut,
}

/// A line of `wav.scp`.
#[derive(Clone, Copy, Debug)]
struct Recording {
    key: Part,
    /// The first utterance that has it.
    found: u32,
}

/// Sound that was copied.
#[derive(Clone, Copy, Debug)]
struct Copied {
    /// Its name; none if it was not copied.
    name: Part,
    /// Its duration, if that is known.
    seconds: Option<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Utterance {
    key: Part,
    found: u32,
    speaker: Part,
    recording: Part,
}

impl NamedCorpus {
    /// Names what was found. If some utterances have text, those without are left out.
    ///
    /// # Errors
    /// If there is nothing, or anything would be left out that must not be; if two utterances or recordings have the same name; if a name
    /// or time makes no sense; if names of utterances are not sorted as those of their speakers.
    pub fn new(utterances: Utterances, naming: &Naming) -> Result<Self> {
        let Utterances { name, found, stores, left_out, are_segments, seen: _ } = utterances;
        let mut corpus = Self { found, stores, left_out, ..Self::default() };
        let mut wanted = Vec::new();
        for at in 0..corpus.found.len() {
            if corpus.found.text(at).is_some_and(|text| has_control(&text.to_str_lossy())) {
                corpus.left_out.add("utterances have control characters in their text", &corpus.found.place(at))?;
            } else {
                wanted.push(at as u32);
            }
        }
        let has_text = wanted.iter().any(|at| corpus.found.text(*at as usize).is_some());
        for at in wanted.iter().filter(|at| has_text && corpus.found.text(**at as usize).is_none()) {
            let place = corpus.found.place(*at as usize);
            if naming.strict {
                return Err(place.error("expected text, as others have it, got none"));
            }
            corpus.left_out.add("utterances have no text", &place)?;
        }
        wanted.retain(|at| !has_text || corpus.found.text(*at as usize).is_some());
        if wanted.is_empty() {
            let reasons: Vec<String> = corpus.left_out.sentences().collect();
            let why = if reasons.is_empty() { String::new() } else { format!(": {}", reasons.join("; ")) };
            return Err(Error::Nothing(format!("{name}: expected utterances, got none{why}")));
        }
        corpus.are_segments = are_segments
            || wanted.iter().any(|at| corpus.found.times(*at as usize)[0].is_some())
            || corpus.has_repeated_sound(&wanted);
        let mut found = FoundUtterance::new(corpus.found.place(0), BString::default(), BString::default());
        corpus.utterances.reserve_exact(wanted.len());
        let [mut has_unnamed, mut has_unspoken] = [false; 2];
        for at in wanted {
            corpus.found.read(at as usize, &mut found);
            corpus.add(&found, at, naming)?;
            has_unnamed |= found.id.is_none() && !corpus.are_segments;
            has_unspoken |= found.speaker.is_none();
        }
        naming.check_effects(has_unnamed, has_unspoken, &name)?;
        corpus.check_room()?;
        corpus.sort()?;
        corpus.check_order()?;
        Ok(corpus)
    }

    /// Makes sure that no name or text is missing, since there were too many.
    fn check_room(&self) -> Result<()> {
        match self.found.is_full() {
            true => Err(Error::Nothing("expected at most 16 GB of names and texts, got more".to_owned())),
            false => Ok(()),
        }
    }

    /// Whether [`copy_sound`](Self::copy_sound) has anything to do.
    pub fn has_sound_inside(&self) -> bool {
        self.copied.is_empty() && self.recordings.iter().any(|it| self.found.stored_sound(it.found as usize).is_some())
    }

    /// Copies sound that lies inside of other files, on up to `threads` threads. Utterances whose sound is none are left out.
    ///
    /// # Errors
    /// If sound cannot be read, decoded or written; if nothing is left.
    pub fn copy_sound(&mut self, copies: &mut SoundCopies, threads: usize) -> Result<()> {
        let wanted = self.recordings.iter().enumerate().filter_map(|(at, recording)| {
            let (store, index) = self.found.stored_sound(recording.found as usize)?;
            let place = self.found.place(recording.found as usize);
            Some(WantedSound { recording: at, name: self.key(recording.key).to_owned(), store, index, place })
        });
        let wanted = wanted.collect();
        self.copied = vec![Copied { name: Part::NONE, seconds: None }; self.recordings.len()];
        let mut without = Vec::new();
        copies.copy(&self.stores, wanted, threads, |copied| match copied.sound {
            None => without.push((copied.recording, copied.place)),
            Some((name, seconds)) => {
                self.copied[copied.recording] = Copied { name: self.found.put(&name), seconds };
            }
        })?;
        self.check_room()?;
        for (_, place) in &without {
            self.left_out.add("recordings have no sound of a known kind", place)?;
        }
        if !without.is_empty() {
            let without: HashSet<usize> = without.into_iter().map(|(recording, _)| recording).collect();
            let [mut numbers, mut again] = [0..self.recordings.len(), 0..self.recordings.len()];
            self.recordings.retain(|_| numbers.next().is_none_or(|number| !without.contains(&number)));
            self.copied.retain(|_| again.next().is_none_or(|number| !without.contains(&number)));
            let (found, recordings) = (&self.found, &self.recordings);
            self.utterances.retain(|it| recording(found, recordings, it.recording).is_some());
        }
        match self.utterances.is_empty() {
            true => Err(Error::Nothing("expected sound, got none of a known kind".to_owned())),
            false => Ok(()),
        }
    }

    /// Whether [`copy_features`](Self::copy_features) has anything to do.
    pub fn has_arrays(&self) -> bool {
        self.utterances.iter().any(|it| self.found.array(it.found as usize).is_some())
    }

    /// Copies features that are arrays of NumPy, in the order of the utterances, or of the tar file if that is compressed.
    ///
    /// # Errors
    /// If one cannot be read, or is no matrix; if it cannot be written.
    pub fn copy_features(&mut self, copies: &mut FeatureCopies) -> Result<()> {
        let array = |utterance: &Utterance| self.found.array(utterance.found as usize);
        let mut wanted: Vec<Utterance> = self.utterances.iter().filter(|it| array(it).is_some()).copied().collect();
        wanted.sort_by(|one, other| array(one).map(FoundArray::order).cmp(&array(other).map(FoundArray::order)));
        let stage = WorkStage::begin("copying features", "utterances", Some(wanted.len() as u64));
        for utterance in wanted {
            stage.step();
            let at = utterance.found as usize;
            if let Some(array) = self.found.array(at) {
                let place = copies.copy(self.key(utterance.key), array, &self.found.place(at))?;
                self.found.set_features(at, place.as_ref());
            }
        }
        self.check_room()
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
        let [odd, both] = self.genders().num_left_out();
        let odd =
            (odd > 0).then(|| format!("{odd} utterances have a gender that is neither f nor m, and it was left out"));
        let both = (both > 0).then(|| format!("{both} speakers have two genders, which were left out"));
        self.left_out.sentences().chain(odd).chain(both)
    }

    fn key(&self, part: Part) -> &BStr {
        self.found.get(part).unwrap_or_default()
    }

    fn add(&mut self, found: &FoundUtterance, at: u32, naming: &Naming) -> Result<()> {
        check_audio(found)?;
        check_times(found)?;
        let recording = if self.are_segments { Some(recording_name(found)?) } else { None };
        let mut id = match &recording {
            Some(recording) if found.id.is_none() => segment_name(found, recording),
            _ => naming.id(found)?,
        };
        let speaker = naming.speaker(found)?;
        if let Some(speaker) = speaker.as_ref().filter(|speaker| !id.starts_with(speaker)) {
            id = [speaker.as_slice(), b"-", &id].concat().into();
        }
        let former = self.utterances.last().map_or([Part::NONE; 2], |it| [it.speaker, it.recording]);
        let key = self.found.put_for(at as usize, &id, &[]);
        let mut put = |name: Option<BString>| match name {
            Some(name) => self.found.put_for(at as usize, &name, &[key, former[0], former[1]]),
            None => key,
        };
        let (speaker, recording) = (put(speaker), put(recording));
        self.utterances.push(Utterance { key, found: at, speaker, recording });
        Ok(())
    }

    /// Sorts utterances by their names, and finds their recordings. Names come once.
    fn sort(&mut self) -> Result<()> {
        let found = &self.found;
        let key = |part: Part| found.get(part).unwrap_or_default();
        self.utterances
            .sort_unstable_by(|one, other| key(one.key).cmp(key(other.key)).then(one.found.cmp(&other.found)));
        let repeated = self.utterances.windows(2).filter(|pair| key(pair[0].key) == key(pair[1].key));
        let repeated =
            repeated.min_by_key(|pair| pair[1].found).map(|pair| (pair[0].key, pair[0].found, pair[1].found));
        let of = |it: &Utterance| Recording { key: it.recording, found: it.found };
        let mut recordings: Vec<Recording> = self.utterances.iter().map(of).collect();
        recordings.sort_unstable_by(|one, other| key(one.key).cmp(key(other.key)).then(one.found.cmp(&other.found)));
        let sound = |it: &Recording| (found.sound(it.found as usize), found.stored_sound(it.found as usize));
        let mut conflict = repeated;
        recordings.dedup_by(|other, first| {
            let is_again = key(other.key) == key(first.key);
            if is_again && sound(other) != sound(first) && conflict.is_none_or(|(.., at)| other.found <= at) {
                conflict = Some((first.key, first.found, other.found));
            }
            is_again
        });
        recordings.shrink_to_fit();
        if let Some((part, first, second)) = conflict {
            return Err(twice(key(part), &found.place(first as usize), &found.place(second as usize)));
        }
        self.recordings = recordings;
        Ok(())
    }

    /// Whether a file comes twice, and parts of it are known.
    fn has_repeated_sound(&self, wanted: &[u32]) -> bool {
        let mut seen = HashSet::new();
        let mut parts = wanted.iter().map(|at| *at as usize).filter(|at| self.found.times(*at)[1].is_some());
        parts.any(|at| !seen.insert((self.found.sound(at), self.found.stored_sound(at))))
    }

    /// Checks that speakers are sorted if utterances are, which Kaldi's programs expect.
    fn check_order(&self) -> Result<()> {
        for pair in self.utterances.windows(2) {
            let [(before, other), (speaker, key)] =
                [&pair[0], &pair[1]].map(|it| (self.key(it.speaker), self.key(it.key)));
            if before > speaker {
                return Err(self.found.place(pair[1].found as usize).error(format!(
                    "expected utterances in the order of their speakers, got {key} of {speaker} after {other} of {before}: other \
                     names of speakers are needed"
                )));
            }
        }
        Ok(())
    }
}

/// The number of the recording with a name.
fn recording(found: &FoundList, recordings: &[Recording], name: Part) -> Option<usize> {
    recordings.binary_search_by(|it| found.get(it.key).cmp(&found.get(name))).ok()
}

/// The name of an utterance that has none, and is a part of a recording.
fn segment_name(found: &FoundUtterance, recording: &BString) -> BString {
    let milliseconds = |seconds: Option<f64>| (seconds.unwrap_or(0.0) * 1000.0).round() as u64;
    let (start, end) = (milliseconds(found.start), milliseconds(found.end));
    format!("{recording}-{start:07}-{end:07}").into()
}

/// The recording that an utterance is a part of.
fn recording_name(found: &FoundUtterance) -> Result<BString> {
    let start = found.start.unwrap_or(0.0);
    match found.end {
        None if found.is_open => {}
        None => return Err(found.place.error("expected a duration, since others are parts of recordings, got none")),
        Some(end) if end <= start || seconds(end) == seconds(start) => {
            let message = format!("expected a part of a recording, got one from {start} to {end} s");
            return Err(found.place.error(message));
        }
        Some(_) => {}
    }
    let name = match &found.recording {
        Some(recording) => without_blanks(recording),
        None => without_blanks(stem(&found.path)),
    };
    named(found, name, "recording")
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
    // What is in a folder is a file, whatever it is called.
    let is_file = || found.place.line.is_some() || matches!(Rxfilename::parse(audio), Ok(Rxfilename::File(_)));
    if can_be_listed(audio) && is_file() {
        return Ok(());
    }
    Err(found.place.error(format!("expected a name of sound that can stand in wav.scp, got {audio:?}: rename it")))
}

/// Whether a name can stand in a script file and is read as what it is.
pub(crate) fn can_be_listed(name: &BStr) -> bool {
    let is_line = name.trim_ascii() == name.as_bytes() && !name.iter().any(|byte| matches!(byte, b'\n' | b'\r' | 0));
    let is_whole = || match Locator::parse(name) {
        Ok(locator) => {
            locator.name() == name && matches!(Rxfilename::parse(name), Ok(name) if name != Rxfilename::Stdin)
        }
        Err(_) => false,
    };
    is_line && is_whole()
}

/// Makes sure that script files can name the files of a folder.
///
/// # Errors
/// What is wrong with the name of the folder, such as a pipe sign.
pub fn check_folder_name(folder: &BStr) -> Result<()> {
    let file = BString::from([folder.as_bytes(), b"/x"].concat());
    match can_be_listed(file.as_ref()) && matches!(Rxfilename::parse(file.as_ref()), Ok(Rxfilename::File(_))) {
        true => Ok(()),
        false => Err(Error::Nothing(format!(
            "expected the name of a folder whose files can stand in a script file, got {folder:?}"
        ))),
    }
}

fn twice(key: &BStr, first: &CorpusPlace, second: &CorpusPlace) -> Error {
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
