//! Raw lists: an utterance per line, as an object in JSON.

use std::collections::BTreeMap;

use bstr::BStr;
use kaldi_io::Commands;
use kaldi_reader::Reader;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::TimeSpan;
use crate::shard::Result;
use shards::{ListLines, comes_once, excerpt};

/// An utterance of a raw list.
#[derive(Clone, Debug, PartialEq)]
pub struct RawUtterance {
    /// Its key.
    pub key: String,
    /// Where its sound is.
    pub wav: String,
    /// Its text.
    pub txt: String,
    /// Where the utterance is in the sound. `None` for all of it.
    pub segment: Option<TimeSpan>,
    /// Other fields of the object, as they are written in JSON.
    pub extra: BTreeMap<String, String>,
}

/// The fields of an object, as they are written; those that are taken out are parsed.
pub(super) struct RawFields(BTreeMap<String, String>);

impl RawFields {
    /// The object of a line.
    pub(super) fn parse(line: &[u8]) -> Result<Self, serde_json::Error> {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_slice(line)?;
        Ok(Self(fields.into_iter().map(|(name, value)| (name, value.get().to_owned())).collect()))
    }

    /// Takes a field out.
    pub(super) fn take(&mut self, name: &str) -> Option<Value> {
        // What is no value, such as a number out of range, is text that nobody expects.
        self.0.remove(name).map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }

    /// Those that are left.
    pub(super) fn into_rest(self) -> BTreeMap<String, String> {
        self.0
    }
}

impl RawUtterance {
    /// Reads a line. `commands` says what happens if it names a command in place of a file of sound.
    ///
    /// # Errors
    /// What was expected and what was found.
    pub fn parse(line: &[u8], commands: Commands) -> Result<Self, String> {
        let mut fields = RawFields::parse(line)
            .map_err(|error| format!("expected an object in JSON, got {}: {error}", excerpt(line)))?;
        let mut text = |name: &str| match fields.take(name) {
            Some(Value::String(text)) => Ok(text),
            Some(other) => {
                Err(format!("expected text as the field \"{name}\", got {}", excerpt(other.to_string().as_bytes())))
            }
            None => Err(format!("expected a field \"{name}\", got none in {}", excerpt(line))),
        };
        let (key, wav, txt) = (text("key")?, text("wav")?, text("txt")?);
        commands.check(wav.as_str().into())?;
        let mut seconds = |name: &str| match fields.take(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(Some).ok_or_else(|| {
                format!("expected seconds as the field \"{name}\", got {}", excerpt(value.to_string().as_bytes()))
            }),
        };
        let segment = match (seconds("start")?, seconds("end")?) {
            (Some(start), Some(end)) => Some(TimeSpan::listed(start, end)),
            (None, None) => None,
            _ => return Err("expected both fields \"start\" and \"end\" or none of them, got one".to_owned()),
        };
        Ok(Self { key, wav, txt, segment, extra: fields.into_rest() })
    }
}

/// The utterances of a raw list, read only as far as needed.
pub struct RawList {
    name: bstr::BString,
    commands: Commands,
    /// `None` after the end or an error.
    lines: Option<ListLines>,
}

impl RawList {
    /// Opens a list. `commands` says what happens to commands in place of files of sound.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(rxfilename: &BStr, commands: Commands) -> Result<Self> {
        Ok(Self { name: rxfilename.to_owned(), commands, lines: Some(ListLines::open(rxfilename)?) })
    }

    /// The name of the list, an rxfilename.
    pub fn name(&self) -> &BStr {
        self.name.as_ref()
    }

    fn read(&mut self) -> Result<Option<RawUtterance>> {
        let Some(mut lines) = self.lines.take() else { return Ok(None) };
        let Some(line) = lines.next_line()? else {
            lines.finish()?;
            return Ok(None);
        };
        let utterance = RawUtterance::parse(&line, self.commands).map_err(|message| lines.error(message))?;
        self.lines = Some(lines);
        Ok(Some(utterance))
    }
}

impl Reader for RawList {
    type Item = RawUtterance;
    type Error = crate::shard::Error;

    fn next(&mut self) -> Result<Option<RawUtterance>> {
        self.read()
    }

    fn finish(&mut self) -> Result<()> {
        self.lines = None;
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        self.lines = None;
        if comes_once(self.name.as_ref()) {
            return Err(kaldi_io::Error::ReadOnce { name: self.name.to_string() }.into());
        }
        *self = Self::open(self.name.as_ref(), self.commands)?;
        Ok(())
    }
}

