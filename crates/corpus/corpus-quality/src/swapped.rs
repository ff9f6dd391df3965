//! Texts that changed places.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kaldi_score::count_edits;

use crate::TextMeasures;

/// By the right text, at most so many words are wrong.
const RIGHT: f64 = 0.2;

/// Three words that stand in more texts than this say nothing.
const MOST_TEXTS: usize = 64;

/// Texts that are compared with what was recognized, at most: those that share the most.
const MOST_COMPARED: usize = 8;

/// Two utterances of which each has the text of the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SwappedText {
    /// The index of the utterance.
    pub utterance: usize,
    /// The index of the one whose text was recognized.
    pub other: usize,
    /// The share of words that are wrong by its own text; more than 1 if many were inserted.
    pub error_rate: f64,
}

/// Finds texts that changed places, of utterances with the text that they have and the one that was recognized. Of such two, by the
/// own text half of the words or more are wrong, and at most a fifth by that of the other one. Each utterance is named once, in order.
///
/// Candidates share three words side by side, so that it does not take the square of the time.
pub fn swapped_texts(utterances: &[(&[u8], &[u8])]) -> Vec<SwappedText> {
    let texts = Texts::of(utterances);
    let swapped = |(utterance, &error_rate): (usize, &Option<f64>)| {
        Some(SwappedText { utterance, error_rate: error_rate?, other: texts.partner(utterance)? })
    };
    texts.doubtful.iter().enumerate().filter_map(swapped).collect()
}

/// The words of a text.
type Words = Vec<String>;

struct Texts {
    said: Vec<Words>,
    heard: Vec<Words>,
    /// The rates of errors of those that are mostly wrong.
    doubtful: Vec<Option<f64>>,
    /// The texts that are mostly wrong, by three words of them; one more than may be, if there are too many.
    index: HashMap<u64, Vec<usize>>,
}

impl Texts {
    fn of(utterances: &[(&[u8], &[u8])]) -> Self {
        let words =
            |text: &[u8]| String::from_utf8_lossy(text).split_whitespace().map(str::to_owned).collect::<Words>();
        let said: Vec<Words> = utterances.iter().map(|(said, _)| words(said)).collect();
        let heard: Vec<Words> = utterances.iter().map(|(_, heard)| words(heard)).collect();
        let doubtful = utterances.iter().map(|(said, heard)| {
            let measures = TextMeasures::of(said).with_hypothesis(said, heard, |_, _| {});
            measures.error_rate().filter(|_| measures.is_mostly_wrong())
        });
        let doubtful: Vec<Option<f64>> = doubtful.collect();
        let mut index = HashMap::<u64, Vec<usize>>::new();
        for (text, said) in said.iter().enumerate().filter(|&(text, _)| doubtful[text].is_some()) {
            for triple in triples(said) {
                let texts = index.entry(triple).or_default();
                if texts.len() <= MOST_TEXTS && texts.last() != Some(&text) {
                    texts.push(text);
                }
            }
        }
        Self { said, heard, doubtful, index }
    }

    /// The utterance whose text changed places with that of this one.
    fn partner(&self, utterance: usize) -> Option<usize> {
        let mut shared = HashMap::<usize, usize>::new();
        for triple in triples(&self.heard[utterance]) {
            let texts = self.index.get(&triple).filter(|texts| texts.len() <= MOST_TEXTS);
            texts.into_iter().flatten().for_each(|&other| *shared.entry(other).or_default() += 1);
        }
        shared.remove(&utterance);
        let mut shared: Vec<(usize, usize)> = shared.into_iter().collect();
        shared.sort_unstable_by_key(|&(other, count)| (usize::MAX - count, other));
        let rates = shared.into_iter().take(MOST_COMPARED).filter_map(|(other, _)| {
            let rates = [self.error_rate(other, utterance), self.error_rate(utterance, other)];
            rates.iter().all(|&rate| rate <= RIGHT).then_some((rates[0] + rates[1], other))
        });
        rates.min_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, other)| other)
    }

    /// The rate of errors if the text of one utterance is that of another one, too.
    fn error_rate(&self, text: usize, heard: usize) -> f64 {
        let said = &self.said[text];
        count_edits(said, &self.heard[heard]).total() as f64 / said.len().max(1) as f64
    }
}

/// Numbers of three words side by side, of which the first and the last one may be the edge of the text.
fn triples(words: &[String]) -> impl Iterator<Item = u64> + '_ {
    let word = |at: usize| at.checked_sub(1).and_then(|at| words.get(at));
    (0..words.len()).map(move |at| {
        let mut hasher = DefaultHasher::new();
        [word(at), word(at + 1), word(at + 2)].hash(&mut hasher);
        hasher.finish()
    })
}
