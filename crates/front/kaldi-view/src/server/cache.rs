//! Values that were read, and are kept for a while.

use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use bstr::BString;
use kaldi_io::{Session, was_interrupted};
use nonpoison::{Condvar, Mutex};

use crate::server::failure::{Answer, Failure};
use crate::server::semaphores;

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
    /// Another thread reads it, for all who wait.
    Loading(Waiters),
    Loaded(Arc<T>),
    Failed(String, Instant),
}

/// The sessions of all who wait for a value. It is read as long as one of them still waits; `None` when none did, and it was given up.
#[derive(Clone, Debug)]
struct Waiters(Arc<Mutex<Option<Vec<Session>>>>);

impl Waiters {
    /// Those of a value that this session reads.
    fn new() -> Self {
        Self(Arc::new(Mutex::new(Some(vec![Session::current()]))))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Vec<Session>>> {
        self.0.lock()
    }

    /// One more waits, if the value was not given up.
    fn join(&self) {
        if let Some(sessions) = &mut *self.lock() {
            sessions.push(Session::current());
        }
    }

    /// Whether somebody still waits; if not, it is given up.
    fn wait(&self) -> bool {
        let mut sessions = self.lock();
        if !sessions.iter().flatten().any(Session::may_wait) {
            *sessions = None;
        }
        sessions.is_some()
    }
}

impl<T> Cache<T> {
    pub fn new(room: usize, size: fn(&T) -> usize) -> Self {
        Self { kept: Mutex::default(), loaded: Condvar::new(), room, size }
    }

    /// The value of this name. It is read by the first thread that wants it; the others wait. That thread goes on if its own request is
    /// given up and others still wait.
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
                State::Loading(_) if was_interrupted() => return Err(Failure::Unreadable("interrupted".into())),
                State::Loading(waiters) => {
                    waiters.join();
                    drop(kept);
                    semaphores::aside(|| self.wait(name));
                }
            }
        };
        let waiters = Waiters::new();
        kept.push(Kept { name: name.clone(), state: State::Loading(waiters.clone()) });
        drop(kept);
        let waiting = waiters.clone();
        let read = Session::current().embedded(move || waiting.wait()).enter(read).map(Arc::new);
        let mut kept = self.lock();
        kept.retain(|kept| kept.name != *name);
        let state = match &read {
            Ok(value) => Some(State::Loaded(Arc::clone(value))),
            // If nobody waited for it any more, somebody else may.
            Err(message) => waiters.wait().then(|| State::Failed(message.clone(), Instant::now())),
        };
        kept.extend(state.map(|state| Kept { name: name.clone(), state }));
        self.make_room(&mut kept);
        self.loaded.notify_all();
        read.map_err(Failure::Unreadable)
    }

    /// Waits until the value of this name is loaded, or nobody waits for it any more.
    fn wait(&self, name: &BString) {
        let mut kept = self.lock();
        while !was_interrupted()
            && kept.iter().any(|kept| kept.name == *name && matches!(kept.state, State::Loading(_)))
        {
            kept = self.loaded.wait_timeout(kept, STEP);
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

    /// Bytes of all values that are kept.
    pub fn taken(&self) -> usize {
        self.total(&self.lock())
    }

    fn total(&self, kept: &[Kept<T>]) -> usize {
        kept.iter().map(|kept| self.size(kept)).sum()
    }

    fn size(&self, kept: &Kept<T>) -> usize {
        match &kept.state {
            State::Loaded(value) => (self.size)(value),
            State::Loading(_) | State::Failed(..) => 0,
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
                State::Loading(_) | State::Failed(..) => false,
            })
        {
            total -= self.size(&kept.remove(oldest));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Kept<T>>> {
        self.kept.lock()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc::channel;

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
                        *count.lock() += 1;
                        std::thread::sleep(STEP);
                        Ok(vec![0; 3])
                    };
                    assert_eq!(get(&cache, "a", read), Ok(3));
                });
            }
        });
        assert_eq!(*count.lock(), 1);
    }

    #[test]
    fn a_value_is_read_on_while_somebody_waits_for_it() {
        let cache = Cache::new(10, Vec::len);
        let flags = [(); 2].map(|()| Arc::new(AtomicBool::new(true)));
        let session = |at: usize| {
            let flag = Arc::clone(&flags[at]);
            Session::new().embedded(move || flag.load(Ordering::Relaxed))
        };
        let (starts, started) = channel();
        // What it returns is whether it was told to end.
        let read = || {
            starts.send(()).unwrap();
            let end = Instant::now() + Duration::from_secs(600);
            while !was_interrupted() && Instant::now() < end && flags[0].load(Ordering::Relaxed) {
                std::thread::sleep(STEP);
            }
            std::thread::sleep(4 * STEP);
            if was_interrupted() { Err("ended".to_owned()) } else { Ok(vec![0; 3]) }
        };
        std::thread::scope(|scope| {
            let first = scope.spawn(|| session(0).enter(|| get(&cache, "a", read)));
            started.recv().unwrap();
            let second = scope.spawn(|| session(1).enter(|| get(&cache, "a", || panic!("it is read already"))));
            let waiting = || {
                cache.lock().iter().any(|it| matches!(&it.state, State::Loading(all) if all.lock().as_ref().is_some_and(|all| all.len() == 2)))
            };
            while !waiting() {
                std::thread::sleep(STEP);
            }
            flags[0].store(false, Ordering::Relaxed);
            assert_eq!((first.join().unwrap(), second.join().unwrap()), (Ok(3), Ok(3)));
        });
        // If nobody waits, it ends, and is not remembered as broken.
        flags[0].store(true, Ordering::Relaxed);
        std::thread::scope(|scope| {
            let only = scope.spawn(|| session(0).enter(|| get(&cache, "b", read)));
            started.recv().unwrap();
            flags[0].store(false, Ordering::Relaxed);
            let is_wanted =
                || cache.lock().iter().any(|it| matches!(&it.state, State::Loading(all) if all.lock().is_some()));
            while is_wanted() {
                std::thread::yield_now();
            }
            let later = scope.spawn(|| session(1).enter(|| get(&cache, "b", || Ok(vec![0; 2]))));
            assert_eq!(only.join().unwrap(), Err(Failure::Unreadable("ended".into())));
            assert_eq!(later.join().unwrap(), Ok(2));
        });
    }
}
