//! Merging of examples to minibatches.

use std::collections::{BTreeMap, HashMap};

use bstr::BString;
use kaldi_value::number::Digits;

use crate::structures::{Structure, WaitingOrder};
use crate::{Error, Index, IoMatrix, MinibatchSizes, NnetExample, NnetIo, Result};

/// Examples that are merged: what became of some of them, and their number.
pub struct Merged {
    /// The name of the new example in a table.
    pub key: String,
    /// The examples, to be put together by [`NnetExample::merged`].
    pub examples: Vec<NnetExample>,
}

/// Collects examples of one structure and hands out as many as are merged (Kaldi's `ExampleMerger`).
///
/// At the end, structures come in Kaldi's order: that of a hash table.
pub struct ExampleMerger {
    sizes: MinibatchSizes,
    /// The number of each structure that was seen.
    numbers: HashMap<Structure, usize>,
    /// The structure of the last example, which the next one often has, and its number.
    last: Option<(Structure, usize)>,
    /// For each number, the examples that wait, and what was done.
    groups: Vec<Group>,
    order: WaitingOrder,
    num_written: u64,
}

#[derive(Default)]
struct Group {
    size: usize,
    waiting: Vec<NnetExample>,
    /// Kaldi's hash of the structure.
    hash: u64,
    written: BTreeMap<usize, u64>,
    dropped: u64,
}

impl ExampleMerger {
    /// A merger without examples.
    pub fn new(sizes: MinibatchSizes) -> Self {
        Self {
            sizes,
            numbers: HashMap::new(),
            last: None,
            groups: Vec::new(),
            order: WaitingOrder::default(),
            num_written: 0,
        }
    }

    /// Adds an example; returns those to merge, if there are enough now.
    pub fn add(&mut self, example: NnetExample) -> Option<Merged> {
        let number = self.number_of(&example);
        let group = &mut self.groups[number];
        if group.waiting.is_empty() {
            self.order.insert(number, group.hash);
        }
        group.waiting.push(example);
        let count = self.sizes.number(group.size, group.waiting.len(), false);
        (count > 0).then(|| {
            self.order.remove(number);
            self.take(number, count)
        })
    }

    /// The number of the example's structure, which may be new.
    fn number_of(&mut self, example: &NnetExample) -> usize {
        if let Some((last, number)) = &self.last
            && last.is_of(example)
        {
            return *number;
        }
        let structure = Structure::of(example);
        let next = self.groups.len();
        let number = *self.numbers.entry(structure.clone()).or_insert(next);
        if number == next {
            let (size, hash) = (structure.size(), structure.kaldi_hash());
            self.groups.push(Group { size, hash, ..Group::default() });
        }
        self.last = Some((structure, number));
        number
    }

    /// After the last example: returns what else is merged. The rest is dropped.
    pub fn end(&mut self) -> Vec<Merged> {
        let mut merged = Vec::new();
        for number in self.order.take() {
            loop {
                let group = &mut self.groups[number];
                let count = self.sizes.number(group.size, group.waiting.len(), true);
                if count == 0 {
                    group.dropped += std::mem::take(&mut group.waiting).len() as u64;
                    break;
                }
                merged.push(self.take(number, count));
            }
        }
        merged
    }

    fn take(&mut self, number: usize, count: usize) -> Merged {
        let group = &mut self.groups[number];
        *group.written.entry(count).or_insert(0) += 1;
        let rest = group.waiting.split_off(count);
        let examples = std::mem::replace(&mut group.waiting, rest);
        let key = format!("merged-{}-{count}", self.num_written);
        self.num_written += 1;
        Merged { key, examples }
    }

    /// What was done with the examples of each structure.
    pub fn stats(&self) -> MergingStats {
        let mut groups: Vec<&Group> = self.groups.iter().collect();
        groups.sort_by_key(|group| (group.size, group.hash));
        MergingStats {
            groups: groups.into_iter().map(|group| (group.size, group.written.clone(), group.dropped)).collect(),
        }
    }
}

/// The sizes of minibatches, and what was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergingStats {
    /// For each structure: the size of an example, how many minibatches there were of each number, examples dropped.
    groups: Vec<(usize, BTreeMap<usize, u64>, u64)>,
}

impl MergingStats {
    /// The number of minibatches.
    pub fn num_minibatches(&self) -> u64 {
        self.groups.iter().flat_map(|(_, written, _)| written.values()).sum()
    }

    /// The numbers of each structure: `11={4->3,d=3}`.
    pub fn of_structures(&self) -> String {
        let group = |(size, written, dropped): &(usize, BTreeMap<usize, u64>, u64)| {
            let written: Vec<String> = written.iter().map(|(number, count)| format!("{number}->{count}")).collect();
            format!("{size}={{{},d={dropped}}}", written.join(","))
        };
        self.groups.iter().map(group).collect::<Vec<_>>().join(",")
    }

