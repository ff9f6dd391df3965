//! The option dialect: from the words of a command line to values by option and arguments by place.
//!
//! It follows Kaldi's `util/parse-options.cc`. Differences: `-h` is help where the first argument would stand, help is
//! looked for before anything else is judged, and an unknown option is answered with the name that was probably meant.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use bstr::{BStr, BString, ByteSlice};

use crate::command::Dialect;
use crate::kind::Kind;
use crate::option::Opt;
use crate::reading::{Fault, Reading, Request};

impl Dialect {
    /// Reads the words of a command line after the program's name, and the config files that they name.
    pub(crate) fn read(&self, words: &[OsString]) -> Result<Request, Fault> {
        let words: Vec<&BStr> = words.iter().map(|word| word.as_bytes().as_bstr()).collect();
        let named = words.iter().take_while(|word| **word != "--").filter_map(|word| word.strip_prefix(b"--"));
        let named: Vec<(BString, Option<&BStr>)> = named.map(|word| split(word.as_bstr())).collect();
        let num_options = words.iter().take_while(|word| word.starts_with(b"--") && **word != "--").count();

        if named.iter().any(|(key, _)| key == "help") || words.get(num_options).is_some_and(|word| *word == "-h") {
            return Ok(Request::Help);
        }
        if named.iter().any(|(key, _)| key == "version") {
            return Ok(Request::Version);
        }
        let mut values = vec![None; self.options.len()];
        for (key, value) in &named {
            if key == "config" {
                self.read_config(value.unwrap_or_default(), &mut values)?;
            }
        }
        for word in &words[..num_options] {
            self.set(word, None, &mut values)?;
        }
        let mut arguments: Vec<OsString> =
            words[num_options..].iter().map(|word| OsString::from_vec(word.to_vec())).collect();
        if let Some(separator) = arguments.iter().position(|word| word == "--") {
            arguments.remove(separator);
        }
        Ok(Request::Run(Reading { values, arguments }))
    }

    /// Applies the lines of a config file.
    fn read_config(&self, name: &BStr, values: &mut [Option<BString>]) -> Result<(), Fault> {
        let text = std::fs::read(OsStr::from_bytes(name)).map_err(|error| {
            Fault::new(format!("cannot open config file {}: {}", kaldi_io::shell_quote(name), reason(&error)))
        })?;
        for (index, line) in text.lines().enumerate() {
            let line = trim(line.split_once_str("#").map_or(line, |(before, _)| before));
            let place = || format!("{}:{}", kaldi_io::shell_quote(name), index + 1);
            if line.is_empty() {
                continue;
            }
            if !line.starts_with(b"--") {
                return Err(Fault::new(format!("{}: expected --name=value, got \"{line}\"", place())));
            }
            if split(line[2..].as_bstr()).0 == "config" {
                kaldi_log::warning!("{}: --config has no effect in a config file", place());
            }
            self.set(line, Some(&place), values)?;
        }
        Ok(())
    }

    /// Sets one option from `--name=value`; `place` tells where a line of a config file stands.
    fn set(
        &self,
        word: &BStr,
        place: Option<&dyn Fn() -> String>,
        values: &mut [Option<BString>],
    ) -> Result<(), Fault> {
        let (key, value) = split(word[2..].as_bstr());
        let fault = |why: &str| {
            let place = place.map(|place| format!("{}: ", place())).unwrap_or_default();
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            Fault::new(format!("{place}Invalid option {word}{why}"))
        };
        if key.is_empty() {
            return Err(fault("expected the form --name=value"));
        }
        let Some(index) =
            self.options.iter().position(|option| option.names().any(|name| key == normalized(name.as_bytes())))
        else {
            let advice = self.closest(key.as_ref()).map(|name| format!("did you mean --{name}?")).unwrap_or_default();
            return Err(Fault { is_unknown_option: true, ..fault(&advice) });
        };
        let option = &self.options[index];
        if value.is_none() && option.kind != Kind::Bool {
            return Err(fault(&format!("expected --{}=<{}>", option.name, option.kind)));
        }
        let value = option.kind.canonical(value).map_err(|expected| fault(&expected.to_string()))?;
        if !option.choices.is_empty() && !option.choices.iter().any(|choice| value == choice.as_str()) {
            return Err(fault(&format!("expected one of {}", option.choices.join(", "))));
        }
        values[index] = Some(value);
        Ok(())
    }

    /// Returns the option whose name is most like `key`, if any is like it.
    fn closest(&self, key: &BStr) -> Option<&str> {
        let key = key.to_str().ok()?;
        let distance = |option: &Opt| {
            let name = normalized(option.name.as_bytes()).to_string();
            strsim::damerau_levenshtein(key, &name)
        };
        let (distance, option) =
            self.options.iter().map(|option| (distance(option), option)).min_by_key(|(distance, _)| *distance)?;
        (distance <= 1 + key.len() / 4).then_some(&*option.name)
    }

    /// Returns the canonical value of a standard option.
    pub(crate) fn standard<'r>(&self, reading: &'r Reading, name: &str) -> Option<&'r str> {
        let index = self.options.iter().position(|option| option.id.is_none() && option.name == name)?;
        reading.values[index].as_ref()?.to_str().ok()
    }
}

/// Splits `name=value`, which stood behind `--`, into the normalized name and the trimmed value.
fn split(word: &BStr) -> (BString, Option<&BStr>) {
    match word.split_once_str("=") {
        Some((name, value)) => (normalized(name), Some(trim(value))),
        None => (normalized(word), None),
    }
}

/// Returns the form of a name that is compared: lower case, dashes for underscores.
pub(crate) fn normalized(name: &[u8]) -> BString {
    name.iter().map(|byte| if *byte == b'_' { b'-' } else { byte.to_ascii_lowercase() }).collect::<Vec<u8>>().into()
}

/// Takes white space of the C locale off both ends.
fn trim(text: &[u8]) -> &BStr {
    let is_text = |byte: &u8| !b" \t\n\r\x0c\x0b".contains(byte);
    let start = text.iter().position(is_text).unwrap_or(text.len());
    let end = text.iter().rposition(is_text).map_or(start, |last| last + 1);
    text[start..end].as_bstr()
}

/// The system's reason without Rust's `(os error N)`.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
