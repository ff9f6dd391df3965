//! Walks through the binary form of examples, without building them: where they end, and whether they are written as they
//! would be written anew.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Frame, Value, frame_by_parsing};
use memchr::memmem;

use crate::index::Index;
use crate::sparse_rows::SparseRows;

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// The most bytes after those in memory that can be skipped.
const FAR: u64 = u64::MAX / 4;

/// A position in the bytes of an example, and what was seen before it.
pub(crate) struct Walk<'a> {
    pub(crate) cursor: Cursor<'a>,
    /// Whether everything so far is as it would be written.
    pub(crate) is_canonical: bool,
}

impl<'a> Walk<'a> {
    fn new(cursor: Cursor<'a>) -> Self {
        Self { cursor, is_canonical: true }
    }

    /// Clears [`Walk::is_canonical`] unless `holds`.
    pub(crate) fn expect_canonical(&mut self, holds: bool) {
        self.is_canonical &= holds;
    }

    /// Consumes a token and the space after it.
    pub(crate) fn token(&mut self, token: &str) -> Result<()> {
        let rest = self.cursor.rest();
        if rest.starts_with(token.as_bytes()) && rest.get(token.len()) == Some(&b' ') {
            self.cursor.advance(token.len() + 1);
            return Ok(());
        }
        self.is_canonical = false;
        self.cursor.expect_token(token)
    }

    /// Consumes the name of an input or output.
    pub(crate) fn name(&mut self) -> Result<()> {
        let before = self.cursor.rest();
        let name = self.cursor.read_token()?;
        self.is_canonical &= before.starts_with(name) && before.get(name.len()) == Some(&b' ');
        Ok(())
    }

    /// Consumes a float.
    pub(crate) fn float(&mut self) -> Result<f32> {
        self.is_canonical &= self.cursor.peek() == Some(4);
        self.cursor.read_basic()
    }

    /// Consumes `<NnetIo> ... </NnetIo> `.
    pub(crate) fn io(&mut self) -> Result<()> {
        self.token("<NnetIo>")?;
        self.name()?;
        let num_indexes = Index::walk_all(self)?;
        let num_rows = self.matrix()?;
        self.is_canonical &= num_rows == num_indexes;
        self.token("</NnetIo>")
    }

    /// Consumes a matrix of any kind; returns the number of rows.
    fn matrix(&mut self) -> Result<usize> {
        if self.cursor.peek() == Some(b'S') {
            return SparseRows::walk(self);
        }
        let head = self.cursor.rest();
        let is_full = head.starts_with(b"FM ");
        let is_compressed = [b"CM ".as_slice(), b"CM2 ", b"CM3 "].iter().any(|token| head.starts_with(token));
        let warnings = self.cursor.take_warnings();
        let (num_rows, _) = Matrix::<f32>::skip_part(&mut self.cursor)?;
        let is_doubtful = !self.cursor.take_warnings().is_empty();
        warnings.into_iter().for_each(|warning| self.cursor.warn_at(warning));
        self.is_canonical &= !is_doubtful && (is_full || (is_compressed && num_rows > 0));
        Ok(num_rows)
    }

    /// Consumes a vector of floats.
    pub(crate) fn vector(&mut self) -> Result<usize> {
        Vector::<f32>::skip_binary_part(&mut self.cursor)
    }
}

/// A function that walks over a value after its marker.
pub(crate) type WalkFn = fn(&mut Walk<'_>) -> Result<()>;

/// Returns the length of a binary value at the start of `window`.
fn frame_binary(window: &[u8], at_end: bool, walk: WalkFn) -> Result<Frame> {
    let beyond = if at_end { 0 } else { FAR };
    let mut walked = Walk::new(Cursor::new_head(window, beyond));
    let result = walked.cursor.read_marker().and_then(|_| walk(&mut walked));
    // A value ends with a token, so it is whole only if nothing was skipped beyond the window.
    let skipped = beyond - walked.cursor.beyond();
    match result {
        Ok(()) if skipped == 0 => Ok(Frame::Whole(walked.cursor.offset())),
        Err(error) if at_end || !error.at_end => Err(error),
        _ => Ok(Frame::Partial(window.len() as u64 + skipped + 1)),
    }
}

/// Returns the length of an example in either form. In text form it goes from the token `begin` to the token `end`, which is
/// given without its first bracket, since that may be missing.
pub(crate) fn frame<T: Value>(window: &[u8], at_end: bool, walk: WalkFn, begin: &str, end: &str) -> Result<Frame> {
    if window.first() == Some(&0) {
        return frame_binary(window, at_end, walk);
    }
    if !at_end {
        let more = Ok(Frame::Partial(window.len() as u64 + 1));
        match Cursor::new_open(window).expect_token(begin) {
            Err(error) if error.at_end => return more,
            Err(error) => return Err(error),
            Ok(()) => {}
        }
        if memmem::find(window, end.as_bytes()).is_none() {
            return more;
        }
    }
    frame_by_parsing::<T>(window, at_end)
}

/// Whether `bytes` are one binary value as it would be written.
pub(crate) fn is_canonical(bytes: &[u8], walk: WalkFn) -> bool {
    let mut walked = Walk::new(Cursor::new(bytes));
    walked.cursor.read_marker().is_ok_and(|binary| binary)
        && walk(&mut walked).is_ok()
        && walked.is_canonical
        && walked.cursor.rest().is_empty()
}
