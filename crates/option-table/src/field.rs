//! Values of fields.

use std::str::FromStr;

use bstr::{BStr, ByteSlice};

use crate::error::Cause;
use crate::kind::OptionKind;
use crate::row::Role;

/// A type that a value of the command line is parsed to. All types with `FromStr` implement it; another one may be made of
/// any bytes.
pub trait FieldValue: Sized + 'static {
    /// What a value of this type names.
    const ROLE: Option<Role> = None;

    /// The type as the usage text names it.
    #[must_use]
    fn kind() -> OptionKind {
        OptionKind::of::<Self>()
    }

    /// Parses a value.
    ///
    /// # Errors
    /// Why it is refused.
    fn parse(text: &BStr) -> Result<Self, Cause>;
}

impl<T: FromStr<Err: Into<Cause>> + 'static> FieldValue for T {
    fn parse(text: &BStr) -> Result<Self, Cause> {
        parse_with(text, T::from_str)
    }
}

/// Parses a value that has to be text in UTF-8 by a function.
///
/// # Errors
/// Those of the function, and if the value is not UTF-8.
pub fn parse_with<T, E: Into<Cause>>(text: &BStr, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, Cause> {
    let text = text.to_str().map_err(|_| "expected UTF-8")?;
    parse(text).map_err(Into::into)
}

/// The meaning of a word.
///
/// # Errors
/// If it is none of these words.
pub fn one_of<T: Copy>(text: &BStr, words: &'static [(&'static str, T)]) -> Result<T, Cause> {
    let found = words.iter().find(|(word, _)| text == *word);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| is_none_of(&self::words(words)))
}

/// Parses a count for which a negative number means 0.
///
/// # Errors
/// If the text is no integer.
pub fn negative_is_zero(text: &str) -> Result<usize, Cause> {
    Ok(usize::try_from(text.parse::<i32>()?).unwrap_or(0))
}

/// The parser of an option whose value may be a text that means that there is none, such as -1.
pub fn none_or<T>(none: &str, parse: impl Fn(&BStr) -> Result<T, Cause>) -> impl Fn(&BStr) -> Result<Option<T>, Cause> {
    move |text| if text == none { Ok(None) } else { parse(text).map(Some) }
}

/// The word with this meaning; empty if there is none.
#[must_use]
pub fn word_of<T: PartialEq>(words: &'static [(&'static str, T)], meaning: &T) -> String {
    words.iter().find(|(_, known)| known == meaning).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// The words without their meanings.
#[must_use]
pub fn words<T>(words: &'static [(&'static str, T)]) -> Vec<&'static str> {
    words.iter().map(|(word, _)| *word).collect()
}

fn is_none_of(words: &[&str]) -> Cause {
    format!("expected {}", alternatives(words)).into()
}

/// The words of a sentence: `a`, `a or b`, `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
