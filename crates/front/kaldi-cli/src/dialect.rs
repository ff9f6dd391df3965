//! The option dialect: spells the words of a command line for clap, and checks none of its values.
//!
//! It follows Kaldi's `util/parse-options.cc`. Differences: options may stand after arguments, `-h` is help in the place of
//! the first argument, help is looked for before anything else is checked, and `--help=false` asks for none.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use bstr::{BStr, BString, ByteSlice};
use clap::{Arg as ClapArg, Command};

use crate::command::{arguments, options};
use crate::fault::Fault;
use crate::option::{Kind, choices, empty_is_none, name, names, repeats};

/// What a command line asks for.
pub(crate) enum Request {
    Help,
    /// Help, as a mistake: `--help=maybe`. Whatever the value is, Kaldi answers with the usage text on standard error.
    Usage,
    Version,
    Run(Spelled),
}

/// The words of a command line, spelled for clap.
#[derive(Debug, Default)]
pub(crate) struct Spelled {
    /// Those of config files, then those of the command line.
    pub(crate) options: Vec<SpelledOption>,
    pub(crate) arguments: Vec<BString>,
}

/// An option, spelled for clap.
#[derive(Debug)]
pub(crate) struct SpelledOption {
    /// The name of its field; `None` if there is no such option.
    pub(crate) field: Option<String>,
    /// The name in the form that is compared.
    pub(crate) key: BString,
    /// `--name=value`.
    word: BString,
    /// As it was given.
    pub(crate) given: BString,
    /// The start of a message on a line of a config file.
    pub(crate) place: String,
    /// The next word of the command line.
    pub(crate) next: Option<BString>,
}

impl SpelledOption {
    /// The value for clap, if there is one.
    pub(crate) fn value(&self) -> Option<&BStr> {
        self.word.split_once_str("=").map(|(_, value)| value.as_bstr())
    }
}

impl Spelled {
    /// The words for clap. Arguments are distributed by their places: those that must be there have a word each, and the others
    /// get what is left. What has no place follows `--`, for clap to refuse.
    pub(crate) fn words(&self, command: &Command) -> Vec<OsString> {
        let mut words = vec![OsString::new()];
        words.extend(self.options.iter().map(|option| OsString::from_vec(option.word.to_vec())));
        let places: Vec<&ClapArg> = arguments(command).collect();
        let num_needed = places.iter().filter(|place| place.is_required_set()).count();
        let mut spare = self.arguments.len().saturating_sub(num_needed);
        let mut rest = self.arguments.iter();
        for place in places {
            let is_needed = place.is_required_set();
            let extra = if repeats(place) { spare } else { usize::from(!is_needed).min(spare) };
            spare -= extra;
            for value in rest.by_ref().take(usize::from(is_needed) + extra) {
                words.push(OsString::from_vec([b"--", name(place).as_bytes(), b"=", value.as_slice()].concat()));
            }
        }
        let left: Vec<OsString> = rest.map(|word| OsString::from_vec(word.to_vec())).collect();
        words.extend((!left.is_empty()).then(|| OsString::from("--")).into_iter().chain(left));
        words
    }
}

/// Reads the words of a command line after the program's name, and the config files that they name.
pub(crate) fn read(command: &Command, words: &[OsString]) -> Result<Request, Fault> {
    let words = with_letters(command, words);
    let words: Vec<&BStr> = words.iter().map(AsRef::as_ref).collect();
    let (words, after_dashes) = split_at_dashes(&words);
    let named = words.iter().filter_map(|word| word.strip_prefix(b"--"));
    let named: Vec<(BString, Option<&BStr>)> = named.map(|word| split(word.as_bstr())).collect();

    // As everywhere, the last of an option that is repeated counts.
    let asked = |name: &str| {
        let last = named.iter().rfind(|(key, _)| key == name)?;
        Some(last.1.map_or(Some(true), read_bool))
    };
    if asked("help") == Some(Some(true)) || words.iter().find(|word| !is_option(word)).is_some_and(|word| *word == "-h")
    {
        return Ok(Request::Help);
    }
    if asked("help") == Some(None) {
        return Ok(Request::Usage);
    }
    if asked("version") == Some(Some(true)) {
        return Ok(Request::Version);
    }
    let mut spelled = Spelled::default();
    for (key, value) in &named {
        if key == "config" {
            read_config(command, value.unwrap_or_default(), &mut spelled)?;
        }
    }
    for (index, word) in words.iter().enumerate().filter(|(_, word)| is_option(word)) {
        spell(command, word, "", words.get(index + 1).copied(), &mut spelled)?;
    }
    let arguments = words.iter().filter(|word| !is_option(word)).chain(after_dashes);
    spelled.arguments = arguments.map(|word| BString::from(word.to_vec())).collect();
    Ok(Request::Run(spelled))
}

