//! Arcs of whole words, by a lexicon of the phones of words.

use std::collections::HashMap;
use std::rc::Rc;

use bstr::{BStr, ByteSlice};
use kaldi_hmm::TransitionModel;
use kaldi_io::{TextError, read_text_file};

use super::{Aligned, PhoneAlignment};
use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::CompactLattice;
use crate::work_list::WorkList;

/// Stands for the word 0 until arcs without a word are removed.
const NO_WORD: i32 = -2;
/// So many states are always allowed.
const STATES_ALLOWED: f64 = 1000.0;

/// A lexicon of pronunciations: lines of a word, the word that it becomes, and its phones.
#[derive(Clone, Debug, Default)]
pub struct AlignmentLexicon {
    /// A word and its phones, and the word that it becomes.
    words: HashMap<Vec<i32>, i32>,
    /// The least and the greatest number of phones of a word.
    lengths: HashMap<i32, (usize, usize)>,
    /// The words, ascending, of which these phones are the start, but not all.
    starts: HashMap<Vec<i32>, Vec<i32>>,
}

impl AlignmentLexicon {
    /// Reads the lexicon that an rxfilename names; returns it with warnings about doubled lines.
    ///
    /// # Errors
    /// Those of [`Self::parse`], and if the file cannot be read.
    pub fn read(rxfilename: &BStr) -> Result<(Self, Vec<String>), TextError> {
        let (name, text) = read_text_file(rxfilename)?;
        Self::parse(&name, &text)
    }

    /// Parses the text of the file `name`; returns the lexicon with warnings about doubled lines.
    ///
    /// # Errors
    /// If there are no lines, a line has something else than two or more integers that are not negative, a word with the
    /// same phones becomes two words, or the word 0 has no phones.
    pub fn parse(name: &str, text: &[u8]) -> Result<(Self, Vec<String>), TextError> {
        let (mut lexicon, mut warnings) = (Self::default(), Vec::new());
        for (line, number) in text.lines().zip(1..) {
            let added = parse_line(line).and_then(|entry| lexicon.add(&entry));
            let warning = added.map_err(|message| TextError::Line { name: name.to_owned(), line: number, message })?;
            warnings.extend(warning.map(|warning| format!("{name}:{number}: {warning}")));
        }
        if lexicon.words.is_empty() {
            return Err(TextError::Whole {
                name: name.to_owned(),
                message: "expected words and their phones, got an empty file".to_owned(),
            });
        }
        for words in lexicon.starts.values_mut() {
            words.sort_unstable();
            words.dedup();
        }
        Ok((lexicon, warnings))
    }

    fn add(&mut self, entry: &[i32]) -> Result<Option<String>, String> {
        let [word, becomes, phones @ ..] = entry else {
            return Err(format!("expected two words and phones, got {} numbers", entry.len()));
        };
        if *word == 0 && phones.is_empty() {
            return Err("expected phones of word 0, got none".to_owned());
        }
        for length in 1..phones.len() {
            self.starts.entry(phones[..length].to_vec()).or_default().push(*word);
        }
        let key = [&[*word], phones].concat();
        let becomes = if *becomes == 0 { NO_WORD } else { *becomes };
        let known = self.words.insert(key, becomes);
        let length = phones.len();
        let lengths = self.lengths.entry(*word).or_insert((length, length));
        *lengths = (lengths.0.min(length), lengths.1.max(length));
        match known {
            Some(known) if known != becomes => {
                Err(format!("word {word} with the same phones becomes {} and {}", known.max(0), becomes.max(0)))
            }
            Some(_) => Ok(Some(format!("the line of word {word} comes twice"))),
            None => Ok(None),
        }
    }
}

