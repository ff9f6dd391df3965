//! A part of the values, or other values computed from them.

use crate::Reader;

/// Ends after `number` values; later values are not read.
pub fn take<R: Reader>(reader: R, number: u64) -> Take<R> {
    Take { reader, number, left: number }
}

/// The reader that [`take`] makes.
#[derive(Debug)]
pub struct Take<R> {
    reader: R,
    number: u64,
    left: u64,
}

impl<R: Reader> Reader for Take<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        if self.left == 0 {
            return Ok(None);
        }
        self.left -= 1;
        self.reader.next()
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.left = self.number;
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.left = 0;
        self.reader.finish()
    }
}

/// Skips the first `number` values.
pub fn skip<R: Reader>(reader: R, number: u64) -> Skip<R> {
    Skip { reader, number, left: number }
}

/// The reader that [`skip`] makes.
#[derive(Debug)]
pub struct Skip<R> {
    reader: R,
    number: u64,
    left: u64,
}

impl<R: Reader> Reader for Skip<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        while self.left > 0 {
            self.left -= 1;
            if self.reader.next()?.is_none() {
                self.left = 0;
                return Ok(None);
            }
        }
        self.reader.next()
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.left = self.number;
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.left = 0;
        self.reader.finish()
    }
}

/// Delivers the results of `work` for the values, except `None`.
///
/// An error of `work` ends the stream, like one of the reader. [`par_map`](crate::par_map) does the same on several
/// threads.
pub fn filter_map<R, U, F>(reader: R, work: F) -> FilterMap<R, F>
where
    R: Reader,
    F: FnMut(R::Item) -> Result<Option<U>, R::Error>,
{
    FilterMap { reader, work, ended: false }
}

/// The reader that [`filter_map`] makes.
#[derive(Debug)]
pub struct FilterMap<R, F> {
    reader: R,
    work: F,
    ended: bool,
}

impl<R: Reader, U, F: FnMut(R::Item) -> Result<Option<U>, R::Error>> Reader for FilterMap<R, F> {
    type Item = U;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<U>, R::Error> {
        while !self.ended {
            let Some(value) = self.reader.next()? else { break };
            let made = (self.work)(value);
            self.ended = made.is_err();
            if let Some(made) = made? {
                return Ok(Some(made));
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        let restarted = self.reader.restart();
        self.ended = restarted.is_err();
        restarted
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.ended = true;
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Reader, ReaderExt, from_fn, from_slice};

    #[test]
    fn an_error_after_the_last_value_that_is_taken_is_not_met() {
        let mut next = 0;
        let numbers = from_fn(|_| {
            next += 1;
            if next == 4 { Err("failed") } else { Ok(Some(next)) }
        });
        assert_eq!(numbers.take(3).read_all(), Ok(vec![1, 2, 3]));
    }

    #[test]
    fn an_error_among_the_skipped_values_is_met() {
        let mut next = 0;
        let numbers = from_fn(|_| {
            next += 1;
            if next == 2 { Err("failed") } else { Ok(Some(next)) }
        });
        let mut rest = numbers.skip(3);
        assert_eq!([rest.next(), rest.next()], [Err("failed"), Ok(None)]);
    }

    #[test]
    fn values_are_replaced_and_left_out() {
        let halves = from_slice(&[1, 2, 3, 4]).filter_map(|value| Ok((value % 2 == 0).then_some(value / 2)));
        assert_eq!({ halves }.read_all(), Ok(vec![1, 2]));
    }
}
