//! Options whose value is one of some words.

use clap::builder::{PossibleValuesParser, TypedValueParser};

/// Makes the parser of an option whose value is one of some words, each with what it means:
/// `#[arg(long, default_value = "key", value_parser = one_of(&ORDERS))]`.
///
/// Other words are refused in the same sentence by all tools, and completions offer these.
pub fn one_of<T: Copy + Send + Sync>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T> {
    let meaning = |word: String| words.iter().find(|(known, _)| *known == word).map(|(_, meaning)| *meaning);
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).try_map(move |word| meaning(word).ok_or("unknown"))
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
