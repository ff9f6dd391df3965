//! Trees with a leaf for each pair of phones.

use std::collections::{BTreeMap, BTreeSet};

use kaldi_io::ParseError;
use kaldi_io::log::log;
use kaldi_value::Cursor;

use super::tree_stats::MOST_VALUES;
use super::{ContextDependency, EventMap, PDF_CLASS, TreeError};

/// How often phones and pairs of phones occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneCounts {
    phones: BTreeMap<i32, i64>,
    pairs: BTreeMap<(i32, i32), i64>,
}

impl PhoneCounts {
    /// Parses lines of a phone and its count, or of a phone, the next phone and the count of the pair. Phone 0 stands for the
    /// place before the first phone.
    ///
    /// # Errors
    /// If a line is something else, a count is negative, or a phone is not from 1 to `num_phones`.
    pub fn parse(text: &[u8], num_phones: usize) -> Result<Self, ParseError> {
        let mut counts = Self::default();
        let mut cursor = Cursor::new(text);
        for number in 1.. {
            if cursor.rest().is_empty() {
                break;
            }
            let start = cursor.offset();
            let line = String::from_utf8_lossy(cursor.read_line()?);
            let words: Option<Vec<i64>> = line.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
            let is_phone = |least: i64, phone: i64| (least..=num_phones as i64).contains(&phone);
            match words.as_deref() {
                Some(&[left, phone, count]) if is_phone(0, left) && is_phone(1, phone) && count >= 0 => {
                    counts.pairs.insert((left as i32, phone as i32), count);
                }
                Some(&[phone, count]) if is_phone(1, phone) && count >= 0 => {
                    counts.phones.insert(phone as i32, count);
                }
                _ => {
                    let message =
                        format!("line {number}: expected phones up to {num_phones} and a count, got {line:?}");
                    return Err(ParseError::new(start, message));
                }
            }
        }
        Ok(counts)
    }
}

/// What a tree with a leaf for each pair of phones is made of.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct BiphoneTree {
    /// Sets of phones that share their pdfs.
    pub sets: Vec<Vec<i32>>,
    /// Phones without context.
    pub ci_phones: Vec<i32>,
    /// The number of pdf classes of each phone: 1 or 2.
    pub num_classes: i32,
    /// How often phones occur; pairs that are rare share pdfs. Without it all pairs have their own.
    pub counts: Option<PhoneCounts>,
    /// A pair has pdfs of its own if it occurs at least as often.
    pub min_pair_count: i32,
    /// Rare pairs of a phone share pdfs if the phone occurs more often; others have the pdfs of all rare phones.
    pub min_phone_count: i32,
}

impl BiphoneTree {
    /// Makes the tree: windows of two phones, of which the second is the phone itself.
    ///
    /// # Errors
    /// If a set is empty, a phone is in two sets, a phone is too large, or phones do not have one or two pdf classes.
    pub fn build(&self) -> Result<ContextDependency, TreeError> {
        if !(1..=2).contains(&self.num_classes) {
            let message = format!("expected phones with 1 or 2 pdf classes, got {}", self.num_classes);
            return Err(TreeError::PhoneSets(message));
        }
        let ci_phones: BTreeSet<i32> = self.ci_phones.iter().copied().collect();
        let mut sets = self.sets.clone();
        sets.retain_mut(|set| {
            let was_empty = set.is_empty();
            set.retain(|phone| !ci_phones.contains(phone));
            was_empty || !set.is_empty()
        });
        check(&sets, &ci_phones)?;
        let mut maker = BiphoneMaker { tree: self, sets: &sets, num_pdfs: 0, of_rare_phones: None };
        let mut by_phone = BTreeMap::new();
        for &phone in &ci_phones {
            by_phone.insert(phone, maker.new_pdfs());
        }
        for set in &sets {
            let by_left =
                if self.num_classes == 1 { maker.of_one_class() } else { maker.of_two_classes(set, &ci_phones) };
            set.iter().for_each(|&phone| drop(by_phone.insert(phone, by_left.clone())));
        }
        log!("Num PDFs: {}", maker.num_pdfs);
        Ok(ContextDependency::new(2, 1, table(1, by_phone)))
    }

    fn has_own_pdfs(&self, left: i32, phone: i32) -> bool {
        let count = |counts: &PhoneCounts| counts.pairs.get(&(left, phone)).copied().unwrap_or(0);
        self.counts.as_ref().is_none_or(|counts| count(counts) >= i64::from(self.min_pair_count))
    }

    fn has_common_pdfs(&self, phone: i32) -> bool {
        let count = |counts: &PhoneCounts| counts.phones.get(&phone).copied().unwrap_or(0);
        self.counts.as_ref().is_none_or(|counts| count(counts) > i64::from(self.min_phone_count))
    }
}

fn check(sets: &[Vec<i32>], ci_phones: &BTreeSet<i32>) -> Result<(), TreeError> {
    let mut seen = BTreeSet::new();
    let error = |message: String| Err(TreeError::PhoneSets(message));
    if sets.is_empty() || sets.iter().any(Vec::is_empty) {
        return error("expected sets of phones, got an empty one".to_owned());
    }
    for &phone in sets.iter().flatten().chain(ci_phones) {
        if !(1..MOST_VALUES).contains(&phone) {
            return error(format!("expected phones from 1 to {}, got {phone}", MOST_VALUES - 1));
        }
        if !seen.insert(phone) {
            return error(format!("phone {phone} comes twice"));
        }
    }
    Ok(())
}

