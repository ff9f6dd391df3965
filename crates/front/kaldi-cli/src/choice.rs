//! Values that are one of a few words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The parser of an option whose value is one of these words, each with its meaning: `#[arg(long, value_parser = one_of(&WORDS))]`.
pub fn one_of<T>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    one_of_renamed(words, &[])
}

/// As [`one_of`], with spellings that the words had before, each with the word of today.
pub fn one_of_renamed<T>(
    words: &'static [(&'static str, T)],
    old_words: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let possible = words.iter().map(|(word, _)| {
        let old_words = old_words.iter().filter(|(_, today)| today == word);
        PossibleValue::new(*word).aliases(old_words.map(|(old, _)| *old))
    });
    PossibleValuesParser::new(possible).try_map(|text| {
        let found = words.iter().find(|(word, _)| *word == text);
        found.map(|(_, meaning)| *meaning).ok_or("expected the word of today")
    })
}
