//! Alignment of sentences.

use crate::word_numbers::number_words;

/// Pairs of words of two sentences; a word without a counterpart has `None` beside it.
pub type Pair<'a, W> = (Option<&'a W>, Option<&'a W>);

/// Tables of alignments up to this size are kept in memory.
const MOST_CELLS: usize = 1 << 16;

/// Aligns two sentences with as few edits as possible.
///
/// If several alignments are equally short, the choice is made from the end: a pair of words (equal or not) is
/// preferred to a word alone, and then a word alone of the first sentence is preferred (Kaldi's
/// `LevenshteinAlignment`). Memory is linear in the length of the sentences.
pub fn align<'a, W: AsRef<[u8]>>(first: &'a [W], second: &'a [W]) -> Vec<Pair<'a, W>> {
    let [numbers, other_numbers] = number_words([first, second]);
    let mut steps = Vec::new();
    trace(&numbers, &other_numbers, MOST_CELLS, &mut steps);
    let (mut first, mut second) = (first.iter(), second.iter());
    let pair = |step| match step {
        FIRST => (first.next(), None),
        SECOND => (None, second.next()),
        _ => (first.next(), second.next()),
    };
    steps.into_iter().map(pair).collect()
}

/// The next step of an alignment: a word of each sentence, or a word of only one of them. The smaller is preferred.
type Step = u8;
const PAIR: Step = 0;
const FIRST: Step = 1;
const SECOND: Step = 2;

/// The cost of a word that differs or is alone. The lowest bits after the cost hold the last step, so that the smallest
/// number is the best alignment.
const COST: u32 = 4;
const STEP: u32 = COST - 1;

/// Appends the steps of the alignment.
///
/// A table that would take more than `most_cells` is not kept. Instead, one pass finds the point where the alignment
/// leaves the first half of the first sentence, and the parts before and after that point are aligned separately
/// (Hirschberg's method, except that the search for the point only goes forward). The alignment is the same. In the
/// part before the point all costs are the same as before. In the part after it, the costs on the alignment are lower
/// by the cost of the point; the others are equal or higher. So a step that was not the best does not become the best,
/// and one that was the best stays the best.
fn trace(first: &[u32], second: &[u32], most_cells: usize, steps: &mut Vec<Step>) {
    if first.len() <= 1 || first.len().saturating_mul(second.len()) <= most_cells {
        return trace_back(first, second, steps);
    }
    let split = first.len() / 2;
    let crossing = find_crossing(first, second, split);
    trace(&first[..split], &second[..crossing], most_cells, steps);
    trace(&first[split..], &second[crossing..], most_cells, steps);
}

/// Appends the steps of the alignment, from a table of the last steps of the alignments of all prefixes.
fn trace_back(first: &[u32], second: &[u32], steps: &mut Vec<Step>) {
    let mut table = Vec::with_capacity(first.len() * second.len());
    let mut costs = first_costs(second);
    for word in first {
        next_costs(*word, second, &mut costs, |_, step| table.push(step));
    }
    let (begin, mut at_first, mut at_second) = (steps.len(), first.len(), second.len());
    while at_first > 0 || at_second > 0 {
        let step = match (at_first, at_second) {
            (0, _) => SECOND,
            (_, 0) => FIRST,
            _ => table[(at_first - 1) * second.len() + at_second - 1],
        };
        at_first -= usize::from(step != SECOND);
        at_second -= usize::from(step != FIRST);
        steps.push(step);
    }
    steps[begin..].reverse();
}

/// How many words of the second sentence the alignment has used when it has used the first `split` words of the first
/// one and goes on to the next of them.
fn find_crossing(first: &[u32], second: &[u32], split: usize) -> usize {
    let mut costs = first_costs(second);
    for word in &first[..split] {
        next_costs(*word, second, &mut costs, |_, _| {});
    }
    // Where the alignments of all prefixes cross.
    let mut crossings: Vec<usize> = (0..=second.len()).collect();
    for word in &first[split..] {
        let mut diagonal = crossings[0];
        next_costs(*word, second, &mut costs, |at, step| {
            let above = crossings[at];
            crossings[at] = match step {
                PAIR => diagonal,
                FIRST => above,
                _ => crossings[at - 1],
            };
            diagonal = above;
        });
    }
    crossings[second.len()]
}

/// The costs of the alignments of the empty sentence with all prefixes of the second sentence.
fn first_costs(second: &[u32]) -> Vec<u32> {
    (0..=second.len() as u32).map(|alone| alone * COST).collect()
}

/// Turns the costs of the alignments of a prefix of the first sentence with all prefixes of the second one into the
/// costs with one more word of the first sentence. Calls `tell` with the length and the last step of each prefix of the
/// second sentence that is not empty.
fn next_costs(word: u32, second: &[u32], costs: &mut [u32], mut tell: impl FnMut(usize, Step)) {
    let mut diagonal = costs[0];
    let mut left = costs[0] + COST;
    costs[0] = left;
    for (at, (cost, &other)) in (1..).zip(costs[1..].iter_mut().zip(second)) {
        let paired = diagonal + if word == other { 0 } else { COST };
        let best = paired.min(*cost + COST + u32::from(FIRST)).min(left + COST + u32::from(SECOND));
        diagonal = *cost;
        left = best & !STEP;
        *cost = left;
        tell(at, (best & STEP) as Step);
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::random::Random;

    use super::*;
    use crate::count_edits;

    #[track_caller]
    fn t(first: &str, second: &str, expected: &str) {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (first, second) = (words(first), words(second));
        let word = |word: Option<&String>| word.map_or("-", String::as_str).to_owned();
        let pairs: Vec<_> = align(&first, &second).into_iter().map(|(a, b)| word(a) + &word(b)).collect();
        assert_eq!(pairs.join(" "), expected);
    }

    #[test]
    fn equal_words_are_paired() {
        t("", "", "");
        t("a b c", "a b c", "aa bb cc");
        t("a b", "", "a- b-");
        t("", "a b", "-a -b");
        t("a b c d", "b c d a", "a- bb cc dd -a");
    }

    #[test]
    fn words_are_rather_paired_than_left_alone() {
        t("x y z", "x z w", "xx yz zw");
        t("a b", "b a", "ab ba");
        t("a a b", "b a a", "ab aa ba");
        t("a b", "c", "a- bc");
        t("c", "a b", "-a cb");
    }

    #[test]
    fn the_number_of_edits_is_that_of_the_counts() {
        let mut random = Random::default();
        for _ in 0..1000 {
            let mut sentence = || -> Vec<_> { (0..random.below(20)).map(|_| [random.below(3) as u8]).collect() };
            let (first, second) = (sentence(), sentence());
            let edits = align(&first, &second).iter().filter(|(a, b)| a != b).count() as u64;
            assert_eq!(edits, count_edits(&first, &second).total(), "{first:?} {second:?}");
        }
    }

    #[test]
    fn a_table_in_parts_gives_the_same_alignment() {
        let mut random = Random::default();
        for _ in 0..3000 {
            let mut sentence = || -> Vec<u32> { (0..random.below(40)).map(|_| random.below(3)).collect() };
            let (first, second) = (sentence(), sentence());
            let (mut whole, mut parts) = (Vec::new(), Vec::new());
            trace(&first, &second, usize::MAX, &mut whole);
            trace(&first, &second, 0, &mut parts);
            assert_eq!(parts, whole, "{first:?} {second:?}");
        }
    }
}
