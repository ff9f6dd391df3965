//! How members form samples.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

/// Suffixes of sound: those that WeNet has, and those of other files that are decoded here.
const SOUND: [&[u8]; 15] = [
    b"aac", b"aif", b"aiff", b"au", b"caf", b"flac", b"m4a", b"mka", b"mp3", b"ogg", b"opus", b"sph", b"wav", b"webm",
    b"wma",
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
    fn sound_is_told_by_its_suffix() {
        for field in ["wav", "FLAC", "1.wav", "opus"] {
            assert!(is_sound(field.into()) && is_field(field.into(), "wav".into()), "{field}");
        }
        for field in ["txt", "", "wav.txt", "wave"] {
            assert!(!is_sound(field.into()), "{field}");
        }
        assert!(is_field("txt".into(), "txt".into()) && !is_field("flac".into(), "flac2".into()));
    }
}
