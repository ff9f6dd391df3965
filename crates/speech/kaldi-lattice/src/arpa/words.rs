//! The words of a model and their numbers.

use std::hash::{BuildHasher, RandomState};

use bstr::{BStr, BString, ByteSlice};
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use kaldi_value::number::parse_integer;

use crate::FstSymbols;

/// Words in their order, each with a number.
///
/// Its text has a line for each: the word and its number, parted by blanks or tabs.
#[derive(Debug, Default)]
pub struct WordList {
    words: Vec<(BString, i32)>,
    /// Places in `words`, by word.
    places: HashTable<u32>,
    hasher: RandomState,
    /// The largest number + 1.
    next: i64,
    /// Words that came again with another number or the same, which does not count.
    repeated: Vec<(u64, BString)>,
}

/// Why a list of words is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum WordListError {
    /// A line is not a word and its number.
    #[error("{line}: {message}")]
    Line { line: u64, message: String },
    /// There is no number left for a word.
    #[error("expected numbers of words up to {}, got {number} for the word {word}", i32::MAX)]
    NoNumber { number: i64, word: BString },
}

impl WordList {
    /// Parses the text of a list.
    ///
    /// # Errors
    /// If a line does not have two columns, the second one a number from 0 to 2,147,483,647, or if two words have one number.
    pub fn parse(text: &[u8]) -> Result<Self, WordListError> {
        let mut list = Self::default();
        for (line, number) in text.split(|&byte| byte == b'\n').zip(1..) {
            list.add_line(line, number).map_err(|message| WordListError::Line { line: number, message })?;
        }
        let mut by_number: Vec<&(BString, i32)> = list.words.iter().collect();
        by_number.sort_by_key(|(_, number)| *number);
        if let Some([(one, number), (other, _)]) = by_number.windows(2).find(|pair| pair[0].1 == pair[1].1) {
            let message = format!("expected a number for each word, got {number} for {one:?} and {other:?}");
            let is_it =
                |line: &[u8]| line.split(|byte| b" \t".contains(byte)).find(|word| !word.is_empty()) == Some(other);
            let line = text.split(|&byte| byte == b'\n').position(is_it).map_or(0, |index| index as u64 + 1);
            return Err(WordListError::Line { line, message });
        }
        Ok(list)
    }

    fn add_line(&mut self, line: &[u8], line_number: u64) -> Result<(), String> {
        let columns: Vec<&[u8]> = line.split(|byte| b" \t".contains(byte)).filter(|word| !word.is_empty()).collect();
        let (word, number) = match columns[..] {
            [] => return Ok(()),
            [word, number] => (word.as_bstr(), number.as_bstr()),
            _ => return Err(format!("expected a word and a number, got {} columns", columns.len())),
        };
        let parsed = parse_integer(number).ok().filter(|(_, length)| *length == number.len());
        let parsed = parsed.and_then(|(number, _)| i32::try_from(number).ok()).filter(|number| *number >= 0);
        let parsed = parsed.ok_or_else(|| format!("expected a number from 0 to {}, got {number:?}", i32::MAX))?;
        if self.insert(word, parsed) != parsed || self.words.last().is_none_or(|(last, _)| last != word) {
            self.repeated.push((line_number, word.to_owned()));
        }
        Ok(())
    }

    /// Adds a word if it is new; returns its number.
    fn insert(&mut self, word: &BStr, number: i32) -> i32 {
        let Self { words, places, hasher, .. } = self;
        let hash = hasher.hash_one(word);
        let is_it = |place: &u32| words[*place as usize].0 == word;
        match places.entry(hash, is_it, |place| hasher.hash_one(words[*place as usize].0.as_bstr())) {
            Entry::Occupied(place) => words[*place.get() as usize].1,
            Entry::Vacant(place) => {
                place.insert(words.len() as u32);
                words.push((word.to_owned(), number));
                self.next = self.next.max(i64::from(number) + 1);
                number
            }
        }
    }

    /// The number of a word; a new one gets the next number.
    ///
    /// # Errors
    /// If there is no number left.
    pub fn add(&mut self, word: &BStr) -> Result<i32, WordListError> {
        if let Some(number) = self.number(word) {
            return Ok(number);
        }
        match i32::try_from(self.next) {
            Ok(number) => Ok(self.insert(word, number)),
            Err(_) => Err(WordListError::NoNumber { number: self.next, word: word.to_owned() }),
        }
    }

    /// The number of a word, if it is in the list.
    pub fn number(&self, word: &BStr) -> Option<i32> {
        let hash = self.hasher.hash_one(word);
        let place = self.places.find(hash, |place| self.words[*place as usize].0 == word)?;
        Some(self.words[*place as usize].1)
    }

    /// The words with their numbers, in their order.
    pub fn words(&self) -> impl ExactSizeIterator<Item = (&BStr, i32)> {
        self.words.iter().map(|(word, number)| (word.as_bstr(), *number))
    }

    /// Words that the text had again, with their lines.
    pub fn repeated(&self) -> &[(u64, BString)] {
        &self.repeated
    }

    /// The list as text.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (word, number) in &self.words {
            text.extend_from_slice(word);
            text.push(b'\t');
            kaldi_value::number::write_integer(&mut text, i64::from(*number));
            text.push(b'\n');
        }
        text
    }

    /// The list as a symbol table of a file of an FST.
    pub fn to_symbols(&self, name: &[u8]) -> FstSymbols {
        FstSymbols::new(name, self.next, self.words.iter().map(|(word, number)| (word.as_slice(), i64::from(*number))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_a_word_and_a_number_in_any_order() {
        let mut list = WordList::parse(b"b\t7\n\n <eps>  0\nb 8\na +003").unwrap();
        assert_eq!(list.repeated(), [(4, BString::from("b"))]);
        assert_eq!(list.add("c".into()), Ok(8));
        assert_eq!(list.add("a".into()), Ok(3));
        assert_eq!(list.to_text(), b"b\t7\n<eps>\t0\na\t3\nc\t8\n");
    }

    #[test]
    fn lines_that_make_no_sense_are_refused_with_their_place() {
        let refused = |text: &str| WordList::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(refused("a 0\nb\n"), "2: expected a word and a number, got 1 columns");
        assert_eq!(refused("a 0\r\n"), "1: expected a number from 0 to 2147483647, got \"0\\r\"");
        assert_eq!(refused("a -1"), "1: expected a number from 0 to 2147483647, got \"-1\"");
        assert_eq!(refused("a 0\nb 2147483648"), "2: expected a number from 0 to 2147483647, got \"2147483648\"");
        assert_eq!(refused("a 7\nc 1\nb 7"), "3: expected a number for each word, got 7 for \"a\" and \"b\"");
    }

    #[test]
    fn the_last_number_can_be_used_up() {
        let mut list = WordList::parse(b"a 2147483647").unwrap();
        assert!(list.add("b".into()).unwrap_err().to_string().contains("got 2147483648 for the word b"));
    }
}
