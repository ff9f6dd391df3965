//! Text as symbols, and back.

use std::collections::HashSet;
use std::sync::Arc;

use kaldi_value::SymbolTable;
use sentencepiece_rs::SentencePieceProcessor;

use crate::case::Share;
use crate::{Case, Error, Result};

/// The symbol for a blank: U+2581.
pub const BLANK: char = '▁';

/// Cuts text into symbols, as the tokenizers of WeNet do.
///
/// White space at the ends of the text does not count. If there are non-linguistic symbols such as `[LAUGH]` or
/// `<NOISE>`, each of them is one symbol. Other text in brackets is ordinary
/// text, but all text in brackets is cut off from what is before and after it: blanks next to it do not count.
///
/// With such symbols or a SentencePiece model the text is converted to upper case, unless another [`Case`] is asked for.
///
/// ```
/// use kaldi_feed::Tokenizer;
///
/// let tokenizer = Tokenizer::characters().with_non_linguistic(["{NOISE}"]);
/// assert_eq!(tokenizer.tokens(" a b {noise} c ")?, ["A", "▁", "B", "{NOISE}", "C"]);
/// # Ok::<(), kaldi_feed::Error>(())
/// ```
#[derive(Clone)]
pub struct Tokenizer {
    cutter: Cutter,
    /// As they were given.
    non_linguistic: Option<Vec<String>>,
    /// In the case of the text.
    brackets: HashSet<String>,
    case: Option<Case>,
}

#[derive(Clone)]
enum Cutter {
    Char,
    Bpe(Arc<SentencePieceProcessor>, Arc<str>),
    Word,
}

impl Tokenizer {
    /// Cuts into characters; a blank becomes [`BLANK`].
    pub fn characters() -> Self {
        Self::new(Cutter::Char)
    }

    /// Splits the text at blanks.
    pub fn words() -> Self {
        Self::new(Cutter::Word)
    }

    /// Splits the text into pieces of a SentencePiece model (BPE, unigram, word or character), the bytes of the file
    /// `name`. Each Chinese character is a symbol.
    ///
    /// # Errors
    /// If the bytes are not such a model.
    pub fn sentencepiece(name: &str, model: &[u8]) -> Result<Self> {
        let model = SentencePieceProcessor::from_serialized_model(model)
            .map_err(|error| Error::Model { file: name.to_owned(), reason: error.to_string() })?;
        Ok(Self::new(Cutter::Bpe(model.into(), name.into())))
    }

    fn new(cutter: Cutter) -> Self {
        Self { cutter, non_linguistic: None, brackets: HashSet::new(), case: None }
    }

    /// Keeps these symbols whole: text in `[]`, `<>` or `{}`. They follow the case of the text.
    pub fn with_non_linguistic(self, symbols: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let symbols = symbols.into_iter().map(Into::into).collect();
        Self { non_linguistic: Some(symbols), ..self }.settled()
    }

    /// Converts text to this case.
    pub fn with_case(self, case: Case) -> Self {
        Self { case: Some(case), ..self }.settled()
    }

    fn settled(mut self) -> Self {
        self.brackets = self.non_linguistic().into_iter().collect();
        self
    }

    /// The case of the text.
    pub fn case(&self) -> Case {
        let is_upper = self.non_linguistic.is_some() || self.model().is_some();
        self.case.unwrap_or(if is_upper { Case::Upper } else { Case::Keep })
    }

    /// The non-linguistic symbols in the case of the text, each once.
    pub fn non_linguistic(&self) -> Vec<String> {
        let mut symbols = Vec::new();
        for symbol in self.non_linguistic.iter().flatten() {
            let symbol = self.case().of(symbol).into_owned();
            if !symbols.contains(&symbol) {
                symbols.push(symbol);
            }
        }
        symbols
    }

    /// The name of the SentencePiece model, if there is one.
    pub fn model(&self) -> Option<&str> {
        match &self.cutter {
            Cutter::Bpe(_, name) => Some(name),
            Cutter::Char | Cutter::Word => None,
        }
    }

    /// Counts the characters in symbols of the model, and those in symbols that it does not have.
    pub(crate) fn count_missing(&self, tokens: &[String], share: &mut Share) {
        let Cutter::Bpe(model, _) = &self.cutter else { return };
        for token in tokens.iter().filter(|token| !token.starts_with(is_chinese) && !self.brackets.contains(*token)) {
            let count = token.chars().count() as u64;
            share.all += count;
            share.missing += if model.piece_to_id(token) == model.unk_id() { count } else { 0 };
        }
    }

