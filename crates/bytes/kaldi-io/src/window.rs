//! A window on a stream that grows until the value at its front is complete.

use std::sync::Arc;
use std::time::Duration;

use crate::lines::{BYTE_ORDER_MARK, without_mark};
use crate::{Error, Input, ReadAt, Result};

/// Bytes that are read at once: few enough for the second-level cache of a core, many enough that system calls and
/// switching between threads do not matter.
const CHUNK: usize = 1 << 18;

/// A value of unknown length that has more bytes than this is not looked at after each read.
const LONG: usize = CHUNK / 2;

/// The estimated cost of one attempt to parse, per byte. It bounds how often parsing is tried again while bytes arrive.
const PARSE_COST: Duration = Duration::from_nanos(20);

/// The memory that [`Window::move_to`] fills grows by this many bytes at a time, if the length of the stream is not known.
const PIECE: u64 = 1 << 20;

/// Bytes that are read at once after a value was skipped: a key and a header.
const HEAD: usize = 1 << 9;

/// The bytes of a stream from a place on, as far as they were read.
///
/// A reader looks at the value at the front. If it is not complete, the window grows; if it is, it is consumed. The
/// header of a value may give a wrong length. So no more of a stream is read at once than was read before.
#[derive(Debug)]
pub struct Window {
    input: Input,
    /// The bytes for reading at an offset, so that the position of the file stays free for copying.
    skimmed: Option<Arc<dyn ReadAt>>,
    bytes: Vec<u8>,
    /// Offset of the first byte in the stream.
    base: u64,
    /// Number of consumed bytes.
    at: usize,
    /// Bytes that are read at once.
    ahead: usize,
}

/// How many bytes a value needs after the front of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It takes this many bytes.
    Exactly(u64),
    /// It takes at least this many. How many exactly is known only after more of them were read.
    AtLeast(u64),
}

impl Need {
    /// The same for something that starts `count` bytes before the value.
    #[must_use]
    pub fn after(self, count: usize) -> Self {
        match self {
            Self::Exactly(wanted) => Self::Exactly(wanted.saturating_add(count as u64)),
            Self::AtLeast(wanted) => Self::AtLeast(wanted.saturating_add(count as u64)),
        }
    }

    fn wanted(self) -> u64 {
        match self {
            Self::Exactly(wanted) | Self::AtLeast(wanted) => wanted,
        }
    }
}

/// How far a window has to grow before looking again makes sense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Growth {
    /// This many bytes were there.
    seen: usize,
    /// This many should be there.
    enough: usize,
    /// Bytes that are read at once.
    limit: usize,
    /// If nothing has come for this long, looking again makes sense with fewer bytes, too.
    patience: Duration,
}

impl Window {
    /// Opens a window at the next byte of `input`.
    pub fn new(input: Input) -> Self {
        let base = input.offset();
        Self { input, skimmed: None, bytes: Vec::new(), base, at: 0, ahead: CHUNK }
    }

    /// Opens a window on something that can be read at any offset: first about `ahead` bytes, then more.
    pub fn placed(name: &str, bytes: Arc<dyn ReadAt>, offset: u64, ahead: usize) -> Self {
        let input = Input::placed(name, Arc::clone(&bytes), offset);
        Self { skimmed: Some(bytes), ahead, ..Self::new(input) }
    }

    /// Opens a window on a stream of which `bytes` were already read.
    pub fn with_bytes(input: Input, bytes: Vec<u8>) -> Self {
        let base = input.offset() - bytes.len() as u64;
        Self { bytes, base, ..Self::new(input) }
    }

    /// From now on, reads little ahead and lets values be skipped, if reading the stream at any offset is cheap.
    pub fn skim(&mut self) {
        self.skimmed = self.input.positioned().filter(|bytes| bytes.is_near());
        if self.skimmed.is_some() {
            self.ahead = HEAD;
        }
    }

    /// From now on, reads this many bytes at once, if no more are wanted.
    pub fn read_ahead(&mut self, ahead: usize) {
        self.ahead = ahead;
    }

