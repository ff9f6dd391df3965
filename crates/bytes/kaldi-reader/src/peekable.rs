//! A look at the next value before it is taken.

use crate::Reader;

/// Allows a look at the next value before it is taken.
pub fn peekable<R: Reader>(reader: R) -> Peekable<R> {
    Peekable { reader, next: None }
}

/// The reader that [`peekable`] makes.
#[derive(Debug)]
pub struct Peekable<R: Reader> {
    reader: R,
    next: Option<Result<R::Item, R::Error>>,
}

impl<R: Reader> Peekable<R> {
    /// The value or the error that the next call of [`Reader::next`] delivers; `None` at the end.
    ///
    /// ```
    /// use kaldi_reader::{Reader, ReaderExt, from_slice};
    ///
    /// let mut reader = from_slice(&[1, 2]).peekable();
    /// while reader.peek().is_some() {
    ///     assert!(reader.next()?.is_some());
    /// }
    /// # Ok::<(), std::convert::Infallible>(())
    /// ```
    pub fn peek(&mut self) -> Option<Result<&R::Item, &R::Error>> {
        if self.next.is_none() {
            self.next = self.reader.next().transpose();
        }
        self.next.as_ref().map(Result::as_ref)
    }
}

impl<R: Reader> Reader for Peekable<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        match self.next.take() {
            Some(next) => next.map(Some),
            None => self.reader.next(),
        }
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.next = None;
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.next = None;
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Reader, ReaderExt, Step, from_fn};

    #[test]
    fn an_error_that_was_seen_is_still_delivered() {
        let mut numbers = vec![1];
        let mut reader = from_fn(move |step| match (step, numbers.pop()) {
            (Step::Next, None) => Err("failed"),
            (_, next) => Ok(next),
        })
        .peekable();
        assert_eq!(reader.peek(), Some(Ok(&1)));
        assert_eq!(reader.peek(), Some(Ok(&1)));
        assert_eq!(reader.next(), Ok(Some(1)));
        assert_eq!(reader.peek(), Some(Err(&"failed")));
        assert_eq!([reader.next(), reader.next()], [Err("failed"), Ok(None)]);
        assert_eq!(reader.peek(), None);
    }
}
