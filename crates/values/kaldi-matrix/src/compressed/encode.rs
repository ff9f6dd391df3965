//! Compression: from numbers to integers.
//!
//! The arithmetic is that of Kaldi's compressed-matrix.cc, operation for operation, in single precision except where
//! Kaldi's constants are double. Roundings are written so that they vectorize and give the same integers.

use kaldi_simd::{Kernel, dispatch};

use super::columns;
use super::method::CompressionMethod;
use super::numbers::{extremes, round};
use super::short_columns;
use super::stored::{Header, Layout};
use crate::{Error, Result};

/// The columns that are compressed together: as many as fill a cache line of a row.
const BLOCK: usize = short_columns::LANES;

/// Compresses rows of `cols` elements; returns the header before the integers in a file, and the integers.
pub(super) fn compress(data: &[f32], cols: usize, method: CompressionMethod) -> Result<(Header, Vec<u8>)> {
    dispatch(Compression { data, cols, method })
}

/// A matrix on its way to integers.
struct Compression<'a> {
    data: &'a [f32],
    cols: usize,
    method: CompressionMethod,
}

impl Kernel for Compression<'_> {
    type Output = Result<(Header, Vec<u8>)>;

    #[inline(always)]
    fn compute(self) -> Self::Output {
        compress_any(self.data, self.cols, self.method)
    }
}

#[inline(always)]
fn compress_any(data: &[f32], cols: usize, method: CompressionMethod) -> Result<(Header, Vec<u8>)> {
    use CompressionMethod as Method;
    if data.is_empty() {
        return Ok(Default::default());
    }
    let rows = data.len() / cols;
    let (layout, fixed) = match method {
        Method::Automatic if rows > 8 => (Layout::Columns, None),
        Method::SpeechFeature => (Layout::Columns, None),
        Method::Automatic | Method::TwoByteAuto => (Layout::TwoByte, None),
        Method::TwoByteSignedInteger => (Layout::TwoByte, Some((-32768.0, 65535.0))),
        Method::OneByteAuto => (Layout::OneByte, None),
        Method::OneByteUnsignedInteger => (Layout::OneByte, Some((0.0, 255.0))),
        Method::OneByteZeroOne => (Layout::OneByte, Some((0.0, 1.0))),
    };
    let (min, range) = match fixed {
        Some(span) => span,
        None => span(data, cols)?,
    };
    let header = Header { layout, min, range, rows, cols };
    // This is at most three times the size of the matrix itself.
    let mut payload = vec![0; header.payload() as usize];
    match layout {
        Layout::Columns => compress_columns(&header, data, &mut payload),
        Layout::TwoByte => {
            for (bytes, &value) in payload.as_chunks_mut().0.iter_mut().zip(data) {
                *bytes = header.two_bytes(value).to_le_bytes();
            }
        }
        Layout::OneByte => {
            for (byte, &value) in payload.iter_mut().zip(data) {
                *byte = header.one_byte(value);
            }
        }
    }
    Ok((header, payload))
}

/// Fills levels and bytes of [`Layout::Columns`].
#[inline(always)]
fn compress_columns(header: &Header, data: &[f32], payload: &mut [u8]) {
    let (levels, bytes) = payload.split_at_mut(8 * header.cols);
    let mut levels = levels.chunks_exact_mut(8);
    let mut bytes = bytes.chunks_exact_mut(header.rows);
    let mut scratch = columns::Scratch::default();
    // An odd number of cache lines keeps columns from competing for the same ones.
    let stride = (header.rows.div_ceil(BLOCK) | 1) * BLOCK;
    let mut block = vec![0.0; BLOCK.min(header.cols) * stride];
    let is_short = (5..=short_columns::MOST_ROWS).contains(&header.rows);
    let mut rows = [[0.0; BLOCK]; short_columns::MOST_ROWS];
    for first in (0..header.cols).step_by(BLOCK) {
        let width = BLOCK.min(header.cols - first);
        transpose(data, header.cols, first, width, stride, &mut block);
        let sorted = match is_short {
            true => short_columns::order_statistics(data, header.cols, first, width, &mut rows[..header.rows]),
            false => None,
        };
        let columns = block.chunks_exact(stride).take(width).enumerate();
        for (((lane, column), levels), bytes) in columns.zip(&mut levels).zip(&mut bytes) {
            let column = &column[..header.rows];
            let (statistics, max) = match &sorted {
                Some(sorted) => (sorted.map(|row| row[lane]), sorted[3][lane]),
                None => scratch.order_statistics(column),
            };
            let quantized = columns::quantize(statistics.map(|value| header.two_bytes(value)), header.rows);
            for (bytes, level) in levels.as_chunks_mut().0.iter_mut().zip(quantized) {
                *bytes = level.to_le_bytes();
            }
            columns::encode(quantized.map(|level| header.level(level)), max, column, bytes);
        }
    }
}

/// Copies the columns from `first` on, one after the other, `stride` apart.
#[inline(always)]
fn transpose(data: &[f32], cols: usize, first: usize, width: usize, stride: usize, block: &mut [f32]) {
    for (index, row) in data.chunks_exact(cols).enumerate() {
        let row = &row[first..first + width];
        let mut put = |col: usize, value: f32| block[col * stride + index] = value;
        match <&[f32; BLOCK]>::try_from(row) {
            // With a known length the compiler unrolls the loop.
            Ok(row) => row.iter().enumerate().for_each(|(col, &value)| put(col, value)),
            Err(_) => row.iter().enumerate().for_each(|(col, &value)| put(col, value)),
        }
    }
}

impl Header {
    /// The 16-bit integer whose value is nearest to `value`.
    #[inline(always)]
    fn two_bytes(&self, value: f32) -> u16 {
        self.nearest(value, 65535.0) as u16
    }

    /// The byte whose value is nearest to `value`.
    #[inline(always)]
    fn one_byte(&self, value: f32) -> u8 {
        self.nearest(value, 255.0) as u8
    }

    /// The integer between 0 and `steps` whose value is nearest to `value`: Kaldi computes `position + 0.499` in double
    /// precision and drops the fraction. NaN gives 0, as on x86 processors.
    #[inline(always)]
    fn nearest(&self, value: f32, steps: f32) -> u32 {
        let share = (value - self.min) / self.range;
        let share = if share > 1.0 { 1.0 } else { share };
        let share = if share > 0.0 { share } else { 0.0 };
        let (integer, excess) = round(share * steps);
        // The least single above -0.499: Kaldi rounds down integers that were rounded up here from below .501.
        integer - u32::from(excess < -0.498_999_98)
    }
}

/// The least value, and the range from there to the greatest: above zero even if all values are the same.
#[inline(always)]
fn span(data: &[f32], cols: usize) -> Result<(f32, f32)> {
    let (mut min, max, _) = extremes(data);
    if !(min.is_finite() && max.is_finite()) {
        return Err(refuse(data, cols));
    }
    if min == 0.0 {
        // The sign is that of the first zero.
        min = data.iter().copied().find(|&value| value == 0.0).unwrap_or(min);
    }
    let end = if min == max { (f64::from(min) + (1.0 + f64::from(min).abs())) as f32 } else { max };
    let range = end - min;
    if range.is_finite() { Ok((min, range)) } else { Err(Error::Spread { min, max }) }
}

/// The error of the first value for which the range cannot be computed.
fn refuse(data: &[f32], cols: usize) -> Error {
    let index = if data[0].is_nan() { 0 } else { data.iter().position(|value| value.is_infinite()).unwrap_or(0) };
    Error::Incompressible { value: data[index], row: index / cols, col: index % cols }
}
