//! Byte pairs with ranks, as in the files of tiktoken that Whisper has.

use std::collections::HashMap;

use regex::Regex;

use crate::{Error, Result};

/// What text is cut into before pairs are joined, in the order of preference. The last white space before a word belongs to the word; that
/// is not in the pattern, but in [`RankTokenizer::pieces`].
const PATTERN: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+";

/// Text as the numbers of byte sequences, and back: the tokenizer of GPT-2 and Whisper, with the ranks of a file.
///
/// ```
/// let ranks = "YQ== 0\nYg== 1\nIA== 2\nYWI= 3\n";
/// let tokenizer = kaldi_feed::RankTokenizer::parse("ranks", ranks.as_bytes())?;
/// assert_eq!(tokenizer.ids("ab ba")?, [3, 2, 1, 0]);
/// assert_eq!(tokenizer.text(&[3, 2, 1, 0]), Ok("ab ba".into()));
/// # Ok::<(), kaldi_feed::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct RankTokenizer {
    pattern: Regex,
    ranks: HashMap<Vec<u8>, i32>,
    bytes: HashMap<i32, Vec<u8>>,
}

impl RankTokenizer {
    /// Reads lines of a byte sequence in base64, and its rank. `name` is what messages call the file.
    ///
    /// # Errors
    /// If a line is something else, or a sequence or rank comes twice.
    pub fn parse(name: &str, lines: &[u8]) -> Result<Self> {
        let pattern = Regex::new(PATTERN).map_err(|error| Error::Encode { reason: error.to_string() })?;
        let (mut ranks, mut bytes) = (HashMap::new(), HashMap::new());
        for (line, number) in lines.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let mut words = line.split(u8::is_ascii_whitespace);
            let sequence = words.next().and_then(decode_base64).filter(|sequence| !sequence.is_empty());
            let rank = words.next().and_then(|word| std::str::from_utf8(word).ok()?.parse::<i32>().ok());
            let (Some(sequence), Some(rank), None) = (sequence, rank.filter(|rank| *rank >= 0), words.next()) else {
                let message =
                    format!("expected bytes in base64 and a rank, got {}", kaldi_corpus::shard::excerpt(line));
                return Err(Error::Conf { place: format!("{name}:{number}"), message });
            };
            if ranks.insert(sequence.clone(), rank).is_some() || bytes.insert(rank, sequence).is_some() {
                let message = format!("expected each sequence and each rank once, got {rank} again");
                return Err(Error::Conf { place: format!("{name}:{number}"), message });
            }
        }
        if ranks.is_empty() {
            return Err(Error::Conf { place: name.to_owned(), message: "expected ranks, got none".to_owned() });
        }
        Ok(Self { pattern, ranks, bytes })
    }

    /// The numbers of a text.
    ///
    /// # Errors
    /// If the text has a byte that has no rank.
    pub fn ids(&self, text: &str) -> Result<Vec<i32>> {
        let mut ids = Vec::new();
        for piece in self.pieces(text) {
            self.encode(piece.as_bytes(), &mut ids)?;
        }
        Ok(ids)
    }

    /// The text of numbers. Bytes that are no UTF-8 become U+FFFD.
    ///
    /// # Errors
    /// The first number that no sequence has.
    pub fn text(&self, ids: &[i32]) -> std::result::Result<String, i32> {
        let mut text = Vec::new();
        for id in ids {
            text.extend_from_slice(self.bytes.get(id).ok_or(*id)?);
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// Cuts a text into words with the blank before them, numbers, punctuation, and white space.
    fn pieces<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let (mut pieces, mut at) = (Vec::new(), 0);
        while let Some(found) = self.pattern.find_at(text, at) {
            let mut end = found.end();
            // Of several white space characters before something else, the last one is left for it.
            let last = found.as_str().chars().next_back().filter(|c| c.is_whitespace());
            if let Some(last) = last.filter(|_| found.as_str().trim().is_empty() && end < text.len())
                && found.len() > last.len_utf8()
            {
                end -= last.len_utf8();
            }
            pieces.push(&text[found.start()..end]);
            at = end;
        }
        pieces
    }

    /// Joins the pair of the lowest rank, the first of equal ones, until no pair has a rank.
    fn encode(&self, piece: &[u8], ids: &mut Vec<i32>) -> Result<()> {
        if let Some(rank) = self.ranks.get(piece) {
            ids.push(*rank);
            return Ok(());
        }
        let mut bounds: Vec<usize> = (0..=piece.len()).collect();
        loop {
            let pairs = bounds.windows(3).enumerate();
            let ranked = pairs.filter_map(|(at, pair)| Some((*self.ranks.get(&piece[pair[0]..pair[2]])?, at)));
            match ranked.min() {
                Some((_, at)) => drop(bounds.remove(at + 1)),
                None => break,
            }
        }
        for pair in bounds.windows(2) {
            let bytes = &piece[pair[0]..pair[1]];
            let reason = || format!("the ranks have no byte \"{}\"", bytes.escape_ascii());
            ids.push(*self.ranks.get(bytes).ok_or_else(|| Error::Encode { reason: reason() })?);
        }
        Ok(())
    }
}

