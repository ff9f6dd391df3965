//! Values that were read, and are kept for a while.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bstr::BString;
use kaldi_io::was_interrupted;

use crate::server::failure::{Answer, Failure};
use crate::server::places;

/// How long it is remembered that a value cannot be read.
const PATIENCE: Duration = Duration::from_secs(3);

/// Values that are kept, at most: each may keep a file open.
const MOST: usize = 64;

/// How often a waiting thread looks whether somebody still waits for it.
const STEP: Duration = Duration::from_millis(50);

/// Values that were read. Those that were used last are kept.
#[derive(Debug)]
pub(crate) struct Cache<T> {
    kept: Mutex<Vec<Kept<T>>>,
    loaded: Condvar,
    /// Bytes of values that are kept.
    room: usize,
    size: fn(&T) -> usize,
}

#[derive(Debug)]
struct Kept<T> {
    name: BString,
    state: State<T>,
}

#[derive(Debug)]
enum State<T> {
    /// Another thread reads it.
    Loading,
    Loaded(Arc<T>),
    Failed(String, Instant),
}

impl<T> Cache<T> {
    pub fn new(room: usize, size: fn(&T) -> usize) -> Self {
        Self { kept: Mutex::default(), loaded: Condvar::new(), room, size }
    }

    /// The value of this name. It is read by the first thread that wants it; the others wait.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn get(&self, name: &BString, read: impl FnOnce() -> Result<T, String>) -> Answer<Arc<T>> {
        let mut kept = loop {
            let mut kept = self.lock();
            let Some(at) = kept.iter().position(|kept| kept.name == *name) else { break kept };
            match &kept[at].state {
                State::Loaded(value) => {
                    let value = Arc::clone(value);
                    let used = kept.remove(at);
                    kept.push(used);
                    return Ok(value);
                }
                State::Failed(message, when) if when.elapsed() < PATIENCE => {
                    return Err(Failure::Unreadable(message.clone()));
                }
                State::Failed(..) => drop(kept.remove(at)),
                State::Loading if was_interrupted() => return Err(Failure::Unreadable("interrupted".into())),
                State::Loading => {
                    drop(kept);
                    places::aside(|| self.wait(name));
                }
            }
        };
        kept.push(Kept { name: name.clone(), state: State::Loading });
        drop(kept);
        let read = read().map(Arc::new);
        let mut kept = self.lock();
        kept.retain(|kept| kept.name != *name);
        let state = match &read {
            Ok(value) => Some(State::Loaded(Arc::clone(value))),
            // If nobody waited for it any more, somebody else may.
            Err(message) => (!was_interrupted()).then(|| State::Failed(message.clone(), Instant::now())),
        };
        kept.extend(state.map(|state| Kept { name: name.clone(), state }));
        self.make_room(&mut kept);
        self.loaded.notify_all();
        read.map_err(Failure::Unreadable)
    }

    /// Waits until the value of this name is loaded, or nobody waits for it any more.
    fn wait(&self, name: &BString) {
        let mut kept = self.lock();
        while !was_interrupted() && kept.iter().any(|kept| kept.name == *name && matches!(kept.state, State::Loading)) {
            kept = self.loaded.wait_timeout(kept, STEP).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Forgets what was not used for the longest time, until no more than `room` bytes are left.
    pub fn shrink(&self, room: usize) {
        let mut kept = self.lock();
        let mut total = self.total(&kept);
        while total > room
            && let Some(oldest) = kept.iter().position(|kept| self.size(kept) > 0)
        {
            total -= self.size(&kept.remove(oldest));
        }
    }

    fn total(&self, kept: &[Kept<T>]) -> usize {
        kept.iter().map(|kept| self.size(kept)).sum()
    }

    fn size(&self, kept: &Kept<T>) -> usize {
        match &kept.state {
            State::Loaded(value) => (self.size)(value),
            State::Loading | State::Failed(..) => 0,
        }
    }

    /// Forgets what was not used for the longest time; the last one stays.
    fn make_room(&self, kept: &mut Vec<Kept<T>>) {
        kept.retain(|kept| !matches!(&kept.state, State::Failed(_, when) if when.elapsed() >= PATIENCE));
        let mut total = self.total(kept);
        while (total > self.room || kept.len() > MOST)
            && let Some(oldest) = kept[..kept.len() - 1].iter().position(|it| match it.state {
                // What takes no room is given up only for its open file.
                State::Loaded(_) => self.size(it) > 0 || kept.len() > MOST,
                State::Loading | State::Failed(..) => false,
            })
        {
            total -= self.size(&kept.remove(oldest));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept<T>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
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
        assert_eq!(cache.lock().len(), MOST);
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
                        *count.lock().unwrap() += 1;
                        std::thread::sleep(STEP);
                        Ok(vec![0; 3])
                    };
                    assert_eq!(get(&cache, "a", read), Ok(3));
                });
            }
        });
        assert_eq!(*count.lock().unwrap(), 1);
    }
}
