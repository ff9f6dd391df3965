//! Elements: a name, a size, a content.

use crate::bytes::Bytes;
use crate::fault::{Result, SoundFault};

/// An element.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) id: u32,
    /// Where its content starts.
    pub(super) start: u64,
    /// The length of the content; `None` if it was not known.
    pub(super) size: Option<u64>,
}

impl Element {
    /// Where the content ends, or the file.
    pub(super) fn end(&self, file: Bytes<'_>) -> u64 {
        self.size.map_or(file.total(), |size| self.start.saturating_add(size).min(file.total()))
    }

    /// Whether all of it is in the file.
    pub(super) fn is_whole(&self, file: Bytes<'_>) -> bool {
        self.size.is_none_or(|size| file.reaches(self.start, size))
    }
}

/// The elements in a part of a file.
pub(super) struct Elements<'a> {
    file: Bytes<'a>,
    at: u64,
    end: u64,
}

impl<'a> Elements<'a> {
    pub(super) fn new(file: Bytes<'a>, at: u64, end: u64) -> Self {
        Self { file, at, end }
    }

    /// The next element; what is in it is left out.
    pub(super) fn next(&mut self) -> Result<Option<Element>> {
        if self.at >= self.end {
            return Ok(None);
        }
        let (id, length) = read_number(self.file, self.at, true)?;
        let (Some(id), true) = (id.and_then(|id| u32::try_from(id).ok()), length <= 4) else {
            let found = self.file.byte(self.at)?;
            return Err(SoundFault::new(
                self.at,
                format!("expected an element of Matroska, found the byte {found:#04x}"),
            ));
        };
        let (size, width) = read_number(self.file, self.at + length, false)?;
        let start = self.at + length + width;
        let element = Element { id, start, size };
        let after = size.map_or(Some(self.end), |size| start.checked_add(size));
        let Some(after) = after else {
            return Err(SoundFault::new(self.at, "expected an element of Matroska, found one without an end"));
        };
        self.at = after;
        Ok(Some(element))
    }

    /// Goes into an element, so that the next one is the first in it.
    pub(super) fn enter(&mut self, element: &Element) {
        self.at = element.start;
    }
}

/// A number of one to eight bytes, and how many; `None` if all its bits are ones. The first one of its bits ends the width,
/// and belongs to names.
pub(super) fn read_number(file: Bytes<'_>, at: u64, is_name: bool) -> Result<(Option<u64>, u64)> {
    let first = file.byte(at)?;
    let width = first.leading_zeros() + 1;
    if width > 8 {
        return Err(SoundFault::new(at, "expected a number of Matroska, found a zero byte"));
    }
    let value = number(&file.at(at, width.into())?);
    let mask = (1 << (7 * width)) - 1;
    if value & mask == mask {
        return Ok((None, width.into()));
    }
    Ok((Some(if is_name { value } else { value & mask }), width.into()))
}

/// The number that these bytes are, at most eight.
pub(super) fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |value, &byte| value << 8 | u64::from(byte))
}

/// The float that these bytes are, four or eight; 0 if they are others.
pub(super) fn float(bytes: &[u8]) -> f64 {
    match bytes.len() {
        4 => f32::from_bits(number(bytes) as u32).into(),
        8 => f64::from_bits(number(bytes)),
        _ => 0.0,
    }
}
