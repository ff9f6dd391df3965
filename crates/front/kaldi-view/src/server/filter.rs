//! What is searched for: words and conditions that an utterance has to fulfil, all of them.
//!
//! ```text
//! hello                in the key, the speaker or the text; small and capital letters are the same
//! "two words"          side by side
//! -hello  -"two words" not there
//! duration>10          a number of a column; also < = >= <=
//! rule:clipping        a finding of this rule; rule: is a finding of any
//! ```
//!
//! A condition that names what there is not is an error; in quotes it is text.

use bstr::{BStr, BString, ByteSlice};
use corpus_quality::Rule;
use kaldi_io::closest_names;

use crate::server::columns::{Column, ColumnType, FINDINGS};
use crate::server::failure::Misnamed;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// Text in small letters.
    Word(BString),
    /// The name of a column, what its number is to be, and the number.
    Compare(String, Comparison, f32),
    Rule(Rule),
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

/// Conditions of a filter, at most: each is looked for in all lists.
const MOST: usize = 100;

/// Reads the conditions, and whether each is not to hold. `columns` are those that may be named.
///
/// # Errors
/// If a column, a rule or a number is none, or there are too many conditions.
pub(crate) fn parse(filter: &BStr, columns: &[Column]) -> Result<Vec<(bool, Condition)>, Misnamed> {
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
        let special = if is_quoted { None } else { special(word, columns)? };
        let condition = special.unwrap_or_else(|| Condition::Word(lower(word.trim_ascii())));
        let found = (is_not, condition);
        if found.1 == Condition::Word(BString::default()) || conditions.contains(&found) {
            continue;
        }
        if conditions.len() == MOST {
            let message = format!("expected at most {MOST} words and conditions, got more");
            return Err(Misnamed { message, column: None, like: Vec::new() });
        }
        conditions.push(found);
    }
    Ok(conditions)
}

/// A condition that is more than a word: it starts with `rule:`, or with a name and a sign.
fn special(word: &[u8], columns: &[Column]) -> Result<Option<Condition>, Misnamed> {
    let Ok(word) = word.to_str() else { return Ok(None) };
    if word == "rule:" {
        return Ok(Some(Condition::Compare(FINDINGS.to_owned(), Comparison::Greater, 0.0)));
    }
    if let Some(name) = word.strip_prefix("rule:") {
        let rule = Rule::ALL.into_iter().find(|rule| rule.name() == name);
        return match rule {
            Some(rule) => Ok(Some(Condition::Rule(rule))),
            None => Err(Misnamed {
                message: format!("no rule {name}"),
                column: None,
                like: closest_names(name, Rule::ALL.into_iter().map(Rule::name)),
            }),
        };
    }
    let Some(end) = word.find(['<', '=', '>']).filter(|&end| is_name(&word[..end])) else { return Ok(None) };
    let (name, signed) = word.split_at(end);
    let Some((sign, comparison)) = Comparison::ALL.into_iter().find(|(sign, _)| signed.starts_with(sign)) else {
        return Ok(None);
    };
    match columns.iter().find(|column| column.name == name).map(|column| column.kind) {
        None => return Err(no_column(name, columns)),
        Some(ColumnType::Text) => {
            return Err(Misnamed {
                message: format!("{name} is no number: search for a word of it"),
                column: Some(name.to_owned()),
                like: Vec::new(),
            });
        }
        Some(ColumnType::Number | ColumnType::Rules) => {}
    }
    let number = &signed[sign.len()..];
    match number.parse().ok().filter(|number: &f32| number.is_finite()) {
        Some(number) => Ok(Some(Condition::Compare(name.to_owned(), comparison, number))),
        None => Err(Misnamed {
            message: match number {
                "" => format!("expected a number after {name}{sign}"),
                _ => format!("expected a number after {name}{sign}, got {number}"),
            },
            column: Some(name.to_owned()),
            like: Vec::new(),
        }),
    }
}

/// Whether a word may be meant as the name of a column.
fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Says that there is no such column.
pub(crate) fn no_column(name: &str, columns: &[Column]) -> Misnamed {
    Misnamed {
        message: format!("no column {name}"),
        column: Some(name.to_owned()),
        like: closest_names(name, columns.iter().map(|column| column.name)),
    }
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

    const COLUMNS: [Column; 4] = [
        Column { name: "key", kind: ColumnType::Text },
        Column { name: "speaker", kind: ColumnType::Text },
        Column { name: "duration", kind: ColumnType::Number },
        Column { name: "findings", kind: ColumnType::Rules },
    ];

    #[test]
    fn conditions_are_words_numbers_and_rules() {
        let t = |filter: &str, expected: &[(bool, Condition)]| {
            assert_eq!(parse(filter.into(), &COLUMNS).unwrap(), expected, "{filter}");
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
        t("findings>=2", &[(false, Condition::Compare("findings".into(), Comparison::GreaterOrEqual, 2.0))]);
        t("-rule:clipping", &[(true, Condition::Rule(Rule::Clipping))]);
        t("rule:", &[(false, Condition::Compare("findings".into(), Comparison::Greater, 0.0))]);
        // What is no name, and what is in quotes, is text.
        for text in ["<i>x", "a-b=c", "1>0", "=", "ä>1", "rules:x"] {
            t(text, &[(false, word(&text.to_lowercase()))]);
            t(&format!("\"{text}\""), &[(false, word(&text.to_lowercase()))]);
        }
        t("\"duration>1\" \"rule:x\"", &[(false, word("duration>1")), (false, word("rule:x"))]);
    }

    #[test]
    fn names_that_there_are_not_are_errors_with_the_nearest() {
        let t = |filter: &str, message: &str, column: Option<&str>, like: &[&str]| {
            let error = parse(filter.into(), &COLUMNS).unwrap_err();
            assert_eq!(
                (error.message.as_str(), error.column.as_deref(), &error.like[..1.min(error.like.len())]),
                (message, column, like),
                "{filter}"
            );
        };
        t("durations>3", "no column durations", Some("durations"), &["duration"]);
        t("words -Duraton<=3", "no column Duraton", Some("Duraton"), &["duration"]);
        t("xyz=3", "no column xyz", Some("xyz"), &[]);
        t("rule:cliping", "no rule cliping", None, &["clipping"]);
        t("duration>", "expected a number after duration>", Some("duration"), &[]);
        t("duration<=ten", "expected a number after duration<=, got ten", Some("duration"), &[]);
        for number in ["nan", "inf", "1,5", "1e99", "==1"] {
            assert!(parse(format!("duration>{number}").as_str().into(), &COLUMNS).is_err(), "{number}");
        }
        t("speaker=anna", "speaker is no number: search for a word of it", Some("speaker"), &[]);
    }

    #[test]
    fn conditions_are_not_too_many() {
        let words = |count: usize| (0..count).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(parse(words(MOST).as_str().into(), &COLUMNS).unwrap().len(), MOST);
        let error = parse(words(7000).as_str().into(), &COLUMNS).unwrap_err();
        assert_eq!(error.message, "expected at most 100 words and conditions, got more");
        // The same word again is no other condition.
        assert_eq!(parse("a b a -a ".repeat(5000).as_str().into(), &COLUMNS).unwrap().len(), 3);
    }
}
