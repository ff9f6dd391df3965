//! Work that nobody waits for any more, or that takes too long.
//!
//! Such work has a session of its own, which ends its waits
//! ([`SessionSettings::may_wait`](kaldi_io::SessionSettings::may_wait)), also those of the threads that it starts. Long
//! calculations ask [`was_interrupted`](kaldi_io::was_interrupted).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use kaldi_io::Session;

/// Gives up the work of its sessions when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// A session for work that is also given up when this is dropped.
    pub fn session(&self, outer: &Session) -> Session {
        let given_up = Arc::clone(&self.0);
        with_check(outer, move || !given_up.load(Ordering::Relaxed))
    }

    /// Gives the work up.
    pub fn end(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.end();
    }
}

/// The same session, in which work goes on only while `check` returns true, too.
fn with_check(outer: &Session, check: impl Fn() -> bool + Send + Sync + 'static) -> Session {
    let before = outer.clone();
    outer.change(|settings| settings.may_wait = Some(Arc::new(move || check() && before.may_wait())))
}

/// Runs work on this thread that is given up after some time. Returns its result, and whether the time is over.
pub(crate) fn within<T>(time: Duration, work: impl FnOnce() -> T) -> (T, bool) {
    let end = Instant::now() + time;
    let result = with_check(&Session::current(), move || Instant::now() < end).enter(work);
    (result, Instant::now() >= end)
}

#[cfg(test)]
mod tests {
    use kaldi_io::was_interrupted;

    use super::*;

    #[test]
    fn only_the_work_of_its_own_request_is_given_up() {
        let server = Waiting::default();
        let session = server.session(&Session::default());
        let (one, two) = (Waiting::default(), Waiting::default());
        let sessions = [one.session(&session), two.session(&session)];
        let given_up = || sessions.each_ref().map(|session| session.enter(was_interrupted));
        assert_eq!(given_up(), [false, false]);
        drop(one);
        assert_eq!(given_up(), [true, false]);
        server.end();
        assert_eq!(given_up(), [true, true]);
    }

    #[test]
    fn threads_of_late_work_are_given_up_too() {
        let (others, is_late) = within(Duration::ZERO, || {
            let session = Session::current();
            std::thread::spawn(move || session.enter(was_interrupted)).join().unwrap()
        });
        assert!(others && is_late && !was_interrupted());
        assert_eq!(within(Duration::from_secs(600), was_interrupted), (false, false));
    }
}
