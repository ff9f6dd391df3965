//! What belongs to the process that has opened it: outputs, commands, threads.
//!
//! A forked child has a copy of it, and must not end it: files would get their names too early or be removed, and commands and threads
//! of the parent would be waited for. So the child forgets its copy.

use crate::errors::{Class, Failure, Result};

/// Something that only the process that has opened it may use and end.
pub struct Owned<T> {
    /// `None` after the end.
    value: Option<T>,
    process: u32,
    /// What it is, for messages: `writer of x.ark`.
    what: String,
}

impl<T> Owned<T> {
    /// What this process has opened; `what` is its name in messages.
    pub fn new(value: T, what: impl Into<String>) -> Self {
        Self { value: Some(value), process: std::process::id(), what: what.into() }
    }

    /// Whether this process has opened it.
    pub fn is_ours(&self) -> bool {
        self.process == std::process::id()
    }

    fn check(&self) -> Result<()> {
        match self.is_ours() {
            true => Ok(()),
            false => {
                let message = format!("the {} belongs to another process, and only that may use it", self.what);
                Err(Failure::new(Class::Error, message))
            }
        }
    }

    /// The thing itself.
    ///
    /// # Errors
    /// In another process, and after the end.
    pub fn get(&self) -> Result<&T> {
        self.check()?;
        self.value.as_ref().ok_or_else(|| Failure::closed(&self.what))
    }

    /// The thing itself, to change it.
    ///
    /// # Errors
    /// As [`Owned::get`].
    pub fn get_mut(&mut self) -> Result<&mut T> {
        self.check()?;
        self.value.as_mut().ok_or_else(|| Failure::closed(&self.what))
    }

    /// Takes the thing out, to complete it.
    ///
    /// # Errors
    /// As [`Owned::get`].
    pub fn take(&mut self) -> Result<T> {
        self.check()?;
        self.value.take().ok_or_else(|| Failure::closed(&self.what))
    }

    /// Ends without a result. Another process has nothing to end.
    pub fn discard(&mut self) {
        let value = self.value.take();
        match self.is_ours() {
            true => drop(value),
            false => std::mem::forget(value),
        }
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        self.discard();
    }
}
