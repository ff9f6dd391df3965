//! An LRU cache of values that were read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bstr::BString;
use kaldi_io::sync::Mutex;
use kaldi_io::was_interrupted;

use crate::server::failure::{Answer, Failure};

/// How long it is remembered that a value cannot be read.
const PATIENCE: Duration = Duration::from_secs(3);

/// Values that are kept, at most: each may keep a file open.
const MOST: usize = 64;

/// Values that were read, those that were used last at the end.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    kept: Mutex<Vec<Kept<T>>>,
    /// Bytes of values that are kept.
    room: usize,
    size: fn(&T) -> usize,
}

#[derive(Debug)]
struct Kept<T> {
    name: BString,
    slot: Arc<Slot<T>>,
    /// Bytes of the value; 0 until it is read.
    bytes: usize,
}

/// A value, or why and when it could not be read; `None` if nobody has read it. Who reads it holds the lock, and others wait for that.
type Slot<T> = Mutex<Option<Result<Arc<T>, (String, Instant)>>>;

impl<T> Cache<T> {
    pub fn new(room: usize, size: fn(&T) -> usize) -> Self {
        Self { kept: Mutex::default(), room, size }
    }

    /// The value of this name. It is read by the first thread that wants it; the others wait. If the request of that thread is given up,
    /// the next one reads it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get(&self, name: &BString, read: impl FnOnce() -> Result<T, String>) -> Answer<Arc<T>> {
        let slot = self.slot(name);
        let mut value = slot.lock();
        match &*value {
            Some(Ok(value)) => return Ok(Arc::clone(value)),
            Some(Err((message, when))) if when.elapsed() < PATIENCE => {
                return Err(Failure::Unreadable(message.clone()));
            }
            _ if was_interrupted() => return Err(Failure::Unreadable("interrupted".into())),
            _ => {}
        }
        let read = read().map(Arc::new);
        *value = match &read {
            Ok(value) => Some(Ok(Arc::clone(value))),
            Err(_) if was_interrupted() => None,
            Err(message) => Some(Err((message.clone(), Instant::now()))),
        };
        drop(value);
        if let Ok(value) = &read {
            self.make_room(&slot, (self.size)(value));
        }
        read.map_err(Failure::Unreadable)
    }

    /// The slot of this name, which was used last from now on.
    fn slot(&self, name: &BString) -> Arc<Slot<T>> {
        let mut kept = self.kept.lock();
        let used = match kept.iter().position(|kept| kept.name == *name) {
            Some(at) => kept.remove(at),
            None => Kept { name: name.clone(), slot: Arc::default(), bytes: 0 },
        };
        if kept.len() >= MOST {
            kept.remove(0);
        }
        let slot = Arc::clone(&used.slot);
        kept.push(used);
        slot
    }

    /// Notes the bytes of a value, and forgets what was not used for the longest time; this value stays.
    fn make_room(&self, slot: &Arc<Slot<T>>, bytes: usize) {
        let mut kept = self.kept.lock();
        // It may have been forgotten while it was read.
        if let Some(own) = kept.iter_mut().find(|kept| Arc::ptr_eq(&kept.slot, slot)) {
            own.bytes = bytes;
        }
        shrink(&mut kept, self.room, |kept| !Arc::ptr_eq(&kept.slot, slot));
    }

    /// Forgets what was not used for the longest time, until no more than `room` bytes are left.
    pub fn shrink(&self, room: usize) {
        shrink(&mut self.kept.lock(), room, |_| true);
    }

    /// Bytes of all values that are kept.
    pub fn taken(&self) -> usize {
        taken(&self.kept.lock())
    }
}

fn taken<T>(kept: &[Kept<T>]) -> usize {
    kept.iter().map(|kept| kept.bytes).sum()
}

/// Forgets what may be forgotten and takes bytes, until no more than `room` bytes are left.
fn shrink<T>(kept: &mut Vec<Kept<T>>, room: usize, may_go: impl Fn(&Kept<T>) -> bool) {
    while taken(kept) > room
        && let Some(oldest) = kept.iter().position(|kept| kept.bytes > 0 && may_go(kept))
    {
        kept.remove(oldest);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

    use kaldi_io::Session;

    use super::*;

    fn get(cache: &Cache<Vec<u8>>, name: &str, read: impl FnOnce() -> Result<Vec<u8>, String>) -> Answer<usize> {
        cache.get(&name.into(), read).map(|value| value.len())
    }

    #[test]
    fn what_was_used_last_is_kept() {
        let cache = Cache::new(10, Vec::len);
        for name in ["a", "b"] {
            assert_eq!(get(&cache, name, || Ok(vec![0; 4])), Ok(4));
        }
        assert_eq!(get(&cache, "a", || panic!("it is there")), Ok(4));
        assert_eq!(get(&cache, "c", || Ok(vec![0; 5])), Ok(5));
        assert_eq!(get(&cache, "a", || panic!("it is there")), Ok(4));
        assert_eq!(get(&cache, "b", || Ok(vec![0; 100])), Ok(100));
        assert_eq!(get(&cache, "b", || panic!("it is too large, and the only one")), Ok(100));
        assert_eq!(get(&cache, "a", || Ok(vec![0; 1])), Ok(1));
    }

    #[test]
    fn few_values_are_kept_however_small() {
        let cache = Cache::new(10, Vec::len);
        for name in 0..1000 {
            assert_eq!(get(&cache, &name.to_string(), || Ok(vec![])), Ok(0));
        }
        assert_eq!(cache.kept.lock().len(), MOST);
        assert_eq!(get(&cache, "999", || panic!("it is there")), Ok(0));
    }

    #[test]
    fn a_failure_is_remembered_for_a_while() {
        let cache = Cache::new(10, Vec::len);
        let start = Instant::now();
        assert_eq!(get(&cache, "a", || Err("broken".into())), Err(Failure::Unreadable("broken".into())));
        let again = get(&cache, "a", || Err("too soon".into()));
        let is_long_ago = start.elapsed() >= PATIENCE;
        assert!(again == Err(Failure::Unreadable("broken".into())) || is_long_ago, "{again:?}");
    }

    #[test]
    fn a_value_is_read_once_for_many_threads() {
        let (cache, count) = (Cache::new(10, Vec::len), Mutex::new(0));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let read = || {
                        *count.lock() += 1;
                        std::thread::sleep(Duration::from_millis(50));
                        Ok(vec![0; 3])
                    };
                    assert_eq!(get(&cache, "a", read), Ok(3));
                });
            }
        });
        assert_eq!(*count.lock(), 1);
    }

    #[test]
    fn who_still_waits_reads_a_value_that_was_given_up() {
        let cache = Cache::new(10, Vec::len);
        let goes_on = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&goes_on);
        let session = Session::default()
            .change(|settings| settings.may_wait = Some(Arc::new(move || flag.load(Ordering::Relaxed))));
        let (starts, started) = channel();
        let until_given_up = || {
            starts.send(()).unwrap();
            while !was_interrupted() {
                std::thread::yield_now();
            }
            Err("ended".to_owned())
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| session.enter(|| get(&cache, "a", until_given_up)));
            started.recv().unwrap();
            let second = scope.spawn(|| get(&cache, "a", || Ok(vec![0; 3])));
            goes_on.store(false, Ordering::Relaxed);
            assert_eq!(first.join().unwrap(), Err(Failure::Unreadable("ended".into())));
            assert_eq!(second.join().unwrap(), Ok(3));
        });
        let given_up = session.enter(|| get(&cache, "b", || panic!("nobody waits for it")));
        assert_eq!(given_up, Err(Failure::Unreadable("interrupted".into())));
    }
}
