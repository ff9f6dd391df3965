//! Bytes of text: which ones are white space, and how they are shown.

/// C's `isspace` in the "C" locale.
#[inline]
pub const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// Characters of an excerpt.
const MOST_CHARACTERS: usize = 20;

/// What a one-line message shows of data: at most 20 characters, as [`printable`] shows them.
pub fn excerpt(word: &[u8]) -> String {
    shortened(word, MOST_CHARACTERS)
}

/// Data as [`printable`] shows it, at most `most` characters of it: a longer one ends with three dots.
pub fn shortened(data: &[u8], most: usize) -> String {
    // A character has at most 4 bytes.
    let head = &data[..data.len().min(4 * (most + 1))];
    let shown: Vec<String> = characters(head).take(most + 1).collect();
    match shown.get(..most.saturating_sub(3)) {
        Some(begin) if shown.len() > most => begin.concat() + "...",
        _ => shown.concat(),
    }
}

/// Bytes as they may stand in a one-line message: UTF-8 as it is, except for control characters, which are escaped as all
/// other bytes are.
pub fn printable(bytes: &[u8]) -> String {
    characters(bytes).collect()
}

pub(crate) fn characters(bytes: &[u8]) -> impl Iterator<Item = String> {
    let shown = |character: char| match character.is_control() {
        true => character.to_string().as_bytes().escape_ascii().to_string(),
        false => character.to_string(),
    };
    let escaped = |byte: &u8| byte.escape_ascii().to_string();
    bytes
        .utf8_chunks()
        .flat_map(move |chunk| chunk.valid().chars().map(shown).chain(chunk.invalid().iter().map(escaped)))
}

/// A line of JSON text without control characters. Strings may have some as they are; these are escaped.
pub fn printable_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character.is_control() {
            true => out.push_str(&format!("\\u{:04x}", u32::from(character))),
            false => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_shown_as_it_is_and_the_rest_escaped() {
        assert_eq!(printable("cl\u{e9} \u{4f60}\u{597d}".as_bytes()), "cl\u{e9} \u{4f60}\u{597d}");
        assert_eq!(printable(b"a\n\t\x1b[1m\0\x7f"), "a\\n\\t\\x1b[1m\\x00\\x7f");
        assert_eq!(printable("\u{85}".as_bytes()), "\\xc2\\x85");
        assert_eq!(printable(b"\xff\xc3"), "\\xff\\xc3");
        assert_eq!(printable_json("\"\\n\u{7f}\u{9b}é\""), "\"\\n\\u007f\\u009bé\"");
    }

    #[test]
    fn an_excerpt_has_at_most_20_characters() {
        assert_eq!(excerpt("\u{e4}".repeat(20).as_bytes()), "\u{e4}".repeat(20));
        assert_eq!(excerpt("\u{e4}".repeat(21).as_bytes()), "\u{e4}".repeat(17) + "...");
        assert_eq!(excerpt(&[0xff; 21]), "\\xff".repeat(17) + "...");
        assert_eq!(excerpt(b"short"), "short");
    }
}
