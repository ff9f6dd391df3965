//! The threads of readers.

use std::cell::Cell;
use std::io;
use std::thread::{Builder, JoinHandle};

/// What a new thread does first.
type Start = Box<dyn FnOnce() + Send>;

thread_local! {
    static PASS_ON: Cell<Option<fn() -> Start>> = const { Cell::new(None) };
}

/// Has the threads of readers that this thread starts, and those that these start, take over something from it, such as the log
/// of the work.
///
/// `pass_on` is called where a thread is started; what it returns is called in the new thread, before it works. The last call
/// counts.
pub fn pass_on_to_threads(pass_on: fn() -> Box<dyn FnOnce() + Send>) {
    PASS_ON.set(Some(pass_on));
}

/// Starts a thread.
///
/// # Errors
/// If the system grants none.
pub(crate) fn spawn<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> io::Result<JoinHandle<T>> {
    let start = PASS_ON.get().map(|pass_on| (pass_on, pass_on()));
    Builder::new().spawn(move || {
        if let Some((pass_on, start)) = start {
            pass_on_to_threads(pass_on);
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
        let numbers =
            from_slice(&[1, 2, 3]).prefetch(1, |_| 1).par_map(|| 2, add).in_flight(1 << 20, |_| 1).read_all().unwrap();
        assert_eq!(numbers, [8, 9, 10]);
    }
}
