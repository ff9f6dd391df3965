//! Several passes over a stream.

use crate::Reader;

/// Delivers the values of `reader` `passes` times; the reader is restarted for each pass except the first one.
///
/// A pass without a value is the last one, so that an empty stream does not loop.
pub fn repeat<R: Reader>(reader: R, passes: u64) -> Repeat<R> {
    Repeat { reader, passes, done: 0, delivered: false, ended: passes == 0 }
}

/// The reader that [`repeat`] makes.
#[derive(Debug)]
pub struct Repeat<R> {
    reader: R,
    passes: u64,
    done: u64,
    /// Whether this pass has delivered a value.
    delivered: bool,
    ended: bool,
}

impl<R: Reader> Reader for Repeat<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        while !self.ended {
            let next = self.reader.next();
            if matches!(next, Ok(Some(_))) {
                self.delivered = true;
                return next;
            }
            self.done += 1;
            self.ended = next.is_err() || !self.delivered || self.done >= self.passes;
            if self.ended {
                return next;
            }
            self.delivered = false;
            if let Err(error) = self.reader.restart() {
                self.ended = true;
                return Err(error);
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        (self.done, self.delivered) = (0, false);
        let restarted = self.reader.restart();
        self.ended = restarted.is_err() || self.passes == 0;
        restarted
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.ended = true;
        self.reader.finish()
    }
}

/// Delivers the values of `num_passes` readers, one after the other; `make` makes the reader of each pass from its
/// number, counted from 0.
///
/// So each pass may have an order of its own. A pass without a value is the last one.
///
/// ```
/// use kaldi_reader::{ReaderExt, from_slice, passes};
///
/// let numbers = [1, 2, 3, 4];
/// let mut reader = passes(3, |pass| Ok(from_slice(&numbers).shuffle_window(4, pass)));
/// let values = reader.read_all()?;
/// assert_eq!(values.len(), 12);
/// assert!(values[..4] != values[4..8]);
/// # Ok::<(), std::convert::Infallible>(())
/// ```
pub fn passes<R: Reader, F: FnMut(u64) -> Result<R, R::Error>>(num_passes: u64, make: F) -> Passes<R, F> {
    Passes { make, num_passes, next: 0, reader: None, delivered: true }
}

/// The reader that [`passes`] makes.
#[derive(Debug)]
pub struct Passes<R, F> {
    make: F,
    num_passes: u64,
    /// The next pass to start.
    next: u64,
    reader: Option<R>,
    /// Whether the last pass has delivered a value.
    delivered: bool,
}

impl<R: Reader, F: FnMut(u64) -> Result<R, R::Error>> Passes<R, F> {
    fn try_next(&mut self) -> Result<Option<R::Item>, R::Error> {
        loop {
            if let Some(reader) = &mut self.reader {
                if let Some(value) = reader.next()? {
                    self.delivered = true;
                    return Ok(Some(value));
                }
                reader.finish()?;
                self.reader = None;
            }
            if self.next >= self.num_passes || !self.delivered {
                self.next = self.num_passes;
                return Ok(None);
            }
            self.reader = Some((self.make)(self.next)?);
            self.next += 1;
            self.delivered = false;
        }
    }
}

impl<R: Reader, F: FnMut(u64) -> Result<R, R::Error>> Reader for Passes<R, F> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        let next = self.try_next();
        if next.is_err() {
            self.reader = None;
            self.next = self.num_passes;
        }
        next
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.reader = None;
        (self.next, self.delivered) = (0, true);
        Ok(())
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.next = self.num_passes;
        self.reader.take().map_or(Ok(()), |mut reader| reader.finish())
    }
}

#[cfg(test)]
mod tests {
    use crate::{ReaderExt, from_slice};

    #[test]
    fn values_come_once_for_each_pass() {
        let all = |passes| from_slice(&[1, 2]).repeat(passes).read_all().unwrap();
        assert_eq!(all(0), [0; 0]);
        assert_eq!(all(1), [1, 2]);
        assert_eq!(all(3), [1, 2, 1, 2, 1, 2]);
    }

    #[test]
    fn an_empty_stream_does_not_loop() {
        assert_eq!(from_slice(&[0; 0]).repeat(u64::MAX).read_all().unwrap(), [0; 0]);
        let empty = |_| Ok(from_slice(&[0_u8; 0]));
        assert_eq!(crate::passes(u64::MAX, empty).read_all().unwrap(), [0; 0]);
    }

    #[test]
    fn a_share_is_the_same_in_every_pass() {
        let share = crate::Share::new(1, 2, 0, 2).unwrap();
        let values: Vec<u32> = (0..10).collect();
        assert_eq!(from_slice(&values).partition(share).repeat(2).read_all().unwrap(), [1, 5, 9, 1, 5, 9]);
    }
}