    /// The bytes for reading at any offset, if the window is skimmed.
    #[inline]
    pub fn skimmed(&self) -> Option<&Arc<dyn ReadAt>> {
        self.skimmed.as_ref()
    }

    /// The stream.
    pub fn input(&self) -> &Input {
        &self.input
    }

    /// The stream, and the bytes that were read but not consumed.
    pub fn into_parts(mut self) -> (Input, Vec<u8>) {
        self.bytes.drain(..self.at);
        (self.input, self.bytes)
    }

    /// The bytes that are not consumed.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Offset of the first byte that is not consumed, in the stream.
    pub fn offset(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Whether the window reaches the end of the stream.
    #[inline]
    pub fn at_end(&self) -> bool {
        match &self.skimmed {
            Some(source) => self.base + self.bytes.len() as u64 >= source.length(),
            None => self.input.at_end(),
        }
    }

    /// Bytes between the front and the end of the stream, if that is known.
    pub fn left(&self) -> Option<u64> {
        match &self.skimmed {
            Some(source) => Some(source.length().saturating_sub(self.offset())),
            None => Some(self.input.remaining()? + self.bytes().len() as u64),
        }
    }

    /// How far to grow for a value. Before a long value of unknown length is looked at again, the window must grow by
    /// half, because framing starts from the first byte: so all looks together take no more than a few times the last
    /// one. If the stream pauses, as where somebody waits for the answer to a value, a look may come earlier, after a
    /// pause that is longer than the look.
    pub fn growth(&self, need: Need) -> Growth {
        let length = self.bytes().len();
        let missing = usize::try_from(need.wanted()).unwrap_or(usize::MAX).saturating_sub(length);
        let trusted = if self.skimmed.is_some() { missing } else { missing.min(length) };
        let is_long = length > LONG;
        let is_open = matches!(need, Need::AtLeast(_));
        // Each read at an offset may be a request to a server: one has to be enough.
        let least = if is_long && is_open && self.skimmed.is_some() { length / 2 } else { 0 };
        let limit = trusted.max(self.ahead).max(least);
        let more = if is_open { length / 2 } else { missing.min(length / 2) };
        let enough = length + if is_long { more } else { 1 };
        Growth { seen: length, enough, limit, patience: PARSE_COST.saturating_mul(length as u32) }
    }

    /// Grows for a value, or to the end of the stream.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn grow(&mut self, need: Need) -> Result<()> {
        let growth = self.growth(need);
        while !self.read_once(growth)? {}
        Ok(())
    }