/// The words, with `-n 3` and `-n3` as `--n=3` where the tool has such an option of one letter.
fn with_letters(command: &Command, words: &[OsString]) -> Vec<BString> {
    let mut words = words.iter().map(|word| BString::from(word.as_bytes()));
    let mut spelled = Vec::new();
    let has_letter = |letter: u8| options(command).any(|option| name(option).as_bytes() == [letter]);
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

/// Adds the lines of a config file.
fn read_config(command: &Command, name: &BStr, spelled: &mut Spelled) -> Result<(), Fault> {
    let text = read_file(name).map_err(|error| {
        Fault::new(format!("cannot open config file {}: {}", kaldi_io::shell_quote(name), reason(&error)))
    })?;
    for (index, line) in kaldi_io::without_mark(&text).lines().enumerate() {
        let line = trim(line.split_once_str("#").map_or(line, |(before, _)| before));
        let place = format!("{}:{}: ", kaldi_io::shell_quote(name), index + 1);
        if line.is_empty() {
            continue;
        }
        if !line.starts_with(b"--") {
            return Err(Fault::new(format!("{place}expected --name=value, got \"{line}\"")));
        }
        if split(line[2..].as_bstr()).0 == "config" {
            kaldi_io::log::warning!("{place}--config has no effect in a config file");
        }
        if let Some(other) = second_option(command, line) {
            kaldi_io::log::warning!("{place}{other} is a part of the value here; a line has one option only");
        }
        spell(command, line, &place, None, spelled)?;
    }
    Ok(())
}

/// The name of another option inside a value, for example if a line has two options.
fn second_option(command: &Command, line: &BStr) -> Option<String> {
    let (_, value) = line.split_once_str("=")?;
    let mut words = value.split(u8::is_ascii_whitespace).filter_map(|word| word.strip_prefix(b"--"));
    words.find_map(|word| find(command, &split(word.as_bstr()).0)).map(|option| format!("--{}", name(option)))
}

/// Adds an option, `--name=value`.
fn spell(
    command: &Command,
    given: &BStr,
    place: &str,
    next: Option<&BStr>,
    spelled: &mut Spelled,
) -> Result<(), Fault> {
    let (key, value) = split(given[2..].as_bstr());
    if key.is_empty() {
        return Err(Fault::new(format!("{place}Invalid option {given}: expected the form --name=value")));
    }
    let found = find(command, &key);
    let value = match found {
        Some(option) => spell_value(option, key.as_ref(), value),
        None => value.map(ToOwned::to_owned),
    };
    let mut word = [&b"--"[..], found.map_or(key.as_slice(), |option| name(option).as_bytes())].concat();
    if let Some(value) = &value {
        word.push(b'=');
        word.extend_from_slice(value);
    }
    let field = found.map(|option| option.get_id().to_string());
    if let Some(option) = found
        && value.as_ref().is_some_and(|value| value.is_empty())
        && empty_is_none(option)
    {
        // As if it had not been given.
        spelled.options.retain(|other| repeats(option) || other.field != field);
        return Ok(());
    }
    let (given, place, next) = (given.to_owned(), place.to_owned(), next.map(ToOwned::to_owned));
    spelled.options.push(SpelledOption { field, key, word: word.into(), given, place, next });
    Ok(())
}

/// Spells a value as its type knows it: bools, and words in another case or with an old spelling. Old spellings are warned about.
fn spell_value(option: &ClapArg, key: &BStr, value: Option<&BStr>) -> Option<BString> {
    let name = name(option);
    let is_now = |name: &str| key == normalized(name.as_bytes());
    let is_shown = |names: Option<Vec<&str>>| names.unwrap_or_default().into_iter().any(is_now);
    if !is_now(name) && !is_shown(option.get_visible_aliases()) {
        kaldi_io::log::warning!("--{key} is an old name of --{name}, which will go");
    }
    if Kind::of(option) == Kind::Bool {
        let word = |value: &BStr| read_bool(value).map_or_else(|| value.to_owned(), |value| value.to_string().into());
        return Some(value.map_or_else(|| "true".into(), word));
    }
    let value = value?;
    let choices = choices(option);
    if let Some(choice) = choices.iter().find(|choice| choice.get_name_and_aliases().skip(1).any(|old| value == old)) {
        let choice = choice.get_name();
        kaldi_io::log::warning!("--{name}={value} is an old spelling of --{name}={choice}");
        return Some(choice.into());
    }
    let chosen = choices.iter().find(|choice| value.eq_ignore_ascii_case(choice.get_name().as_bytes()));
    Some(chosen.map_or_else(|| value.to_owned(), |choice| choice.get_name().into()))
}

/// The option of this name, in any spelling.
pub(crate) fn find<'c>(command: &'c Command, name: &[u8]) -> Option<&'c ClapArg> {
    let key = normalized(name);
    options(command).find(|option| names(option).any(|name| key == normalized(name.as_bytes())))
}

/// Reads `true`, `t`, `1`, `false`, `f`, `0` in any case.
pub(crate) fn read_bool(value: &BStr) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"t" | b"1" => Some(true),
        b"false" | b"f" | b"0" => Some(false),
        _ => None,
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
    let is_text = |byte: &u8| !kaldi_io::is_space(*byte);
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
