//! PNG files.

use std::io::Write;

use crate::{Canvas, Error, Result};

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
    let size = |pixels: usize| u32::try_from(pixels).map_err(|_| Error::Encoding(format!("{pixels} pixels in a line")));
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size(width)?, size(height)?);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    let write = || {
        let mut writer = encoder.write_header()?;
        let mut stream = writer.stream_writer()?;
        for piece in pieces {
            stream.write_all(piece)?;
        }
        stream.finish()?;
        writer.finish()
    };
    write().map_err(|error: png::EncodingError| Error::Encoding(error.to_string()))?;
    Ok(bytes)
}
