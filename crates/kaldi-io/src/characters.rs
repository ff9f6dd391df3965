//! Bytes of text: which ones are white space, and how they are shown.

/// C's `isspace` in the "C" locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// What a one-line message shows of data: at most 20 bytes; bytes that are not printable ASCII are escaped.
pub fn excerpt(word: &[u8]) -> String {
    let cut = if word.len() > 20 { &word[..17] } else { word };
    let mut text: String = cut.iter().map(|&byte| printable(byte)).collect();
    if word.len() > 20 {
        text.push_str("...");
    }
    text
}

/// A byte in a one-line message.
pub(crate) fn printable(byte: u8) -> String {
    match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => byte.escape_ascii().to_string(),
    }
}
