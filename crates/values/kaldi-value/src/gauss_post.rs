//! Posteriors of Gaussians: for each frame, indexes with a vector of weights each (Kaldi's `GaussPostHolder`).

use crate::framing::frame_either;
use crate::unit::read_count;
use crate::{Basic, Cursor, Format, Frame, Value, frame_by_parsing, write_basic, write_token};
use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::{ParseError, is_space};

/// For each frame, indexes (of pdfs) with the weights of their Gaussians.
///
/// Lines have no meaning in text: counts, indexes and vectors follow each other. Reading ends after the last vector (or
/// count), so that the final newline is left over, as in Kaldi.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GaussPost(pub Vec<Vec<(i32, Vec<f32>)>>);

impl Value for GaussPost {
    const NAME: &'static str = "gauss-post";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_by_parsing::<Self>, reach)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        let mut frames = Vec::new();
        for _ in 0..read_count(cursor)? {
            let mut frame = Vec::new();
            for _ in 0..read_count(cursor)? {
                frame.push((cursor.read_basic()?, read_vector(cursor)?));
            }
            frames.push(frame);
        }
        Ok(Self(frames))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        write_basic(out, format, self.0.len() as i32);
        for frame in &self.0 {
            write_basic(out, format, frame.len() as i32);
            for (index, weights) in frame {
                write_basic(out, format, *index);
                write_vector(weights, out, format);
            }
        }
        format.end_line(out);
    }
}

fn reach(window: &[u8]) -> Result<u64, ParseError> {
    match skip(window) {
        Ok(length) => Ok(length as u64),
        Err(error) if error.at_end => Ok(window.len() as u64 + 1),
        Err(error) => Err(error),
    }
}

/// The length of the binary value at the start of `window`.
fn skip(window: &[u8]) -> Result<usize, ParseError> {
    let mut cursor = Cursor::new(window);
    cursor.read_marker()?;
    for _ in 0..read_count(&mut cursor)? {
        for _ in 0..read_count(&mut cursor)? {
            cursor.take(5)?;
            take_vector(&mut cursor)?;
        }
    }
    Ok(cursor.offset())
}

fn read_vector(cursor: &mut Cursor<'_>) -> Result<Vec<f32>, ParseError> {
    if !cursor.is_binary() {
        return read_text_vector(cursor);
    }
    Ok(match take_vector(cursor)? {
        (4, bytes) => bytes.as_chunks::<4>().0.iter().map(|word| LittleEndian::read_f32(word)).collect(),
        (_, bytes) => bytes.as_chunks::<8>().0.iter().map(|word| LittleEndian::read_f64(word) as f32).collect(),
    })
}

/// Consumes a binary vector, of floats or doubles, and returns the size of its elements and their bytes.
fn take_vector<'a>(cursor: &mut Cursor<'a>) -> Result<(usize, &'a [u8]), ParseError> {
    let start = cursor.clone();
    let size = match cursor.read_token()? {
        b"FV" => 4,
        b"DV" => 8,
        _ => return Err(start.expected("token \"FV\"")),
    };
    let dim = read_count(cursor)?;
    Ok((size, cursor.take(dim * size)?))
}

/// Consumes ` [ 1 2 ]` and the newline after it.
fn read_text_vector(cursor: &mut Cursor<'_>) -> Result<Vec<f32>, ParseError> {
    cursor.skip_space();
    let start = cursor.clone();
    match cursor.read_word()? {
        b"[" => {}
        b"[]" => return Ok(Vec::new()),
        _ => return Err(start.expected("\"[\"")),
    }
    let mut values = Vec::new();
    loop {
        match cursor.peek() {
            Some(b' ' | b'\t') => cursor.advance(1),
            Some(b']') => break,
            Some(byte) if is_space(byte) => return Err(cursor.expected("a number or \"]\"")),
            Some(_) => {
                values.push(f32::read_text(cursor)?);
                if !cursor.peek().is_some_and(|byte| is_space(byte) || byte == b']') {
                    return Err(cursor.expected("white space or \"]\" after a number"));
                }
            }
            None => return Err(cursor.end("\"]\"")),
        }
    }
    cursor.advance(1);
    cursor.skip_newline()?;
    Ok(values)
}

fn write_vector(values: &[f32], out: &mut Vec<u8>, format: Format) {
    match format {
        Format::Binary => {
            write_token(out, b"FV");
            write_basic(out, format, values.len() as i32);
            for value in values {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
        Format::Text => {
            out.extend_from_slice(b" [ ");
            for &value in values {
                write_basic(out, format, value);
            }
            out.extend_from_slice(b"]\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{keeps_the_contract_of_parsed, reads, reads_before, refuses};

    use super::*;

    #[test]
    fn gauss_posts_keep_the_contract() {
        keeps_the_contract_of_parsed(|random| {
            GaussPost(
                random.many(3, |random| {
                    random.many(3, |random| (random.integer(), random.many(4, |random| random.float())))
                }),
            )
        });
    }

    #[test]
    fn gauss_posts_are_written_as_kaldi_does() {
        let value = GaussPost(vec![vec![(7, vec![0.5, 1.0]), (8, vec![])], vec![]]);
        assert_eq!(value.to_bytes(Format::Text), b"2 2 7  [ 0.5 1 ]\n8  [ ]\n0 \n");
        assert_eq!(
            GaussPost(vec![vec![(7, vec![0.5])]]).to_bytes(Format::Binary),
            b"\0B\x04\x01\0\0\0\x04\x01\0\0\0\x04\x07\0\0\0FV \x04\x01\0\0\0\0\0\0\x3f"
        );
        assert_eq!(GaussPost::default().to_bytes(Format::Text), b"0 \n");
    }

    #[test]
    fn the_last_newline_is_left_over() {
        reads_before(b"1 1 7  [ 0.5 1 ]\n", b"\nb 0 \n", GaussPost(vec![vec![(7, vec![0.5, 1.0])]]));
        reads_before(b"\n1\n1\n7[ -1]\r\n", b"b", GaussPost(vec![vec![(7, vec![-1.0])]]));
        reads_before(b"0", b" \nb 0 \n", GaussPost::default());
        reads_before(b"1 0", b"\n", GaussPost(vec![vec![]]));
    }

    #[test]
    fn stored_doubles_are_read() {
        reads(
            b"\0B\x04\x01\0\0\0\x04\x01\0\0\0\x04\x07\0\0\0DV \x04\x01\0\0\0\0\0\0\0\0\0\xe0\x3f",
            GaussPost(vec![vec![(7, vec![0.5])]]),
        );
    }

    #[test]
    fn damage_is_refused() {
        refuses::<GaussPost>(b"-1 \n", 0, "expected a count, got -1");
        refuses::<GaussPost>(b"1 1 7 0.5\n", 6, "expected \"[\", got \"0.5\"");
        refuses::<GaussPost>(b"1 1 7 [ 0.5\n]\n", 11, "expected a number or \"]\", got \"\\n\"");
        refuses::<GaussPost>(b"1 1 7 [ 0.5x ]\n", 11, "expected white space or \"]\" after a number, got \"x\"");
        refuses::<GaussPost>(
            b"\0B\x04\x01\0\0\0\x04\x01\0\0\0\x04\x07\0\0\0FM \x04\x01\0\0\0\0\0\0\x3f",
            17,
            "expected token \"FV\", got \"FM\"",
        );
    }
}
