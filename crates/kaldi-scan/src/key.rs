//! The keys in front of values.

use kaldi_io::ParseError;
use kaldi_table::is_key;

/// What stands at the front of an archive's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Front {
    /// A key, and where its value starts.
    Key { start: usize, end: usize, value: usize },
    /// White space up to the end of all.
    Nothing,
    /// White space, or a part of a key, of which more may follow.
    More,
}

/// Finds the key at the front of `window`; `at_end` says that nothing follows the window.
///
/// A key that could not be written is taken for damage, which readers do not: behind a value of the wrong length there is
/// most often no printable word.
pub(crate) fn front(window: &[u8], at_end: bool) -> Result<Front, ParseError> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let Some(start) = window.iter().position(|byte| !blank(byte)) else {
        return Ok(if at_end { Front::Nothing } else { Front::More });
    };
    let Some(length) = window[start..].iter().position(|byte| !is_key(&[*byte])) else {
        return if at_end { Err(ParseError::end(window.len(), "a value behind the key")) } else { Ok(Front::More) };
    };
    let end = start + length;
    match window[end] {
        b' ' | b'\t' if length > 0 => Ok(Front::Key { start, end, value: end + 1 }),
        // A line end behind the key is part of the value.
        b'\n' if length > 0 => Ok(Front::Key { start, end, value: end }),
        other => {
            let wanted = if length > 0 { "a space behind the key" } else { "a key" };
            Err(ParseError::new(end, format!("expected {wanted}, got \"{}\"", other.escape_ascii())))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_ends_with_a_space_a_tab_or_the_line() {
        let key = |start, end, value| Ok(Front::Key { start, end, value });
        assert_eq!(front(b"utt1 \0B", false), key(0, 4, 5));
        assert_eq!(front(b"utt1\t\0B", false), key(0, 4, 5));
        assert_eq!(front(b" \r\nutt1\n[ ]", false), key(3, 7, 7));
        assert_eq!(front(b"\xc3\xa4 1\n", false), key(0, 2, 3));
    }

    #[test]
    fn what_may_go_on_is_no_key_yet() {
        for window in ["", " \n", "utt1", "\nutt1"] {
            assert_eq!(front(window.as_bytes(), false), Ok(Front::More));
        }
        assert_eq!(front(b" \n", true), Ok(Front::Nothing));
        let error = front(b"\nutt1", true).unwrap_err();
        assert_eq!((error.offset, &*error.message), (5, "expected a value behind the key, got the end of the input"));
    }

    #[test]
    fn what_could_not_be_written_is_no_key() {
        let refuses = |window: &[u8], offset: usize, message: &str| {
            let error = front(window, false).unwrap_err();
            assert_eq!((error.offset, &*error.message), (offset, message));
        };
        refuses(b"\0\0\0", 0, "expected a key, got \"\\x00\"");
        refuses(b" utt\x01 1", 4, "expected a space behind the key, got \"\\x01\"");
        refuses(b"utt1\r\n1", 4, "expected a space behind the key, got \"\\r\"");
    }
}
