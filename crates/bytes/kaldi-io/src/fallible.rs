//! Memory requests whose failure is an ordinary error.

use std::cell::Cell;

thread_local! {
    static IS_ASKING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `ask`, which asks for memory and can handle a refusal, such as [`Vec::try_reserve`]. Everywhere else, an
/// allocator that checks [`is_fallible`] may end the program if there is no memory.
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