fn parse_line(line: &[u8]) -> Result<Vec<i32>, String> {
    let parse = |field: &[u8]| match kaldi_value::number::parse_integer(field) {
        Ok((number, length)) if length == field.len() => i32::try_from(number).ok().filter(|&number| number >= 0),
        _ => None,
    };
    // An empty field, between two spaces or at the end, is no number.
    let fields: Option<Vec<i32>> = line.split(|byte| b" \t\r".contains(byte)).map(parse).collect();
    fields.ok_or_else(|| format!("expected words and phones as integers, got {:?}", line.as_bstr()))
}

/// How lattices are aligned by a lexicon (Kaldi's `WordAlignLatticeLexicon`).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LexiconAlignment<'a> {
    /// The model of the transition-ids.
    pub model: &'a TransitionModel,
    /// The phones of words.
    pub lexicon: &'a AlignmentLexicon,
    /// Whether self-loops come after the transition that leaves their state.
    pub reorder: bool,
    /// The label of phones at the end that are no word.
    pub partial_word_label: i32,
    /// If above 0: at most 1000 states and so many times those of the lattice of phones.
    pub max_expand: f32,
}

impl<'a> LexiconAlignment<'a> {
    /// The usual way: self-loops last, no label for parts of words, no limit.
    pub fn new(model: &'a TransitionModel, lexicon: &'a AlignmentLexicon) -> Self {
        Self { model, lexicon, reorder: true, partial_word_label: 0, max_expand: 0.0 }
    }

    /// Moves transition-ids between arcs, so that each arc is a word of the lexicon, or one of its pronunciations of the
    /// word 0. Where the lexicon has several ways, all of them are there.
    ///
    /// # Errors
    /// If there is a cycle, a transition-id is not in the model, a word is not in the lexicon, or a phone does not end.
    pub fn align(&self, lattice: &CompactLattice) -> Result<Aligned> {
        let mut phones = PhoneAlignment::new(self.model);
        (phones.reorder, phones.remove_epsilon) = (self.reorder, false);
        let mut aligned = phones.align(lattice)?;
        if aligned.lattice.start().is_none() {
            return Ok(aligned);
        }
        super::warn_of_ambiguity(lattice, &mut aligned);
        let phones = std::mem::take(&mut aligned.lattice);
        let states = phones.num_states();
        let most = STATES_ALLOWED + f64::from(self.max_expand) * states as f64;
        let lattice = phones.with_one_end();
        let list = WorkList::starting_with((lattice.start().unwrap_or(0), Pending::default()));
        let mut matcher = Matcher { lattice, model: self.model, lexicon: self.lexicon, list, ends: Vec::new() };
        if !matcher.follow((self.max_expand > 0.0).then_some(most as usize))? {
            aligned.fault(format!(
                "Number of states in lattice exceeded max-states of {most}, original lattice had {states} states. \
                 Returning empty lattice."
            ));
            return Ok(aligned);
        }
        let partial = if self.partial_word_label == 0 { NO_WORD } else { self.partial_word_label };
        matcher.end(partial, &mut aligned);
        let mut graph = matcher.list.finish().without_epsilons()?;
        for arc in graph.arcs.iter_mut().filter(|arc| arc.input == NO_WORD) {
            (arc.input, arc.output) = (0, 0);
        }
        aligned.lattice = CompactLattice(graph);
        Ok(aligned)
    }
}

/// What has changed since the last step, so that each match is tried once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum New {
    #[default]
    Nothing,
    /// The first word, or the last phone.
    One,
    /// All starts of the phones, since some before them were taken.
    All,
}

/// The words and phones that wait on a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Pending {
    words: Vec<i32>,
    phones: Vec<i32>,
    ids: Vec<i32>,
    /// The number of transition-ids of each phone.
    lengths: Vec<u32>,
    new_word: New,
    new_phones: New,
}

