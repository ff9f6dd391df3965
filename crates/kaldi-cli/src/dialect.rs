//! The option dialect: from the words of a command line to values by option and arguments by place.
//!
//! It follows Kaldi's `util/parse-options.cc`. Differences: options may stand after arguments, `-h` is help in the place of
//! the first argument, help is looked for before anything else is checked, `--help=false` asks for none, and the error of an unknown
//! option names the options that were probably meant.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use bstr::{BStr, BString, ByteSlice};
use option_table::OptionKind;

use crate::command::Dialect;
use crate::option::alternatives;
use crate::reading::{Fault, Reading, Request};

/// Where an option was given.
#[derive(Clone, Copy)]
enum Place<'a> {
    /// On the command line, before the next word.
    CommandLine { next: Option<&'a BStr> },
    /// In a config file; the function returns the start of a message.
    Config(&'a dyn Fn() -> String),
}

impl Dialect {
    /// Reads the words of a command line after the program's name, and the config files that they name.
    pub(crate) fn read(&self, words: &[OsString]) -> Result<Request, Fault> {
        let words = self.spelled_out(words);
        let words: Vec<&BStr> = words.iter().map(AsRef::as_ref).collect();
        let (words, after_dashes) = split_at_dashes(&words);
        let named = words.iter().filter_map(|word| word.strip_prefix(b"--"));
        let named: Vec<(BString, Option<&BStr>)> = named.map(|word| split(word.as_bstr())).collect();

        // As everywhere, the last of an option that is repeated counts.
        let asked = |name: &str| {
            let last = named.iter().rfind(|(key, _)| key == name)?;
            Some(OptionKind::Bool.canonical(last.1).map(|value| value == "true"))
        };
        if asked("help") == Some(Ok(true))
            || words.iter().find(|word| !is_option(word)).is_some_and(|word| *word == "-h")
        {
            return Ok(Request::Help);
        }
        if matches!(asked("help"), Some(Err(_))) {
            return Ok(Request::Usage);
        }
        if asked("version") == Some(Ok(true)) {
            return Ok(Request::Version);
        }
        let mut values = vec![None; self.options.len()];
        for (key, value) in &named {
            if key == "config" {
                self.read_config(value.unwrap_or_default(), &mut values)?;
            }
        }
        for (index, word) in words.iter().enumerate().filter(|(_, word)| is_option(word)) {
            self.set(word, Place::CommandLine { next: words.get(index + 1).copied() }, &mut values)?;
        }
        let arguments = words.iter().filter(|word| !is_option(word)).chain(after_dashes);
        let arguments = arguments.map(|word| OsString::from_vec(word.to_vec())).collect();
        Ok(Request::Run(Reading { values, arguments }))
    }

    /// The words, with `-n 3` and `-n3` as `--n=3` where the tool has such an option of one letter.
    fn spelled_out(&self, words: &[OsString]) -> Vec<BString> {
        let mut words = words.iter().map(|word| BString::from(word.as_bytes()));
        let mut spelled = Vec::new();
        let has_letter = |letter: u8| self.options.iter().any(|option| option.name.as_bytes() == [letter]);
        while let Some(word) = words.next() {
            match word.as_slice() {
                b"--" => {
                    spelled.push(word);
                    spelled.extend(words);
                    break;
                }
                &[b'-', letter] if has_letter(letter) => {
                    let value =
                        words.next().map_or_else(BString::default, |value| [b"=", value.as_slice()].concat().into());
                    spelled.push([&b"--"[..], &[letter], value.as_slice()].concat().into());
                }
                [b'-', letter, value @ ..] if *letter != b'-' && has_letter(*letter) => {
                    let value = value.strip_prefix(b"=").unwrap_or(value);
                    spelled.push([&b"--"[..], &[*letter], b"=", value].concat().into());
                }
                _ => spelled.push(word),
            }
        }
        spelled
    }

    /// Applies the lines of a config file.
    fn read_config(&self, name: &BStr, values: &mut [Option<BString>]) -> Result<(), Fault> {
        let text = read_file(name).map_err(|error| {
            Fault::new(format!("cannot open config file {}: {}", kaldi_io::shell_quote(name), reason(&error)))
        })?;
        for (index, line) in kaldi_io::without_mark(&text).lines().enumerate() {
            let line = trim(line.split_once_str("#").map_or(line, |(before, _)| before));
            let place = || format!("{}:{}: ", kaldi_io::shell_quote(name), index + 1);
            if line.is_empty() {
                continue;
            }
            if !line.starts_with(b"--") {
                return Err(Fault::new(format!("{}expected --name=value, got \"{line}\"", place())));
            }
            if split(line[2..].as_bstr()).0 == "config" {
                kaldi_log::warning!("{}--config has no effect in a config file", place());
            }
            if let Some(other) = self.second_option(line) {
                kaldi_log::warning!("{}{other} is a part of the value here; a line has one option only", place());
            }
            self.set(line, Place::Config(&place), values)?;
        }
        Ok(())
    }

    /// The name of another option inside a value, for example if a line has two options.
    fn second_option(&self, line: &BStr) -> Option<String> {
        let (_, value) = line.split_once_str("=")?;
        let mut words = value.split(u8::is_ascii_whitespace).filter_map(|word| word.strip_prefix(b"--"));
        words.find_map(|word| self.find(&split(word.as_bstr()).0)).map(|option| format!("--{}", option.name))
    }

    /// Sets one option from `--name=value`.
    fn set(&self, word: &BStr, place: Place<'_>, values: &mut [Option<BString>]) -> Result<(), Fault> {
        let (key, value) = split(word[2..].as_bstr());
        let fault = |why: &str| {
            let place = if let Place::Config(place) = place { place() } else { String::new() };
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            Fault::new(format!("{place}Invalid option {word}{why}"))
        };
        if key.is_empty() {
            return Err(fault("expected the form --name=value"));
        }
        let Some(index) =
            self.options.iter().position(|option| option.names().any(|name| key == normalized(name.as_bytes())))
        else {
            let names: Vec<_> = self.closest(key.as_ref()).into_iter().map(|name| format!("--{name}")).collect();
            let advice = if names.is_empty() { String::new() } else { format!("did you mean {}?", names.join(" or ")) };
            return Err(Fault { is_unknown_option: true, ..fault(&advice) });
        };
        let option = &self.options[index];
        if value.is_none() && option.kind() != OptionKind::Bool {
            let is_value = |next: &BStr| !is_option(next) && option.kind().canonical(Some(next)).is_ok();
            let advice = match place {
                Place::CommandLine { next: Some(next) } if is_value(next) => {
                    format!(", as in {word}={}", kaldi_io::shell_quote(next))
                }
                _ => String::new(),
            };
            return Err(fault(&format!("expected --{}=<{}>{advice}", option.name, option.kind())));
        }
        let mut value = option.kind().canonical(value).map_err(|expected| fault(&expected.to_string()))?;
        if option.had_name(&key) {
            kaldi_log::warning!("--{key} is an old name of --{}, which will go", option.name);
        }
        if let Some((_, choice)) = option.old_choices.iter().find(|(old, _)| value == *old) {
            kaldi_log::warning!("--{}={value} is an old spelling of --{0}={choice}", option.name);
            value = (*choice).into();
        }
        let choices = (option.choices)();
        let chosen = choices.iter().find(|choice| value.eq_ignore_ascii_case(choice.as_bytes()));
        let is_known = choices.is_empty() || chosen.is_some();
        if !(is_known || option.empty_is_none() && value.is_empty()) {
            return Err(fault(&format!("expected {}, got {value:?}", alternatives(&choices))));
        }
        let value = chosen.map_or(value, |choice| (*choice).into());
        values[index] = Some(match values[index].take().filter(|_| option.repeats) {
            Some(before) => BString::from([before.as_slice(), value.as_slice()].join(&b'\n')),
            None => value,
        });
        Ok(())
    }

    /// Returns the canonical value of a standard option.
    pub(crate) fn standard<'r>(&self, reading: &'r Reading, name: &str) -> Option<&'r str> {
        let index = self.options.iter().position(|option| option.is_standard && option.name == name)?;
        reading.values[index].as_ref()?.to_str().ok()
    }
}

