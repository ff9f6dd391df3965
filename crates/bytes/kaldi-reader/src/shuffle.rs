//! Values in random order.

use crate::source::Source;
use crate::{Draws, Reader};

/// Delivers the values of `reader` in a random order that depends on `seed`: `window` of them are read and shuffled,
/// and the next ones are read when these have been delivered.
///
/// Nothing is read before the first value is requested. A window of 0 counts as 1. A restart gives the same order.
pub fn shuffle_window<R: Reader>(reader: R, window: usize, seed: u64) -> Shuffle<R> {
    Shuffle::new(reader, Mode::Window, window, seed)
}

/// Delivers the values of `reader` in a random order that depends on `seed`: `window` of them are read; after that each
/// next one replaces a random one, which is delivered.
///
/// The value number `i` of the output, counted from 0, is one of the first `i + window` of the input. A value may come
/// arbitrarily late. Nothing is read before the first value is requested. A window of 0 counts as 1. A restart gives
/// the same order.
pub fn shuffle_stream<R: Reader>(reader: R, window: usize, seed: u64) -> Shuffle<R> {
    Shuffle::new(reader, Mode::Stream, window, seed)
}

/// The reader that [`shuffle_window`] and [`shuffle_stream`] make.
pub struct Shuffle<R: Reader> {
    source: Source<R>,
    mode: Mode,
    window: usize,
    initial: usize,
    max_bytes: usize,
    mem_size: fn(&R::Item) -> usize,
    seed: u64,
    draws: Draws,
    values: Vec<R::Item>,
    bytes: usize,
    /// Window: the values are in their order. Stream: enough values have been read to start.
    started: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Window,
    Stream,
}

impl<R: Reader> Shuffle<R> {
    fn new(reader: R, mode: Mode, window: usize, seed: u64) -> Self {
        let window = window.max(1);
        Self {
            source: Source::new(reader),
            mode,
            window,
            initial: window,
            max_bytes: usize::MAX,
            mem_size: |_| 0,
            seed,
            draws: Draws::seeded(seed),
            values: Vec::new(),
            bytes: 0,
            started: false,
        }
    }

    /// Holds no more than `max_bytes`, as `mem_size` counts them; the last value that is read may go beyond.
    pub fn max_bytes(self, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> Self {
        Self { max_bytes, mem_size, ..self }
    }

    /// Starts to deliver when `initial` values have been read. The window grows to its full length: two values are read
    /// for each one that is delivered.
    ///
    /// So the first values are shuffled less. It has an effect only on [`shuffle_stream`].
    pub fn initial(self, initial: usize) -> Self {
        Self { initial: initial.clamp(1, self.window), ..self }
    }

    fn is_full(&self) -> bool {
        self.values.len() >= self.window || self.bytes >= self.max_bytes
    }

    /// Reads one more value.
    fn hold(&mut self) -> bool {
        let Some(value) = self.source.read() else { return false };
        self.bytes = self.bytes.saturating_add((self.mem_size)(&value));
        self.values.push(value);
        true
    }

    fn deliver(&mut self, value: Option<R::Item>) -> Result<Option<R::Item>, R::Error> {
        let Some(value) = value else { return self.source.end() };
        self.bytes = self.bytes.saturating_sub((self.mem_size)(&value));
        Ok(Some(value))
    }

    fn next_of_window(&mut self) -> Option<R::Item> {
        if self.values.is_empty() {
            while !self.is_full() && self.hold() {}
            self.draws.shuffle(&mut self.values);
        }
        self.values.pop()
    }

    fn next_of_stream(&mut self) -> Option<R::Item> {
        if !self.started {
            while self.values.len() < self.initial && !self.is_full() && self.hold() {}
            self.started = true;
        }
        if !self.is_full() {
            self.hold();
        }
        // The newest value cannot be chosen, except at the end.
        let held = self.values.len();
        let newest = usize::from(self.hold());
        if held + newest == 0 {
            return None;
        }
        let choice = self.draws.index(held.max(1));
        Some(self.values.swap_remove(choice))
    }

    fn clear(&mut self) {
        self.values.clear();
        self.bytes = 0;
        self.started = false;
        self.draws = Draws::seeded(self.seed);
    }
}

impl<R: Reader> Reader for Shuffle<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let value = match self.mode {
            Mode::Window => self.next_of_window(),
            Mode::Stream => self.next_of_stream(),
        };
        self.deliver(value)
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.clear();
        self.source.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.clear();
        self.source.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_slice};

    fn numbers() -> Vec<usize> {
        (0..100).collect()
    }

    #[test]
    fn a_window_is_shuffled_by_itself() {
        let order = from_slice(&numbers()).shuffle_window(30, 5).read_all().unwrap();
        for (index, part) in order.chunks(30).enumerate() {
            let mut sorted = part.to_vec();
            sorted.sort_unstable();
            assert_ne!(sorted, part);
            assert!(sorted.into_iter().eq((index * 30)..(index * 30 + part.len())));
        }
    }

    #[test]
    fn a_stream_delivers_each_value_once_and_none_before_it_was_read() {
        for (window, initial) in [(1, 1), (2, 2), (30, 30), (30, 4), (1000, 1000), (1000, 1)] {
            let order = from_slice(&numbers()).shuffle_stream(window, 5).initial(initial).read_all().unwrap();
            for (place, value) in order.iter().enumerate() {
                assert!(*value < place + window, "{value} at {place}, window {window}");
            }
            let mut sorted = order;
            sorted.sort_unstable();
            assert_eq!(sorted, numbers());
        }
    }

    #[test]
    fn an_early_start_reads_no_more_than_it_has_to() {
        let counter = crate::Counter::default();
        let values = numbers();
        let mut reader = from_slice(&values).counting(&counter).shuffle_stream(50, 5).initial(10);
        reader.next().unwrap();
        assert_eq!(counter.values(), 12);
        reader.next().unwrap();
        assert_eq!(counter.values(), 14);
    }

    #[test]
    fn seeds_make_orders_and_a_seed_makes_one() {
        let order = |seed| from_slice(&numbers()).shuffle_stream(40, seed).read_all().unwrap();
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn bytes_bound_what_is_held() {
        let counter = crate::Counter::default();
        let values = numbers();
        let mut reader = from_slice(&values).counting(&counter).shuffle_window(90, 5).max_bytes(1000, |_| 100);
        reader.next().unwrap();
        assert_eq!(counter.values(), 10);
        assert_eq!(reader.read_all().unwrap().len(), 99);
    }
}
