//! What is searched for: words and conditions that an utterance has to fulfil, all of them.
//!
//! ```text
//! hello                in the key, the speaker or the text; small and capital letters are the same
//! "two words"          side by side
//! -hello  -"two words" not there
//! duration>10          a number of a column; also < = >= <=
//! rule:clipping        a finding of this rule
//! ```

use bstr::{BStr, BString, ByteSlice};

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Text in small letters.
    Word(BString),
    /// The name of a column, what its number is to be, and the number.
    Compare(String, Comparison, f32),
    /// The name of a rule.
    Rule(String),
}

/// What a number is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Less,
    LessOrEqual,
    Equal,
    GreaterOrEqual,
    Greater,
}

impl Comparison {
    /// The longer ones first.
    const ALL: [(&'static str, Self); 5] = [
        ("<=", Self::LessOrEqual),
        (">=", Self::GreaterOrEqual),
        ("<", Self::Less),
        (">", Self::Greater),
        ("=", Self::Equal),
    ];

    pub fn holds(self, left: f32, right: f32) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Equal => left == right,
            Self::GreaterOrEqual => left >= right,
            Self::Greater => left > right,
        }
    }
}

/// Reads the conditions, and whether each is not to hold. `is_column` says whether a name is that of a column of numbers.
pub(crate) fn parse(filter: &BStr, is_column: impl Fn(&str) -> bool) -> Vec<(bool, Condition)> {
    let mut conditions = Vec::new();
    let mut rest = filter.trim_ascii();
    while !rest.is_empty() {
        let is_not = rest[0] == b'-' && rest.get(1).is_some_and(|byte| !byte.is_ascii_whitespace());
        rest = &rest[usize::from(is_not)..];
        let (word, after, is_quoted) = match rest.strip_prefix(b"\"") {
            Some(quoted) => {
                let end = quoted.find_byte(b'"').unwrap_or(quoted.len());
                (&quoted[..end], quoted.get(end + 1..).unwrap_or_default(), true)
            }
            None => {
                let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
                (&rest[..end], &rest[end..], false)
            }
        };
        rest = after.trim_ascii_start();
        let condition = (!is_quoted).then(|| special(word, &is_column)).flatten();
        let condition = condition.unwrap_or_else(|| Condition::Word(lower(word.trim_ascii())));
        if condition != Condition::Word(BString::default()) {
            conditions.push((is_not, condition));
        }
    }
    conditions
}

/// A condition that is more than a word.
fn special(word: &[u8], is_column: impl Fn(&str) -> bool) -> Option<Condition> {
    let word = word.to_str().ok()?;
    if let Some(rule) = word.strip_prefix("rule:") {
        return Some(Condition::Rule(rule.to_owned()));
    }
    let end = word.find(['<', '=', '>'])?;
    let (sign, comparison) = Comparison::ALL.into_iter().find(|(sign, _)| word[end..].starts_with(sign))?;
    let number = word[end + sign.len()..].parse().ok()?;
    is_column(&word[..end]).then(|| Condition::Compare(word[..end].to_owned(), comparison, number))
}

/// Text in small letters.
pub(crate) fn lower(text: &[u8]) -> BString {
    match text.is_ascii() {
        true => text.to_ascii_lowercase().into(),
        false => text.to_str_lossy().to_lowercase().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_words_numbers_and_rules() {
        let t = |filter: &str, expected: &[(bool, Condition)]| {
            assert_eq!(parse(filter.into(), |name| name == "duration"), expected, "{filter}");
        };
        let word = |text: &str| Condition::Word(text.into());
        let compare = |comparison, number| Condition::Compare("duration".into(), comparison, number);
        t("", &[]);
        t("  Hello  -World ", &[(false, word("hello")), (true, word("world"))]);
        t("\"Two  words\" -\"a -b\"", &[(false, word("two  words")), (true, word("a -b"))]);
        t("\"open", &[(false, word("open"))]);
        t("\"\" - -- a-b", &[(false, word("-")), (true, word("-")), (false, word("a-b"))]);
        t("ÄÖ", &[(false, word("äö"))]);
        for (sign, comparison) in Comparison::ALL {
            t(&format!("duration{sign}1.5"), &[(false, compare(comparison, 1.5))]);
        }
        t("-duration>10", &[(true, compare(Comparison::Greater, 10.0))]);
        t("rule:clipping", &[(false, Condition::Rule("clipping".into()))]);
        t(
            "other>10 duration>x \"duration>1\"",
            &[(false, word("other>10")), (false, word("duration>x")), (false, word("duration>1"))],
        );
    }
}
