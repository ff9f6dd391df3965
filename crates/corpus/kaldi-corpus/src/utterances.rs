//! What a folder or a manifest has.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use bstr::{BString, ByteSlice};
use kaldi_io::Commands;

use crate::found_list::FoundList;
use crate::seen_fields::SeenFields;
use crate::{CorpusPlace, FoundFeatures, FoundSound, LeftOut, Manifest, Result, SoundStore, folder, manifest};

/// An utterance that was found, before it gets its name.
#[derive(Clone, Debug)]
pub struct FoundUtterance {
    /// Where it was found.
    pub place: CorpusPlace,
    /// Its sound.
    pub audio: FoundSound,
    /// The path that names are made of: below the folder, or as in the manifest.
    pub path: BString,
    /// Its name, if it has one.
    pub id: Option<BString>,
    /// The name of its recording, if it has one.
    pub recording: Option<BString>,
    /// Its speaker, if that is known.
    pub speaker: Option<BString>,
    /// Its text, words with single blanks between them. `None` if there is none. With control characters it is kept as it is, and the
    /// utterance is left out when it gets its name.
    pub text: Option<String>,
    /// Where it starts in the sound, in seconds.
    pub start: Option<f64>,
    /// Where it ends in the sound, in seconds; or its duration, if it has no start.
    pub end: Option<f64>,
    /// Whether it ends with its sound, wherever that is.
    pub is_open: bool,
    /// Its channel, if the sound has several.
    pub channel: Option<u32>,
    /// Its language.
    pub language: Option<BString>,
    /// The gender of its speaker, as it is called there.
    pub gender: Option<BString>,
    /// Its features.
    pub features: Option<FoundFeatures>,
    /// Other facts that are asked for: the name of the table after `utt2`, and the words.
    pub extra: Vec<(String, String)>,
}

impl FoundUtterance {
    /// An utterance with nothing but its sound.
    pub(crate) fn new(place: CorpusPlace, audio: impl Into<FoundSound>, path: BString) -> Self {
        Self {
            place,
            audio: audio.into(),
            path,
            id: None,
            recording: None,
            speaker: None,
            text: None,
            start: None,
            end: None,
            is_open: false,
            channel: None,
            language: None,
            gender: None,
            features: None,
            extra: Vec::new(),
        }
    }
}

/// How a manifest is read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ManifestOptions {
    /// The folder of files that the manifest does not name by an absolute path. By default `clips` in the folder of the manifest, or
    /// that folder, if the file is there.
    pub audio_dir: Option<BString>,
    /// What happens to commands in place of files.
    pub commands: Commands,
    /// Names of the columns or entries that say something, in place of the usual ones.
    pub fields: FieldNames,
    /// The split of a folder that has several.
    pub split: Option<String>,
    /// The tar files of a manifest of NeMo, as a pattern.
    pub shards: Option<BString>,
    /// Which other columns or entries become tables.
    pub extra: Extra,
    /// Whether each channel of a cut with several becomes an utterance.
    pub split_channels: bool,
    /// Whether whatever would be left out is an error.
    pub strict: bool,
    /// Whether sound is copied even if a line of `wav.scp` could name it.
    pub copies_all: bool,
}

/// Names of columns or entries.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct FieldNames {
    /// Of the sound.
    pub audio: Option<String>,
    /// Of the text.
    pub text: Option<String>,
    /// Of the name of the utterance.
    pub utterance: Option<String>,
    /// Of the speaker.
    pub speaker: Option<String>,
    /// Of the language.
    pub language: Option<String>,
    /// Of the gender.
    pub gender: Option<String>,
}

impl FieldNames {
    /// Those that are asked for, with the names of their options.
    pub(crate) fn asked(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let all = [
            ("audio_field", &self.audio),
            ("text_field", &self.text),
            ("utt_field", &self.utterance),
            ("speaker_field", &self.speaker),
            ("language_field", &self.language),
            ("gender_field", &self.gender),
        ];
        all.into_iter().filter_map(|(option, name)| Some((option, name.as_deref()?)))
    }
}

/// Which columns or entries that have no table of their own become tables `utt2<name>`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Extra {
    /// None of them.
    #[default]
    None,
    /// All.
    All,
    /// Those with these names.
    Named(Vec<String>),
}