/// Appends the line of an utterance, as Python's `json.dumps` writes it with WeNet's options: a blank after colons and
/// commas, and letters unescaped.
pub fn write_raw_line(out: &mut Vec<u8>, key: &str, wav: &str, txt: &str, segment: Option<(f64, f64)>) {
    let string = |out: &mut Vec<u8>, text: &str| out.extend_from_slice(Value::from(text).to_string().as_bytes());
    for (before, text) in [("{\"key\": ", key), (", \"wav\": ", wav), (", \"txt\": ", txt)] {
        out.extend_from_slice(before.as_bytes());
        string(out, text);
    }
    if let Some((start, end)) = segment {
        out.extend_from_slice(
            format!(", \"start\": {}, \"end\": {}", python_float(start), python_float(end)).as_bytes(),
        );
    }
    out.extend_from_slice(b"}\n");
}

/// A number as Python prints it: with as few digits as possible, and an exponent if it is below 0.0001, or 1e16 or
/// more.
pub(crate) fn python_float(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "Infinity".to_owned() } else { "-Infinity".to_owned() };
    }
    if number == 0.0 || (1e-4..1e16).contains(&number.abs()) {
        return format!("{number:?}");
    }
    let scientific = format!("{number:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_in_python() {
        for (number, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (5.0, "5.0"),
            (12.34, "12.34"),
            (0.1 + 0.2, "0.30000000000000004"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (9_999_999_999_999_998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (-1.25e120, "-1.25e+120"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(python_float(number), text);
        }
    }

    #[test]
    fn lines_look_as_in_python() {
        let line = |txt: &str, segment| {
            let mut out = Vec::new();
            write_raw_line(&mut out, "u1", "a/b.wav", txt, segment);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(line("", None), "{\"key\": \"u1\", \"wav\": \"a/b.wav\", \"txt\": \"\"}\n");
        let odd = "\u{4f60} \"\\/\u{1}\t\u{8}\u{c}\u{7f}\u{2028}";
        let expected = "\u{4f60} \\\"\\\\/\\u0001\\t\\b\\f\u{7f}\u{2028}";
        let text = format!(
            "{{\"key\": \"u1\", \"wav\": \"a/b.wav\", \"txt\": \"{expected}\", \"start\": 0.5, \"end\": 2.0}}\n"
        );
        assert_eq!(line(odd, Some((0.5, 2.0))), text);
        let again = RawUtterance::parse(text.as_bytes(), Commands::Refuse).unwrap();
        assert_eq!((again.txt.as_str(), again.segment), (odd, Some(TimeSpan { start: 0.5, end: Some(2.0) })));
    }

    #[test]
    fn other_fields_are_kept_and_nonsense_is_refused() {
        let line = br#"{"speaker": "s", "key": "a", "wav": "w", "txt": "t", "start": 1, "end": 2, "n": [1, 12345678901234567890, 1.50]}"#;
        let utterance = RawUtterance::parse(line, Commands::Refuse).unwrap();
        assert_eq!(utterance.segment, Some(TimeSpan { start: 1.0, end: Some(2.0) }));
        assert_eq!(utterance.extra.keys().collect::<Vec<_>>(), ["n", "speaker"]);
        assert_eq!(utterance.extra["n"], "[1, 12345678901234567890, 1.50]");
        for line in [
            "",
            "[]",
            "{",
            "a b",
            r#"{"key": "a", "wav": "w"}"#,
            r#"{"key": 1, "wav": "w", "txt": "t"}"#,
            r#"{"key": "a", "wav": "w", "txt": "t", "start": 1}"#,
            r#"{"key": "a", "wav": "w", "txt": "t", "start": "1", "end": 2}"#,
        ] {
            assert!(
                RawUtterance::parse(line.as_bytes(), Commands::Refuse).unwrap_err().starts_with("expected"),
                "{line}"
            );
        }
    }

    #[test]
    fn a_command_is_taken_only_if_that_is_allowed() {
        let line = br#"{"key": "a", "wav": "touch x; cat a.wav | ", "txt": ""}"#;
        let error = RawUtterance::parse(line, Commands::Refuse).unwrap_err();
        assert!(error.contains("got the command \"touch x; cat a.wa...\""), "{error}");
        assert!(RawUtterance::parse(line, Commands::Allow).is_ok());
    }

    #[test]
    fn a_list_is_a_reader() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.list");
        let line = |key: &str| format!("{{\"key\": \"{key}\", \"wav\": \"w\", \"txt\": \"t\"}}\n");
        std::fs::write(&path, [line("a"), "\n".into(), line("b"), "x\n".into(), line("c")].concat()).unwrap();
        let mut list = RawList::open(path.to_str().unwrap().into(), Commands::Refuse).unwrap();
        for _ in 0..2 {
            assert_eq!(list.next().unwrap().unwrap().key, "a");
            assert_eq!(list.next().unwrap().unwrap().key, "b");
            let error = list.next().unwrap_err().to_string();
            assert!(error.contains("data.list:4: expected an object in JSON, got \"x\""), "{error}");
            assert!(list.next().unwrap().is_none());
            list.restart().unwrap();
        }
    }
}
