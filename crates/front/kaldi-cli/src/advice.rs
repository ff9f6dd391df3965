//! Advice on command lines that were written for another dialect of options, and on names of options.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use bstr::{BStr, ByteSlice};
use clap::Command;
use kaldi_io::name_distance;

use crate::command::options;
use crate::dialect::{find, is_option, normalized, read_bool, split_at_dashes};
use crate::option::{Kind, name};

/// Parts of names that too many options share, so that they are no basis for a guess.
const COMMON_PARTS: [&str; 9] = ["apply", "max", "min", "num", "print", "read", "to", "use", "write"];

/// At most this many names are proposed.
const MOST_NAMES: usize = 3;

/// Returns how an option is given, if the number of arguments is wrong because an option was given in another way. `words`
/// are those of the command line.
pub(crate) fn advise_on_arguments(command: &Command, words: &[OsString]) -> Option<String> {
    let words: Vec<&BStr> = words.iter().map(|word| word.as_bytes().as_bstr()).collect();
    let (words, _) = split_at_dashes(&words);
    let is_switch =
        |word: &BStr| is_option(word) && find(command, &word[2..]).is_some_and(|option| Kind::of(option) == Kind::Bool);
    let switched = |pair: &&[&BStr]| is_switch(pair[0]) && read_bool(pair[1]).is_some();
    if let Some(&[option, value]) = words.windows(2).find(switched) {
        return Some(format!("{value} after {option} is an argument; as its value, it is written {option}={value}"));
    }
    let odd = words.iter().find(|word| is_like_option(word))?;
    let example = match (odd[1], &odd[2..]) {
        (b'j' | b'n', number) if !number.is_empty() && number.iter().all(u8::is_ascii_digit) => {
            format!(", such as --num-threads={}", number.as_bstr())
        }
        (b'o', _) => "; outputs are arguments".to_owned(),
        _ => String::new(),
    };
    Some(format!("{odd} is an argument here; options have the form --name=value{example}"))
}

/// The options that `key`, which is not one, most likely means.
pub(crate) fn closest_options<'c>(command: &'c Command, key: &BStr) -> Vec<&'c str> {
    let Ok(key) = key.to_str() else { return Vec::new() };
    let near = |name| Some((name_distance(key, &normalized(str::as_bytes(name)).to_string())?, name));
    let nearest = options(command).map(name).filter_map(near).min_by_key(|(distance, _)| *distance);
    let (parts_matched, similar) = with_parts_of(command, key);
    match nearest {
        Some((0 | 1, name)) => vec![name],
        _ if parts_matched == key.split('-').count() => similar,
        Some((_, name)) => vec![name],
        _ if 2 * parts_matched >= key.split('-').count() => similar,
        _ => Vec::new(),
    }
}

/// The names that have most parts in common with `key`, such as `num-mel-bins` with `num-bins`, and how many these
/// are. No names if there are too many of them to be useful.
fn with_parts_of<'c>(command: &'c Command, key: &str) -> (usize, Vec<&'c str>) {
    let shared = |name: &str| {
        let name = normalized(name.as_bytes()).to_string();
        let shared: Vec<&str> =
            key.split('-').filter(|part| name.split('-').any(|other| are_alike(part, other))).collect();
        let is_guess = shared.iter().any(|part| part.len() > 1 && !COMMON_PARTS.contains(part));
        (if is_guess { shared.len() } else { 0 }, Reverse(name.split('-').count()))
    };
    let Some(best @ (1.., _)) = options(command).map(|option| shared(name(option))).max() else {
        return (0, Vec::new());
    };
    let names: Vec<&str> = options(command).map(name).filter(|name| shared(name) == best).collect();
    if names.len() > MOST_NAMES { (0, Vec::new()) } else { (best.0, names) }
}

/// Whether two parts of names are the same word, perhaps one of them shortened.
fn are_alike(part: &str, other: &str) -> bool {
    part == other || (part.len().min(other.len()) >= 3 && (part.starts_with(other) || other.starts_with(part)))
}

/// Whether an argument looks like an option of other programs: a dash and a letter.
fn is_like_option(word: &BStr) -> bool {
    matches!(word.as_bytes(), [b'-', letter, ..] if letter.is_ascii_alphabetic())
}
