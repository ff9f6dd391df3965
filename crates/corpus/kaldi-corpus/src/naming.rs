//! Names of utterances and speakers.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::str::FromStr;

use bstr::{BString, ByteSlice};
use regex::bytes::Regex;

use crate::utterances::without_blanks;
use crate::{Error, FoundSound, FoundUtterance, Result};

/// A regular expression whose first group, found in the path of a file, is a name.
#[derive(Clone, Debug)]
pub struct PathPattern(Regex);

impl PathPattern {
    fn find<'a>(&self, path: &'a [u8]) -> Option<&'a [u8]> {
        Some(self.0.captures(path)?.get(1)?.as_bytes())
    }
}

/// Reads a regular expression in the syntax of the crate `regex`. It has a group.
impl FromStr for PathPattern {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let regex = Regex::new(text).map_err(|error| {
            let error = error.to_string();
            let last = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            format!("expected a regular expression, got {text:?}: {last}")
        })?;
        match regex.captures_len() {
            1 => Err(format!("expected a regular expression with a group in parentheses, got {text:?}")),
            _ => Ok(Self(regex)),
        }
    }
}

/// How an utterance without a name gets one.
#[derive(Clone, Debug, Default)]
pub enum UtteranceRule {
    /// The name of the file without its suffix.
    #[default]
    Name,
    /// The path below the folder without the suffix; `-` is instead of `/`.
    Path,
    /// What the pattern finds in the path below the folder.
    Pattern(PathPattern),
}

/// How an utterance without a speaker gets one.
#[derive(Clone, Debug, Default)]
pub enum SpeakerRule {
    /// Each utterance is a speaker.
    #[default]
    Utterance,
    /// The name of the folder of the file.
    Folder,
    /// What the pattern finds in the path below the folder.
    Pattern(PathPattern),
}

/// How utterances and speakers get their names.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Naming {
    /// Names of utterances.
    pub utterance: UtteranceRule,
    /// Names of speakers.
    pub speaker: SpeakerRule,
    /// Whether it is an error if some utterances have text and others have none.
    pub strict: bool,
}

impl Naming {
    /// Makes sure that no rule was given for nothing.
    pub(crate) fn check_effects(&self, has_unnamed: bool, has_unspoken: bool, name: &str) -> Result<()> {
        let nothing = |message: &str| Err(Error::Nothing(format!("{name}: {message}")));
        match (&self.utterance, &self.speaker) {
            (UtteranceRule::Path | UtteranceRule::Pattern(_), _) if !has_unnamed => {
                nothing("`utt_from` has no effect: all utterances have names, or those of their parts of recordings")
            }
            (_, SpeakerRule::Folder | SpeakerRule::Pattern(_)) if !has_unspoken => {
                nothing("`spk_from` has no effect: all utterances have speakers")
            }
            _ => Ok(()),
        }
    }

    /// The name of an utterance: its own, or by the rule.
    pub(crate) fn id(&self, found: &FoundUtterance) -> Result<BString> {
        let path: &[u8] = &found.path;
        let name = match (&found.id, &self.utterance) {
            (Some(id), _) => without_blanks(id),
            (None, UtteranceRule::Name) => without_blanks(stem(path)),
            (None, UtteranceRule::Path) => {
                without_blanks(&without_suffix(path.trim_start_with(|c| c == '/')).replace("/", "-"))
            }
            (None, UtteranceRule::Pattern(pattern)) => pattern.find(path).and_then(without_blanks),
        };
        named(found, name, "utterance")
    }

    /// The speaker of an utterance: the known one, or by the rule; `None` if the utterance is its own speaker.
    pub(crate) fn speaker(&self, found: &FoundUtterance) -> Result<Option<BString>> {
        let path: &[u8] = &found.path;
        let name = match (&found.speaker, &self.speaker) {
            (Some(speaker), _) => without_blanks(speaker),
            (None, SpeakerRule::Utterance) => return Ok(None),
            (None, SpeakerRule::Folder) => without_blanks(&folder_name(found)),
            (None, SpeakerRule::Pattern(pattern)) => pattern.find(path).and_then(without_blanks),
        };
        named(found, name, "speaker").map(Some)
    }
}