/// Splits the words of a command line at the first `--`, which belongs to neither part: there are options in the first part
/// only.
pub(crate) fn split_at_dashes<'w>(words: &'w [&'w BStr]) -> (&'w [&'w BStr], &'w [&'w BStr]) {
    match words.iter().position(|word| *word == "--") {
        Some(dashes) => (&words[..dashes], &words[dashes + 1..]),
        None => (words, &[]),
    }
}

/// Whether a word before `--` is an option.
pub(crate) fn is_option(word: &BStr) -> bool {
    word.starts_with(b"--")
}

/// Splits `name=value`, the part after the dashes, into the normalized name and the trimmed value.
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

/// A config file is not longer than this.
const LONGEST_CONFIG: u64 = 1 << 20;

/// Reads a file, which may be an object of a store.
fn read_file(name: &BStr) -> std::io::Result<Vec<u8>> {
    use kaldi_io::{Error, Input, is_remote};
    if !is_remote(name) {
        let mut text = Vec::new();
        std::fs::File::open(OsStr::from_bytes(name))?.take(LONGEST_CONFIG + 1).read_to_end(&mut text)?;
        if text.len() as u64 > LONGEST_CONFIG {
            return Err(std::io::Error::other("more than 1 MB, which is no list of options"));
        }
        return Ok(text);
    }
    match Input::open(name).and_then(|mut input| input.read_to_end()) {
        Err(Error::Open { source, .. } | Error::Read { source, .. }) => Err(source),
        other => other.map_err(std::io::Error::other),
    }
}

/// The system's reason without Rust's `(os error N)`.
fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
