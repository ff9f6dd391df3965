//! The wish of the user or of an engine that the program ends.

use std::sync::atomic::{AtomicI32, Ordering};

use crate::{Error, Result};

static RECEIVED: AtomicI32 = AtomicI32::new(0);

extern "C" fn remember(signal: libc::c_int) {
    RECEIVED.store(signal, Ordering::Relaxed);
}

/// From now on SIGINT, SIGTERM and SIGHUP do not end the program: [`received`] returns them.
pub(crate) fn watch() {
    for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP] {
        #[allow(unsafe_code)]
        // SAFETY: the handler stores a number, which is allowed in a handler.
        unsafe {
            libc::signal(signal, remember as extern "C" fn(libc::c_int) as libc::sighandler_t)
        };
    }
}

/// The signal that came last.
pub(crate) fn received() -> Option<i32> {
    Some(RECEIVED.load(Ordering::Relaxed)).filter(|signal| *signal != 0)
}

/// Ends work that can be done again later.
///
/// # Errors
/// If a signal has come.
pub(crate) fn check() -> Result<()> {
    received().map_or(Ok(()), |signal| Err(Error::Folder(format!("ended by signal {signal}"))))
}

/// Sends a signal to a process group.
pub(crate) fn send_to_group(group: u32, signal: i32) {
    to(-i64::from(group), signal);
}

/// Sends a signal to a process.
pub(crate) fn send(process: u32, signal: i32) {
    to(process.into(), signal);
}

/// Numbers that mean several groups (0 and -1) are left out.
fn to(target: i64, signal: i32) {
    let Some(target) = libc::pid_t::try_from(target).ok().filter(|target| *target < -1 || *target > 0) else { return };
    #[allow(unsafe_code)]
    // SAFETY: sends a signal; touches no memory.
    unsafe {
        libc::kill(target, signal)
    };
}
