//! Entries of cuts as words.

use std::borrow::Cow;

use bstr::ByteSlice;
use serde_json::value::RawValue;

use super::cut::{Cut, CutSupervision};
use crate::FieldPath;

/// An entry of a cut that is words, by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CutEntry {
    /// What is said: that of the supervisions in the order of their starts, with blanks between.
    Text,
    /// The speakers of the supervisions; one that follows itself comes once.
    Speaker,
    /// The languages of the supervisions; one that follows itself comes once.
    Language,
    /// The genders of the supervisions; one that follows itself comes once.
    Gender,
    /// An entry of `custom`, of the first supervision that has it or of the cut. The path starts with `custom.`.
    Custom(FieldPath),
}

impl CutEntry {
    /// The entry of this name: `text`, `speaker`, `language`, `gender`, or `custom.NAME`.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "text" => Self::Text,
            "speaker" => Self::Speaker,
            "language" => Self::Language,
            "gender" => Self::Gender,
            _ => {
                name.strip_prefix("custom.").filter(|rest| !rest.is_empty())?;
                Self::Custom(FieldPath::new(name))
            }
        })
    }

    /// The name.
    pub fn name(&self) -> Cow<'_, str> {
        match self {
            Self::Text => "text".into(),
            Self::Speaker => "speaker".into(),
            Self::Language => "language".into(),
            Self::Gender => "gender".into(),
            Self::Custom(path) => path.name().to_str_lossy(),
        }
    }

    /// The words of a cut. `None` if it has no such entry, or null.
    ///
    /// # Errors
    /// If the entry is an object or a list.
    pub fn words(&self, cut: &Cut<'_>) -> Result<Option<String>, String> {
        self.words_of(cut, &cut.ordered())
    }

    /// The words of some supervisions of a cut. `None` if they have no such entry, or null.
    ///
    /// # Errors
    /// If the entry is an object or a list.
    pub fn words_of(&self, cut: &Cut<'_>, supervisions: &[&CutSupervision<'_>]) -> Result<Option<String>, String> {
        if let Self::Custom(path) = self {
            let places = supervisions.iter().map(|it| it.custom).chain([cut.custom]).flatten();
            for place in places {
                if let Some(words) = custom(path, place)? {
                    return Ok(Some(words));
                }
            }
            return Ok(None);
        }
        let found = supervisions.iter().filter_map(|it| match self {
            Self::Text => it.text.as_deref(),
            Self::Speaker => it.speaker.as_deref(),
            Self::Language => it.language.as_deref(),
            Self::Gender => it.gender.as_deref(),
            Self::Custom(_) => None,
        });
        if *self == Self::Text {
            let texts: Vec<&str> = found.collect();
            return Ok((!texts.is_empty()).then(|| texts.join(" ")));
        }
        let mut names: Vec<String> = found.map(as_word).filter(|name| !name.is_empty()).collect();
        names.dedup();
        Ok((!names.is_empty()).then(|| names.join(" ")))
    }
}

/// An entry inside of an object of other entries; `None` if it is not there.
fn custom(path: &FieldPath, object: &RawValue) -> Result<Option<String>, String> {
    let Some((_, entry)) = path.find([bstr::BStr::new("custom")]) else { return Ok(None) };
    match path.text(object.get().as_bytes(), entry) {
        Ok(text) => Ok(text.map(|text| String::from_utf8_lossy(&text).into_owned())),
        Err(error) if error.kind == crate::FaultKind::MissingField => Ok(None),
        Err(error) => Err(error.message),
    }
}

/// A name as one word.
fn as_word(name: &str) -> String {
    name.trim().replace(char::is_whitespace, "_")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = r#"{"id": "c", "supervisions": [
        {"id": "b", "start": 2, "duration": 1, "text": "you", "speaker": "A B", "language": "de", "custom": {"a.b": 7}},
        {"id": "a", "start": -1, "duration": 1, "text": "hello", "speaker": "A B"},
        {"id": "d", "start": 3, "duration": 1, "speaker": "C"}],
        "custom": {"a": {"b": 8, "c": true}, "list": [1], "none": null, "word": "w x"}}"#;

    #[test]
    fn entries_come_by_the_starts_of_supervisions() {
        let cut = Cut::parse(LINE.as_bytes()).unwrap();
        let words = |name: &str| CutEntry::named(name).unwrap().words(&cut);
        for (name, expected) in [
            ("text", Some("hello you")),
            ("speaker", Some("A_B C")),
            ("language", Some("de")),
            ("gender", None),
            ("custom.a.b", Some("7")),
            ("custom.a.c", Some("true")),
            ("custom.word", Some("w x")),
            ("custom.none", None),
            ("custom.absent", None),
        ] {
            assert_eq!(words(name).unwrap().as_deref(), expected, "{name}");
            assert_eq!(CutEntry::named(name).unwrap().name(), name);
        }
        assert_eq!(words("custom.list").unwrap_err(), "expected text as custom.list, got a list");
        for name in ["", "custom", "custom.", "txt", "Text"] {
            assert_eq!(CutEntry::named(name), None, "{name}");
        }
    }
}
