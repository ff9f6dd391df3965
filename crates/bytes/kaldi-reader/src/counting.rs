//! Counts values as they pass.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::Reader;

/// A number that all copies share.
#[derive(Clone, Debug, Default)]
pub struct Counter(Arc<AtomicU64>);

impl Counter {
    /// The values delivered since the reader was made or restarted.
    pub fn values(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counts the values that are delivered. `counter` can be read anywhere, also on other threads.
pub fn counting<R: Reader>(reader: R, counter: &Counter) -> Counting<R> {
    Counting { reader, counter: counter.clone() }
}

/// The reader that [`counting`] makes.
#[derive(Debug)]
pub struct Counting<R> {
    reader: R,
    counter: Counter,
}

impl<R: Reader> Reader for Counting<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let next = self.reader.next();
        if matches!(next, Ok(Some(_))) {
            self.counter.0.fetch_add(1, Ordering::Relaxed);
        }
        next
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.counter.0.store(0, Ordering::Relaxed);
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_slice};

    #[test]
    fn values_are_counted_and_a_restart_counts_anew() {
        let counter = Counter::default();
        let mut reader = from_slice(&[1, 2, 3]).counting(&counter);
        reader.next().unwrap();
        assert_eq!(counter.values(), 1);
        reader.read_all().unwrap();
        assert_eq!(counter.values(), 3);
        reader.restart().unwrap();
        assert_eq!(counter.values(), 0);
    }
}
