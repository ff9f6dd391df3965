//! Waits that can be interrupted, for streams and commands inside of a host such as Python.

use std::cell::{Cell, RefCell};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use crate::session::Session;

/// The time between two checks while a stream is silent.
const STEP: Duration = Duration::from_millis(50);

/// Is called with the number of bytes of each read.
type Count = Rc<dyn Fn(usize) -> io::Result<()>>;

thread_local! {
    static COUNT: RefCell<Option<Count>> = const { RefCell::new(None) };

    /// When this thread last asked whether the program wants to wait.
    static CHECKED: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Runs `work`. Each read from a stream on this thread calls `count` with the number of bytes that were read, 0 at the end; if it fails,
/// the read fails.
pub fn counting<T>(count: Rc<dyn Fn(usize) -> io::Result<()>>, work: impl FnOnce() -> T) -> T {
    let before = COUNT.replace(Some(count));
    let result = work();
    COUNT.set(before);
    result
}

/// Counts the bytes of a read, see [`counting`].
///
/// # Errors
/// If they are too many.
pub(crate) fn counted(bytes: usize) -> io::Result<()> {
    let counts = COUNT.with_borrow(Clone::clone);
    counts.map_or(Ok(()), |count| count(bytes))
}

/// Whether the program around ([`SessionSettings::may_wait`](crate::SessionSettings::may_wait)) has interrupted the work of this
/// thread. Then a failure is no fault of the data.
pub fn was_interrupted() -> bool {
    !Session::current().may_wait()
}

pub(crate) fn is_embedded() -> bool {
    Session::setting(|settings| settings.may_wait.is_some())
}

/// Waits until the stream can be read, if the program is not ours.
///
/// # Errors
/// If the program does not want to wait any longer.
pub(crate) fn wait_for(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    wait_until(descriptor, libc::POLLIN)
}

/// Waits until the stream takes bytes, if the program is not ours.
///
/// # Errors
/// As [`wait_for`].
pub(crate) fn wait_for_room(descriptor: BorrowedFd<'_>) -> io::Result<()> {
    wait_until(descriptor, libc::POLLOUT)
}

fn wait_until(descriptor: BorrowedFd<'_>, events: libc::c_short) -> io::Result<()> {
    wait_until_any(&mut [libc::pollfd { fd: descriptor.as_raw_fd(), events, revents: 0 }])
}

/// Waits until one of the streams is ready, if the program is not ours.
///
/// # Errors
/// As [`wait_for`].
pub(crate) fn wait_until_any(polled: &mut [libc::pollfd]) -> io::Result<()> {
    let Some(may_wait) = Session::setting(|settings| settings.may_wait.clone()) else { return Ok(()) };
    loop {
        #[allow(unsafe_code)]
        // SAFETY: the pointer and the count are those of `polled`.
        let count =
            unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, STEP.as_millis() as libc::c_int) };
        let was_interrupted = count < 0 && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted;
        // A stream that always has bytes may never end. So the program is asked from time to time.
        let is_checked = CHECKED.get().is_some_and(|checked| checked.elapsed() < STEP);
        if (count > 0 || (count < 0 && !was_interrupted)) && is_checked {
            return Ok(());
        }
        CHECKED.set(Some(Instant::now()));
        if !may_wait() {
            return Err(io::Error::other("interrupted"));
        }
        if count != 0 && !was_interrupted {
            return Ok(());
        }
    }
}
