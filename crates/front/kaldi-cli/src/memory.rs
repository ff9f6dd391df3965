//! Memory: what happens to freed memory, how much memory threads take, and how a tool ends if there is no more.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fmt::{self, Write};
use std::sync::OnceLock;

/// What a thread takes of the address space: its stack, and values that it works on.
const THREAD: u64 = 8 << 20;

/// Only a wrong size in damaged data is so large. Code that asks for so much handles a refusal. A request for less fails
/// without [`kaldi_io::fallible`] only where nobody handles it.
const HUGE: usize = 1 << 40;

/// What the program takes before threads start.
const PROGRAM: u64 = 24 << 20;

/// The number of threads that have room in the address space, if that is limited (`ulimit -v`, SGE's `h_vmem`).
pub(crate) fn most_threads() -> usize {
    address_space().map_or(usize::MAX, |limit| {
        usize::try_from(limit.saturating_sub(PROGRAM) / THREAD).unwrap_or(usize::MAX).max(1)
    })
}

/// The bytes that the process may map, if they are limited.
fn address_space() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    #[allow(unsafe_code)]
    // SAFETY: `limit` is writable memory of the right type for the length of the call.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) };
    (status == 0 && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// The system's allocator. If it has no memory and the caller does not handle that, the tool ends with one `ERROR` line.
struct Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The name in the line of the allocator: there is one allocator for all threads, also those that work for no session.
static NAME: OnceLock<String> = OnceLock::new();

#[allow(unsafe_code)]
// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        #[allow(unsafe_code)]
        // SAFETY: as promised to this function.
        checked(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        #[allow(unsafe_code)]
        // SAFETY: as promised to this function.
        checked(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        #[allow(unsafe_code)]
        // SAFETY: as promised to this function.
        checked(unsafe { System.realloc(block, layout, size) }, size)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        #[allow(unsafe_code)]
        // SAFETY: as promised to this function.
        unsafe {
            System.dealloc(block, layout);
        }
    }
}

#[inline]
fn checked(block: *mut u8, size: usize) -> *mut u8 {
    if block.is_null() && size < HUGE && !kaldi_io::is_fallible() {
        end_without_memory(size);
    }
    block
}

/// Ends the tool with an `ERROR` line, which is made without memory.
#[cold]
fn end_without_memory(size: usize) -> ! {
    let mut line = Line { bytes: [0; 256], length: 0 };
    let program = NAME.get().map_or("kaldi-tables", String::as_str);
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(
        line,
        "ERROR ({program}[{version}]:main():memory.rs:{}) there is no memory for {size} more bytes",
        line!()
    );
    #[allow(unsafe_code)]
    // SAFETY: writes bytes of a buffer that is alive, and ends the process at once.
    unsafe {
        libc::write(libc::STDERR_FILENO, line.bytes.as_ptr().cast(), line.length);
        libc::_exit(crate::ending::ERROR.into())
    }
}

/// A line on the stack.
struct Line {
    bytes: [u8; 256],
    length: usize,
}

impl Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// Sets the name in the `ERROR` line if there is no memory; the first call counts.
pub(crate) fn name_program(name: String) {
    let _ = NAME.set(name);
}

/// Makes the allocator keep the memory that is freed, for the next block.
///
/// Tables allocate and free blocks of some hundred kilobytes by turns, one or two per entry. The C library's default is
/// to give such blocks back to the system, which then has to find and clear every page of them again: that can take more
/// time than the work on the entries. What a tool needs at most does not change.
pub(crate) fn keep_freed() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in settings() {
        #[allow(unsafe_code)]
        // SAFETY: changes a setting of the allocator; no other thread has been started.
        unsafe {
            libc::mallopt(parameter, value)
        };
    }
}

/// Settings of the allocator. Each of its arenas takes 64 MB of the address space; where that is limited, all threads share
/// one.
#[cfg(target_env = "gnu")]
fn settings() -> Vec<(libc::c_int, libc::c_int)> {
    let mut settings = vec![(libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_THRESHOLD, 32 << 20)];
    if address_space().is_some() {
        settings.push((libc::M_ARENA_MAX, 1));
    }
    settings
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use std::ops::Range;

    use super::*;

    #[test]
    fn a_request_for_gigabytes_that_fails_ends_with_an_error_line() {
        const NAME: &str = "memory::tests::a_request_for_gigabytes_that_fails_ends_with_an_error_line";
        if std::env::var_os("ASKS_FOR_MEMORY").is_some() {
            std::hint::black_box(Vec::<u8>::with_capacity(3 << 30));
            return;
        }
        let mut child = std::process::Command::new("sh");
        child.args(["-c", "ulimit -v 2000000; exec \"$0\" --exact \"$1\" --nocapture"]).env("ASKS_FOR_MEMORY", "1");
        let output = child.arg(std::env::current_exe().unwrap()).arg(NAME).output().unwrap();
        let log = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(255), "{log}");
        assert!(log.contains("ERROR") && log.contains("there is no memory for 3221225472 more bytes"), "{log}");
    }

    #[test]
    fn memory_that_was_freed_is_used_again() {
        const BLOCK: usize = 8 << 20;
        keep_freed();
        let address_of_a_block = || {
            let block = std::hint::black_box(vec![1_u8; BLOCK]);
            block.as_ptr().addr()
        };
        let address = address_of_a_block();
        let (in_memory, pages) = pages_in_memory(address..address + BLOCK);
        assert_eq!(in_memory, pages);
        let again = address_of_a_block();
        assert!(again.abs_diff(address) < BLOCK, "{again:x} after {address:x}");
    }

    /// How many of the whole pages between these addresses are in memory, and how many there are. Page faults would show it, too,
    /// but an emulator counts its own among them.
    fn pages_in_memory(addresses: Range<usize>) -> (usize, usize) {
        #[allow(unsafe_code)]
        // SAFETY: reads a number.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let start = addresses.start.next_multiple_of(page);
        let mut pages = vec![0; (addresses.end - start) / page];
        let place = std::ptr::without_provenance_mut(start);
        #[allow(unsafe_code)]
        // SAFETY: reads nothing at the addresses, and writes a byte of `pages` for each page.
        let status = unsafe { libc::mincore(place, pages.len() * page, pages.as_mut_ptr()) };
        assert_eq!(status, 0, "the memory was given back: {}", std::io::Error::last_os_error());
        (pages.iter().filter(|page| **page & 1 == 1).count(), pages.len())
    }
}
