//! Advice where a value is of another type than the one that was wanted.
//!
//! Nothing here runs before an error is made.

use kaldi_io::ParseError;

/// What is said by readers that see no more of a value than its first number or word.
const GENERAL: [&str; 5] = [
    ": this looks like integers; copy-int-vector reads them",
    ": this is no matrix; copy-int-vector reads integers",
    ": this is no vector; copy-int-vector reads integers",
    ": brackets make a vector, a matrix or a posterior",
    ": this is a wave file",
];

/// Text after this is no sign of another type.
const BEGIN: usize = 64;

const WORDS: &str = "these are words; table-head prints them";

/// The same fault of a value that starts like this, with advice where the value is whole and of another type: which one, and the
/// tool that reads it.
#[must_use]
pub fn with_type_advice(error: ParseError, value: &[u8]) -> ParseError {
    // What parsers say of bytes that they did not expect.
    if error.at_end || !error.message.starts_with("expected ") {
        return error;
    }
    let Some(advice) = advice(value, error.offset) else { return error };
    if let Some(start) = GENERAL.iter().find_map(|general| error.message.strip_suffix(general)) {
        return ParseError { message: format!("{start}: {advice}").into(), ..error };
    }
    // Who has advice of its own knows better.
    let has_advice = ["this is", "this may", "copy-", "?", "brackets"].iter().any(|sign| error.message.contains(sign));
    if has_advice { error } else { error.with_advice(Some(advice.to_owned())) }
}

/// Says what a binary value is that starts with `token`, and which program reads it, for messages of readers that expect
/// something else; `None` if that cannot be known.
pub fn token_advice(token: &[u8]) -> Option<&'static str> {
    Some(match token {
        b"FV" | b"DV" => "this is a vector; copy-vector reads it",
        b"FM" | b"DM" => "this is a matrix; copy-matrix reads it",
        b"CM" | b"CM2" | b"CM3" => "this is a compressed matrix; copy-feats reads it",
        b"SM" => "this is a sparse matrix",
        [4, ..] => "this looks like integers; copy-int-vector reads them",
        _ => return None,
    })
}

/// The type of a value that starts like this and could not be read from `offset` on, with the tool that reads it.
fn advice(value: &[u8], offset: usize) -> Option<&'static str> {
    if let Some(binary) = value.strip_prefix(b"\0B") {
        let length = binary.iter().position(|&byte| byte == b' ').filter(|&length| length <= 3);
        if let Some(length) = length
            && binary[0].is_ascii_uppercase()
        {
            return token_advice(&binary[..length]).filter(|_| offset <= 2 + length);
        }
        return integers_advice(binary);
    }
    if value.starts_with(b"RIFF") || value.starts_with(b"fLaC") {
        return Some("this is a wave file; wav-copy reads it");
    }
    if offset >= BEGIN { None } else { text_advice(value) }
}

/// The type of text.
fn text_advice(value: &[u8]) -> Option<&'static str> {
    let end = value.iter().position(|&byte| byte == b'\n')?;
    let words = std::str::from_utf8(&value[..end]).ok()?.split_ascii_whitespace();
    let words: Vec<&str> = words.collect();
    let are = |is: fn(&str) -> bool| words.iter().all(|word| is(word));
    let is_integer = |word: &str| word.parse::<i32>().is_ok();
    let is_number = |word: &str| word.parse::<f64>().is_ok();
    match words.as_slice() {
        [] => None,
        ["["] => Some("this is a matrix; copy-matrix reads it"),
        ["[", numbers @ .., "]"] if numbers.iter().all(|word| is_number(word)) => {
            Some("this is a vector; copy-vector reads it")
        }
        ["[", numbers @ ..] if numbers.iter().all(|word| is_number(word)) => {
            Some("this is a matrix; copy-matrix reads it")
        }
        ["[", ..] if are(|word| matches!(word, "[" | "]") || word.parse::<f64>().is_ok()) => {
            Some("this is a posterior; copy-post reads it")
        }
        [first, ..] if first.starts_with("rows=") => Some("this is a sparse matrix; table-head prints it"),
        [.., ";"] if are(|word| word == ";" || word.parse::<i32>().is_ok()) => {
            Some("these are vectors of integers; copy-gselect reads them")
        }
        _ if are(|word| word == ";" || word.parse::<f64>().is_ok()) && words.contains(&";") => {
            Some("these are pairs of numbers; table-head prints them")
        }
        _ if are(is_integer) => Some("this is an integer vector; copy-int-vector reads it"),
        [_] if are(is_number) => Some("this is a number; table-head prints it"),
        _ if are(is_number) => None,
        _ if words.iter().any(|word| matches!(*word, "[" | "]")) => None,
        _ if value[..end].iter().all(|byte| !byte.is_ascii_control()) => Some(WORDS),
        _ => None,
    }
}