    /// Reads once. Returns whether the window has grown enough or the end was reached.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn read_once(&mut self, growth: Growth) -> Result<bool> {
        self.forget_consumed();
        let Some(source) = &self.skimmed else {
            if self.bytes.len() > growth.seen && !self.input.waits_for(growth.patience) {
                return Ok(true);
            }
            let count = self.input.read_some(&mut self.bytes, growth.limit)?;
            return Ok(count == 0 || self.bytes.len() >= growth.enough);
        };
        let offset = self.base + self.bytes.len() as u64;
        let left = usize::try_from(source.length().saturating_sub(offset)).unwrap_or(usize::MAX);
        let read = source.read_some_at(offset, &mut self.bytes, left.min(growth.limit));
        read.map_err(|source| Error::Read { name: self.input.name().to_owned(), offset, source })?;
        self.ahead = (2 * self.ahead).min(CHUNK);
        Ok(true)
    }

    /// The bytes that are not consumed: at least `wanted`, unless the end comes before. Do not take this number from
    /// a header: all of it is read into memory.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn at_least(&mut self, wanted: usize) -> Result<&[u8]> {
        while self.bytes().len() < wanted && !self.at_end() {
            let seen = self.bytes().len();
            let limit = self.ahead.max(wanted - seen);
            self.read_once(Growth { seen, enough: wanted, limit, patience: Duration::ZERO })?;
        }
        Ok(self.bytes())
    }

    /// Passes over a byte order mark at the start of a text.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn pass_mark(&mut self) -> Result<()> {
        let may_be_mark = |bytes: &[u8]| bytes.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(bytes);
        while may_be_mark(self.bytes()) && !self.at_end() {
            self.grow(Need::AtLeast(BYTE_ORDER_MARK.len() as u64))?;
        }
        self.consume(self.bytes().len() - without_mark(self.bytes()).len());
        Ok(())
    }

    /// Moves the front forward by `count` bytes, or to the end if that comes before. Returns how many they were. What is not in the
    /// window yet is skipped in a regular file, and read otherwise.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn pass(&mut self, count: u64) -> Result<u64> {
        let mut left = count - self.consume_some(count);
        while left > 0 {
            if let Some(there) = self.input.remaining() {
                let there = there.min(left);
                if there > 0 {
                    self.input.seek(self.input.offset() + there)?;
                }
                (self.at, self.base) = (0, self.input.offset());
                self.bytes.clear();
                return Ok(count - (left - there));
            }
            if self.at_least(1)?.is_empty() {
                break;
            }
            left -= self.consume_some(left);
        }
        Ok(count - left)
    }

    /// Moves the next `count` bytes into `out`; fewer if the end comes before. `out` grows as bytes come, whatever `count` says.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn move_to(&mut self, count: u64, out: &mut Vec<u8>) -> Result<()> {
        let start = self.at;
        let mut left = count - self.consume_some(count);
        out.extend_from_slice(&self.bytes[start..self.at]);
        if left == 0 {
            return Ok(());
        }
        self.forget_consumed();
        while left > 0 && !self.input.at_end() {
            let there = self.input.remaining().map_or(PIECE, |there| there.max(1));
            let got = self.input.read_some(out, left.min(there) as usize)? as u64;
            self.base += got;
            left -= got;
        }
        Ok(())
    }

    /// Consumes as many bytes of the window as there are, `count` at most. Returns how many.
    fn consume_some(&mut self, count: u64) -> u64 {
        let there = self.bytes().len().min(usize::try_from(count).unwrap_or(usize::MAX));
        self.consume(there);
        there as u64
    }

    /// Reads once and drops the bytes. Returns whether the stream has ended.
    ///
    /// # Errors
    /// If the stream cannot be read.
    pub fn look_for_end(&mut self) -> Result<bool> {
        if !self.input.at_end() {
            self.input.read_some(&mut Vec::new(), CHUNK)?;
        }
        Ok(self.input.at_end())
    }

    /// Call this once the whole value has been read: see [`Input::expect_end`].
    pub fn expect_end(&mut self) {
        self.input.expect_end();
    }

    /// Moves the front forward by `count` bytes.
    pub fn consume(&mut self, count: usize) {
        self.at += count;
    }

    /// Gives away all bytes and consumes `count` of them. The window keeps a copy of the others. Returns the bytes and
    /// the offset of the first.
    pub fn take(&mut self, count: usize) -> (Vec<u8>, u64) {
        self.forget_consumed();
        let rest = &self.bytes[count..];
        let mut kept = Vec::new();
        if !(rest.is_empty() && self.at_end()) {
            // With room for the next read, too: growing would copy the bytes.
            kept.reserve_exact(self.ahead + rest.len());
            kept.extend_from_slice(rest);
        }
        let base = self.base;
        self.base += count as u64;
        (std::mem::replace(&mut self.bytes, kept), base)
    }

    /// Gives away all bytes and moves the front after the value that takes `length` bytes from `start` on and ends
    /// beyond the window. Returns the bytes and the offset of the first.
    pub fn skip(&mut self, start: usize, length: u64) -> (Vec<u8>, u64) {
        self.forget_consumed();
        let base = self.base;
        self.base += start as u64 + length;
        self.ahead = HEAD;
        (std::mem::take(&mut self.bytes), base)
    }

    fn forget_consumed(&mut self) {
        self.bytes.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
    }

    /// Goes back to the start of the stream.
    ///
    /// # Errors
    /// As [`Input::restart`].
    pub fn restart(&mut self) -> Result<()> {
        self.input.restart()?;
        self.bytes.clear();
        self.base = self.input.offset();
        self.at = 0;
        self.ahead = if self.skimmed.is_some() { HEAD } else { CHUNK };
        Ok(())
    }

    /// Closes the stream; see [`Input::finish`].
    ///
    /// # Errors
    /// If its command failed.
    pub fn finish(&mut self) -> Result<()> {
        self.input.finish()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn window(command: &str) -> Window {
        Window::new(Input::open(command.into()).unwrap())
    }

    #[test]
    fn a_window_grows_until_the_end() {
        let mut window = window("printf 0123456789 |");
        while !window.at_end() {
            window.grow(Need::AtLeast(window.bytes().len() as u64 + 1)).unwrap();
        }
        assert_eq!(window.bytes(), b"0123456789");
        window.consume(2);
        assert_eq!((window.bytes(), window.offset()), (&b"23456789"[..], 2));
        assert_eq!(window.take(3), (b"23456789".to_vec(), 2));
        assert_eq!((window.bytes(), window.offset()), (&b"56789"[..], 5));
        assert!(window.finish().is_ok());
    }

    #[test]
    fn a_length_that_lies_is_not_reserved_before_it_has_come() {
        let mut window = window("printf 0123456789; exec sleep 0.2 |");
        window.grow(Need::AtLeast(u64::MAX)).unwrap();
        assert!(window.bytes.capacity() <= CHUNK);
        window.grow(Need::AtLeast(u64::MAX)).unwrap();
        assert_eq!(window.bytes(), b"0123456789");
    }

    #[test]
    fn a_long_value_is_looked_at_a_few_times() {
        // Pieces of 4 kB, as from a slow command.
        let mut window = window("head -c 6000000 /dev/zero | dd obs=4096 2>/dev/null |");
        let mut looked_at = 0;
        let start = Instant::now();
        while !window.at_end() {
            looked_at += window.bytes().len();
            window.grow(Need::AtLeast(window.bytes().len() as u64 + 1)).unwrap();
        }
        assert_eq!(window.bytes().len(), 6_000_000);
        // Where the machine has much else to do, the stream pauses, and each look more comes after a pause that is as long as the last one.
        let in_pauses = (start.elapsed().as_nanos() / PARSE_COST.as_nanos()) as usize;
        assert!(looked_at < 5 * 6_000_000 + 2 * in_pauses, "{looked_at}, {in_pauses} of them in pauses");
    }

    #[test]
    fn a_value_of_known_length_is_not_waited_behind() {
        let mut window = window("head -c 600000 /dev/zero; exec sleep 100 |");
        while window.bytes().len() < 600_000 {
            window.grow(Need::Exactly(600_000)).unwrap();
        }
        window.into_parts().0.stop();
    }

    #[test]
    fn a_stream_that_pauses_is_looked_at() {
        let mut window = window("head -c 600000 /dev/zero; exec sleep 100 |");
        while window.bytes().len() < 600_000 {
            window.grow(Need::AtLeast(window.bytes().len() as u64 + 1)).unwrap();
        }
        window.into_parts().0.stop();
    }

    #[test]
    fn long_values_are_skipped_where_the_stream_can_be_read_at_any_place() {
        let mut bytes = vec![b'x'; 1 << 20];
        bytes.extend(b"after");
        let mut window = Window::new(Input::from_bytes("memory", bytes));
        window.skim();
        window.grow(Need::AtLeast(5)).unwrap();
        assert_eq!(window.bytes().len(), HEAD);
        assert_eq!(window.left(), Some((1 << 20) + 5));
        window.consume(2);
        assert_eq!(window.skip(0, (1 << 20) - 2), (vec![b'x'; HEAD - 2], 2));
        assert_eq!(window.offset(), 1 << 20);
        window.grow(Need::AtLeast(1)).unwrap();
        assert_eq!(window.bytes(), b"after");
        assert!(window.at_end());
        window.restart().unwrap();
        window.grow(Need::AtLeast(3)).unwrap();
        assert_eq!((window.bytes()[0], window.offset()), (b'x', 0));
    }
}