    /// The numbers of all, as a sentence in Kaldi's words.
    pub fn of_all(&self) -> String {
        let (mut kept, mut kept_size, mut dropped, mut dropped_size) = (0.0, 0.0, 0.0, 0.0);
        let mut num_kinds = 0;
        for (size, written, lost) in &self.groups {
            for (number, count) in written {
                let examples = *number as f64 * *count as f64;
                kept += examples;
                kept_size += examples * *size as f64;
                num_kinds += 1;
            }
            dropped += *lost as f64;
            dropped_size += *lost as f64 * *size as f64;
        }
        let minibatches = self.num_minibatches();
        let number = |value: f64| Digits(f64::from(value as f32), 4);
        format!(
            "Processed {} egs of avg. size {} into {minibatches} minibatches, discarding {}% of egs.  Avg minibatch size \
             was {}, #distinct types of egs/minibatches was {}/{num_kinds}",
            kept + dropped,
            number((kept_size + dropped_size) / (kept + dropped)),
            number(dropped * 100.0 / (kept + dropped)),
            number(kept / minibatches as f64),
            self.groups.len(),
        )
    }
}

impl NnetExample {
    /// Puts examples together: inputs and outputs of one name, sorted by name, with their rows one after the other. The
    /// sequences of each example get numbers after those of the example before.
    ///
    /// `compress` compresses full matrices.
    ///
    /// # Errors
    /// If there are no examples, or a name has no rows at all or rows that do not fit each other, or an example has more
    /// sequences than the first one.
    pub fn merged(examples: &[Self], compress: bool) -> Result<Self> {
        let first = examples.first().and_then(|example| example.io.first());
        let Some(first) = first else { return Err(Error::NoIo { name: "input" }) };
        let num_sequences = 1 + i64::from(first.indexes.iter().map(|index| index.n).max().unwrap_or(0).max(0));
        let mut by_name = BTreeMap::<&BString, (Vec<Index>, Vec<&IoMatrix>)>::new();
        for (place, example) in examples.iter().enumerate() {
            for io in &example.io {
                let (indexes, matrices) = by_name.entry(&io.name).or_default();
                for index in &io.indexes {
                    if i64::from(index.n) >= num_sequences {
                        return Err(Error::Sequence { name: io.name.clone(), n: index.n, num_sequences });
                    }
                    let n = i64::from(index.n) + place as i64 * num_sequences;
                    indexes.push(Index { n: i32::try_from(n).map_err(|_| Error::OutOfRange)?, ..*index });
                }
                matrices.push(&io.matrix);
            }
        }
        let mut merged = Vec::with_capacity(by_name.len());
        for (name, (indexes, matrices)) in by_name {
            if indexes.is_empty() {
                return Err(Error::NoRows { name: name.clone() });
            }
            let matrix = IoMatrix::joined(&matrices, name.as_ref())?;
            let matrix = if compress { matrix.compressed()? } else { matrix };
            merged.push(NnetIo { name: name.clone(), indexes, matrix });
        }
        Ok(Self { io: merged })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_matrix::Matrix;

    fn example(name: &str, rows: usize) -> NnetExample {
        let matrix = |value| IoMatrix::Full(Matrix::from_vec(rows, 1, vec![value; rows]));
        NnetExample { io: vec![NnetIo::new(name, 0, 1, matrix(1.0)), NnetIo::new("a", 0, 1, matrix(2.0))] }
    }

    fn merger(rules: &str) -> ExampleMerger {
        ExampleMerger::new(MinibatchSizes::parse(rules).unwrap())
    }

    #[test]
    fn examples_of_one_structure_go_together() {
        let mut merger = merger("2");
        assert!(merger.add(example("x", 3)).is_none() && merger.add(example("x", 2)).is_none());
        let merged = merger.add(example("x", 3)).unwrap();
        assert_eq!((merged.key.as_str(), merged.examples.len()), ("merged-0-2", 2));
        assert!(merger.end().is_empty());
        assert_eq!(merger.stats().of_structures(), "2={,d=1},3={2->1,d=0}");
    }

    #[test]
    fn the_rest_comes_in_the_order_of_kaldis_table() {
        let mut merger = merger("3,1");
        for rows in [2, 5, 2, 4, 2, 2] {
            merger.add(example("x", rows));
        }
        let sizes: Vec<usize> = merger.end().iter().map(|merged| merged.examples[0].size()).collect();
        assert_eq!(sizes, [5, 2, 4]);
        assert_eq!(
            merger.stats().of_all(),
            "Processed 6 egs of avg. size 2.833 into 4 minibatches, discarding 0% of egs.  Avg minibatch size was 1.5, \
             #distinct types of egs/minibatches was 3/4"
        );
    }

    #[test]
    fn sequences_are_numbered_on_and_names_sorted() {
        let one = NnetExample::merged(&[example("x", 2), example("x", 2)], false).unwrap();
        assert_eq!((one.io[0].name.as_slice(), one.io[1].name.as_slice()), (&b"a"[..], &b"x"[..]));
        let two = NnetExample::merged(&[one.clone(), one.clone()], false).unwrap();
        let numbers: Vec<i32> = two.io[0].indexes.iter().map(|index| index.n).collect();
        assert_eq!(numbers, [0, 0, 1, 1, 2, 2, 3, 3]);
        let error = NnetExample::merged(&[example("x", 2), one], false).unwrap_err();
        assert!(error.to_string().contains("expected n below 1 in \"a\""), "{error}");
    }

    #[test]
    fn nothing_to_merge_is_an_error() {
        assert!(NnetExample::merged(&[], false).is_err());
        let empty = NnetExample { io: vec![NnetIo::new("x", 0, 1, IoMatrix::default())] };
        assert!(matches!(NnetExample::merged(&[empty.clone(), empty], false), Err(Error::NoRows { .. })));
    }
}
