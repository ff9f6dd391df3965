//! One reader for several threads.

use std::sync::Arc;

use crate::Reader;
use crate::sync::Mutex;

/// Makes a reader whose copies can be used by several threads: each value goes to one of them.
///
/// An end is seen by all. An error is delivered to one of them and is the end for the others. If one of them restarts
/// or finishes early, this applies to all.
///
/// ```
/// use kaldi_reader::{ReaderExt, from_slice};
///
/// let numbers = from_slice(&[1, 2, 3, 4]).threaded();
/// let sum: i32 = std::thread::scope(|scope| {
///     let threads = [numbers.clone(), numbers].map(|mut numbers| scope.spawn(move || numbers.read_all()));
///     threads.into_iter().flat_map(|thread| thread.join().unwrap().unwrap()).sum()
/// });
/// assert_eq!(sum, 10);
/// ```
pub fn threaded<R: Reader>(reader: R) -> Threaded<R> {
    Threaded(Arc::new(Mutex::new(reader)))
}

/// The reader that [`threaded`] makes.
#[derive(Debug)]
pub struct Threaded<R>(Arc<Mutex<R>>);

impl<R> Clone for Threaded<R> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<R: Reader> Reader for Threaded<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        self.0.lock().next()
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.0.lock().restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.0.lock().finish()
    }
}