/// The bytes of base64 with padding. `None` if it is something else.
fn decode_base64(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for &byte in digits {
        bits = bits << 6 | u32::from(digit(byte)?);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
            bits &= (1 << count) - 1;
        }
    }
    (bits == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte, and some pairs.
    fn tokenizer() -> RankTokenizer {
        let encode = |bytes: &[u8]| {
            const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
            let mut text = String::new();
            for chunk in bytes.chunks(3) {
                let bits =
                    chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
                for at in 0..4 {
                    let digit = DIGITS[(bits >> (18 - 6 * at) & 63) as usize];
                    text.push(if at <= chunk.len() { digit.into() } else { '=' });
                }
            }
            text
        };
        let pairs: [&[u8]; 6] = [b"he", b"ll", b"hell", b"hello", b" w", b"\xc3\xbc"];
        let single: Vec<[u8; 1]> = (0..=255).map(|byte| [byte]).collect();
        let all = single.iter().map(|byte| &byte[..]).chain(pairs);
        let lines: String = all.enumerate().map(|(rank, bytes)| format!("{} {rank}\n", encode(bytes))).collect();
        RankTokenizer::parse("ranks", lines.as_bytes()).unwrap()
    }

    #[test]
    fn text_is_cut_as_in_gpt_2() {
        let tokenizer = tokenizer();
        for (text, pieces) in [
            ("hello world", &["hello", " world"][..]),
            ("it's  3 o'clock...", &["it", "'s", " ", " 3", " o", "'", "clock", "..."]),
            ("  a", &[" ", " a"]),
            ("a \n b  ", &["a", " \n", " b", "  "]),
            ("x\t\ty", &["x", "\t", "\t", "y"]),
            ("\u{fc}\u{4f60}1\u{b2}!?", &["\u{fc}\u{4f60}", "1\u{b2}", "!?"]),
            ("", &[]),
        ] {
            assert_eq!(tokenizer.pieces(text), pieces, "{text:?}");
        }
    }

    #[test]
    fn pairs_of_low_ranks_are_joined_first() {
        let tokenizer = tokenizer();
        assert_eq!(tokenizer.ids("hello hell help w\u{fc}").unwrap(), {
            let byte = |byte: u8| i32::from(byte);
            [259, byte(b' '), 258, byte(b' '), 256, byte(b'l'), byte(b'p'), 260, 261]
        });
        for text in ["hello  w\u{fc}\u{4f60}\n", "", "\u{1f600} x"] {
            assert_eq!(tokenizer.text(&tokenizer.ids(text).unwrap()).as_deref(), Ok(text));
        }
        assert_eq!(tokenizer.text(&[1, 999]), Err(999));
        assert_eq!(tokenizer.text(&[0xc3]).as_deref(), Ok("\u{fffd}"));
    }

    #[test]
    fn a_file_of_something_else_is_refused() {
        for (text, place) in [
            ("YQ== 0\nYQ== 1\n", "r:2"),
            ("YQ== 0\nYg== 0\n", "r:2"),
            ("YQ= 0\n", "r:1"),
            ("YQ==\n", "r:1"),
            ("YQ== -1\n", "r:1"),
            ("YQ== 1 2\n", "r:1"),
            ("Y*== 1\n", "r:1"),
            ("YR== 1\n", "r:1"),
            (" 1\n", "r:1"),
            ("\n", "r"),
        ] {
            let error = RankTokenizer::parse("r", text.as_bytes()).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{place}: expected")), "{text:?}: {error}");
        }
        let few = RankTokenizer::parse("r", b"YQ== 0\n").unwrap();
        assert!(few.ids("b").unwrap_err().to_string().contains("the ranks have no byte \"b\""));
    }
}