    /// The symbols of a text.
    ///
    /// # Errors
    /// If the model fails.
    pub fn tokens(&self, text: &str) -> Result<Vec<String>> {
        let text = self.case().of(stripped(text));
        let mut tokens = Vec::new();
        if self.non_linguistic.is_none() {
            self.cut(&text, &mut tokens)?;
            return Ok(tokens);
        }
        for part in bracketed_parts(&text) {
            if self.brackets.contains(part) {
                tokens.push(part.to_owned());
            } else if !stripped(part).is_empty() {
                // A model treats white space at the ends in its own way.
                self.cut(if self.model().is_some() { part } else { stripped(part) }, &mut tokens)?;
            }
        }
        Ok(tokens)
    }

    fn cut(&self, text: &str, tokens: &mut Vec<String>) -> Result<()> {
        match &self.cutter {
            Cutter::Char => tokens.extend(text.chars().map(|it| if it == ' ' { BLANK.into() } else { it.into() })),
            Cutter::Word => tokens.extend(text.split_whitespace().map(str::to_owned)),
            Cutter::Bpe(model, _) => {
                for part in chinese_parts(text) {
                    if part.starts_with(is_chinese) {
                        tokens.push(part.to_owned());
                    } else if !stripped(part).is_empty() {
                        tokens.extend(model.encode(part).map_err(|error| Error::Encode { reason: error.to_string() })?);
                    }
                }
            }
        }
        Ok(())
    }

    /// The text of symbols. [`BLANK`]s become blanks again.
    pub fn join<'a>(&self, tokens: impl IntoIterator<Item = &'a str>) -> String {
        let separator = if matches!(self.cutter, Cutter::Word) { " " } else { "" };
        let text = tokens.into_iter().collect::<Vec<_>>().join(separator);
        if matches!(self.cutter, Cutter::Word) { text } else { text.replace(BLANK, " ").trim().to_owned() }
    }
}

/// The numbers of symbols, and how many were unknown. Unknown ones get the number of `unknown`, or are left out if
/// there is none.
///
/// ```
/// use kaldi_feed::ids;
/// use kaldi_value::SymbolTable;
///
/// let symbols = SymbolTable::parse("units.txt", b"<unk> 1\nA 2\n")?;
/// assert_eq!(ids(&symbols, &["A".into(), "B".into()], "<unk>"), (vec![2, 1], 1));
/// assert_eq!(ids(&symbols, &["A".into(), "B".into()], "<none>"), (vec![2], 1));
/// # Ok::<(), kaldi_io::TextError>(())
/// ```
pub fn ids(symbols: &SymbolTable, tokens: &[String], unknown: &str) -> (Vec<i32>, usize) {
    let mut num_unknown = 0;
    let id = |token: &String| {
        symbols.integer(token).or_else(|| {
            num_unknown += 1;
            symbols.integer(unknown)
        })
    };
    let ids = tokens.iter().filter_map(id).collect();
    (ids, num_unknown)
}

/// A text without the white space at its ends, as Python's `strip` leaves it: the four separators of ASCII are white space.
fn stripped(text: &str) -> &str {
    text.trim_matches(|it: char| it.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&it))
}

/// The non-linguistic symbols in the text of the file `name`: one on each line, in brackets.
///
/// # Errors
/// If a line is something else.
pub fn parse_non_linguistic(name: &str, text: &str) -> Result<Vec<String>> {
    let mut symbols = Vec::new();
    for (line, number) in text.lines().map(stripped).zip(1..).filter(|(line, _)| !line.is_empty()) {
        if bracketed_parts(&format!("a{line}b")) != ["a", line, "b"] {
            let message = format!("expected a symbol in [], <> or {{}}, got {line:?}");
            return Err(Error::Conf { place: format!("{name}:{number}"), message });
        }
        symbols.push(line.to_owned());
    }
    Ok(symbols)
}

/// Whether a character is a unit by itself under a SentencePiece model.
fn is_chinese(character: char) -> bool {
    ('\u{4e00}'..='\u{9fff}').contains(&character)
}

/// Splits off the characters that are units by themselves.
fn chinese_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(is_chinese) {
        let length = rest[at..].chars().next().map_or(0, char::len_utf8);
        parts.extend([&rest[..at], &rest[at..at + length]]);
        rest = &rest[at + length..];
    }
    parts.push(rest);
    parts.retain(|part| !part.is_empty());
    parts
}

