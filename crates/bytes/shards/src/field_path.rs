//! Fields of samples, and entries inside of those in JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use serde_json::value::RawValue;

use crate::{FaultKind, ShardFault, TarSample, is_field};

/// Why a field has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct FieldError {
    /// [`FaultKind::MissingField`] if there is no such entry, else [`FaultKind::BadText`].
    pub kind: FaultKind,
    /// What was expected and what was found.
    pub message: String,
}

/// What is there is no text.
fn bad(message: String) -> FieldError {
    FieldError { kind: FaultKind::BadText, message }
}

/// What is wanted of a sample: a member by its suffix, or an entry inside of a member in JSON.
///
/// A dot leads in: `json.meta.text` is the entry `text` of the entry `meta` of the member `.json`. A member or an entry whose whole
/// name has the dots comes first. `wav` is sound of any suffix.
///
/// ```
/// use shards::FieldPath;
///
/// let path = FieldPath::new("json.meta.text");
/// let (number, entry) = path.find(["flac".into(), "json".into()]).expect("the member .json");
/// let text = path.text(br#"{"meta": {"text": "hello \u00e4"}}"#, entry)?;
/// assert_eq!((number, text.as_deref()), (1, Some("hello ä".as_bytes())));
/// # Ok::<(), shards::FieldError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(BString);

impl FieldPath {
    /// The field of this name.
    pub fn new(name: impl Into<BString>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn name(&self) -> &BStr {
        self.0.as_ref()
    }

    /// Whether a member of this suffix is what is wanted, or may have it inside.
    pub fn may_be_in(&self, suffix: &BStr) -> bool {
        is_field(suffix, self.name()) || self.entry_of(suffix).is_some()
    }

    /// What is wanted inside of a member.
    fn entry_of(&self, suffix: &BStr) -> Option<&BStr> {
        let entry = self.0.strip_prefix(suffix.as_bytes())?.strip_prefix(b".")?;
        (!entry.is_empty()).then(|| entry.as_bstr())
    }

    /// Finds the member among those of a sample, by their suffixes: its number, and the name of the entry inside, which is empty if
    /// the member itself is wanted.
    pub fn find<'a>(&self, suffixes: impl IntoIterator<Item = &'a BStr>) -> Option<(usize, &BStr)> {
        let mut best: Option<(usize, &BStr)> = None;
        for (number, suffix) in suffixes.into_iter().enumerate() {
            if is_field(suffix, self.name()) {
                return Some((number, BStr::new(b"")));
            }
            let entry = self.entry_of(suffix);
            if let Some(entry) = entry.filter(|entry| best.is_none_or(|(_, other)| entry.len() < other.len())) {
                best = Some((number, entry));
            }
        }
        best
    }

