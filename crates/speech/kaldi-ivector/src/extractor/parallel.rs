//! Work on several threads, whose results do not depend on their number.

use crate::{Error, Result};
use kaldi_io::sync::Mutex;

/// Does the work on every item, on up to `num_threads` threads. The work on an item must not depend on that on others.
///
/// # Errors
/// If the work fails: that on the first item of those that fail. It is done on all items nevertheless.
pub(super) fn for_each<T: Send>(
    num_threads: usize,
    items: impl ExactSizeIterator<Item = T> + Send,
    work: impl Fn(T) -> Result<()> + Sync,
) -> Result<()> {
    let num_threads = num_threads.min(items.len());
    if num_threads <= 1 {
        let mut first = Ok(());
        items.for_each(|item| first = std::mem::replace(&mut first, Ok(())).and(work(item)));
        return first;
    }
    let items = Mutex::new(items.enumerate());
    let first: Mutex<Option<(usize, Error)>> = Mutex::new(None);
    let next = || items.lock().next();
    std::thread::scope(|scope| {
        for _ in 0..num_threads {
            scope.spawn(|| {
                while let Some((index, item)) = next() {
                    let Err(error) = work(item) else { continue };
                    let mut first = first.lock();
                    if first.as_ref().is_none_or(|(other, _)| index < *other) {
                        *first = Some((index, error));
                    }
                }
            });
        }
    });
    match first.into_inner() {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for num_threads in [1, 2, 7, 100] {
            let mut items = vec![1; 50];
            for_each(num_threads, items.iter_mut(), |item| {
                *item += 1;
                Ok(())
            })
            .unwrap();
            assert_eq!(items, [2; 50]);
        }
        for_each(3, [0; 0].into_iter(), |_: i32| Err(Error::NoRepetition)).unwrap();
    }

    #[test]
    fn the_first_item_that_fails_is_told() {
        for num_threads in [1, 2, 7] {
            let fail = |got: i32| if got % 5 == 3 { Err(Error::NumExamples { got }) } else { Ok(()) };
            let error = for_each(num_threads, 0..20, fail).unwrap_err();
            assert!(matches!(error, Error::NumExamples { got: 3 }), "{error}");
        }
    }
}
