//! What is wrong with a command line: errors of clap in Kaldi's words.

use std::error::Error as _;
use std::ffi::OsString;
use std::fmt::Write;

use bstr::ByteSlice;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg as ClapArg, ArgMatches, Command, Error};

use crate::advice::closest_options;
use crate::command::{arguments, options};
use crate::dialect::{Spelled, SpelledOption, is_option};
use crate::option::{Kind, is_argument, is_bytes, name, repeats};

/// A wrong command line.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) kind: FaultKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaultKind {
    /// There is no such option; a list of them would help the user.
    UnknownOption,
    /// The number of arguments is wrong.
    Count,
    /// A value is refused by a type of the tool, which is known only when the options of all tools are.
    OwnType,
    /// Another value is wrong, or a config file.
    Value,
}

impl Fault {
    pub(crate) fn new(message: String) -> Self {
        Self { message, kind: FaultKind::Value }
    }
}

/// Reads a command line that was spelled for clap.
pub(crate) fn matches(command: &mut Command, spelled: &Spelled) -> Result<ArgMatches, Fault> {
    let words = spelled.words(command);
    command.try_get_matches_from_mut(words).map_err(|error| explain(command, spelled, &error))
}

/// Puts an error of clap into Kaldi's words.
fn explain(command: &mut Command, spelled: &Spelled, error: &Error) -> Fault {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let shown = text(ContextKind::InvalidArg);
    let wrong = match error.kind() {
        ErrorKind::InvalidUtf8 => not_utf8(command, spelled),
        _ => command.get_arguments().find(|arg| arg.to_string() == shown),
    };
    let value = match error.kind() {
        ErrorKind::InvalidUtf8 => {
            spelled.arguments.iter().find(|value| value.to_str().is_err()).map(|value| value.to_string())
        }
        _ => Some(text(ContextKind::InvalidValue).to_owned()),
    }
    .unwrap_or_default();
    let why = match error.kind() {
        ErrorKind::UnknownArgument => match spelled.options.iter().find(|option| option.field.is_none()) {
            Some(option) => {
                let near = closest_options(command, option.key.as_ref());
                let near: Vec<_> = near.into_iter().map(|name| format!("--{name}")).collect();
                let advice =
                    if near.is_empty() { String::new() } else { format!("did you mean {}?", near.join(" or ")) };
                return Fault { kind: FaultKind::UnknownOption, ..invalid(option, &advice) };
            }
            None => return wrong_count(command, spelled),
        },
        ErrorKind::MissingRequiredArgument => return wrong_count(command, spelled),
        ErrorKind::NoEquals => String::new(),
        ErrorKind::InvalidUtf8 => "expected UTF-8".to_owned(),
        ErrorKind::InvalidValue => match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(words)) if wrong.is_some_and(|arg| Kind::of(arg) == Kind::Text) => {
                format!("expected {}, got {value:?}", alternatives(words))
            }
            Some(ContextValue::Strings(words)) => format!("expected {}", alternatives(words)),
            _ => reasons(error),
        },
        _ => reasons(error),
    };
    match wrong {
        Some(arg) if is_of_tool(arg, error) && !counts(command).contains(&spelled.arguments.len()) => {
            wrong_count(command, spelled)
        }
        Some(arg) if is_argument(arg) => {
            let field = arg.get_id().as_str().replace('_', " ");
            Fault { message: format!("invalid {field} \"{value}\": {why}"), kind: FaultKind::OwnType }
        }
        Some(arg) => {
            let fault_kind = if is_of_tool(arg, error) { FaultKind::OwnType } else { FaultKind::Value };
            let (field, name, kind) = (arg.get_id().to_string(), name(arg).to_owned(), Kind::of(arg));
            let is_it = |option: &&SpelledOption| {
                option.field.as_ref() == Some(&field)
                    && match (error.kind(), option.value()) {
                        (ErrorKind::NoEquals, found) => found.is_none(),
                        (ErrorKind::InvalidUtf8, found) => found.is_some_and(|found| found.to_str().is_err()),
                        (_, found) => found.is_some_and(|found| found.to_str_lossy() == value),
                    }
            };
            match spelled.options.iter().find(is_it) {
                Some(option) if error.kind() == ErrorKind::NoEquals => {
                    let advice = advise_on_value(command, &name, option).unwrap_or_default();
                    invalid(option, &format!("expected --{name}=<{kind}>{advice}"))
                }
                Some(option) => Fault { kind: fault_kind, ..invalid(option, &why) },
                None => Fault::new(format!("Invalid option --{name}={value}: {why}")),
            }
        }
        None => Fault::new(why),
    }
}

/// Whether a type of the tool refuses a value. Numbers, bools and words are refused before.
fn is_of_tool(arg: &ClapArg, error: &Error) -> bool {
    let is_refused = matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidUtf8);
    is_argument(arg) || is_refused && Kind::of(arg) == Kind::Text
}

fn invalid(SpelledOption { place, given, .. }: &SpelledOption, why: &str) -> Fault {
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    Fault::new(format!("{place}Invalid option {given}{why}"))
}

/// How the value is given that stands after an option as a word of its own, if it is one.
fn advise_on_value(command: &mut Command, name: &str, option: &SpelledOption) -> Option<String> {
    let next = option.next.as_ref().filter(|next| !is_option(next.as_ref()))?;
    let mut word = OsString::from(format!("--{name}="));
    word.push(next.to_os_str().ok()?);
    let is_value = match command.try_get_matches_from_mut([OsString::new(), word]) {
        Ok(_) => true,
        Err(error) => error.kind() == ErrorKind::MissingRequiredArgument,
    };
    is_value.then(|| format!(", as in {}={}", option.given, kaldi_io::shell_quote(next)))
}

/// The first option or argument whose value would have to be UTF-8.
fn not_utf8<'c>(command: &'c Command, spelled: &Spelled) -> Option<&'c ClapArg> {
    let is_odd = |option: &&SpelledOption| option.given.to_str().is_err();
    let mut odd = spelled.options.iter().filter(is_odd).filter_map(|option| option.field.as_ref());
    let option = odd.find_map(|field| options(command).find(|arg| arg.get_id() == field && !is_bytes(arg)));
    option.or_else(|| arguments(command).find(|arg| !is_bytes(arg)))
}

/// Why a value is refused, and the reasons behind the reason.
fn reasons(error: &Error) -> String {
    let mut text = String::new();
    let mut reason = error.source();
    while let Some(cause) = reason {
        let _ = write!(text, "{}{cause}", if text.is_empty() { "" } else { ": " });
        reason = cause.source();
    }
    text
}

/// How many arguments there may be.
fn counts(command: &Command) -> std::ops::RangeInclusive<usize> {
    let is_open = arguments(command).any(repeats);
    let max = if is_open { usize::MAX } else { arguments(command).count() };
    arguments(command).filter(|place| place.is_required_set()).count()..=max
}

fn wrong_count(command: &Command, spelled: &Spelled) -> Fault {
    let (min, max) = counts(command).into_inner();
    let expected = match (min, max) {
        (1, 1) => "1 argument".to_owned(),
        _ if min == max => format!("{min} arguments"),
        (_, usize::MAX) => format!("at least {min} arguments"),
        _ => format!("{min} to {max} arguments"),
    };
    Fault { message: format!("expected {expected}, got {}", spelled.arguments.len()), kind: FaultKind::Count }
}

/// The words of a sentence: `a`, `a or b`, `a, b or c`.
fn alternatives(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_as_in_a_sentence() {
        let words = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([1, 2, 3].map(|count| alternatives(&words[..count])), ["a", "a or b", "a, b or c"]);
    }
}