    /// The text of a member: all of it, or that of an entry inside. A string is its characters, a number its digits, and `null` none.
    ///
    /// # Errors
    /// If the member is no JSON, or there is no such entry, or the entry is an object or a list.
    pub fn text<'a>(&self, content: &'a [u8], entry: &BStr) -> Result<Option<Cow<'a, [u8]>>, FieldError> {
        if entry.is_empty() {
            return Ok(Some(content.into()));
        }
        let entry = entry.to_str().map_err(|_| bad(format!("expected a name in UTF-8 as {self}")))?;
        let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(content);
        let all =
            serde_json::from_slice(content).map_err(|error| bad(format!("expected JSON with {self}: {error}")))?;
        let value = self.value(all, entry)?.get();
        match value.as_bytes().first() {
            Some(b'"') => {
                let text: String = serde_json::from_str(value).map_err(|error| bad(format!("{self}: {error}")))?;
                Ok(Some(text.into_bytes().into()))
            }
            Some(b'n') => Ok(None),
            Some(b'{') => Err(bad(format!("expected text as {self}, got an object"))),
            Some(b'[') => Err(bad(format!("expected text as {self}, got a list"))),
            _ => Ok(Some(value.as_bytes().to_vec().into())),
        }
    }

    /// The text of a sample whose wanted members were read, without the white space at its ends. `None` if the sample has no such
    /// member, or `null` is there.
    ///
    /// # Errors
    /// As [`FieldPath::text`], with the place in the shard.
    pub fn text_of<T: AsRef<[u8]>>(&self, shard: &str, sample: &TarSample<T>) -> crate::Result<Option<Vec<u8>>> {
        let Some((number, entry)) = self.find(sample.fields.iter().map(|field| field.name.as_ref())) else {
            return Ok(None);
        };
        let field = &sample.fields[number];
        match self.text(field.value.as_ref(), entry) {
            Ok(text) => Ok(text.map(|text| text.trim_ascii().to_vec())),
            Err(FieldError { kind, message }) => Err(ShardFault::new(kind, shard, field.member.offset, message)
                .of_member(&field.member.path)
                .of_sample(sample.key.clone())
                .into()),
        }
    }

    /// The value of an entry.
    fn value<'a>(&self, object: &'a RawValue, entry: &str) -> Result<&'a RawValue, FieldError> {
        let entries: BTreeMap<Cow<'_, str>, &'a RawValue> = serde_json::from_str(object.get()).map_err(|_| {
            let found = crate::excerpt(object.get().as_bytes());
            bad(format!("expected an object with {entry:?} for {self}, got {found}"))
        })?;
        let mut end = entry.len();
        loop {
            match entries.get(&entry[..end]) {
                Some(value) if end == entry.len() => return Ok(value),
                Some(inside) => return self.value(inside, &entry[end + 1..]),
                None => {}
            }
            match entry[..end].rfind('.') {
                Some(dot) => end = dot,
                None => break,
            }
        }
        let names: Vec<_> = entries.keys().take(20).map(|name| format!("{name:?}")).collect();
        let found = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let message = format!("expected an entry {entry:?} for {self}, got {found}");
        Err(FieldError { kind: FaultKind::MissingField, message })
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&kaldi_io::quote_name(self.0.as_ref()), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, json: &str) -> Result<Option<String>, FieldError> {
        let path = FieldPath::new(name);
        let (_, entry) = path.find([BStr::new("json")]).unwrap();
        let text = path.text(json.as_bytes(), entry)?;
        Ok(text.map(|text| String::from_utf8(text.into_owned()).unwrap()))
    }

    #[test]
    fn a_member_whose_whole_name_has_the_dots_comes_first() {
        let t = |name: &str, suffixes: &[&str]| {
            let path = FieldPath::new(name);
            path.find(suffixes.iter().map(|it| BStr::new(*it))).map(|(number, entry)| (number, entry.to_string()))
        };
        assert_eq!(t("json.a.b", &["json", "json.a", "json.a.b"]), Some((2, String::new())));
        assert_eq!(t("json.a.b", &["json", "json.a"]), Some((1, "b".to_owned())));
        assert_eq!(t("json.a.b", &["flac", "json", "json.c"]), Some((1, "a.b".to_owned())));
        assert_eq!(t("wav", &["txt", "flac"]), Some((1, String::new())));
        for (name, suffix) in [("json", "txt"), ("json.", "json"), ("jsonx", "json"), ("json.a", "jso"), ("a", "a.b")] {
            assert_eq!(t(name, &[suffix]), None);
            assert!(!FieldPath::new(name).may_be_in(suffix.into()));
        }
        assert!(FieldPath::new("json.a.b").may_be_in("json.a".into()));
    }

    #[test]
    fn dots_lead_into_objects() {
        let json = r#"{"meta": {"text": "in", "a.b": 5}, "meta.text": "whole", "x": {"y": {"z": "deep"}}}"#;
        assert_eq!(text("json.meta.text", json).unwrap().unwrap(), "whole");
        assert_eq!(text("json.meta.a.b", json).unwrap().unwrap(), "5");
        assert_eq!(text("json.x.y.z", json).unwrap().unwrap(), "deep");
    }

    #[test]
    fn values_are_text() {
        for (value, expected) in [
            (r#""h\u00e9 \ud83d\ude00\n\"""#, Some("h\u{e9} \u{1f600}\n\"")),
            ("1234567890123456789012345", Some("1234567890123456789012345")),
            ("-1.50", Some("-1.50")),
            ("true", Some("true")),
            ("null", None),
            (r#""null""#, Some("null")),
            (r#""""#, Some("")),
        ] {
            assert_eq!(text("json.t", &format!("{{\"t\": {value} }}")).unwrap().as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn what_is_no_text_is_refused() {
        for (json, expected) in [
            (r#"{"text": ["a"]}"#, "expected text as json.text, got a list"),
            (r#"{"text": {}}"#, "expected text as json.text, got an object"),
            (r#"{"txt": 1, "b": 2}"#, "expected an entry \"text\" for json.text, got \"b\", \"txt\""),
            ("{}", "expected an entry \"text\" for json.text, got none"),
            (r#"[1]"#, "expected an object with \"text\" for json.text, got \"[1]\""),
        ] {
            assert_eq!(text("json.text", json).unwrap_err().message, expected);
        }
        for json in ["", "{\"text\": \"a", "{\"text\": \"a\"} x", "\u{7f}", r#"{"text": "a", "b": nan}"#] {
            let error = text("json.text", json).unwrap_err().message;
            assert!(error.starts_with("expected JSON with json.text: "), "{error}");
        }
        let error = text("json.text.inner", r#"{"text": "a"}"#).unwrap_err().message;
        assert_eq!(error, "expected an object with \"inner\" for json.text.inner, got \"\"a\"\"");
    }
}
