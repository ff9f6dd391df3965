//! How members form samples.

use std::borrow::Cow;
use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};

/// Suffixes of sound: those that WeNet has, and those of other files that are decoded here. Those of films are not among them: a film
/// may lie beside the sound.
const SOUND: [&[u8]; 28] = [
    b"aac", b"aif", b"aifc", b"aiff", b"au", b"bwf", b"caf", b"flac", b"m4a", b"m4b", b"mka", b"mp2", b"mp3", b"nist",
    b"oga", b"ogg", b"opus", b"rf64", b"snd", b"sph", b"sphere", b"wav", b"wave", b"weba", b"webm", b"wma", b"wv1",
    b"wv2",
];

/// The rule by which the name of a member is split into the key of its sample and the name of its field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grouping {
    /// At the last dot: `a/b.c.wav` is the field `wav` of `a/b.c` (WeNet).
    #[default]
    Wenet,
    /// At the first dot of the last part, and fields are in lower case: `a/b.c.WAV` is the field `c.wav` of `a/b`
    /// (webdataset, and NVIDIA's DALI).
    Webdataset,
}

impl Grouping {
    /// All rules with their names.
    pub const NAMES: [(&str, Self); 2] = [("wenet", Self::Wenet), ("webdataset", Self::Webdataset)];

    /// Splits the name of a member; `None` if it belongs to no sample.
    pub fn split(self, path: &BStr) -> Option<(&BStr, Cow<'_, BStr>)> {
        let base = path.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let name = &path[base..];
        let dot = match self {
            Self::Wenet => name.rfind_byte(b'.')?,
            Self::Webdataset => name.find_byte(b'.').filter(|&dot| dot > 0)?,
        };
        if base + dot == 0 {
            return None;
        }
        let (key, field) = (BStr::new(&path[..base + dot]), BStr::new(&name[dot + 1..]));
        let has_upper = self == Self::Webdataset && field.iter().any(u8::is_ascii_uppercase);
        let field =
            if has_upper { Cow::Owned(BString::from(field.to_ascii_lowercase())) } else { Cow::Borrowed(field) };
        Some((key, field))
    }

    /// Whether the rule silently skips a member: webdataset keeps data about a shard in members such as `__meta__`, and
    /// does not count members without a dot as samples.
    pub fn passes_over(self, path: &BStr) -> bool {
        let first = path.split(|&byte| byte == b'/').next().unwrap_or_default();
        let is_meta = first.len() >= 4 && first.starts_with(b"__") && first.ends_with(b"__");
        self == Self::Webdataset && (is_meta || self.split(path).is_none())
    }
}

/// The key of a sample with this name: `_` is instead of white space, which keys cannot have.
pub fn sample_key(name: &BStr) -> Cow<'_, BStr> {
    let is_blank = |(.., c): &(usize, usize, char)| c.is_whitespace();
    // Most names have none, and need no memory.
    if name.is_ascii() && !name.iter().any(|byte| byte.is_ascii_whitespace() || *byte == 0x0b)
        || !name.char_indices().any(|at| is_blank(&at))
    {
        return Cow::Borrowed(name);
    }
    let mut key = BString::from(Vec::with_capacity(name.len()));
    for at @ (start, end, _) in name.char_indices() {
        if is_blank(&at) { key.push(b'_') } else { key.extend_from_slice(&name[start..end]) }
    }
    Cow::Owned(key)
}

/// Names that became keys.
#[derive(Debug, Default)]
pub(crate) struct KeyNames {
    /// Keys, with their names if these are others.
    keys: HashMap<BString, Option<BString>>,
}

impl KeyNames {
    /// The key of a name.
    ///
    /// # Errors
    /// If another name has the same key.
    pub(crate) fn add(&mut self, name: &BStr) -> Result<BString, String> {
        let key = sample_key(name).into_owned();
        let changed = (key != name).then(|| name.to_owned());
        let known = self.keys.entry(key.clone()).or_insert_with(|| changed.clone());
        match *known == changed {
            true => Ok(key),
            false => {
                let other = known.as_ref().unwrap_or(&key);
                Err(format!(
                    "expected names that are different keys, got {name:?} and {other:?}, which both become {key}"
                ))
            }
        }
    }
}

