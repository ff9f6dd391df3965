//! Memory that is asked for where its lack is an error like others.

use std::cell::Cell;

thread_local! {
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `ask`, which asks for memory and copes with a refusal, such as [`Vec::try_reserve`]. Everywhere else a program may
/// end if there is no memory, by an allocator that looks at [`is_fallible`].
pub fn fallible<T>(ask: impl FnOnce() -> T) -> T {
    let outer = IS_ASKING.replace(true);
    let result = ask();
    IS_ASKING.set(outer);
    result
}

/// Whether this thread is in [`fallible`].
pub fn is_fallible() -> bool {
    IS_ASKING.get()
}
