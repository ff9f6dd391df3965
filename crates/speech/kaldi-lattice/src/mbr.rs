//! The words of least expected error: minimum Bayes risk.
//!
//! After Xu, Povey, Mangu and Zhu: "Minimum Bayes Risk decoding and system combination based on a recursion for edit
//! distance" (2011). The expected edit distance between the hypothesis and the paths of the lattice is computed by a
//! recursion over states; each position of the hypothesis is a bin with the probabilities of its words.

use std::collections::BTreeMap;

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::scores::log_add;
use crate::value::CompactLattice;

/// What a word of the lattice costs that no word of the hypothesis stands for: a little more than 1, to prefer others.
/// In single precision first, since rounding decides between moves that cost the same.
const EXTRA_WORD: f64 = 1.0 + 1e-5_f32 as f64;
/// After so many rounds the words count as found.
const MOST_ROUNDS: usize = 100;

/// How the words are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BayesRiskOptions {
    /// Whether the words of least risk are searched; otherwise those given, or those of the best path, stay.
    pub decode_mbr: bool,
    /// Whether bins without a word are in the result.
    pub print_silence: bool,
    /// Bytes of memory that may be taken; `None` takes what there is. As many as states times words are needed.
    pub most_memory: Option<usize>,
}

impl Default for BayesRiskOptions {
    fn default() -> Self {
        Self { decode_mbr: true, print_silence: false, most_memory: None }
    }
}

/// The words of least expected error, and what is known about them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BayesRisk {
    /// The words; 0 is none.
    pub words: Vec<i32>,
    /// The probability of each word.
    pub confidences: Vec<f32>,
    /// The begin and the end of each word, in frames.
    pub times: Vec<(f32, f32)>,
    /// The expected number of errors.
    pub risk: f64,
    /// For each bin, words with their probabilities, the most probable first.
    pub bins: Vec<Vec<(i32, f32)>>,
    /// The begin and the end of each bin, in frames.
    pub bin_times: Vec<(f32, f32)>,
    /// What was doubtful, for warnings.
    pub findings: Vec<String>,
}

impl CompactLattice {
    /// Finds the words of least expected error; starts from `words`, or from those of the best path.
    ///
    /// # Errors
    /// If there is a cycle or no path, a cost is no number, a state is reached after different numbers of frames, or it would take too
    /// much memory.
    pub fn bayes_risk(&self, words: Option<&[i32]>, options: BayesRiskOptions) -> Result<BayesRisk> {
        self.check_costs()?;
        let mut connected = self.0.clone();
        connected.keep_possible();
        let mut ended = Self(connected.with_one_end());
        ended.properties &= connected.properties;
        if ended.start().is_none() || ended.num_states() == 0 {
            return Err(Error::NoPath);
        }
        if !ended.sort_unless_known() {
            return Err(Error::Cycle);
        }
        let times = ended.times()?.0.into_iter().map(|time| time.unwrap_or(0) as f64).collect();
        let words = words.map_or_else(|| best_words(&ended), <[i32]>::to_vec);
        let mut decoder = Decoder::new(&ended, times, words)?;
        decoder.decode(options)?;
        Ok(decoder.result)
    }
}

/// The words of the best path, by costs in single precision.
fn best_words(graph: &Graph) -> Vec<i32> {
    let mut costs = vec![f32::INFINITY; graph.num_states()];
    let mut before: Vec<Option<(u32, i32)>> = vec![None; graph.num_states()];
    let start = graph.start().unwrap_or(0);
    costs[start as usize] = 0.0;
    for state in graph.states() {
        for arc in graph.arcs(state) {
            let cost = costs[state as usize] + (arc.cost.graph + arc.cost.acoustic);
            if cost < costs[arc.next as usize] {
                costs[arc.next as usize] = cost;
                before[arc.next as usize] = Some((state, arc.input));
            }
        }
    }
    let (mut words, mut state) = (Vec::new(), graph.num_states() - 1);
    while let Some((source, word)) = before[state] {
        words.extend((word != 0).then_some(word));
        state = source as usize;
    }
    words.reverse();
    words
}

/// An arc that leads into a state.
struct Entry {
    from: usize,
    word: i32,
    log_prob: f64,
}

/// The probability of a word in a bin, and its times weighted with it.
#[derive(Clone, Copy, Default)]
struct Occurrence {
    probability: f64,
    begin: f64,
    end: f64,
}

struct Decoder {
    /// The arcs into each state.
    entries: Vec<Vec<Entry>>,
    /// The frames before each state.
    times: Vec<f64>,
    /// The logarithm of the sum over paths from the start.
    forward: Vec<f64>,
    /// The times of the words in each bin.
    word_times: Vec<Vec<(f32, f32)>>,
    /// The hypothesis: words and the places between them.
    words: Vec<i32>,
    result: BayesRisk,
}

