//! Values sorted within a window.

use std::collections::VecDeque;

use crate::Reader;
use crate::source::Source;

/// Delivers the values of `reader` sorted within windows of `window` values: that many are read, sorted by `key`,
/// smallest first, and delivered before the next ones are read.
///
/// Equal values keep their order. A window of 0 counts as 1; `usize::MAX` sorts everything.
pub fn sort<R: Reader, K: Ord, F: FnMut(&R::Item) -> K>(reader: R, window: usize, key: F) -> Sort<R, F> {
    Sort {
        source: Source::new(reader),
        window: window.max(1),
        max_bytes: usize::MAX,
        mem_size: |_| 0,
        key,
        values: VecDeque::new(),
    }
}

/// The reader that [`sort`] makes.
pub struct Sort<R: Reader, F> {
    source: Source<R>,
    window: usize,
    max_bytes: usize,
    mem_size: fn(&R::Item) -> usize,
    key: F,
    values: VecDeque<R::Item>,
}

impl<R: Reader, F> Sort<R, F> {
    /// Holds no more than `max_bytes`, as `mem_size` counts them; the last value of a window may go beyond.
    pub fn max_bytes(self, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> Self {
        Self { max_bytes, mem_size, ..self }
    }

    fn fill(&mut self) {
        let mut bytes = 0_usize;
        while self.values.len() < self.window && bytes < self.max_bytes {
            let Some(value) = self.source.read() else { break };
            bytes = bytes.saturating_add((self.mem_size)(&value));
            self.values.push_back(value);
        }
    }
}

impl<R: Reader, K: Ord, F: FnMut(&R::Item) -> K> Reader for Sort<R, F> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        if self.values.is_empty() {
            self.fill();
            self.values.make_contiguous().sort_by_key(&mut self.key);
        }
        self.values.pop_front().map_or_else(|| self.source.end(), |value| Ok(Some(value)))
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.values.clear();
        self.source.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.values.clear();
        self.source.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::{ReaderExt, from_slice};

    #[test]
    fn windows_are_sorted_and_equal_values_keep_their_order() {
        let values = [(3, 'a'), (1, 'b'), (3, 'c'), (2, 'd'), (1, 'e'), (0, 'f'), (9, 'g')];
        let sorted = from_slice(&values).sort(3, |value| value.0).read_all().unwrap();
        assert_eq!(sorted, [(1, 'b'), (3, 'a'), (3, 'c'), (0, 'f'), (1, 'e'), (2, 'd'), (9, 'g')]);
        let sorted = from_slice(&values).sort(usize::MAX, |value| value.0).read_all().unwrap();
        assert!(sorted.iter().map(|value| value.1).eq("fbedacg".chars()));
    }

    #[test]
    fn bytes_end_a_window() {
        let sorted = from_slice(&[4, 3, 2, 1]).sort(9, |value| *value).max_bytes(20, |_| 10).read_all().unwrap();
        assert_eq!(sorted, [3, 4, 1, 2]);
    }
}
