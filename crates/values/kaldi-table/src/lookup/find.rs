//! Finds something for each key of a table.

use bstr::BStr;

use crate::Result;

/// Finds something for each key of a table, in the table's order; see [`SequentialReader::par_map_with`].
///
/// [`SequentialReader::par_map_with`]: crate::SequentialReader::par_map_with
pub trait Lookup: Send + 'static {
    /// What is found; an `Option` if it may be missing.
    type Found: Send + 'static;

    /// Finds what belongs to `key`.
    ///
    /// # Errors
    /// If the lookup itself fails. A missing entry is no error.
    fn find(&mut self, key: &BStr) -> Result<Self::Found>;

    /// Called once after the last key.
    ///
    /// # Errors
    /// If a pipe that was read to its end failed.
    fn finish(&mut self) -> Result<()>;

    /// Starts again, for a table that is read once more.
    ///
    /// # Errors
    /// If the lookup reads a stream that comes only once.
    fn restart(&mut self) -> Result<()>;

    /// Whether finding may wait for something, such as a command.
    fn may_wait(&self) -> bool {
        true
    }
}

impl Lookup for () {
    type Found = ();

    fn find(&mut self, _: &BStr) -> Result<()> {
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    fn restart(&mut self) -> Result<()> {
        Ok(())
    }

    fn may_wait(&self) -> bool {
        false
    }
}

impl<A: Lookup, B: Lookup> Lookup for (A, B) {
    type Found = (A::Found, B::Found);

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        Ok((self.0.find(key)?, self.1.find(key)?))
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()?;
        self.1.finish()
    }

    fn restart(&mut self) -> Result<()> {
        self.0.restart()?;
        self.1.restart()
    }

    fn may_wait(&self) -> bool {
        self.0.may_wait() || self.1.may_wait()
    }
}

/// Nothing is found if there is no lookup.
impl<L: Lookup> Lookup for Option<L> {
    type Found = Option<L::Found>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.as_mut().map(|lookup| lookup.find(key)).transpose()
    }

    fn finish(&mut self) -> Result<()> {
        self.as_mut().map_or(Ok(()), Lookup::finish)
    }

    fn restart(&mut self) -> Result<()> {
        self.as_mut().map_or(Ok(()), Lookup::restart)
    }

    fn may_wait(&self) -> bool {
        self.as_ref().is_some_and(Lookup::may_wait)
    }
}

impl<L: Lookup> Lookup for Vec<L> {
    type Found = Vec<L::Found>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        self.iter_mut().map(|lookup| lookup.find(key)).collect()
    }

    fn finish(&mut self) -> Result<()> {
        self.iter_mut().try_for_each(Lookup::finish)
    }

    fn restart(&mut self) -> Result<()> {
        self.iter_mut().try_for_each(Lookup::restart)
    }

    fn may_wait(&self) -> bool {
        self.iter().any(Lookup::may_wait)
    }
}
