//! Reopens standard streams (file descriptors 0 to 2) that were closed before the program started.
//!
//! Rust's runtime opens `/dev/null` instead of a closed standard stream, so that no file of the program gets its
//! number. What a tool writes to a closed standard output would then disappear, and the tool would report success.
//! This module checks the streams before the runtime starts, and replaces closed ones by streams that fail.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicBool, Ordering};

static STDIN_WAS_CLOSED: AtomicBool = AtomicBool::new(false);
static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

#[used]
#[allow(unsafe_code)]
// SAFETY: the section holds pointers to functions that the loader calls; this one makes two system calls.
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
static BEFORE_RUNTIME: extern "C" fn() = look;

extern "C" fn look() {
    STDIN_WAS_CLOSED.store(is_closed(libc::STDIN_FILENO), Ordering::Relaxed);
    STDOUT_WAS_CLOSED.store(is_closed(libc::STDOUT_FILENO), Ordering::Relaxed);
}

fn is_closed(fd: libc::c_int) -> bool {
    #[allow(unsafe_code)]
    // SAFETY: asks for the flags of a descriptor, open or not; touches no memory.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    flags == -1
}

/// Makes reading from a closed standard input, and writing to a closed standard output, fail.
pub(crate) fn make_closed_streams_fail() {
    let null = "/dev/null";
    if STDIN_WAS_CLOSED.load(Ordering::Relaxed) {
        replace(libc::STDIN_FILENO, File::options().write(true).open(null));
    }
    if STDOUT_WAS_CLOSED.load(Ordering::Relaxed) {
        replace(libc::STDOUT_FILENO, File::open(null));
    }
}

fn replace(fd: libc::c_int, file: std::io::Result<File>) {
    if let Ok(file) = file {
        let source = file.as_raw_fd();
        #[allow(unsafe_code)]
        // SAFETY: both descriptors are open; `file` closes its own.
        unsafe {
            libc::dup2(source, fd)
        };
    }
}
