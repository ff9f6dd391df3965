//! Work on many objects, several at a time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use kaldi_io::Session;
use kaldi_io::log::warning;
use kaldi_io::sync::Mutex;

use crate::{Error, Result};

/// After so many failures nothing more is begun: the store, or the disk, is the reason.
const MOST_FAILURES: usize = 10;

/// Does the work for each item, on `at_once` threads. One that fails is a warning, and the others go on; at the end, all that have
/// failed are one error.
pub(crate) fn each<T: Sync>(items: &[T], at_once: usize, work: impl Fn(&T) -> Result<()> + Sync) -> Result<()> {
    if let [item] = items {
        return work(item);
    }
    let (next, failed) = (AtomicUsize::new(0), Mutex::new((0, None)));
    let session = Session::current();
    let run = || {
        session.enter(|| {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                let Err(error) = work(item) else { continue };
                warning!("{error}");
                let mut failed = failed.lock();
                failed.0 += 1;
                failed.1.get_or_insert(error);
                if failed.0 >= MOST_FAILURES {
                    next.store(items.len(), Ordering::Relaxed);
                }
            }
        });
    };
    thread::scope(|scope| {
        for _ in 1..at_once.clamp(1, items.len().max(1)) {
            scope.spawn(run);
        }
        run();
    });
    match failed.into_inner() {
        (num_failed, Some(first)) => Err(Error::Several { num_failed, of: items.len(), first: Box::new(first) }),
        _ => Ok(()),
    }
}
