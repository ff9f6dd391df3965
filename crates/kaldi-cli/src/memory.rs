//! What becomes of freed memory.

/// Makes the allocator keep the memory that is freed, for the next block.
///
/// Tables allocate and free blocks of some hundred kilobytes by turns, one or two per entry. The C library's default is
/// to give such blocks back to the system, which then has to find and clear every page of them again: that can take more
/// time than the work on the entries. What a tool needs at most does not change.
pub(crate) fn keep_freed() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in [(libc::M_TRIM_THRESHOLD, i32::MAX), (libc::M_MMAP_THRESHOLD, 32 << 20)] {
        #[allow(unsafe_code)]
        // SAFETY: changes a setting of the allocator; no other thread has been started.
        unsafe {
            libc::mallopt(parameter, value)
        };
    }
}

#[cfg(all(test, target_env = "gnu"))]
mod tests {
    use super::*;

    #[test]
    fn memory_that_was_freed_is_used_again() {
        const BLOCK: usize = 8 << 20;
        keep_freed();
        let faults_of_a_block = || {
            let before = page_faults();
            let block = std::hint::black_box(vec![1_u8; BLOCK]);
            assert_eq!(block[BLOCK / 2], 1);
            page_faults() - before
        };
        faults_of_a_block();
        let again = faults_of_a_block();
        assert!(again < 100, "{again} page faults");
    }

    /// Of this thread, so far.
    fn page_faults() -> i64 {
        #[allow(unsafe_code)]
        // SAFETY: numbers, for which all bits zero is a value.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        #[allow(unsafe_code)]
        // SAFETY: `usage` is writable.
        let status = unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
        assert_eq!(status, 0);
        usage.ru_minflt
    }
}
