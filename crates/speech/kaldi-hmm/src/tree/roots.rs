//! The roots of a tree: which phones share one.

use std::collections::BTreeSet;

use kaldi_io::ParseError;
use kaldi_io::log::warning;
use kaldi_value::Cursor;

use super::tree_stats::MOST_VALUES;
use super::{ContextDependency, EventMap, PDF_CLASS, TreeError};

/// Phones that share the root of their tree, or the roots of the trees of their pdf classes: a line of a roots file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRoot {
    /// Whether all pdf classes share one root.
    pub is_shared: bool,
    /// Whether questions may split it.
    pub is_split: bool,
    /// The phones, in ascending order, each once.
    pub phones: Vec<i32>,
}

impl TreeRoot {
    /// Reads the lines of a roots file: `shared` or `not-shared`, `split` or `not-split`, and phones.
    ///
    /// # Errors
    /// If a line is not like that, a phone is not positive or is in two lines, or there are no lines.
    pub fn read_all(bytes: &[u8]) -> Result<Vec<Self>, ParseError> {
        let mut roots = Vec::new();
        let mut seen = BTreeSet::new();
        let mut cursor = Cursor::new(bytes);
        while !cursor.rest().is_empty() {
            let start = cursor.offset();
            let line = cursor.read_line()?;
            let error = |message: String| ParseError::new(start, format!("line {}: {message}", roots.len() + 1));
            let root = Self::read_line(line).map_err(error)?;
            if let Some(phone) = root.phones.iter().find(|&&phone| !seen.insert(phone)) {
                return Err(error(format!("phone {phone} has a root already")));
            }
            roots.push(root);
        }
        match roots.is_empty() {
            true => Err(ParseError::new(0, "expected roots, got an empty file")),
            false => Ok(roots),
        }
    }

    fn read_line(line: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(line);
        let mut words = text.split_ascii_whitespace();
        let mut choose = |yes: &str, no: &str| match words.next() {
            Some(word) if word == yes => Ok(true),
            Some(word) if word == no => Ok(false),
            word => Err(format!("expected {yes} or {no}, got \"{}\"", word.unwrap_or_default())),
        };
        let (is_shared, is_split) = (choose("shared", "not-shared")?, choose("split", "not-split")?);
        let phone = |word: &str| match word.parse() {
            Ok(phone) if (1..MOST_VALUES).contains(&phone) => Ok(phone),
            _ => Err(format!("expected phones from 1 to {}, got \"{word}\"", MOST_VALUES - 1)),
        };
        let mut phones = words.map(phone).collect::<Result<Vec<i32>, String>>()?;
        phones.sort_unstable();
        match phones.is_empty() {
            true => Err("expected phones, got none".to_owned()),
            false => Ok(Self { is_shared, is_split, phones }),
        }
    }
}

/// A tree that has only roots.
pub(super) struct Stub {
    pub(super) map: EventMap,
    pub(super) num_leaves: i32,
}

impl Stub {
    /// Makes the tree that has only roots, with its leaves in the order of the roots. `num_classes` gives the number of
    /// pdf classes of a phone.
    pub(super) fn new(
        roots: &[TreeRoot],
        central_position: i32,
        num_classes: &dyn Fn(i32) -> Option<i32>,
    ) -> Result<Self, TreeError> {
        let mut stub = StubMaker { central_position, num_classes, num_leaves: 0 };
        let map = stub.map(roots)?;
        Ok(Self { map, num_leaves: stub.num_leaves })
    }
}

impl ContextDependency {
    /// The tree without context in which the phones of each set share their pdfs, one for each pdf class. `num_classes` gives
    /// the number of pdf classes of a phone.
    ///
    /// # Errors
    /// If there are no sets, a set is empty, or a phone has no classes or is in two sets.
    pub fn without_context(sets: &[Vec<i32>], num_classes: &dyn Fn(i32) -> Option<i32>) -> Result<Self, TreeError> {
        let mut phones: Vec<i32> = sets.iter().flatten().copied().collect();
        phones.sort_unstable();
        if sets.iter().any(Vec::is_empty) || phones.is_empty() {
            return Err(TreeError::PhoneSets("expected sets of phones, got an empty one".to_owned()));
        }
        if let Some(pair) = phones.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(TreeError::PhoneSets(format!("phone {} comes twice", pair[0])));
        }
        let root = |phones: &Vec<i32>| TreeRoot { is_shared: false, is_split: false, phones: phones.clone() };
        let roots: Vec<TreeRoot> = sets.iter().map(root).collect();
        Ok(Self::new(1, 0, Stub::new(&roots, 0, num_classes)?.map))
    }
}

