//! What a folder or a manifest has.

use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Commands;

use crate::{CorpusPlace, Manifest, Result, folder, manifest};

/// An utterance that was found, before it gets its name.
#[derive(Clone, Debug)]
pub struct FoundUtterance {
    /// Where it was found.
    pub place: CorpusPlace,
    /// The name of its sound for `wav.scp`: a file or a command.
    pub audio: BString,
    /// The path that names are made of: below the folder, or as in the manifest.
    pub path: BString,
    /// Its name, if it has one.
    pub id: Option<BString>,
    /// The name of its recording, if it has one.
    pub recording: Option<BString>,
    /// Its speaker, if that is known.
    pub speaker: Option<BString>,
    /// Its text, words with single blanks between them. `None` if there is none.
    pub text: Option<String>,
    /// Where it starts in the sound, in seconds.
    pub start: Option<f64>,
    /// Where it ends in the sound, in seconds; or its duration, if it has no start.
    pub end: Option<f64>,
    /// Its channel, if the sound has several.
    pub channel: Option<u32>,
}

impl FoundUtterance {
    /// An utterance with nothing but its sound.
    pub(crate) fn new(place: CorpusPlace, audio: BString, path: BString) -> Self {
        Self {
            place,
            audio,
            path,
            id: None,
            recording: None,
            speaker: None,
            text: None,
            start: None,
            end: None,
            channel: None,
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
}

/// All utterances of a folder or a manifest.
#[derive(Clone, Debug)]
pub struct Utterances {
    /// What messages call the folder or manifest.
    pub name: String,
    /// The utterances in the order in which they were found.
    pub found: Vec<FoundUtterance>,
    /// Whether all are parts of recordings.
    pub(crate) are_segments: bool,
}

impl Utterances {
    /// Finds the sound in a folder and in those below it, and the texts beside it. Names that start with a dot are passed
    /// over.
    ///
    /// # Errors
    /// If a folder or text cannot be read.
    pub fn of_folder(folder: &Path) -> Result<Self> {
        let name = folder.display().to_string();
        Ok(Self { name, found: folder::find(folder)?, are_segments: false })
    }

    /// Reads a manifest, or the manifests of lhotse in a folder.
    ///
    /// # Errors
    /// If it cannot be read; the place of what makes no sense.
    pub fn of_manifest(name: &BStr, manifest: Manifest, options: &ManifestOptions) -> Result<Self> {
        let found = manifest::read(name, manifest, options)?;
        let are_segments = manifest == Manifest::Lhotse;
        Ok(Self { name: kaldi_io::printable_rxfilename(name).into_owned(), found, are_segments })
    }
}

/// Text with single blanks between words, and without characters that no text has. `None` if nothing is left.
pub(crate) fn words(text: &str) -> Option<String> {
    let is_none =
        |c: char| u32::from(c) & 0xfffe == 0xfffe || ('\u{fdd0}'..='\u{fdef}').contains(&c) || c == '\u{feff}';
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || is_none(c)).filter(|word| !word.is_empty());
    let text = words.collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(text)
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
        assert_eq!(words(" \n"), None);
        assert_eq!(without_blanks("a b\u{a0}c\n\u{fc}\u{1}".as_bytes()), Some("a_b_c_\u{fc}\u{1}".into()));
        assert_eq!(without_blanks(b"\xff x"), Some(b"\xff_x".as_bstr().to_owned()));
        assert_eq!(without_blanks(b""), None);
    }
}
