//! Counts of edits.

use std::ops::AddAssign;

use crate::word_numbers::number_words;

/// The edits that turn a reference into a hypothesis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// Words that only the hypothesis has.
    pub insertions: u64,
    /// Words that only the reference has.
    pub deletions: u64,
    /// Words that replace others.
    pub substitutions: u64,
}

impl Edits {
    /// The edit distance.
    pub fn total(&self) -> u64 {
        self.insertions + self.deletions + self.substitutions
    }
}

impl AddAssign for Edits {
    fn add_assign(&mut self, other: Self) {
        self.insertions += other.insertions;
        self.deletions += other.deletions;
        self.substitutions += other.substitutions;
    }
}

/// Counts the edits of a shortest alignment.
///
/// If several alignments are equally short, the choice is made from the end: an insertion is preferred to a deletion,
/// and a deletion to a substitution or match (Kaldi's `LevenshteinEditDistance`). Memory is linear in the length of the
/// sentences.
pub fn count_edits<W: AsRef<[u8]>>(reference: &[W], hypothesis: &[W]) -> Edits {
    let [reference, hypothesis] = number_words([reference, hypothesis]);
    count(&reference, &hypothesis)
}

/// An alignment of two prefixes is one number: its cost, the kind of its last edit, and the number of its insertions.
/// The smallest number is then the preferred alignment. The deletions follow from the lengths.
const COST: u64 = 1 << 34;
const ENDS_WITH_DELETION: u64 = 1 << 32;
const ENDS_WITH_PAIR: u64 = 2 << 32;
const KIND: u64 = 3 << 32;
const INSERTION: u64 = COST + 1;
const INSERTIONS: u64 = ENDS_WITH_DELETION - 1;

fn count(reference: &[u32], hypothesis: &[u32]) -> Edits {
    // The alignments of all prefixes of the reference with one prefix of the hypothesis.
    let mut row: Vec<u64> = (0..=reference.len() as u64).map(|deletions| deletions * COST).collect();
    for word in hypothesis {
        let mut diagonal = row[0];
        let mut left = row[0] + INSERTION;
        row[0] = left;
        for (cell, reference_word) in row[1..].iter_mut().zip(reference) {
            let paired = diagonal + ENDS_WITH_PAIR + if word == reference_word { 0 } else { COST };
            diagonal = *cell;
            let best = paired.min(*cell + INSERTION).min(left + COST + ENDS_WITH_DELETION);
            left = best & !KIND;
            *cell = left;
        }
    }
    let best = row[reference.len()];
    let insertions = best & INSERTIONS;
    let deletions = insertions + reference.len() as u64 - hypothesis.len() as u64;
    Edits { insertions, deletions, substitutions: best / COST - insertions - deletions }
}

#[cfg(test)]
mod tests {
    use kaldi_value::random::Random;

    use super::*;

    fn edits(insertions: u64, deletions: u64, substitutions: u64) -> Edits {
        Edits { insertions, deletions, substitutions }
    }

    #[track_caller]
    fn t(reference: &str, hypothesis: &str, expected: Edits) {
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(count_edits(&words(reference), &words(hypothesis)), expected, "{reference} / {hypothesis}");
    }

    #[test]
    fn edits_are_counted() {
        t("", "", edits(0, 0, 0));
        t("a b", "", edits(0, 2, 0));
        t("", "a b c", edits(3, 0, 0));
        t("a b c", "a b c", edits(0, 0, 0));
        t("the cat sat on a mat", "cat sat up in a mat", edits(1, 1, 1));
    }

    #[test]
    fn an_insertion_is_preferred_to_a_deletion_and_that_to_a_substitution() {
        t("a b", "b a", edits(1, 1, 0));
        t("a a b", "b a a", edits(1, 1, 0));
        t("x y z", "x z w", edits(1, 1, 0));
    }

    #[test]
    fn words_are_compared_byte_by_byte() {
        assert_eq!(count_edits(&[b"\xe9"], &[b"\xe8"]), edits(0, 0, 1));
    }

    /// The recursion as it is defined, with the counts of all prefixes in memory.
    fn count_plainly(reference: &[u32], hypothesis: &[u32]) -> Edits {
        let (rows, cols) = (hypothesis.len() + 1, reference.len() + 1);
        let mut table = vec![vec![edits(0, 0, 0); cols]; rows];
        for h in 0..rows {
            for r in 0..cols {
                let insertion = (h > 0).then(|| {
                    let before = table[h - 1][r];
                    edits(before.insertions + 1, before.deletions, before.substitutions)
                });
                let deletion = (r > 0).then(|| {
                    let before = table[h][r - 1];
                    edits(before.insertions, before.deletions + 1, before.substitutions)
                });
                let pair = (h > 0 && r > 0).then(|| {
                    let before = table[h - 1][r - 1];
                    let substitution = u64::from(hypothesis[h - 1] != reference[r - 1]);
                    edits(before.insertions, before.deletions, before.substitutions + substitution)
                });
                // The first of the equally short ones.
                if let Some(best) = [insertion, deletion, pair].into_iter().flatten().min_by_key(Edits::total) {
                    table[h][r] = best;
                }
            }
        }
        table[rows - 1][cols - 1]
    }

    #[test]
    fn ties_are_decided_as_by_the_plain_recursion() {
        let mut random = Random::default();
        for _ in 0..5000 {
            let mut sentence = || -> Vec<u32> { (0..random.below(12)).map(|_| random.below(3)).collect() };
            let (reference, hypothesis) = (sentence(), sentence());
            assert_eq!(
                count(&reference, &hypothesis),
                count_plainly(&reference, &hypothesis),
                "{reference:?} {hypothesis:?}"
            );
        }
    }
}