struct StubMaker<'a> {
    central_position: i32,
    num_classes: &'a dyn Fn(i32) -> Option<i32>,
    num_leaves: i32,
}

impl StubMaker<'_> {
    /// Sets of several phones are halved, so that the depth is the logarithm of their number.
    fn map(&mut self, roots: &[TreeRoot]) -> Result<EventMap, TreeError> {
        let largest_phone = roots.iter().flat_map(|root| &root.phones).copied().max().unwrap_or_default();
        if let [root] = roots {
            return self.map_of_root(root);
        }
        if roots.iter().all(|root| root.phones.len() == 1) && roots.len() <= 2 * largest_phone as usize {
            let mut children = vec![None; largest_phone as usize + 1];
            for root in roots {
                children[root.phones[0] as usize] = Some(self.map_of_root(root)?);
            }
            return Ok(EventMap::table(self.central_position, children));
        }
        let (first, second) = roots.split_at(roots.len() / 2);
        let (yes, no) = (self.map(first)?, self.map(second)?);
        let mut yes_set: Vec<i32> = first.iter().flat_map(|root| root.phones.iter().copied()).collect();
        yes_set.sort_unstable();
        Ok(EventMap::split(self.central_position, yes_set, yes, no))
    }

    fn map_of_root(&mut self, root: &TreeRoot) -> Result<EventMap, TreeError> {
        if root.is_shared {
            return Ok(self.new_leaf());
        }
        let mut most = 0;
        for &phone in &root.phones {
            let count = (self.num_classes)(phone).filter(|&count| count > 0).ok_or_else(|| {
                TreeError::PhoneSets(format!("phone {phone} of the roots has no pdf classes in the topology"))
            })?;
            if most != 0 && count != most {
                warning!("Mismatching lengths within a phone set: {count} vs. {most}");
            }
            most = most.max(count);
        }
        Ok(EventMap::table(PDF_CLASS, (0..most).map(|_| Some(self.new_leaf())).collect()))
    }

    fn new_leaf(&mut self) -> EventMap {
        self.num_leaves += 1;
        EventMap::leaf(self.num_leaves - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stub(text: &str) -> String {
        let roots = TreeRoot::read_all(text.as_bytes()).unwrap();
        let stub = Stub::new(&roots, 1, &|_| Some(2)).unwrap();
        let mut text = Vec::new();
        stub.map.write_part(&mut text, kaldi_value::Format::Text);
        String::from_utf8(text).unwrap().replace('\n', "")
    }

    #[test]
    fn roots_are_the_leaves_of_the_stub() {
        assert_eq!(stub("shared split 2 1\n"), "CE 0 ");
        assert_eq!(stub("not-shared split 1\n"), "TE -1 2 ( CE 0 CE 1 ) ");
        assert_eq!(stub("shared split 2\nnot-shared split 1"), "TE 1 3 ( NULL TE -1 2 ( CE 1 CE 2 ) CE 0 ) ");
        let three = "shared split 5 3\nshared split 1\nshared split 2\n";
        assert_eq!(stub(three), "SE 1 [ 3 5 ]{ CE 0 TE 1 3 ( NULL CE 1 CE 2 ) } ");
    }

    #[test]
    fn wrong_roots_are_refused() {
        let error = |text: &str| TreeRoot::read_all(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error(""), "expected roots, got an empty file");
        assert_eq!(error("shared splat 1\n"), "line 1: expected split or not-split, got \"splat\"");
        assert_eq!(error("shared split 1\n\n"), "line 2: expected shared or not-shared, got \"\"");
        assert_eq!(error("shared split\n"), "line 1: expected phones, got none");
        assert_eq!(error("shared split 1 2x\n"), "line 1: expected phones from 1 to 16777215, got \"2x\"");
        assert_eq!(error("shared split 1\nshared split 2 1\n"), "line 2: phone 1 has a root already");
    }
}
