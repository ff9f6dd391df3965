//! The threads of readers.

use std::io;
use std::sync::OnceLock;
use std::thread::{Builder, JoinHandle};

/// What a new thread does first.
type Start = Box<dyn FnOnce() + Send>;

static PASS_ON: OnceLock<fn() -> Start> = OnceLock::new();

/// Has the threads of all readers take over something from the threads that start them, such as a sign to end.
///
/// `pass_on` is called where a thread is started; what it returns is called in the new thread, before it works. Only the first call
/// counts.
pub fn pass_on_to_threads(pass_on: fn() -> Box<dyn FnOnce() + Send>) {
    let _ = PASS_ON.set(pass_on);
}

/// Starts a thread.
///
/// # Errors
/// If the system grants none.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    let start = PASS_ON.get().map(|pass_on| pass_on());
    Builder::new().spawn(move || {
        if let Some(start) = start {
            start();
        }
        work()
    })
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use crate::{ReaderExt, from_slice};

    thread_local! {
        static NUMBER: Cell<i32> = const { Cell::new(0) };
    }

    #[test]
    fn threads_take_over_what_is_passed_on() {
        super::pass_on_to_threads(|| {
            let number = NUMBER.get();
            Box::new(move || NUMBER.set(number))
        });
        NUMBER.set(7);
        let add = |n: i32| Ok(n + NUMBER.get());
        let numbers = from_slice(&[1, 2, 3]).prefetch(1, |_| 1).par_map(|| 2, 1 << 20, |_| 1, add).read_all().unwrap();
        assert_eq!(numbers, [8, 9, 10]);
    }
}
