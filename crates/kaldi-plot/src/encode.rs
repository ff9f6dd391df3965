//! PNG files: a signature and three chunks. The pixels are in one of them, each row less the one above or less itself one
//! pixel to the left, whichever is smaller, and compressed (RFC 2083).

use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, TDEFLStatus, compress_to_output, create_comp_flags_from_zip_params,
};

use crate::{Canvas, Error, Result};

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// 8 bits a channel, red, green and blue, and the only ways there are to compress, to filter, and not to interlace.
const COLOR_FORMAT: [u8; 5] = [8, 2, 0, 0, 0];
/// Bytes of a pixel.
const PIXEL: usize = 3;
/// How hard to compress, from 0 to 10.
const LEVEL: i32 = 6;
/// The logarithm of how far back to look for what is the same.
const WINDOW_BITS: i32 = 15;

/// Encodes a picture as a PNG file.
///
/// # Errors
/// Where it has no pixels.
pub fn encode_png(canvas: &Canvas) -> Result<Vec<u8>> {
    let rows = (0..canvas.height()).map(|y| canvas.row(y));
    encode_rows((canvas.width(), canvas.height()), rows)
}

/// Encodes pixels given as pieces of rows, one after the other from the top, `width` times three bytes for each row.
pub(crate) fn encode_rows<'a>(
    (width, height): (usize, usize),
    pieces: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>> {
    let size = |pixels: usize| match u32::try_from(pixels) {
        Ok(size @ 1..0x8000_0000) => Ok(size.to_be_bytes()),
        _ => Err(Error::Encoding(format!("a side of {pixels} pixels"))),
    };
    let header = [&size(width)?[..], &size(height)?, &COLOR_FORMAT].concat();
    let mut file = SIGNATURE.to_vec();
    put_chunk(&mut file, b"IHDR", |chunk| chunk.extend(header))?;
    put_chunk(&mut file, b"IDAT", |chunk| {
        let mut rows = Rows::new(width, chunk);
        pieces.for_each(|piece| rows.put(piece));
        rows.finish();
    })?;
    put_chunk(&mut file, b"IEND", |_| ())?;
    Ok(file)
}

/// Appends a chunk: its length, its name, what `content` appends, and a checksum.
fn put_chunk(file: &mut Vec<u8>, name: &[u8; 4], content: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
    let start = file.len();
    file.extend([0; 4]);
    file.extend(name);
    content(file);
    let length = file.len() - start - 8;
    let length = u32::try_from(length).map_err(|_| Error::Encoding(format!("{length} bytes of pixels")))?;
    file[start..start + 4].copy_from_slice(&length.to_be_bytes());
    let checksum = crc32(&file[start + 4..]);
    file.extend(checksum.to_be_bytes());
    Ok(())
}

/// Rows on their way into a compressed stream.
struct Rows<'a> {
    out: &'a mut Vec<u8>,
    compressor: Box<CompressorOxide>,
    /// Bytes of a row.
    length: usize,
    above: Vec<u8>,
    row: Vec<u8>,
}

impl<'a> Rows<'a> {
    fn new(width: usize, out: &'a mut Vec<u8>) -> Self {
        let compressor = Box::new(CompressorOxide::new(create_comp_flags_from_zip_params(LEVEL, WINDOW_BITS, 0)));
        let length = PIXEL * width;
        Self { out, compressor, length, above: vec![0; length], row: Vec::with_capacity(length) }
    }

    /// Takes a piece of a row.
    fn put(&mut self, piece: &[u8]) {
        self.row.extend_from_slice(piece);
        if self.row.len() >= self.length {
            debug_assert_eq!(self.row.len(), self.length);
            let row = filtered(&self.row, &self.above);
            self.compress(&row, TDEFLFlush::None);
            std::mem::swap(&mut self.row, &mut self.above);
            self.row.clear();
        }
    }

    fn finish(mut self) {
        self.compress(&[], TDEFLFlush::Finish);
    }

    fn compress(&mut self, bytes: &[u8], flush: TDEFLFlush) {
        let out = &mut *self.out;
        let (status, _) = compress_to_output(&mut self.compressor, bytes, flush, |compressed| {
            out.extend_from_slice(compressed);
            true
        });
        debug_assert!(matches!(status, TDEFLStatus::Okay | TDEFLStatus::Done));
    }
}

/// The row behind the number of its filter: less the pixel to the left (1), or less the row above (2), whichever has the
/// lesser sum of differences.
fn filtered(row: &[u8], above: &[u8]) -> Vec<u8> {
    let left = std::iter::repeat_n(&0, PIXEL).chain(row);
    let across: Vec<u8> =
        std::iter::once(1).chain(row.iter().zip(left).map(|(byte, left)| byte.wrapping_sub(*left))).collect();
    let down: Vec<u8> =
        std::iter::once(2).chain(row.iter().zip(above).map(|(byte, above)| byte.wrapping_sub(*above))).collect();
    let weight =
        |filtered: &[u8]| filtered[1..].iter().map(|byte| u64::from((*byte as i8).unsigned_abs())).sum::<u64>();
    if weight(&across) < weight(&down) { across } else { down }
}

/// The checksum of chunks (CRC-32 as in ISO 3309).
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |crc, &byte| TABLE[usize::from(crc as u8 ^ byte)] ^ (crc >> 8))
}

/// What each byte does to the checksum.
const TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut crc, mut bit) = (byte as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 1 { 0xedb8_8320 ^ (crc >> 1) } else { crc >> 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Color;

    /// The pixels that another program reads.
    fn decode(file: &[u8]) -> Vec<u8> {
        let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        reader.finish().unwrap();
        pixels
    }

    #[test]
    fn checksums_are_those_of_the_standard() {
        assert_eq!((crc32(b"123456789"), crc32(b"IEND")), (0xcbf4_3926, 0xae42_6082));
    }

    #[test]
    fn pictures_of_every_size_come_back() {
        let mut word = 1_u32;
        for (width, height) in [(1, 1), (1, 300), (300, 1), (7, 5), (64, 64), (500, 333)] {
            let mut canvas = Canvas::new(width, height);
            for y in 0..height as i64 {
                for x in 0..width as i64 {
                    // Noise on the left, something smooth on the right.
                    word = word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let color =
                        if 2 * x < width as i64 { word.to_be_bytes() } else { [x as u8, (x + y) as u8, y as u8, 0] };
                    canvas.set(x, y, Color([color[0], color[1], color[2]]));
                }
            }
            let rows: Vec<u8> = (0..height).flat_map(|y| canvas.row(y).to_vec()).collect();
            assert!(decode(&encode_png(&canvas).unwrap()) == rows, "{width} by {height}");
        }
    }

    #[test]
    fn what_is_even_takes_little_room() {
        assert!(encode_png(&Canvas::new(1000, 1000)).unwrap().len() < 20_000);
    }

    #[test]
    fn no_pixels_are_no_picture() {
        assert!(encode_png(&Canvas::new(0, 3)).is_err() && encode_png(&Canvas::new(3, 0)).is_err());
    }
}
