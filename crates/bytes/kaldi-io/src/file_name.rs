//! Names of files for keys, for tables in which every entry has its own file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write;

use bstr::ByteSlice;

/// The longest name of a file on common systems in bytes, minus the extension and a number.
const LONGEST: usize = 240;

/// Finds file names for keys: the key itself if possible.
///
/// Bytes that cannot be in a name are written as `%` and two hexadecimal digits: slashes, control characters, percent
/// signs, pipe signs (a name with one is that of no file to read), bytes that are not UTF-8, and a dot at the start. So different keys have
/// different names. A name depends only on the key: parallel jobs may write into one folder. Names that are too long are cut and get a hash
/// of the key. If a key comes again, its name gets a number.
#[derive(Debug, Default)]
pub struct FileNames {
    counts: HashMap<String, u32>,
}

impl FileNames {
    /// A name for the next file of `key`, with an extension such as `png`.
    pub fn next(&mut self, key: &[u8], extension: &str) -> String {
        let name = escaped(key);
        let count = self.counts.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => format!("{name}.{extension}"),
            // An escaped name has a digit after every percent sign.
            count => format!("{name}%_{count}.{extension}"),
        }
    }

    /// The key of a file with such a name, without its extension: `%` and two hexadecimal digits are a byte. If the
    /// name was cut or has a number, the name itself is returned.
    pub fn key_of(stem: &[u8]) -> Vec<u8> {
        let mut key = Vec::with_capacity(stem.len());
        let mut rest = stem;
        while let [first, after @ ..] = rest {
            let digits = after.get(..2).and_then(|digits| str::from_utf8(digits).ok());
            let code = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
            match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(code) if *first == b'%' => {
                    key.push(code);
                    rest = &after[2..];
                }
                _ => {
                    key.push(*first);
                    rest = after;
                }
            }
        }
        key
    }
}

/// A name in which `%7C` is instead of pipe signs. A name with a pipe sign is that of a command, and of no file to read.
pub fn without_pipe_signs(name: &[u8]) -> Cow<'_, [u8]> {
    if name.contains(&b'|') { name.replace("|", "%7C").into() } else { name.into() }
}

fn escaped(key: &[u8]) -> String {
    let mut name = String::new();
    let mut is_cut = false;
    let mut put = |name: &mut String, piece: &str| {
        is_cut |= name.len() + piece.len() > LONGEST - 2 - 16;
        if !is_cut {
            name.push_str(piece);
        }
    };
    for chunk in key.utf8_chunks() {
        for character in chunk.valid().chars() {
            let starts_hidden = name.is_empty() && character == '.';
            let mut buffer = [0; 4];
            let text = character.encode_utf8(&mut buffer);
            if matches!(character, '/' | '%' | '|') || character.is_control() || starts_hidden {
                put(&mut name, &hexadecimal(text.as_bytes()));
            } else {
                put(&mut name, text);
            }
        }
        put(&mut name, &hexadecimal(chunk.invalid()));
    }
    if is_cut {
        let _ = write!(name, "%~{:016x}", hash(key));
    }
    name
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "%{byte:02X}");
        text
    })
}

/// FNV-1a, the same on every machine.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn name(key: &[u8]) -> String {
        FileNames::default().next(key, "png")
    }

    #[test]
    fn an_ordinary_key_is_its_name() {
        assert_eq!(name(b"spk1-utt_2.sp0.9"), "spk1-utt_2.sp0.9.png");
        assert_eq!(name("Stra\u{df}e-1".as_bytes()), "Stra\u{df}e-1.png");
    }

    #[test]
    fn what_would_lead_elsewhere_is_escaped() {
        assert_eq!(name(b"../../etc/passwd"), "%2E.%2F..%2Fetc%2Fpasswd.png");
        assert_eq!(name(b"/"), "%2F.png");
        assert_eq!(name(b".."), "%2E..png");
        assert_eq!(name(b".hidden"), "%2Ehidden.png");
        assert_eq!(name(b"a\nb\x7f\x1b[31m"), "a%0Ab%7F%1B[31m.png");
        assert_eq!(name(b"100%"), "100%25.png");
        assert_eq!(name(b"a|b|"), "a%7Cb%7C.png");
        assert_eq!(name(b"\xff\xfea"), "%FF%FEa.png");
        assert_eq!(name("\u{85}".as_bytes()), "%C2%85.png");
    }

    #[test]
    fn a_name_leads_back_to_its_key() {
        for key in ["utt1", "a|b", "../../etc/passwd", "100%", "a%2Fb", "Stra\u{df}e", "%", "a%zz", "a%4"] {
            let name = name(key.as_bytes());
            assert_eq!(FileNames::key_of(&name.as_bytes()[..name.len() - 4]), key.as_bytes(), "{name}");
        }
        assert_eq!(FileNames::key_of(b"50%+5"), b"50%+5");
    }

    #[test]
    fn different_keys_have_different_names() {
        let long = |last: u8| [vec![b'x'; 300], vec![last]].concat();
        let keys: Vec<Vec<u8>> = vec![
            b"a/b".to_vec(),
            b"a%2Fb".to_vec(),
            b"a_b".to_vec(),
            b"a%_2".to_vec(),
            long(b'1'),
            long(b'2'),
            "\u{4e00}".repeat(100).into_bytes(),
            b"/".repeat(200),
            b"/".repeat(201),
        ];
        let names: HashSet<_> = keys.iter().map(|key| name(key)).collect();
        assert_eq!(names.len(), keys.len());
        assert!(names.iter().all(|name| name.len() <= 255 && !name.contains('/')));
    }

    #[test]
    fn a_key_that_comes_again_gets_a_number() {
        let mut names = FileNames::default();
        assert_eq!(
            [names.next(b"a", "png"), names.next(b"a", "png"), names.next(b"a", "png")],
            ["a.png", "a%_2.png", "a%_3.png"]
        );
        assert_eq!(names.next(b"a%_2", "png"), "a%25_2.png");
    }
}