impl Decoder {
    fn new(graph: &Graph, times: Vec<f64>, words: Vec<i32>) -> Result<Self> {
        let mut entries: Vec<Vec<Entry>> = (0..graph.num_states()).map(|_| Vec::new()).collect();
        for state in graph.states() {
            for arc in graph.arcs(state) {
                let log_prob = f64::from(arc.cost.log_prob());
                if log_prob.is_infinite() {
                    return Err(Error::no_number(&format!("an arc of state {state}"), arc.cost));
                }
                let entry = Entry { from: state as usize, word: arc.input, log_prob };
                entries[arc.next as usize].push(entry);
            }
        }
        let mut forward = vec![f64::NEG_INFINITY; entries.len()];
        forward[0] = 0.0;
        for state in 1..entries.len() {
            let scores = entries[state].iter().map(|entry| forward[entry.from] + entry.log_prob);
            forward[state] = scores.fold(f64::NEG_INFINITY, log_add);
        }
        let result = BayesRisk::default();
        Ok(Self { entries, times, forward, word_times: Vec::new(), words, result })
    }

    fn decode(&mut self, options: BayesRiskOptions) -> Result<()> {
        for round in 0.. {
            self.words = with_places(&self.words);
            self.count(options.most_memory)?;
            let mut gain = 0.0;
            self.result.times.clear();
            self.result.confidences.clear();
            for index in 0..self.words.len() {
                if options.decode_mbr {
                    gain += self.improve(index);
                }
                if self.words[index] != 0 || options.print_silence {
                    self.put_out(index);
                }
            }
            if gain == 0.0 {
                break;
            }
            if round > MOST_ROUNDS {
                self.result.findings.push("Iterating too many times in MbrDecode; stopping.".to_owned());
                break;
            }
        }
        self.result.words = std::mem::take(&mut self.words);
        if !options.print_silence {
            self.result.words.retain(|&word| word != 0);
        }
        Ok(())
    }

    /// Takes the most probable word of a bin; returns how much less probable the word before was, as a negative number.
    fn improve(&mut self, index: usize) -> f64 {
        let bin = &self.result.bins[index];
        let Some(&(best, probability)) = bin.first() else { return 0.0 };
        let old = bin.iter().find(|(word, _)| *word == self.words[index]).map_or(0.0, |(_, old)| f64::from(*old));
        self.words[index] = best;
        old - f64::from(probability)
    }

    /// Adds the times and the confidence of a word to the result. Times that overlap are divided.
    fn put_out(&mut self, index: usize) {
        let place = self.result.bins[index].iter().position(|(word, _)| *word == self.words[index]);
        let times = self.word_times[index].get(place.unwrap_or(0)).copied().unwrap_or_default();
        self.result.confidences.push(place.map_or(0.0, |place| self.result.bins[index][place].1));
        self.result.times.push(times);
        let count = self.result.times.len();
        let floor = if count > 2 { self.result.times[count - 3].1 } else { 0.0 };
        if let [.., first, second] = &mut self.result.times[..]
            && first.1 > second.0
        {
            let left = floor.max(first.0.min(second.0));
            let right = first.1.max(second.1);
            let (one, other) = (first.1 - first.0, second.1 - second.0);
            let border = if one > 0.0 { left + (right - left) * one / (one + other) } else { left };
            (*first, *second) = ((left, border), (border, right));
        }
    }

    /// Computes the expected distance, and the bins of the hypothesis with their times.
    fn count(&mut self, most_memory: Option<usize>) -> Result<()> {
        let [distances, weights] = self.tables(most_memory)?;
        let distances = self.distances(distances);
        let (states, length) = (self.entries.len(), self.words.len());
        self.result.risk = distances[states * (length + 1) - 1];
        let counts = self.backward(&distances, weights);
        self.result.bins.clear();
        self.result.bin_times.clear();
        self.word_times.clear();
        for bin in counts {
            let total: f64 = bin.values().map(|occurrence| occurrence.probability).sum();
            if (total - 1.0).abs() > 0.1 {
                self.result.findings.push(format!("the probabilities of a bin sum to {total}"));
            }
            let mut words: Vec<(i32, f32, Occurrence)> =
                bin.into_iter().map(|(word, occurrence)| (word, occurrence.probability as f32, occurrence)).collect();
            words.sort_by(|one, other| other.1.total_cmp(&one.1).then(other.0.cmp(&one.0)));
            let of_word = |&(_, probability, occurrence): &(i32, f32, Occurrence)| {
                let probability = f64::from(probability);
                ((occurrence.begin / probability) as f32, (occurrence.end / probability) as f32)
            };
            self.word_times.push(words.iter().map(of_word).collect());
            self.result.bins.push(words.iter().map(|&(word, probability, _)| (word, probability)).collect());
            let sum = |part: fn(&Occurrence) -> f64| words.iter().map(|(.., occurrence)| part(occurrence)).sum::<f64>();
            let mut times = (sum(|occurrence| occurrence.begin) as f32, sum(|occurrence| occurrence.end) as f32);
            if let Some(before) = self.result.bin_times.last_mut()
                && before.1 > times.0
            {
                let middle = (0.5 * f64::from(before.1 + times.0)) as f32;
                (before.1, times.0) = (middle, middle);
            }
            self.result.bin_times.push(times);
        }
        Ok(())
    }