/// Splits off the parts in brackets of one kind, with their brackets. A part has no such bracket within.
fn bracketed_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut begin, mut at) = (0, 0);
    while let Some(open) = text[at..].find(['[', '<', '{']).map(|found| at + found) {
        let pair = match text.as_bytes()[open] {
            b'[' => ['[', ']'],
            b'<' => ['<', '>'],
            _ => ['{', '}'],
        };
        let inside = &text[open + 1..];
        match inside.find(pair) {
            Some(length) if length > 0 && inside[length..].starts_with(pair[1]) => {
                let end = open + 1 + length + 1;
                parts.extend([&text[begin..open], &text[open..end]]);
                (begin, at) = (end, end);
            }
            _ => at = open + 1,
        }
    }
    parts.push(&text[begin..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_keep_inner_blanks_and_lose_outer_ones() {
        let tokenizer = Tokenizer::characters();
        assert_eq!(tokenizer.tokens(" a  b\u{3000}").unwrap(), ["a", "▁", "▁", "b"]);
        assert_eq!(tokenizer.tokens("你好 é").unwrap(), ["你", "好", "▁", "é"]);
        assert!(tokenizer.tokens("  ").unwrap().is_empty());
        assert_eq!(tokenizer.join(["a", "▁", "b"]), "a b");
    }

    #[test]
    fn brackets_are_symbols_where_they_are_listed() {
        let tokenizer = Tokenizer::characters().with_non_linguistic(["[NOISE]", "<A B>"]);
        assert_eq!(tokenizer.tokens("x[noise]<a b>y").unwrap(), ["X", "[NOISE]", "<A B>", "Y"]);
        // Other text in brackets is ordinary text, as are brackets that do not close.
        assert_eq!(tokenizer.tokens("[no]").unwrap(), ["[", "N", "O", "]"]);
        assert_eq!(tokenizer.tokens("[[noise]").unwrap(), ["[", "[NOISE]"]);
        assert_eq!(tokenizer.tokens("[]<").unwrap(), ["[", "]", "<"]);
    }

    /// What WeNet's own tokenizer gives.
    #[test]
    fn blanks_beside_brackets_do_not_count() {
        let tokenizer = Tokenizer::characters().with_non_linguistic(["{BRK}", "[NOISE]"]);
        let joined = |text: &str| tokenizer.tokens(text).unwrap().join(" ");
        assert_eq!(joined("HELLO {brk} World"), "H E L L O {BRK} W O R L D");
        assert_eq!(joined("[noise] lower"), "[NOISE] L O W E R");
        assert_eq!(joined("a b [no] c"), "A ▁ B [ N O ] C");
        assert_eq!(joined(" {brk}  [noise] "), "{BRK} [NOISE]");
        assert_eq!(joined("a [ b {brk"), "A ▁ [ ▁ B ▁ { B R K");
        assert_eq!(joined("\u{1f}a\u{1d} {brk}\u{a0}b\u{3000}"), "A {BRK} B");
        // Without a list, brackets are ordinary text.
        assert_eq!(Tokenizer::characters().tokens("a {b} c").unwrap().join(" "), "a ▁ { b } ▁ c");
    }

    #[test]
    fn symbols_of_a_list_are_in_brackets() {
        assert_eq!(parse_non_linguistic("syms", "[noise]\n\n <A B> \r\n").unwrap(), ["[noise]", "<A B>"]);
        for text in ["NOISE", "[]", "[a]b]", "[a][b]", "{a>"] {
            let error = parse_non_linguistic("syms", &format!("{{OK}}\n{text}\n")).unwrap_err().to_string();
            assert_eq!(error, format!("syms:2: expected a symbol in [], <> or {{}}, got {text:?}"));
        }
    }

    #[test]
    fn a_blank_between_symbols_is_no_text() {
        let tokenizer = Tokenizer::words().with_non_linguistic(["<N>"]);
        assert_eq!(tokenizer.tokens("a <n> <n>  b").unwrap(), ["A", "<N>", "<N>", "B"]);
        assert_eq!(tokenizer.join(["A", "▁"]), "A ▁");
    }

    #[test]
    fn symbols_in_brackets_follow_the_case_of_the_text() {
        let tokenizer = Tokenizer::words().with_non_linguistic(["[Noise]"]);
        for (case, expected) in [
            (Case::Upper, ["STRASSE", "[NOISE]", "[NOISE]"]),
            (Case::Lower, ["stra\u{df}e", "[noise]", "[noise]"]),
            (Case::Keep, ["Stra\u{df}e", "[Noise]", "[noise]"]),
        ] {
            let tokenizer = tokenizer.clone().with_case(case);
            assert_eq!(tokenizer.tokens("Stra\u{df}e [Noise] [noise]").unwrap(), expected);
            assert_eq!(tokenizer.non_linguistic(), [case.of("[Noise]")]);
        }
        assert_eq!((tokenizer.case(), Tokenizer::words().case()), (Case::Upper, Case::Keep));
    }

    #[test]
    fn chinese_characters_stand_alone() {
        assert_eq!(chinese_parts("AB今天C"), ["AB", "今", "天", "C"]);
        assert!(chinese_parts("").is_empty());
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for bytes in [&b""[..], b"no model", &[0xff; 100]] {
            let error = Tokenizer::sentencepiece("bpe.model", bytes).err().map(|error| error.to_string());
            assert!(error.is_some_and(|error| error.starts_with("bpe.model: expected a SentencePiece model, got ")));
        }
    }
}
