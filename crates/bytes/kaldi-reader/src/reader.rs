//! The trait of all readers, and the simplest way to make one.

/// A stream of values that can be started again; the documentation of the crate has the contract.
///
/// ```
/// # use kaldi_reader::{Reader, from_slice};
/// let mut reader = from_slice(&["a", "b"]);
/// while let Some(value) = reader.next()? {
///     assert!(value == "a" || value == "b");
/// }
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub trait Reader {
    /// The type of the values.
    type Item;
    /// The type of the errors that end the reader early.
    type Error;

    /// Delivers the next value, or `None` at the end.
    ///
    /// # Errors
    /// If the stream fails at this place. The error is delivered once; the next call returns `None`.
    fn next(&mut self) -> Result<Option<Self::Item>, Self::Error>;

    /// Goes back to the start of the stream, from any state: in the middle, at the end, after an error.
    ///
    /// # Errors
    /// If the source cannot be read a second time, such as a pipe on standard input. The reader has ended then.
    fn restart(&mut self) -> Result<(), Self::Error>;

    /// Ends the reading: threads are joined, files and commands are closed. After this the reader has ended.
    ///
    /// Stopping before the end is no error.
    ///
    /// # Errors
    /// If the source fails when it is closed.
    fn finish(&mut self) -> Result<(), Self::Error>;
}

/// A reader of any type on the heap.
pub type BoxReader<V, E> = Box<dyn Reader<Item = V, Error = E> + Send>;

impl<R: Reader + ?Sized> Reader for Box<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        (**self).next()
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        (**self).restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        (**self).finish()
    }
}

/// A call of the function that [`from_fn`] takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next value is requested.
    Next,
    /// The stream starts again. The returned value does not count.
    Restart,
}

/// Makes a reader from a function that returns the next value, `None` at the end, or an error.
///
/// After an end or an error the function is called again only for a restart.
pub fn from_fn<V, E, F: FnMut(Step) -> Result<Option<V>, E>>(step: F) -> FromFn<F> {
    FromFn { step, ended: false }
}

/// The reader that [`from_fn`] makes.
#[derive(Debug)]
pub struct FromFn<F> {
    step: F,
    ended: bool,
}

impl<V, E, F: FnMut(Step) -> Result<Option<V>, E>> Reader for FromFn<F> {
    type Item = V;
    type Error = E;

    fn next(&mut self) -> Result<Option<V>, E> {
        if self.ended {
            return Ok(None);
        }
        let step = (self.step)(Step::Next);
        self.ended = !matches!(step, Ok(Some(_)));
        step
    }

    fn restart(&mut self) -> Result<(), E> {
        let restarted = (self.step)(Step::Restart).map(drop);
        self.ended = restarted.is_err();
        restarted
    }

    fn finish(&mut self) -> Result<(), E> {
        self.ended = true;
        Ok(())
    }
}

/// Makes a reader from the values of a slice.
pub fn from_slice<V: Clone>(values: &[V]) -> FromSlice<'_, V> {
    FromSlice { values, next: 0 }
}

/// The reader that [`from_slice`] makes.
#[derive(Debug)]
pub struct FromSlice<'a, V> {
    values: &'a [V],
    next: usize,
}

impl<V: Clone> Reader for FromSlice<'_, V> {
    type Item = V;
    type Error = std::convert::Infallible;

    fn next(&mut self) -> Result<Option<V>, Self::Error> {
        let value = self.values.get(self.next).cloned();
        self.next += usize::from(value.is_some());
        Ok(value)
    }

    fn restart(&mut self) -> Result<(), Self::Error> {
        self.next = 0;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Self::Error> {
        self.next = self.values.len();
        Ok(())
    }
}