    /// Memory for two tables with a number for each state and each start of the hypothesis.
    fn tables(&self, most_memory: Option<usize>) -> Result<[Vec<f64>; 2]> {
        let length = self.entries.len().saturating_mul(self.words.len() + 1);
        let needed = (length as u64).saturating_mul(2 * size_of::<f64>() as u64);
        if most_memory.is_some_and(|most| needed > most as u64) {
            return Err(Error::Memory { needed });
        }
        let table = || -> Result<Vec<f64>> {
            let mut table = Vec::new();
            table.try_reserve_exact(length).map_err(|_| Error::Memory { needed })?;
            table.resize(length, 0.0);
            Ok(table)
        };
        Ok([table()?, table()?])
    }

    /// The least cost of an arc's word against the start of the hypothesis, for each length of the start; `steps` gets
    /// the move that it ends with.
    fn arc_distances(&self, before: &[f64], word: i32, costs: &mut [f64], steps: &mut [Step]) {
        let skipped = if word == 0 { 0.0 } else { EXTRA_WORD };
        costs[0] = before[0] + skipped;
        for (index, &expected) in self.words.iter().enumerate() {
            let matched = before[index] + if word == expected { 0.0 } else { 1.0 };
            let extra = before[index + 1] + skipped;
            let missing = costs[index] + if expected == 0 { 0.0 } else { 1.0 };
            let (cost, step) = match matched <= extra {
                true if matched <= missing => (matched, Step::Match),
                false if extra <= missing => (extra, Step::Extra),
                _ => (missing, Step::Missing),
            };
            (costs[index + 1], steps[index + 1]) = (cost, step);
        }
    }

    /// The expected distance of the paths to each state from each start of the hypothesis, row by row.
    fn distances(&self, mut distances: Vec<f64>) -> Vec<f64> {
        let width = self.words.len() + 1;
        for (index, &word) in self.words.iter().enumerate() {
            distances[index + 1] = distances[index] + if word == 0 { 0.0 } else { 1.0 };
        }
        let (mut costs, mut steps) = (vec![0.0; width], vec![Step::Match; width]);
        for (state, entries) in self.entries.iter().enumerate().skip(1) {
            let (done, row) = distances.split_at_mut(state * width);
            for entry in entries {
                let before = &done[entry.from * width..(entry.from + 1) * width];
                self.arc_distances(before, entry.word, &mut costs, &mut steps);
                let share = self.share(entry, state);
                for (sum, cost) in row.iter_mut().zip(&costs) {
                    *sum += share * cost;
                }
            }
        }
        distances
    }

    /// The share of the paths to a state that come through an arc.
    fn share(&self, entry: &Entry, state: usize) -> f64 {
        (self.forward[entry.from] + entry.log_prob - self.forward[state]).exp()
    }

    /// Follows the moves back from the end: for each bin, the words that stand for it.
    fn backward(&self, distances: &[f64], mut weights: Vec<f64>) -> Vec<BTreeMap<i32, Occurrence>> {
        let (length, states) = (self.words.len(), self.entries.len());
        let width = length + 1;
        let mut bins: Vec<BTreeMap<i32, Occurrence>> = vec![BTreeMap::new(); length];
        let mut add = |bin: usize, word: i32, probability: f64, begin: f64, end: f64| {
            if probability != 0.0 {
                let occurrence = bins[bin].entry(word).or_default();
                occurrence.probability += probability;
                occurrence.begin += begin * probability;
                occurrence.end += end * probability;
            }
        };
        weights[states * width - 1] = 1.0;
        let (mut costs, mut steps) = (vec![0.0; width], vec![Step::Match; width]);
        let mut here = vec![0.0; width];
        for state in (1..states).rev() {
            for entry in &self.entries[state] {
                let before = entry.from * width;
                self.arc_distances(&distances[before..before + width], entry.word, &mut costs, &mut steps);
                let share = self.share(entry, state);
                let (begin, end) = (self.times[entry.from], self.times[state]);
                here.fill(0.0);
                for index in (1..width).rev() {
                    here[index] += share * weights[state * width + index];
                    let weight = here[index];
                    match steps[index] {
                        Step::Match => {
                            weights[before + index - 1] += weight;
                            add(index - 1, entry.word, weight, begin, end);
                        }
                        Step::Extra => weights[before + index] += weight,
                        Step::Missing => {
                            here[index - 1] += weight;
                            add(index - 1, 0, weight, end, end);
                        }
                    }
                }
                weights[before] += here[0] + share * weights[state * width];
            }
        }
        let mut rest = 0.0;
        for index in (1..width).rev() {
            rest += weights[index];
            add(index - 1, 0, rest, 0.0, 0.0);
        }
        bins
    }
}