/// A name that can be a key.
pub(crate) fn named(found: &FoundUtterance, name: Option<BString>, of: &str) -> Result<BString> {
    match name {
        Some(name) if kaldi_value::is_token(&name) => Ok(name),
        Some(name) => {
            let message = format!("expected a name of the {of} without control characters, got {name:?}");
            Err(found.place.error(message))
        }
        None => Err(found.place.error(format!("expected a name of the {of}, got none in {:?}", found.path))),
    }
}

/// The name of the folder of the file.
fn folder_name(found: &FoundUtterance) -> Cow<'_, [u8]> {
    // The name of a file directly in the folder has that of the folder only in full.
    let full: &[u8] = match &found.audio {
        FoundSound::Named(name) if !found.path.contains(&b'/') => name,
        _ => &found.path,
    };
    let folder = full.rsplit_once_str("/").map_or(&b""[..], |(folder, _)| folder);
    match folder.rsplit_once_str("/").map_or(folder, |(_, name)| name) {
        b"." | b".." => {
            let folder = std::fs::canonicalize(OsStr::from_bytes(folder)).unwrap_or_default();
            folder.file_name().map_or(Cow::Borrowed(b""), |name| name.as_bytes().to_vec().into())
        }
        name => name.into(),
    }
}

/// The name of a file without folder and suffix.
pub(crate) fn stem(path: &[u8]) -> &[u8] {
    without_suffix(path.rsplit_once_str("/").map_or(path, |(_, name)| name))
}

/// A path without the suffix of its last name.
fn without_suffix(path: &[u8]) -> &[u8] {
    match path.rsplit_once_str(".") {
        Some((start, suffix)) if !start.is_empty() && !start.ends_with(b"/") && !suffix.contains(&b'/') => start,
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CorpusPlace;

    fn found(path: &str) -> FoundUtterance {
        let place = CorpusPlace { name: "x".into(), line: None };
        FoundUtterance::new(place, BString::from(format!("corpus/{path}")), path.into())
    }

    fn pattern(text: &str) -> PathPattern {
        text.parse().unwrap()
    }

    #[test]
    fn utterances_are_named_by_their_files() {
        let naming = |utterance| Naming { utterance, ..Naming::default() };
        for (rule, path, name) in [
            (UtteranceRule::Name, "b/a b.c.flac", "a_b.c"),
            (UtteranceRule::Name, "b.c/a", "a"),
            (UtteranceRule::Path, "b c/d/a.flac", "b_c-d-a"),
            (UtteranceRule::Path, "b.c/a", "b.c-a"),
            (UtteranceRule::Pattern(pattern("^([^/]+)/.*_(.)")), "s 1/x_2.wav", "s_1"),
        ] {
            assert_eq!(naming(rule).id(&found(path)).unwrap(), name);
        }
        let named = FoundUtterance { id: Some("its own".into()), ..found("a.wav") };
        assert_eq!(naming(UtteranceRule::Path).id(&named).unwrap(), "its_own");
        let error = naming(UtteranceRule::Pattern(pattern("q(.)"))).id(&found("a.wav")).unwrap_err().to_string();
        assert_eq!(error, "x: expected a name of the utterance, got none in \"a.wav\"");
        assert!(naming(UtteranceRule::Name).id(&found("a\u{1}.wav")).is_err());
    }

    #[test]
    fn speakers_are_named_by_folders_or_patterns() {
        let naming = |speaker| Naming { speaker, ..Naming::default() };
        assert_eq!(naming(SpeakerRule::Utterance).speaker(&found("a/b.wav")).unwrap(), None);
        for (rule, path, name) in [
            (SpeakerRule::Folder, "a/b c/d.wav", "b_c"),
            (SpeakerRule::Folder, "d.wav", "corpus"),
            (SpeakerRule::Pattern(pattern("([a-z]+)[0-9]")), "x/anna1.wav", "anna"),
        ] {
            assert_eq!(naming(rule).speaker(&found(path)).unwrap(), Some(name.into()));
        }
        let known = FoundUtterance { speaker: Some("berta".into()), ..found("a/b.wav") };
        assert_eq!(naming(SpeakerRule::Folder).speaker(&known).unwrap(), Some("berta".into()));
    }

    #[test]
    fn a_pattern_has_a_group() {
        for wrong in ["a", "(", "[", "(?:a)"] {
            assert!(wrong.parse::<PathPattern>().unwrap_err().starts_with("expected a regular expression"), "{wrong}");
        }
    }
}