impl Extra {
    /// Whether a column or entry becomes a table.
    pub fn has(&self, name: &str) -> bool {
        *self == Self::All || self.names(name)
    }

    /// Whether a column or entry becomes a table though it says something else already.
    pub(crate) fn names(&self, name: &str) -> bool {
        matches!(self, Self::Named(names) if names.iter().any(|wanted| wanted == name))
    }
}

/// What follows `utt2` in the name of the table of a column or entry. `None` if there is no such table, or one with a meaning of its own.
pub(crate) fn extra_table(name: &str) -> Option<String> {
    const KNOWN: [&str; 3] = ["spk", "lang", "dur"];
    let table: String = name.chars().map(|c| if c == '/' || c.is_whitespace() { '_' } else { c }).collect();
    (!table.is_empty() && !KNOWN.contains(&table.as_str()) && !table.contains(char::is_control)).then_some(table)
}

/// All utterances of a folder or a manifest.
#[derive(Clone, Debug)]
pub struct Utterances {
    /// What messages call the folder or manifest.
    pub name: String,
    /// The utterances in the order in which they were found.
    pub(crate) found: FoundList,
    /// The files that have sound inside.
    pub stores: Vec<Arc<dyn SoundStore>>,
    /// What was left out.
    pub left_out: LeftOut,
    /// Whether all are parts of recordings.
    pub(crate) are_segments: bool,
    /// The columns or entries that the manifests have.
    pub(crate) seen: SeenFields,
}

impl Utterances {
    /// Finds the sound in folders and in those below them, and the texts beside it. Names that start with a dot are passed
    /// over.
    ///
    /// # Errors
    /// If a folder or text cannot be read; if anything would be left out, and must not be (`strict`).
    pub fn of_folders(folders: &[BString], strict: bool) -> Result<Self> {
        let path = |folder: &BString| Path::new(OsStr::from_bytes(folder)).to_owned();
        let mut all = Self::empty(folders.first().map_or_else(String::new, |first| path(first).display().to_string()));
        all.left_out.strict = strict;
        for name in folders {
            folder::find(&path(name), &mut all.left_out)?.iter().for_each(|it| all.found.push(it));
        }
        Ok(all)
    }

    /// Reads manifests of one kind, one after the other, or the manifests of lhotse in a folder.
    ///
    /// # Errors
    /// If one cannot be read; the place of what makes no sense.
    pub fn of_manifests(names: &[BString], manifest: Manifest, options: &ManifestOptions) -> Result<Self> {
        let first = names.first().map_or("".into(), |name| kaldi_io::printable_rxfilename(name.as_ref()));
        let mut all = Self::empty(first.into_owned());
        all.left_out.strict = options.strict;
        options.check(Some(manifest))?;
        manifest::read_all(names, manifest, options, &mut all)?;
        if all.found.len() > 0 {
            all.seen.check(options, &all.name)?;
        }
        Ok(all)
    }

    /// Adds the words of a column or entry to those of an utterance, if they become a table; they are `None` if they are none.
    /// `prefix` and the name are what messages call it.
    pub(crate) fn add_extra(
        &mut self,
        extra: &mut Vec<(String, String)>,
        name: &str,
        words: Option<String>,
        prefix: &str,
        options: &ManifestOptions,
        place: &CorpusPlace,
    ) -> Result<()> {
        self.seen.see_extra(name, options);
        let Some(words) = words else {
            return self.left_out.add(&format!("entries {prefix}{name} are no text and no numbers"), place);
        };
        if words.is_empty() {
            return Ok(());
        }
        if !options.extra.has(name) {
            return self
                .left_out
                .add(&format!("entries {prefix}{name} have a table only with `extra = {name}`"), place);
        }
        let Some(table) = extra_table(name) else {
            return self.left_out.add(&format!("entries {prefix}{name} have a name that no table has"), place);
        };
        if extra.iter().any(|(known, _)| *known == table) {
            return Err(
                place.error(format!("expected {prefix}{name} to have a table of their own, got utt2{table} again"))
            );
        }
        extra.push((table, words));
        Ok(())
    }

