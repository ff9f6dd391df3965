//! Text that is safe inside of a page.

use std::fmt::Write as _;

use base64::prelude::{BASE64_STANDARD, Engine as _};

/// Text as HTML, also inside of quoted attributes. Control characters are shown as U+FFFD.
pub(crate) fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            letter if letter.is_control() => html.push('\u{fffd}'),
            // These turn the direction of what follows.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                // Writing to a string cannot fail.
                let _ = write!(html, "&lt;U+{:04X}&gt;", u32::from(letter));
            }
            letter => html.push(letter),
        }
    }
    html
}

/// JSON inside of a `script` element: no character of it can end the element.
pub(crate) fn escape_json(json: &str) -> String {
    let mut safe = String::with_capacity(json.len());
    for letter in json.chars() {
        match letter {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", u32::from(letter));
            }
            letter => safe.push(letter),
        }
    }
    safe
}

/// Bytes as an address that contains them.
pub(crate) fn data_url(media_type: &str, bytes: &[u8]) -> String {
    format!("data:{media_type};base64,{}", BASE64_STANDARD.encode(bytes))
}

/// The source expression of a content security policy for an element with this text.
pub(crate) fn hash_source(text: &str) -> String {
    use sha2::Digest as _;
    format!("'sha256-{}'", BASE64_STANDARD.encode(sha2::Sha256::digest(text.as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_becomes_markup() {
        assert_eq!(
            escape("<b title='x\"&'>\n\u{202e}é"),
            "&lt;b title=&#39;x&quot;&amp;&#39;&gt;\u{fffd}&lt;U+202E&gt;é"
        );
        assert_eq!(escape_json("\"</script>&\u{2028}\""), "\"\\u003c/script\\u003e\\u0026\\u2028\"");
        let url = data_url("image/png", b"abc");
        assert_eq!(url, "data:image/png;base64,YWJj");
        assert_eq!(hash_source(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
    }
}