struct BiphoneMaker<'a> {
    tree: &'a BiphoneTree,
    sets: &'a [Vec<i32>],
    num_pdfs: i32,
    /// The map of all rare pairs of rare phones.
    of_rare_phones: Option<EventMap>,
}

impl BiphoneMaker<'_> {
    /// A new pdf for each class.
    fn new_pdfs(&mut self) -> EventMap {
        let first = self.num_pdfs;
        self.num_pdfs += self.tree.num_classes;
        EventMap::table(PDF_CLASS, (first..self.num_pdfs).map(|pdf| Some(EventMap::leaf(pdf))).collect())
    }

    /// The pdfs of a phone of one class, by the phone before; phones without context are not asked for.
    fn of_one_class(&mut self) -> EventMap {
        let mut new_leaf = || {
            self.num_pdfs += 1;
            EventMap::leaf(self.num_pdfs - 1)
        };
        let mut by_left = BTreeMap::from([(0, new_leaf())]);
        for left in self.sets {
            let leaf = new_leaf();
            left.iter().for_each(|&phone| drop(by_left.insert(phone, leaf.clone())));
        }
        table(0, by_left)
    }

    /// The pdfs of a set of phones of two classes, by the phone before.
    fn of_two_classes(&mut self, set: &[i32], ci_phones: &BTreeSet<i32>) -> EventMap {
        let at_start = self.new_pdfs();
        let mut by_left: BTreeMap<i32, EventMap> = ci_phones.iter().map(|&phone| (phone, at_start.clone())).collect();
        by_left.insert(0, at_start);
        let mut of_rare_pairs = None;
        for left in self.sets {
            let pdfs = if self.tree.has_own_pdfs(left[0], set[0]) {
                self.new_pdfs()
            } else if self.tree.has_common_pdfs(set[0]) {
                of_rare_pairs.get_or_insert_with(|| self.new_pdfs()).clone()
            } else {
                match &self.of_rare_phones {
                    Some(pdfs) => pdfs.clone(),
                    None => {
                        let pdfs = self.new_pdfs();
                        self.of_rare_phones.insert(pdfs).clone()
                    }
                }
            };
            left.iter().for_each(|&phone| drop(by_left.insert(phone, pdfs.clone())));
        }
        table(0, by_left)
    }
}

/// The table of these maps by the value of a key.
fn table(key: i32, maps: BTreeMap<i32, EventMap>) -> EventMap {
    let mut children = vec![None; maps.keys().next_back().map_or(0, |&last| last as usize + 1)];
    for (value, map) in maps {
        children[value as usize] = Some(map);
    }
    EventMap::table(key, children)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn build(tree: BiphoneTree) -> ContextDependency {
        tree.build().unwrap()
    }

    fn two_phones() -> BiphoneTree {
        BiphoneTree { sets: vec![vec![1], vec![2]], num_classes: 2, ..BiphoneTree::default() }
    }

    #[test]
    fn each_pair_has_its_pdfs() {
        let tree = build(two_phones());
        let pdfs = |left: i32, phone: i32| [tree.pdf(&[left, phone], 0), tree.pdf(&[left, phone], 1)];
        assert_eq!(pdfs(0, 1), [Some(0), Some(1)]);
        assert_eq!(pdfs(2, 1), [Some(4), Some(5)]);
        assert_eq!(pdfs(2, 2), [Some(10), Some(11)]);
        let tree = build(BiphoneTree { num_classes: 1, ..two_phones() });
        assert_eq!((tree.num_pdfs(), tree.pdf(&[2, 2], 0)), (6, Some(5)));
    }

    #[test]
    fn phones_without_context_have_their_own_pdfs() {
        let tree = build(BiphoneTree { ci_phones: vec![2], ..two_phones() });
        assert_eq!((tree.pdf(&[1, 2], 1), tree.pdf(&[0, 1], 0), tree.pdf(&[2, 1], 0)), (Some(1), Some(2), Some(2)));
    }

    #[test]
    fn rare_pairs_share_pdfs() {
        let counts = PhoneCounts::parse(b"1 30\n2 5\n1 1 200\n2 2 100\n", 2).unwrap();
        let tree = BiphoneTree { counts: Some(counts), min_pair_count: 100, min_phone_count: 20, ..two_phones() };
        let tree = build(tree);
        let pdf = |left: i32, phone: i32| tree.pdf(&[left, phone], 0);
        assert_eq!([pdf(0, 1), pdf(1, 1), pdf(2, 1)], [Some(0), Some(2), Some(4)]);
        assert_eq!([pdf(0, 2), pdf(1, 2), pdf(2, 2)], [Some(6), Some(8), Some(10)]);
    }

    #[test]
    fn wrong_counts_and_sets_are_refused() {
        for text in ["1\n", "3 1\n", "0 1\n", "1 2 -3\n", "a 1\n", "1 1 1 1\n", "\n"] {
            assert!(PhoneCounts::parse(text.as_bytes(), 2).is_err(), "{text:?}");
        }
        let error = |tree: BiphoneTree| tree.build().unwrap_err().to_string();
        assert_eq!(
            error(BiphoneTree { num_classes: 3, ..two_phones() }),
            "expected phones with 1 or 2 pdf classes, got 3"
        );
        assert_eq!(error(BiphoneTree { sets: vec![vec![1], vec![1]], ..two_phones() }), "phone 1 comes twice");
        let message = "expected sets of phones, got an empty one";
        assert_eq!(error(BiphoneTree { ci_phones: vec![1, 2], ..two_phones() }), message);
    }
}
