//! The files of a data directory, line by line.

use std::collections::BTreeSet;

use bstr::{BStr, ByteSlice};

use super::{NamedCorpus, Utterance, recording, seconds};
use crate::found_list::Part;
use crate::speakers::{Genders, gender_of, name};
use crate::{DataDirectory, TimeSpan};

/// Bytes that are written at once.
const BLOCK: usize = 1 << 18;

impl NamedCorpus {
    /// The names of the files of the data directory. Sound inside of other files has been copied.
    pub fn files(&self) -> Vec<String> {
        let found = |has: &dyn Fn(usize) -> bool| self.utterances.iter().any(|it| has(it.found as usize));
        let mut extra = BTreeSet::<&BStr>::new();
        self.utterances.iter().for_each(|it| extra.extend(self.found.extra(it.found as usize).map(|(name, _)| name)));
        let files = [
            (DataDirectory::WAV_SCP, true),
            (DataDirectory::UTT2SPK, true),
            (DataDirectory::SPK2UTT, true),
            (DataDirectory::TEXT, found(&|at| self.found.text(at).is_some())),
            (DataDirectory::SEGMENTS, self.are_segments),
            (DataDirectory::FEATS_SCP, found(&|at| self.found.features(at).is_some())),
            (DataDirectory::UTT2DUR, self.utterances.iter().all(|it| self.duration(it).is_some())),
            (
                DataDirectory::UTT2LANG,
                found(&|at| self.found.language(at).is_some_and(|language| name(language).is_some())),
            ),
            (DataDirectory::SPK2GENDER, !self.genders().is_empty()),
        ];
        let files = files.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name.to_owned());
        files.chain(extra.into_iter().map(|name| format!("utt2{name}"))).collect()
    }

    /// Passes a file of the data directory to `put`, a block of lines at a time.
    ///
    /// # Errors
    /// Those of `put`.
    pub fn write<E>(&self, file: &str, mut put: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut out = Vec::new();
        let mut lines = |out: &mut Vec<u8>, is_last: bool| match out.len() >= BLOCK || is_last {
            true => put(out).map(|()| out.clear()),
            false => Ok(()),
        };
        match file {
            DataDirectory::WAV_SCP => {
                for (number, recording) in self.recordings.iter().enumerate() {
                    let copied = self.copied.get(number).and_then(|copied| self.found.get(copied.name));
                    let sound = copied.or_else(|| self.found.sound(recording.found as usize));
                    line(&mut out, self.key(recording.key), &[sound.unwrap_or_default()]);
                    lines(&mut out, false)?;
                }
            }
            DataDirectory::SPK2UTT => {
                for utterances in
                    self.utterances.chunk_by(|one, other| self.key(one.speaker) == self.key(other.speaker))
                {
                    out.extend_from_slice(self.key(utterances[0].speaker));
                    for utterance in utterances {
                        out.push(b' ');
                        out.extend_from_slice(self.key(utterance.key));
                    }
                    out.push(b'\n');
                    lines(&mut out, false)?;
                }
            }
            DataDirectory::SPK2GENDER => out.extend(self.genders().lines()),
            _ => {
                for utterance in &self.utterances {
                    self.append(file, utterance, &mut out);
                    lines(&mut out, false)?;
                }
            }
        }
        lines(&mut out, true)
    }

    /// Appends the line of an utterance, if it has one.
    fn append(&self, file: &str, utterance: &Utterance, out: &mut Vec<u8>) {
        let (key, at) = (self.key(utterance.key), utterance.found as usize);
        match file {
            DataDirectory::TEXT => self.found.text(at).into_iter().for_each(|text| line(out, key, &[text])),
            DataDirectory::UTT2SPK => line(out, key, &[self.key(utterance.speaker)]),
            DataDirectory::UTT2LANG => {
                let language = self.found.language(at).and_then(|language| name(language));
                language.into_iter().for_each(|language| line(out, key, &[language.as_bstr()]));
            }
            DataDirectory::FEATS_SCP => self.found.features(at).into_iter().for_each(|place| line(out, key, &[place])),
            DataDirectory::UTT2DUR => {
                let duration = self.duration(utterance).map(seconds);
                duration.into_iter().for_each(|duration| line(out, key, &[duration.as_str().into()]));
            }
            DataDirectory::SEGMENTS => {
                let [start, end] = self.found.times(at);
                let end = if self.found.is_open(at) { Some(TimeSpan::TO_THE_END) } else { end };
                let [start, end] = [start, end].map(|time| seconds(time.unwrap_or_default()));
                let channel = self.found.channel(at).map(|channel| channel.to_string());
                let words = [
                    Some(self.key(utterance.recording)),
                    Some(start.as_str().into()),
                    Some(end.as_str().into()),
                    channel.as_deref().map(BStr::new),
                ];
                line(out, key, &words.into_iter().flatten().collect::<Vec<_>>());
            }
            _ => {
                let wanted = file.strip_prefix("utt2").unwrap_or_default();
                let facts = self.found.extra(at).filter(|(name, _)| *name == wanted);
                facts.for_each(|(_, words)| line(out, key, &[words]));
            }
        }
    }

    /// The duration of an utterance in seconds, if it is known.
    fn duration(&self, utterance: &Utterance) -> Option<f64> {
        let [start, end] = self.found.times(utterance.found as usize);
        if self.are_segments {
            return Some(end? - start.unwrap_or(0.0));
        }
        let of_recording = || recording(&self.found, &self.recordings, utterance.recording);
        end.or_else(|| self.copied.get(of_recording()?)?.seconds)
    }

    pub(super) fn genders(&self) -> Genders {
        let mut genders = Genders::default();
        let mut former = (Part::NONE, None);
        for utterance in &self.utterances {
            let gender = self.found.gender(utterance.found as usize);
            // A speaker has one gender in most corpora; others are counted.
            let is_news = |gender: &&BStr| former != (utterance.speaker, Some(*gender)) || gender_of(gender).is_none();
            if let Some(gender) = gender.filter(is_news) {
                genders.add(self.key(utterance.speaker), gender);
            }
            former = (utterance.speaker, gender);
        }
        genders
    }
}

fn line(out: &mut Vec<u8>, key: &BStr, words: &[&BStr]) {
    out.extend_from_slice(key);
    for word in words {
        out.push(b' ');
        out.extend_from_slice(word);
    }
    out.push(b'\n');
}
