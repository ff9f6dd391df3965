//! The tables of a data directory that say who speaks, and what.

use crate::DataDirectory;
use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};

use crate::utterances::without_blanks;

/// What is known of an utterance beside its sound and its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpeakerFacts {
    /// The name of the speaker.
    pub speaker: Option<BString>,
    /// The language.
    pub language: Option<BString>,
    /// The gender of the speaker, as it is called there.
    pub gender: Option<BString>,
}

/// The gender of a speaker, as `spk2gender` has it: `f` or `m`. `None` if a word says something else.
///
/// ```
/// let genders = ["F", "female_feminine", "M", "Male", "other", ""].map(|word| kaldi_corpus::gender_of(word.as_bytes()));
/// assert_eq!(genders, [Some("f"), Some("f"), Some("m"), Some("m"), None, None]);
/// ```
pub fn gender_of(word: &[u8]) -> Option<&'static str> {
    let word = word.trim_ascii().to_ascii_lowercase();
    match &word[..] {
        b"f" => Some("f"),
        b"m" => Some("m"),
        word if word.starts_with(b"female") => Some("f"),
        word if word.starts_with(b"male") => Some("m"),
        _ => None,
    }
}

/// Collects `utt2spk`, `spk2utt`, `utt2lang` and `spk2gender`. In names and languages `_` is instead of white space.
#[derive(Clone, Debug, Default)]
pub struct SpeakerFiles {
    speakers: BTreeMap<BString, BString>,
    languages: BTreeMap<BString, BString>,
    genders: Genders,
    not_first: Option<BString>,
}

/// The genders of speakers, as utterances say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Genders {
    speakers: BTreeMap<BString, Gender>,
    num_odd: u64,
}

/// What utterances say about their speaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gender {
    Known(&'static str),
    Both,
}

impl Genders {
    /// Adds what an utterance says about its speaker.
    pub(crate) fn add(&mut self, speaker: &BStr, word: &BStr) {
        match gender_of(word) {
            None => self.num_odd += 1,
            Some(gender) => match self.speakers.get_mut(speaker) {
                Some(known) if *known == Gender::Known(gender) => {}
                Some(known) => *known = Gender::Both,
                None => drop(self.speakers.insert(speaker.to_owned(), Gender::Known(gender))),
            },
        }
    }

    /// Whether there are no lines.
    pub(crate) fn is_empty(&self) -> bool {
        self.speakers.values().all(|gender| *gender == Gender::Both)
    }

    /// How many utterances call the gender of their speaker something else, and how many speakers are called both.
    pub(crate) fn num_left_out(&self) -> [u64; 2] {
        [self.num_odd, self.speakers.values().filter(|gender| **gender == Gender::Both).count() as u64]
    }

    /// The lines of `spk2gender`.
    pub(crate) fn lines(&self) -> Vec<u8> {
        let lines = self.speakers.iter().map(|(speaker, gender)| match gender {
            Gender::Known(gender) => [speaker.as_bytes(), b" ", gender.as_bytes(), b"\n"].concat(),
            Gender::Both => Vec::new(),
        });
        lines.flatten().collect()
    }
}

/// A name of a speaker or a language as a word; `None` if it can be none.
pub(crate) fn name(text: &[u8]) -> Option<BString> {
    without_blanks(text.trim_ascii()).filter(|name| kaldi_value::is_token(name))
}

impl SpeakerFiles {
    /// Adds what is known of an utterance, if names can be keys and words. A gender without a speaker counts for nothing.
    pub fn add(&mut self, utterance: &BStr, facts: &SpeakerFacts) {
        let name = |text: &Option<BString>| text.as_ref().and_then(|text| name(text));
        if let Some(language) = name(&facts.language) {
            self.languages.insert(utterance.to_owned(), language);
        }
        let Some(speaker) = name(&facts.speaker) else { return };
        if self.not_first.is_none() && !utterance.starts_with(speaker.as_slice()) {
            self.not_first = Some(utterance.to_owned());
        }
        if let Some(gender) = &facts.gender {
            self.genders.add(speaker.as_ref(), gender.as_ref());
        }
        self.speakers.insert(utterance.to_owned(), speaker);
    }

    /// How many utterances have a speaker.
    pub fn num_with_speaker(&self) -> u64 {
        self.speakers.len() as u64
    }

    /// How many utterances have a language.
    pub fn num_with_language(&self) -> u64 {
        self.languages.len() as u64
    }

    /// How many utterances call the gender of their speaker something else, and how many speakers are called both.
    pub fn num_left_out(&self) -> [u64; 2] {
        self.genders.num_left_out()
    }

    /// The first utterance whose name does not start with that of its speaker.
    pub fn not_by_speaker(&self) -> Option<&BStr> {
        self.not_first.as_ref().map(|name| name.as_ref())
    }

    /// The files that have lines, sorted by the bytes of their keys, with their names.
    pub fn files(&self) -> Vec<(&'static str, Vec<u8>)> {
        let mut utterances = BTreeMap::<&BStr, Vec<&[u8]>>::new();
        for (utterance, speaker) in &self.speakers {
            utterances.entry(speaker.as_ref()).or_default().push(utterance);
        }
        let line = |key: &BStr, value: &[u8]| [key.as_bytes(), b" ", value, b"\n"].concat();
        let all = |map: &BTreeMap<BString, BString>| {
            map.iter().flat_map(|(key, value)| line(key.as_ref(), value)).collect::<Vec<u8>>()
        };
        let spk2utt = utterances.iter().flat_map(|(speaker, keys)| line(speaker, &bstr::join(" ", keys))).collect();
        let files = [
            (DataDirectory::UTT2SPK, all(&self.speakers)),
            (DataDirectory::SPK2UTT, spk2utt),
            (DataDirectory::UTT2LANG, all(&self.languages)),
            (DataDirectory::SPK2GENDER, self.genders.lines()),
        ];
        files.into_iter().filter(|(_, content)| !content.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_say_who_speaks() {
        let mut tables = SpeakerFiles::default();
        let text = |text: &str| (!text.is_empty()).then(|| BString::from(text));
        for (key, speaker, language, gender) in [
            ("b-2", "b", "de", "male"),
            ("a-1", "a", "e n", "f"),
            ("b-1", "b", "", "x"),
            ("x-1", "c d", "en", "f"),
            ("x-2", "c d", "en", "m"),
            ("y", "", "en", "m"),
            ("z", "\u{1}", " ", ""),
        ] {
            let facts = SpeakerFacts { speaker: text(speaker), language: text(language), gender: text(gender) };
            tables.add(key.into(), &facts);
        }
        let files: Vec<_> =
            tables.files().into_iter().map(|(name, content)| (name, String::from_utf8(content).unwrap())).collect();
        let expected = [
            ("utt2spk", "a-1 a\nb-1 b\nb-2 b\nx-1 c_d\nx-2 c_d\n"),
            ("spk2utt", "a a-1\nb b-1 b-2\nc_d x-1 x-2\n"),
            ("utt2lang", "a-1 e_n\nb-2 de\nx-1 en\nx-2 en\ny en\n"),
            ("spk2gender", "a f\nb m\n"),
        ];
        assert_eq!(files, expected.map(|(name, content)| (name, content.to_owned())));
        assert_eq!((tables.num_left_out(), tables.not_by_speaker()), ([1, 1], Some(BStr::new("x-1"))));
    }
}
