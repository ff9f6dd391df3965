//! Advice on command lines that were written for another dialect of options, and on names of options.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;

use bstr::{BStr, ByteSlice};
use option_table::OptionKind;

use crate::command::Dialect;
use crate::dialect::{is_option, normalized, split_at_dashes};
use crate::option::Opt;

/// Parts of names that too many options share, so that they are no basis for a guess.
const COMMON_PARTS: [&str; 9] = ["apply", "max", "min", "num", "print", "read", "to", "use", "write"];

/// At most this many names are proposed.
const MOST_NAMES: usize = 3;

impl Dialect {
    /// Returns how an option is given, if the number of arguments is wrong because an option was given in another way. `words`
    /// are those of the command line.
    pub(crate) fn advise_on_arguments(&self, words: &[OsString]) -> Option<String> {
        let words: Vec<&BStr> = words.iter().map(|word| word.as_bytes().as_bstr()).collect();
        let (words, _) = split_at_dashes(&words);
        let is_switch = |word: &BStr| {
            is_option(word) && self.find(&word[2..]).is_some_and(|option| option.kind() == OptionKind::Bool)
        };
        let switched = |pair: &&[&BStr]| is_switch(pair[0]) && OptionKind::Bool.canonical(Some(pair[1])).is_ok();
        if let Some(&[option, value]) = words.windows(2).find(switched) {
            return Some(format!(
                "{value} after {option} is an argument; as its value, it is written {option}={value}"
            ));
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

    /// The option of this name, in any spelling.
    pub(crate) fn find(&self, name: &[u8]) -> Option<&Opt> {
        let key = normalized(name);
        self.options.iter().find(|option| option.names().any(|name| key == normalized(name.as_bytes())))
    }

    /// The options that `key`, which is not one, most likely means.
    pub(crate) fn closest(&self, key: &BStr) -> Vec<&str> {
        let Ok(key) = key.to_str() else { return Vec::new() };
        let names = || self.options.iter().map(|option| option.name);
        let distance = |name: &str| strsim::damerau_levenshtein(key, &normalized(name.as_bytes()).to_string());
        let nearest = names().map(|name| (distance(name), name)).min_by_key(|(distance, _)| *distance);
        let (parts_matched, similar) = self.with_parts_of(key);
        match nearest {
            Some((0 | 1, name)) => vec![name],
            _ if parts_matched == key.split('-').count() => similar,
            Some((distance, name)) if distance <= 1 + key.len() / 4 => vec![name],
            _ if 2 * parts_matched >= key.split('-').count() => similar,
            _ => Vec::new(),
        }
    }

    /// The names that have most parts in common with `key`, such as `num-mel-bins` with `num-bins`, and how many these
    /// are. No names if there are too many of them to be useful.
    fn with_parts_of(&self, key: &str) -> (usize, Vec<&str>) {
        let shared = |name: &str| {
            let name = normalized(name.as_bytes()).to_string();
            let shared: Vec<&str> =
                key.split('-').filter(|part| name.split('-').any(|other| are_alike(part, other))).collect();
            let is_guess = shared.iter().any(|part| part.len() > 1 && !COMMON_PARTS.contains(part));
            (if is_guess { shared.len() } else { 0 }, Reverse(name.split('-').count()))
        };
        let best = self.options.iter().map(|option| shared(option.name)).max();
        let Some(best @ (1.., _)) = best else { return (0, Vec::new()) };
        let names: Vec<&str> =
            self.options.iter().map(|option| option.name).filter(|name| shared(name) == best).collect();
        if names.len() > MOST_NAMES { (0, Vec::new()) } else { (best.0, names) }
    }
}

/// The names that are most like `word`, the best first, at most three; none if all are far from it.
pub fn closest_names<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let distance = |name: &'n str| (strsim::damerau_levenshtein(word, name), name);
    let mut near: Vec<(usize, &str)> =
        names.map(distance).filter(|(distance, _)| *distance <= 1 + word.len() / 5).collect();
    near.sort();
    near.into_iter().take(MOST_NAMES).map(|(_, name)| name).collect()
}

/// Whether two parts of names are the same word, perhaps one of them shortened.
fn are_alike(part: &str, other: &str) -> bool {
    part == other || (part.len().min(other.len()) >= 3 && (part.starts_with(other) || other.starts_with(part)))
}

/// Whether an argument looks like an option of other programs: a dash and a letter.
fn is_like_option(word: &BStr) -> bool {
    matches!(word.as_bytes(), [b'-', letter, ..] if letter.is_ascii_alphabetic())
}
