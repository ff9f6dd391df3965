//! Tokens and vectors of tokens (Kaldi's `TokenHolder`, `TokenVectorHolder`): lines of text in either format.

use std::ops::Deref;

use bstr::{BStr, BString};
use memchr::{memchr, memchr_iter};

use crate::framing::frame_line;
use crate::{Cursor, Format, Frame, Value};
use kaldi_io::{ParseError, excerpt, is_space};

/// The line of a token is at most this long.
const LONGEST: usize = 1 << 20;

/// Returns whether `bytes` are a token according to Kaldi's `IsToken`: not empty, no white space, no control
/// characters.
///
/// Bytes above 127 are allowed, whatever the encoding, except 255.
pub fn is_token(bytes: &[u8]) -> bool {
    !bytes.is_empty() && bytes.iter().all(|&byte| is_token_byte(byte))
}

fn is_token_byte(byte: u8) -> bool {
    !matches!(byte, 0..=b' ' | 0x7f | 0xff)
}

fn check_token(bytes: &[u8]) -> Result<(), ParseError> {
    match is_token(bytes) {
        true => Ok(()),
        false => Err(ParseError::new(0, format!("expected a token, got \"{}\"", excerpt(bytes)))),
    }
}

/// A word without white space, one a line.
///
/// A line that is read must end with a newline; white space before the word, newlines included, is skipped.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Token(BString);

impl Token {
    /// Takes a token.
    ///
    /// # Errors
    /// If it is not a token (see [`is_token`]). Reading is less strict: it accepts any word without white space.
    pub fn new(token: impl Into<BString>) -> Result<Self, ParseError> {
        let token = token.into();
        check_token(&token)?;
        Ok(Self(token))
    }

    /// Converts into the bytes.
    pub fn into_inner(self) -> BString {
        self.0
    }
}

impl Deref for Token {
    type Target = BStr;

    fn deref(&self) -> &BStr {
        self.0.as_ref()
    }
}

impl AsRef<[u8]> for Token {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Value for Token {
    const NAME: &'static str = "token";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        let start = window.iter().position(|&byte| !is_space(byte));
        if let Some(start) = start
            && memchr(b'\n', &window[start..]).unwrap_or(window.len() - start) > LONGEST
        {
            return Err(ParseError::new(start, "expected a token, got a line of more than 1 MB"));
        }
        match start.and_then(|start| Some(start + memchr(b'\n', &window[start..])?)) {
            Some(newline) => Ok(Frame::Whole(newline + 1)),
            None if !at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
            None if start.is_none() => Err(ParseError::end(window.len(), "a token")),
            None => Err(ParseError::end(window.len(), "a newline")),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        let word = cursor.read_word()?;
        cursor.read_line_end()?;
        if cursor.offset() - start > LONGEST + 1 {
            return Err(ParseError::new(start, "expected a token, got a line of more than 1 MB"));
        }
        Ok(Self(word.into()))
    }

    fn write(&self, out: &mut Vec<u8>, _format: Format) {
        out.extend_from_slice(&self.0);
        out.push(b'\n');
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        matches!(bytes, [word @ .., b'\n'] if is_token(word))
    }
}

/// Words without white space, all on one line, which may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tokens {
    /// The line in the form in which it is written: each token with a space after it.
    line: Vec<u8>,
}

impl Tokens {
    /// Takes tokens.
    ///
    /// # Errors
    /// If one is not a token (see [`is_token`]). Reading is less strict: it accepts any words without white space.
    pub fn new<W: AsRef<[u8]>>(tokens: impl IntoIterator<Item = W>) -> Result<Self, ParseError> {
        let mut line = Vec::new();
        for token in tokens {
            check_token(token.as_ref())?;
            line.extend_from_slice(token.as_ref());
            line.push(b' ');
        }
        Ok(Self { line })
    }

    /// The tokens in order.
    pub fn iter(&self) -> impl Iterator<Item = &BStr> {
        let mut begin = 0;
        memchr_iter(b' ', &self.line).map(move |end| self.line[std::mem::replace(&mut begin, end + 1)..end].into())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        memchr_iter(b' ', &self.line).count()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.line.is_empty()
    }

    /// Whether all of them are tokens (see [`is_token`]), which reading does not require.
    pub fn are_tokens(&self) -> bool {
        !self.line.iter().fold(false, |found, &byte| found | !(is_token_byte(byte) | (byte == b' ')))
    }
}

impl Value for Tokens {
    const NAME: &'static str = "token vector";
    const SHARD_FIELD: Option<&'static str> = Some("txt");

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_line(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let text = cursor.read_line()?;
        let mut line = Vec::with_capacity(text.len() + 1);
        if has_single_spaces(text) {
            line.extend_from_slice(text.strip_suffix(b" ").unwrap_or(text));
            line.push(b' ');
            return Ok(Self { line });
        }
        for word in text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()) {
            line.extend_from_slice(word);
            line.push(b' ');
        }
        Ok(Self { line })
    }

    fn write(&self, out: &mut Vec<u8>, _format: Format) {
        out.extend_from_slice(&self.line);
        out.push(b'\n');
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        matches!(bytes, [line @ .., b'\n'] if line.split_inclusive(|&byte| byte == b' ')
            .all(|word| matches!(word, [token @ .., b' '] if is_token(token))))
    }
}

/// Keys of a table on one line, such as the utterances of a speaker: [`Tokens`] whose words may be keys, which reading requires.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys(Tokens);

impl Deref for Keys {
    type Target = Tokens;