/// Whether a field is sound, by its suffix in any case.
pub fn is_sound(field: &BStr) -> bool {
    let suffix = field.rsplit(|&byte| byte == b'.').next().unwrap_or_default();
    SOUND.iter().any(|sound| suffix.eq_ignore_ascii_case(sound))
}

/// Whether a field is the wanted one: `wav` means sound of any suffix.
pub fn is_field(field: &BStr, wanted: &BStr) -> bool {
    if wanted == "wav" { is_sound(field) } else { field == wanted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(grouping: Grouping, path: &str) -> Option<(String, String)> {
        grouping.split(path.into()).map(|(key, field)| (key.to_string(), field.to_string()))
    }

    #[test]
    fn wenet_splits_at_the_last_dot() {
        let t = |path, key: &str, field: &str| {
            assert_eq!(split(Grouping::Wenet, path), Some((key.to_owned(), field.to_owned())), "{path}");
        };
        t("utt1.wav", "utt1", "wav");
        t("a/b.c.WAV", "a/b.c", "WAV");
        t("a.b/c.", "a.b/c", "");
        t("a/.txt", "a/", "txt");
        for path in ["utt1", ".txt", "a.b/c", ""] {
            assert_eq!(split(Grouping::Wenet, path), None, "{path}");
        }
    }

    #[test]
    fn webdataset_splits_at_the_first_dot_of_the_last_part() {
        let t = |path, key: &str, field: &str| {
            assert_eq!(split(Grouping::Webdataset, path), Some((key.to_owned(), field.to_owned())), "{path}");
        };
        t("utt1.wav", "utt1", "wav");
        t("a.x/b.c.WAV", "a.x/b", "c.wav");
        for path in ["utt1", ".txt", "a/.txt", "a.b/c", ""] {
            assert_eq!(split(Grouping::Webdataset, path), None, "{path}");
            assert!(Grouping::Webdataset.passes_over(path.into()));
        }
        assert!(Grouping::Webdataset.passes_over("__meta__/x.json".into()));
        assert!(Grouping::Webdataset.passes_over("__meta__".into()));
        assert!(!Grouping::Webdataset.passes_over("__meta.wav".into()));
        assert!(!Grouping::Wenet.passes_over("__meta__".into()));
    }

    #[test]
    fn names_become_keys() {
        for (name, key) in [("a", "a"), ("a b", "a_b"), ("a\u{a0}\u{e4}\t", "a_\u{e4}_"), ("d/a\u{b}b", "d/a_b")] {
            assert_eq!(*sample_key(name.into()), key, "{name:?}");
        }
        assert_eq!(sample_key(b"\xff x".as_bstr()).as_bytes(), b"\xff_x");
        for [first, second] in [["a b", "a_b"], ["a_b", "a b"], ["a b", "a\tb"]] {
            let mut names = KeyNames::default();
            names.add(first.into()).unwrap();
            assert_eq!(names.add(first.into()).unwrap(), "a_b");
            let error = names.add(second.into()).unwrap_err();
            assert!(error.ends_with("which both become a_b"), "{error}");
        }
    }

    #[test]
    fn sound_is_told_by_its_suffix() {
        for field in ["wav", "FLAC", "1.wav", "opus", "oga", "WV1", "wave", "sphere"] {
            assert!(is_sound(field.into()) && is_field(field.into(), "wav".into()), "{field}");
        }
        for field in ["txt", "", "wav.txt", "waves", "mp4"] {
            assert!(!is_sound(field.into()), "{field}");
        }
        assert!(is_field("txt".into(), "txt".into()) && !is_field("flac".into(), "flac2".into()));
    }
}