/// The type of numbers that are each after its width, by the place where the value would end: after it there is nothing, or
/// the next key.
fn integers_advice(binary: &[u8]) -> Option<&'static str> {
    let ends = |rest: Option<&[u8]>| rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_graphic));
    let (count, behind) = unit(binary)?;
    if ends(skip(behind, count)) {
        return Some("this is an integer vector; copy-int-vector reads it");
    }
    if ends(lists(behind, count, 1)) {
        return Some("these are vectors of integers; copy-gselect reads them");
    }
    if ends(lists(behind, count, 2)) {
        return Some("this is a posterior; copy-post reads it");
    }
    if ends(skip(behind, count.checked_mul(2)?)) {
        return Some("these are pairs of numbers; table-head prints them");
    }
    ends(Some(behind)).then_some("this is a number; table-head prints it")
}

/// A number of four bytes after its width, and what follows.
fn unit(bytes: &[u8]) -> Option<(i32, &[u8])> {
    match bytes {
        [4, a, b, c, d, rest @ ..] => Some((i32::from_le_bytes([*a, *b, *c, *d]), rest)),
        _ => None,
    }
}

/// What follows this many numbers.
fn skip(mut bytes: &[u8], count: i32) -> Option<&[u8]> {
    for _ in 0..u32::try_from(count).ok()? {
        bytes = unit(bytes)?.1;
    }
    Some(bytes)
}

/// What follows this many lists, each a count and `width` numbers for each item.
fn lists(mut bytes: &[u8], count: i32, width: i32) -> Option<&[u8]> {
    for _ in 0..u32::try_from(count).ok()? {
        let (length, rest) = unit(bytes)?;
        bytes = skip(rest, length.checked_mul(width)?)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(value: &[u8], offset: usize) -> String {
        with_type_advice(ParseError::new(offset, "expected x"), value).message.into_owned()
    }

    fn units(numbers: &[i32]) -> Vec<u8> {
        let unit = |number: &i32| [&[4], number.to_le_bytes().as_slice()].concat();
        [b"\0B".to_vec(), numbers.iter().flat_map(unit).collect()].concat()
    }

    #[test]
    fn text_is_told_by_its_first_line() {
        for (text, expected) in [
            (" [\n  1 2 ]\n", "this is a matrix; copy-matrix reads it"),
            ("[ 1 2\n 3 4 ]\n", "this is a matrix; copy-matrix reads it"),
            (" [ 1 2.5 ]\n", "this is a vector; copy-vector reads it"),
            ("[ 1 0.5 ] [ 2 1 ]\n", "this is a posterior; copy-post reads it"),
            ("rows=1 dim=5 [ 3 0.5 ]\n", "this is a sparse matrix; table-head prints it"),
            ("1 2 ; 3 ;\n", "these are vectors of integers; copy-gselect reads them"),
            ("1 2 ; 3 0.5\n", "these are pairs of numbers; table-head prints them"),
            ("1 2 3\n", "this is an integer vector; copy-int-vector reads it"),
            ("0.5\n", "this is a number; table-head prints it"),
            ("hello world\n", "these are words; table-head prints them"),
            ("RIFF\x24", "this is a wave file; wav-copy reads it"),
        ] {
            assert_eq!(said(text.as_bytes(), 0), format!("expected x: {expected}"), "{text:?}");
        }
        for text in ["", "\n", "1 2.5\n", "[ 1 x ]\n", "hello", "1 2 7  [ 0.5 1 ]\n", "a\x01\n"] {
            assert_eq!(said(text.as_bytes(), 0), "expected x", "{text:?}");
        }
        assert_eq!(said(b"[ 1 2 ]\n", 64), "expected x");
    }

    #[test]
    fn binary_is_told_by_its_token_or_its_end() {
        assert_eq!(said(b"\0BDV \x04", 2), "expected x: this is a vector; copy-vector reads it");
        assert_eq!(said(b"\0BFM \x05", 4), "expected x: this is a matrix; copy-matrix reads it");
        assert_eq!(said(b"\0BFM \x05", 5), "expected x");
        for (numbers, expected) in [
            (&[3, 7, 8, 9][..], "this is an integer vector; copy-int-vector reads it"),
            (&[2, 2, 7, 8, 1, 9], "these are vectors of integers; copy-gselect reads them"),
            (&[2, 1, 7, 8, 0], "this is a posterior; copy-post reads it"),
            (&[2, 7, 8, 9, 9], "these are pairs of numbers; table-head prints them"),
            (&[1_056_964_608], "this is a number; table-head prints it"),
        ] {
            for next in [&b""[..], b"key \0B"] {
                assert_eq!(
                    said(&[&units(numbers), next].concat(), 2),
                    format!("expected x: {expected}"),
                    "{numbers:?}"
                );
            }
        }
        assert_eq!(said(&units(&[5, 1]), 2), "expected x");
    }

    #[test]
    fn advice_that_is_there_stays_unless_it_was_general() {
        let error =
            |message: &'static str| with_type_advice(ParseError::new(0, message), b"1 2\n").message.into_owned();
        assert_eq!(error("expected a matrix, this is none"), "expected a matrix, this is none");
        assert_eq!(error("range out of bounds"), "range out of bounds");
        let general = "expected x: this looks like integers; copy-int-vector reads them";
        assert_eq!(error(general), "expected x: this is an integer vector; copy-int-vector reads it");
        assert_eq!(with_type_advice(ParseError::end(0, "x"), b"1 2\n"), ParseError::end(0, "x"));
    }
}
