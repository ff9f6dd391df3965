//! Options whose value is one of some words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// Makes the parser of an option whose value is one of some words, each with what it means:
/// `#[arg(long, default_value = "key", value_parser = one_of(&ORDERS))]`.
///
/// Other words are refused in the same sentence by all tools, and completions offer these.
pub fn one_of<T: Copy + Send + Sync>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    one_of_renamed(words, &[])
}

/// As [`one_of`], with spellings that words had before, each with the word of today. They are taken with a warning.
pub fn one_of_renamed<T: Copy + Send + Sync>(
    words: &'static [(&'static str, T)],
    old: &'static [(&'static str, &'static str)],
) -> impl TypedValueParser<Value = T> {
    let meaning = |word: String| words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    let value = |(word, _): &(&'static str, T)| {
        let spellings = old.iter().filter(|(_, new)| new == word).map(|(old, _)| *old);
        PossibleValue::new(*word).aliases(spellings)
    };
    PossibleValuesParser::new(words.iter().map(value)).try_map(move |word| meaning(word).ok_or("unknown"))
}

/// The words of a sentence: `a`, `a or b`, `a, b or c`.
pub(crate) fn alternatives(words: &[String]) -> String {
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