impl Pending {
    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.words.is_empty()
    }

    /// The transition-ids of the first `count` phones, and what waits without them and without the word, if it was taken.
    fn take(&self, count: usize, word: i32) -> (&[i32], Self) {
        let length: u32 = self.lengths[..count].iter().sum();
        let (taken, ids) = self.ids.split_at(length as usize);
        let words = self.words[usize::from(word != 0)..].to_vec();
        let phones = self.phones[count..].to_vec();
        let new_word = if word != 0 && !words.is_empty() { New::One } else { New::Nothing };
        // After a word without phones, the same phones can be matched with what comes next.
        let phones_are_new = !phones.is_empty() && (count > 0 || word != 0);
        let new_phones = if phones_are_new { New::All } else { New::Nothing };
        let lengths = self.lengths[count..].to_vec();
        (taken, Self { words, phones, ids: ids.to_vec(), lengths, new_word, new_phones })
    }
}

struct Matcher<'a> {
    lattice: Graph,
    model: &'a TransitionModel,
    lexicon: &'a AlignmentLexicon,
    list: WorkList<(u32, Pending)>,
    /// What waits at the end, and where it does.
    ends: Vec<(Rc<(u32, Pending)>, u32)>,
}

impl Matcher<'_> {
    /// Follows all paths; returns false if there would be more than `most` states.
    fn follow(&mut self, most: Option<usize>) -> Result<bool> {
        while let Some((place, from)) = self.list.next() {
            if most.is_some_and(|most| self.list.builder.num_states() > most) {
                return Ok(false);
            }
            let (state, pending) = &*place;
            self.match_silence(*state, pending, from);
            self.match_word(*state, pending, from)?;
            if self.may_go_on(pending) {
                self.go_on(*state, pending, from)?;
            }
            if self.lattice.is_final(*state) {
                self.ends.push((place, from));
            }
        }
        Ok(true)
    }

    /// Tries what the lexicon has for the word 0.
    fn match_silence(&mut self, state: u32, pending: &Pending, from: u32) {
        let Some(&(least, most)) = self.lexicon.lengths.get(&0) else { return };
        let count = pending.phones.len();
        let counts = match pending.new_phones {
            New::All => least..=most.min(count),
            New::One if (least..=most).contains(&count) => count..=count,
            _ => return,
        };
        counts.for_each(|count| self.try_match(state, pending, from, 0, count));
    }

    fn match_word(&mut self, state: u32, pending: &Pending, from: u32) -> Result<()> {
        let Some(&word) = pending.words.first() else { return Ok(()) };
        let count = pending.phones.len();
        let counts = if pending.new_word == New::One || pending.new_phones == New::All {
            let &(least, most) = self.lexicon.lengths.get(&word).ok_or(Error::UnknownWord(word))?;
            least..=most.min(count)
        } else if pending.new_phones == New::One {
            count..=count
        } else {
            return Ok(());
        };
        counts.for_each(|count| self.try_match(state, pending, from, word, count));
        Ok(())
    }

    /// Adds an arc if the lexicon has the word with the first `count` phones.
    fn try_match(&mut self, state: u32, pending: &Pending, from: u32, word: i32, count: usize) {
        let key = [&[word], &pending.phones[..count]].concat();
        let Some(&becomes) = self.lexicon.words.get(&key) else { return };
        let (ids, rest) = pending.take(count, word);
        let next = self.list.number((state, rest));
        let string = self.list.builder.add_string(ids);
        self.list.builder.add_arc(from, Arc::word(becomes, Cost::ONE, string, next));
    }

    /// Whether more phones or words may make a match.
    fn may_go_on(&self, pending: &Pending) -> bool {
        let Some(word) = pending.words.first() else { return true };
        if pending.phones.is_empty() {
            return true;
        }
        let words = self.lexicon.starts.get(&pending.phones);
        words.is_some_and(|words| words.first() == Some(&0) || words.binary_search(word).is_ok())
    }

    fn go_on(&mut self, state: u32, pending: &Pending, from: u32) -> Result<()> {
        for index in 0..self.lattice.arcs(state).len() {
            let arc = self.lattice.arcs(state)[index];
            let mut later = pending.clone();
            (later.new_word, later.new_phones) = (New::Nothing, New::Nothing);
            if arc.input != 0 {
                later.words.push(arc.input);
                if later.words.len() == 1 {
                    later.new_word = New::One;
                }
            }
            let ids = self.lattice.string(arc.string);
            if let (Some(&first), Some(&last)) = (ids.first(), ids.last()) {
                let (first, last) = (self.model.facts(first)?.phone, self.model.facts(last)?.phone);
                if first != last {
                    return Err(Error::NotOfOnePhone { first, last });
                }
                later.phones.push(first);
                later.lengths.push(ids.len() as u32);
                later.ids.extend_from_slice(ids);
                later.new_phones = New::One;
            }
            let next = self.list.number((arc.next, later));
            self.list.builder.add_arc(from, Arc::word(0, arc.cost, Span::EMPTY, next));
        }
        Ok(())
    }

    /// Makes states final at which nothing waits at the end. If there are none, what waits is put out as it is.
    fn end(&mut self, partial: i32, aligned: &mut Aligned) {
        if self.ends.is_empty() {
            return aligned.fault("No final-probs to process.");
        }
        let mut is_whole = false;
        for (place, state) in &self.ends {
            if place.1.is_empty() {
                self.list.builder.set_final(*state, Cost::ONE, Span::EMPTY);
                is_whole = true;
            }
        }
        if is_whole {
            return;
        }
        aligned.fault("Word-aligning lattice: lattice was forced out, will have partial words at end.");
        let graph = self.list.builder.clone().finish();
        let end = self.list.builder.add_state();
        let mut is_ended = false;
        for (place, state) in std::mem::take(&mut self.ends) {
            let pending = &place.1;
            // What could be put out as words needs no force.
            if graph.arcs(state).iter().any(|arc| !arc.is_epsilon() || !arc.string.is_empty()) {
                continue;
            }
            if pending.words.len() > 1 {
                aligned
                    .findings
                    .push("Word-aligning lattice: discarding extra word at end of lattice (forced-out).".to_owned());
            }
            let word = pending.words.first().copied().unwrap_or(partial);
            let string = self.list.builder.add_string(&pending.ids);
            self.list.builder.add_arc(state, Arc::word(word, Cost::ONE, string, end));
            is_ended = true;
        }
        if is_ended {
            self.list.builder.set_final(end, Cost::ONE, Span::EMPTY);
        } else {
            aligned.findings.push(
                "Word-aligning lattice: had no final-states even after forcing out (result will be empty). This probably \
                 indicates wrong input."
                    .to_owned(),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_two_words_and_phones() {
        let (lexicon, warnings) = AlignmentLexicon::parse("l", b"0 0 1\n5 6 2 3\n5 6 2 3\n5 7 2\n").unwrap();
        assert_eq!(lexicon.words[&vec![5, 2, 3]], 6);
        assert_eq!(lexicon.words[&vec![0, 1]], NO_WORD);
        assert_eq!(lexicon.lengths[&5], (1, 2));
        assert_eq!(lexicon.starts[&vec![2]], [5]);
        assert_eq!(warnings, ["l:3: the line of word 5 comes twice"]);
    }

    #[test]
    fn what_is_no_lexicon_is_refused() {
        for (text, message) in [
            ("5 5 1\n5\n", "l:2: expected two words and phones, got 1 numbers"),
            ("5 5 x\n", "l:1: expected words and phones as integers, got \"5 5 x\""),
            ("5 5 -1\n", "l:1: expected words and phones as integers, got \"5 5 -1\""),
            ("5 5  1\n", "l:1: expected words and phones as integers, got \"5 5  1\""),
            ("5 5 1\n5 6 1\n", "l:2: word 5 with the same phones becomes 5 and 6"),
            ("0 0\n", "l:1: expected phones of word 0, got none"),
            ("", "l: expected words and their phones, got an empty file"),
        ] {
            assert_eq!(AlignmentLexicon::parse("l", text.as_bytes()).unwrap_err().to_string(), message);
        }
    }
}