/// How the words of a path and the hypothesis go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// The word of the lattice stands for that of the hypothesis.
    Match,
    /// The word of the lattice is too many.
    Extra,
    /// The word of the hypothesis is not in the lattice.
    Missing,
}

/// The words with a place before, between and after them.
fn with_places(words: &[i32]) -> Vec<i32> {
    let mut places = vec![0];
    for &word in words.iter().filter(|&&word| word != 0) {
        places.extend([word, 0]);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    #[test]
    fn a_lattice_of_one_path_has_no_risk() {
        let lattice = compact("0 1 5 1,2,3_3\n1 2 6 1,2,3\n2 0,0,4\n");
        let result = lattice.bayes_risk(None, BayesRiskOptions::default()).unwrap();
        assert_eq!((result.words, result.confidences), (vec![5, 6], vec![1.0, 1.0]));
        assert_eq!((result.times, result.risk), (vec![(0.0, 2.0), (2.0, 3.0)], 0.0));
        assert_eq!(result.bins.len(), 5);
    }

    #[test]
    fn the_most_probable_word_is_taken_not_that_of_the_best_path() {
        // The best path has 5 9; but 6 is more probable in sum.
        let lattice = compact("0 1 5 1,0,1\n0 2 6 1.2,0,1\n1 3 9 0,0,1\n2 3 7 0.3,0,1\n2 3 8 0.3,0,1\n3\n");
        let result = lattice.bayes_risk(None, BayesRiskOptions::default()).unwrap();
        assert_eq!(result.words[0], 6);
        let options = BayesRiskOptions { decode_mbr: false, ..BayesRiskOptions::default() };
        let result = lattice.bayes_risk(None, options).unwrap();
        assert_eq!(result.words, [5, 9]);
        assert!(result.confidences.iter().all(|&confidence| confidence < 0.5));
    }

    #[test]
    fn places_without_a_word_are_kept_if_asked_for() {
        let options = BayesRiskOptions { print_silence: true, ..BayesRiskOptions::default() };
        let result = compact("0 1 5 1,2,3\n1\n").bayes_risk(None, options).unwrap();
        assert_eq!((result.words, result.times.len(), result.confidences.len()), (vec![0, 5, 0], 3, 3));
    }

    #[test]
    fn what_has_no_risk_is_an_error() {
        let risk = |text: &str| compact(text).bayes_risk(None, BayesRiskOptions::default()).unwrap_err();
        assert_eq!(risk(""), Error::NoPath);
        assert_eq!(risk("0 1 5\n1 Infinity,Infinity,\n"), Error::NoPath);
        assert_eq!(risk("0 1 5\n1 0 6\n1\n"), Error::Cycle);
        assert!(matches!(risk("0 1 5 0,0,1\n0 1 5 0,0,1_1\n1\n"), Error::TimesDiffer { .. }));
        for cost in ["nan,0", "0,nan", "-inf,0", "0,-inf", "inf,-inf", "3e38,3e38"] {
            assert!(matches!(risk(&format!("0 1 5 {cost},1\n0 1 6 3,0,1\n1\n")), Error::Cost { .. }), "{cost}");
            assert!(matches!(risk(&format!("0 1 5 0,0,1\n1 {cost},\n")), Error::Cost { .. }), "{cost}");
        }
        assert_eq!(risk("0 1 5 inf,0,1\n1\n"), Error::NoPath);
    }

    #[test]
    fn what_is_impossible_has_no_share() {
        let lattice = compact("0 1 5 inf,0,1\n1 3 7 0,0,1\n0 2 6 1,0,1\n2 3 8 0,0,1\n3\n");
        let result = lattice.bayes_risk(None, BayesRiskOptions::default()).unwrap();
        assert_eq!((result.words, result.confidences, result.risk), (vec![6, 8], vec![1.0, 1.0], 0.0));
    }

    #[test]
    fn memory_is_bounded() {
        let text: String = (0..1000).map(|state| format!("{state} {} 5 1,0,1\n", state + 1)).collect();
        let lattice = compact(&(text + "1000\n"));
        let options = BayesRiskOptions { most_memory: Some(1 << 20), ..BayesRiskOptions::default() };
        assert_eq!(lattice.bayes_risk(None, options), Err(Error::Memory { needed: 1001 * 2002 * 16 }));
    }
}
