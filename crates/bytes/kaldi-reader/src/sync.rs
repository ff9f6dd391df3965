//! `Mutex`, `RwLock` and `Condvar` of the standard library without poisoning: a lock that a panic has left is taken like any other one. What
//! it guards has to be valid at every moment in which code may panic.
//!
//! As `std::sync::nonpoison`, which is not stable yet. Guards are those of `std::sync`. A lock is a futex and nothing else: after a fork, no
//! state of the parent's threads is left in the child, but for locks that they held.
//!
//! ```
//! use std::sync::Arc;
//!
//! use kaldi_reader::sync::Mutex;
//!
//! let count = Arc::new(Mutex::new(1));
//! let of_thread = Arc::clone(&count);
//! let panicked = std::thread::spawn(move || {
//!     let _count = of_thread.lock();
//!     panic!("in the lock");
//! });
//! assert!(panicked.join().is_err());
//! *count.lock() += 1;
//! assert_eq!(*count.lock(), 2);
//! ```

use std::sync::{MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError, TryLockResult};
use std::time::Duration;

/// The mutex of the standard library without poisoning.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked mutex.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// The value.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until no other thread holds the lock, and takes it.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock; `None` if it is held.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        unless_held(self.0.try_lock())
    }
}

/// The lock for many readers or one writer of the standard library without poisoning.
#[derive(Debug, Default)]
pub struct RwLock<T>(std::sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked lock.
    pub const fn new(value: T) -> Self {
        Self(std::sync::RwLock::new(value))
    }

    /// Waits until no other thread writes, and takes the lock for reading.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lock for writing; `None` if it is held.
    pub fn try_write(&self) -> Option<RwLockWriteGuard<'_, T>> {
        unless_held(self.0.try_write())
    }
}

fn unless_held<G>(tried: TryLockResult<G>) -> Option<G> {
    match tried {
        Ok(guard) => Some(guard),
        Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => None,
    }
}

/// The condition variable of the standard library, for a [`Mutex`] without poisoning.
#[derive(Debug, Default)]
pub struct Condvar(std::sync::Condvar);

impl Condvar {
    /// One that nobody waits for.
    pub const fn new() -> Self {
        Self(std::sync::Condvar::new())
    }

    /// Releases the lock, waits for a call, and takes the lock again. May end without a call.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits as long as `condition` holds.
    pub fn wait_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        self.0.wait_while(guard, condition).unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a call, at most `patience`. May end earlier.
    pub fn wait_timeout<'a, T>(&self, guard: MutexGuard<'a, T>, patience: Duration) -> MutexGuard<'a, T> {
        self.0.wait_timeout(guard, patience).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Waits as long as `condition` holds, at most `patience`.
    pub fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        patience: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> MutexGuard<'a, T> {
        self.0.wait_timeout_while(guard, patience, condition).unwrap_or_else(PoisonError::into_inner).0
    }

    /// Calls one thread that waits.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Calls all threads that wait.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;

    use super::*;

    fn panic_with<G>(guard: impl FnOnce() -> G + std::panic::UnwindSafe) {
        let panicked = catch_unwind(|| {
            let _guard = guard();
            panic!("with the lock");
        });
        assert!(panicked.is_err());
    }

    #[test]
    fn a_lock_that_a_panic_has_left_is_taken() {
        let mutex = Mutex::new(1);
        panic_with(|| mutex.lock());
        *mutex.lock() += 1;
        assert_eq!(mutex.try_lock().map(|value| *value), Some(2));
        assert_eq!(mutex.into_inner(), 2);

        let lock = RwLock::new(1);
        panic_with(|| lock.try_write());
        assert_eq!(*lock.read(), 1);
        assert_eq!(lock.try_write().map(|value| *value), Some(1));
    }

    #[test]
    fn a_lock_that_is_held_is_not_taken() {
        let (mutex, lock) = (Mutex::new(1), RwLock::new(1));
        let held = (mutex.lock(), lock.read());
        assert!(mutex.try_lock().is_none() && lock.try_write().is_none());
        drop(held);
        assert!(mutex.try_lock().is_some() && lock.try_write().is_some());
    }

    #[test]
    fn waits_go_on_after_a_panic() {
        let (mutex, changed) = (Mutex::new(0), Condvar::new());
        panic_with(|| mutex.lock());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                *mutex.lock() += 1;
                changed.notify_all();
            });
            assert_eq!(*changed.wait_while(mutex.lock(), |value| *value == 0), 1);
        });
        let moment = Duration::from_millis(1);
        assert_eq!(*changed.wait_timeout(mutex.lock(), moment), 1);
        assert_eq!(*changed.wait_timeout_while(mutex.lock(), moment, |value| *value == 1), 1);
    }
}
