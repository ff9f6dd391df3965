//! Quoting for the shell, so that names in messages and the echoed command line can be pasted back.

use std::borrow::Cow;

use bstr::{BStr, BString, ByteSlice};

use crate::characters::characters;

/// Quotes `word` for bash if necessary: in single quotes; or in double quotes if it has single quotes and nothing that
/// is special in double quotes (as Kaldi's `ParseOptions::Escape`).
pub fn shell_quote(word: &[u8]) -> BString {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"[]~#^_-+=:.,/".contains(byte);
    if !word.is_empty() && word.iter().all(plain) {
        return word.into();
    }
    let double = word.contains(&b'\'') && !word.iter().any(|byte| b"\"`$\\".contains(byte));
    let quote = if double { b'"' } else { b'\'' };
    let mut quoted = vec![quote];
    for &byte in word {
        if byte == quote {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(byte);
        }
    }
    quoted.push(quote);
    quoted.into()
}

/// Like [`shell_quote`], but always on one line: bash understands the escapes of control characters.
pub(crate) fn quote_on_one_line(word: &[u8]) -> BString {
    if !has_control(word) {
        return shell_quote(word);
    }
    let mut quoted = b"$'".to_vec();
    for character in characters(word) {
        match character.as_str() {
            "'" | "\\" => quoted.extend_from_slice(format!("\\{character}").as_bytes()),
            _ => quoted.extend_from_slice(character.as_bytes()),
        }
    }
    quoted.push(b'\'');
    quoted.into()
}

/// A key, or the name of a member, in a list or a message: unchanged if it is one word without control characters. Otherwise it is
/// quoted on one line, as bash reads it, so that it makes no other lines and columns, and no terminal takes it for a command.
///
/// ```
/// use kaldi_io::quote_name;
///
/// assert_eq!(*quote_name(b"utt1(a)"), "utt1(a)");
/// assert_eq!(*quote_name(b"a b"), "'a b'");
/// assert_eq!(*quote_name(b"a\nERROR"), "$'a\\nERROR'");
/// ```
pub fn quote_name(name: &[u8]) -> Cow<'_, BStr> {
    let is_word = !name.is_empty() && !name.contains(&b' ') && !has_control(name);
    if is_word { Cow::Borrowed(name.as_bstr()) } else { Cow::Owned(quote_on_one_line(name)) }
}

/// Whether there is a control character of ASCII or of Latin-1.
fn has_control(word: &[u8]) -> bool {
    word.utf8_chunks().any(|chunk| chunk.valid().chars().any(char::is_control))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_do_not_break_the_line() {
        let t = |word: &str, expected: &str| assert_eq!(quote_on_one_line(word.as_bytes()), expected, "{word:?}");
        t("a b", "'a b'");
        t("a\nb\\ 'c'", "$'a\\nb\\\\ \\'c\\''");
        t("\x1b[1m\u{e4}", "$'\\x1b[1m\u{e4}'");
        t("\u{9b}1m", "$'\\xc2\\x9b1m'");
    }

    #[test]
    fn words_are_quoted_only_where_the_shell_would_change_them() {
        let t = |word: &str, expected: &str| assert_eq!(shell_quote(word.as_bytes()), expected, "{word:?}");
        t("ark,t:foo/bar_1-2.ark", "ark,t:foo/bar_1-2.ark");
        t("m.ark:8[0:3,1:2]", "m.ark:8[0:3,1:2]");
        t("", "''");
        t("a b", "'a b'");
        t("cat x |", "'cat x |'");
        t("it's", "\"it's\"");
        t("it's $x", "'it'\\''s $x'");
        t("'\"", "''\\''\"'");
    }
}