    /// The table of a column that a whole manifest has, if it becomes one; `is_known` says whether another column has a table already.
    pub(crate) fn table_of_column(
        &mut self,
        name: &str,
        is_known: impl Fn(&str) -> bool,
        options: &ManifestOptions,
        place: &CorpusPlace,
    ) -> Result<Option<String>> {
        self.seen.see_extra(name, options);
        if !options.extra.has(name) {
            self.left_out.add(&format!("column(s) {name} become a table only with `extra = {name}`"), place)?;
            return Ok(None);
        }
        match extra_table(name) {
            Some(table) if is_known(&table) => {
                Err(place
                    .error(format!("expected the column {name} to have a table of its own, got utt2{table} again")))
            }
            Some(table) => Ok(Some(table)),
            None => {
                self.left_out.add(&format!("column(s) {name} have a name that no table has"), place)?;
                Ok(None)
            }
        }
    }

    /// Adds what was found after this, in manifests whose sound has a name.
    pub(crate) fn append(&mut self, others: Self) {
        self.found.append(others.found);
        self.left_out.append(others.left_out);
        self.seen.append(others.seen);
    }

    /// None yet.
    pub(crate) fn empty(name: String) -> Self {
        Self {
            name,
            found: FoundList::default(),
            stores: Vec::new(),
            left_out: LeftOut::default(),
            are_segments: false,
            seen: SeenFields::default(),
        }
    }
}

/// Text with single blanks between words, and without characters that no text has. `None` if nothing is left.
pub(crate) fn words(text: &str) -> Option<String> {
    let is_plain = |pair: &[u8]| pair[1].is_ascii_graphic() || (pair[1] == b' ' && pair[0] != b' ');
    if text.bytes().next().is_some_and(|first| first.is_ascii_graphic())
        && text.as_bytes().windows(2).all(is_plain)
        && !text.ends_with(' ')
    {
        return Some(text.to_owned());
    }
    let is_none =
        |c: char| u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c) || c == '\u{feff}';
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || is_none(c)).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
}

/// What is said: text with single blanks between words, unless it has control characters, which it keeps: its utterance is left out
/// later. `None` if there is nothing.
pub(crate) fn spoken(text: &str) -> Option<String> {
    if has_control(text) { Some(text.to_owned()) } else { words(text) }
}

/// Whether a text has control characters other than white space.
pub(crate) fn has_control(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && !c.is_whitespace())
}

/// A name in which `_` is instead of white space. `None` if it is empty.
pub(crate) fn without_blanks(name: &[u8]) -> Option<BString> {
    let mut out = BString::from(Vec::with_capacity(name.len()));
    for (start, end, c) in name.char_indices() {
        match c.is_whitespace() {
            true => out.push(b'_'),
            false => out.extend_from_slice(&name[start..end]),
        }
    }
    (!out.is_empty()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_names_lose_white_space() {
        assert_eq!(words(" a\u{3000}b\r\n\tc\u{0}d\u{feff} "), Some("a b c d".into()));
        for (text, expected) in
            [("a b", "a b"), ("a  b", "a b"), ("a ", "a"), ("a\tb", "a b"), ("a \u{e4}", "a \u{e4}"), ("a", "a")]
        {
            assert_eq!(words(text).as_deref(), Some(expected), "{text:?}");
        }
        assert_eq!([" \n", "", " "].map(words), [None, None, None]);
        assert_eq!(spoken(" a\n\tb\u{85}\u{feff}"), Some("a b".into()));
        for odd in ["a\u{0}b", "\u{7f}", "\u{9b}x", "\u{1f}"] {
            assert!(has_control(&spoken(odd).unwrap()), "{odd:?}");
        }
        assert_eq!(without_blanks("a b\u{a0}c\n\u{fc}\u{1}".as_bytes()), Some("a_b_c_\u{fc}\u{1}".into()));
        assert_eq!(without_blanks(b"\xff x"), Some(b"\xff_x".as_bstr().to_owned()));
        assert_eq!(without_blanks(b""), None);
        assert_eq!(
            ["a/b c", "x.y", "spk", "", "a\u{0}"].map(extra_table),
            [Some("a_b_c".into()), Some("x.y".into()), None, None, None]
        );
    }
}
