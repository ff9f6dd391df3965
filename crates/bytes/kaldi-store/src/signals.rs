//! Signals that end the process while objects are written.
//!
//! The parts of an incomplete object stay in its store until they are removed. So a process that writes objects removes
//! them before it dies of such a signal. A signal that was ignored before stays ignored.

use std::pin::pin;
use std::ptr;
use std::sync::Arc;

use futures::future::select;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::running::Running;

/// The signals.
const SIGNALS: [SignalKind; 3] = [SignalKind::hangup(), SignalKind::interrupt(), SignalKind::terminate()];

/// Gives up all uploads when one of the signals comes, and then lets the process die of it.
pub(crate) fn watch(running: &Arc<Running>) {
    let _context = running.handle.enter();
    for kind in SIGNALS.into_iter().filter(|kind| is_deadly(*kind)) {
        // If the system refuses, the signal ends the process as it did before.
        if let Ok(signals) = signal(kind) {
            running.handle.spawn(die(Arc::clone(running), signals, kind));
        }
    }
}

/// Waits for the signal. After a second one the process dies at once.
async fn die(running: Arc<Running>, mut signals: Signal, kind: SignalKind) {
    if signals.recv().await.is_none() {
        return;
    }
    select(pin!(running.give_up_uploads()), pin!(signals.recv())).await;
    let number = kind.as_raw_value();
    #[allow(unsafe_code)]
    // SAFETY: the default action is a valid handler.
    unsafe {
        libc::signal(number, libc::SIG_DFL)
    };
    #[allow(unsafe_code)]
    // SAFETY: ends the process.
    unsafe {
        libc::raise(number)
    };
}

/// Whether the signal would end the process, and no other handler is set.
fn is_deadly(kind: SignalKind) -> bool {
    #[allow(unsafe_code)]
    // SAFETY: all zeros is a valid value of this struct of the system.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    #[allow(unsafe_code)]
    // SAFETY: asks for the action; `action` has room for it.
    let status = unsafe { libc::sigaction(kind.as_raw_value(), ptr::null(), &raw mut action) };
    status == 0 && action.sa_sigaction == libc::SIG_DFL
}