    fn deref(&self) -> &Tokens {
        &self.0
    }
}

impl Value for Keys {
    const NAME: &'static str = Tokens::NAME;

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        Tokens::frame(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.offset();
        let words = Tokens::read(cursor)?;
        if let Some(word) = words.iter().find(|word| !is_token(word)) {
            return Err(ParseError::new(start, format!("expected keys, got \"{}\"", excerpt(word))));
        }
        Ok(Self(words))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        self.0.write(out, format);
    }
}

/// Whether a line starts with a word and has only one space after each word, which the last one may lack. (The loop has
/// no early end, so that bytes are compared in parallel.)
fn has_single_spaces(line: &[u8]) -> bool {
    let other_space = line.iter().fold(false, |found, &byte| found | (byte < b' '));
    let two_spaces =
        line.iter().zip(&line[line.len().min(1)..]).fold(false, |found, (&a, &b)| found | ((a == b' ') & (b == b' ')));
    !other_space && !two_spaces && line.first().is_some_and(|&byte| byte != b' ')
}

#[cfg(test)]
mod tests {
    use crate::testing::{SeededRandom, keeps_the_contract, reads, reads_before, refuses};

    use super::*;

    fn word(random: &mut SeededRandom) -> BString {
        (0..=random.below(5)).map(|_| b"ab<>\xc3\xa4"[random.below(6)]).collect::<Vec<u8>>().into()
    }

    fn tokens(words: &[&str]) -> Tokens {
        Tokens::new(words).unwrap()
    }

    #[test]
    fn tokens_keep_the_contract() {
        keeps_the_contract(|random| Token::new(word(random)).unwrap());
        keeps_the_contract(|random| Tokens::new(random.many(5, word)).unwrap());
    }

    #[test]
    fn tokens_are_text_in_either_format() {
        let token = Token::new("word").unwrap();
        let words = tokens(&["a", "b"]);
        for format in [Format::Binary, Format::Text] {
            assert_eq!(token.to_bytes(format), b"word\n");
            assert_eq!(words.to_bytes(format), b"a b \n");
        }
        assert!(!Token::is_canonical_binary(b"a b\n"));
        assert!(!Tokens::is_canonical_binary(b"a b\n"));
        assert!(!Tokens::is_canonical_binary(b"a  b \n"));
        assert!(!Tokens::is_canonical_binary(b"a \n b \n"));
    }

    #[test]
    fn a_token_may_stand_on_a_later_line() {
        reads_before(b" \n word \r\n", b"b x\n", Token::new("word").unwrap());
        refuses::<Token>(b"word", 4, "expected a newline, got the end of the input");
        refuses::<Token>(b"word word\n", 5, "expected a newline, got \"word\"");
        refuses::<Token>(b"\n ", 2, "expected a word, got the end of the input");
    }

    #[test]
    fn a_token_vector_is_a_line() {
        reads_before(b"\n", b"a\n", tokens(&[]));
        reads_before(b"\ta\x0bb \r\n", b"a\n", tokens(&["a", "b"]));
        reads(b"a", tokens(&["a"]));
        refuses::<Tokens>(b"", 0, "expected a line, got the end of the input");
    }

    #[test]
    fn white_space_between_tokens_is_made_one_space() {
        for line in ["a bc d", "a bc d ", " a bc d", "a  bc d", "a\tbc d", "a bc d\r", "a bc d  ", "\u{c}a bc d"] {
            reads(line.as_bytes(), tokens(&["a", "bc", "d"]));
            reads_before(format!("{line}\n").as_bytes(), b"b x\n", tokens(&["a", "bc", "d"]));
        }
        assert_eq!(tokens(&["a", "bc", "d"]).iter().collect::<Vec<_>>(), ["a", "bc", "d"]);
        assert_eq!((tokens(&["a", "bc", "d"]).len(), tokens(&["a"]).is_empty()), (3, false));
        assert_eq!((tokens(&[]).len(), tokens(&[]).is_empty(), tokens(&[]).iter().count()), (0, true, 0));
        reads(b" \n", tokens(&[]));
    }

    #[test]
    fn keys_are_words_of_printable_characters() {
        reads_before(b"a  \xc3\xa4\n", b"b x\n", Keys(tokens(&["a", "\u{e4}"])));
        refuses::<Keys>(b"a b\0c d\n", 0, "expected keys, got \"b\\x00c\"");
    }

    #[test]
    fn words_that_are_no_tokens_are_found() {
        let read = |line: &[u8]| Tokens::read(&mut Cursor::new(line)).unwrap();
        assert!(read(b"a \xc3\xa4 b\n").are_tokens());
        assert!(read(b"\n").are_tokens());
        for line in [b"a \x01 b\n", b"a b \x7f\n", b"a b\xff \n", b"a\0b c\n"] {
            assert!(!read(line).are_tokens(), "{line:?}");
        }
    }

    #[test]
    fn what_is_no_token_is_refused_but_when_read() {
        for bytes in ["", " ", "a b", "a\n", "\u{1}", "\u{7f}"] {
            assert!(Token::new(bytes).is_err(), "{bytes:?}");
            assert!(Tokens::new([bytes]).is_err(), "{bytes:?}");
        }
        assert!(!is_token(b"a\xff"));
        assert!(is_token(b"\xe9t\xe9"));
        let mut cursor = Cursor::new(b"\x01\n");
        assert_eq!(Token::read(&mut cursor).unwrap().into_inner(), "\u{1}");
    }
}
