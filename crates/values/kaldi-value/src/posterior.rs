//! Posteriors: for each frame, indexes with weights (Kaldi's `PosteriorHolder`).

use crate::framing::{frame_either, frame_line};
use crate::unit::{HEADER, UNIT, are_units, check_count, count_at, read_count, unit, write_count, write_header};
use crate::{Cursor, Format, Frame, Value};
use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::{ParseError, is_space};

/// For each frame, indexes (of transitions, pdfs or phones) with their weights.
///
/// In text form a line, whose newline may be missing at the end of the stream. Weights that are not finite are written,
/// but refused in text, as Kaldi does; stored doubles are read as floats.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Posterior(pub Vec<Vec<(i32, f32)>>);

/// More frames than this count as damage (28 hours at 100 a second), as in Kaldi.
const MOST_FRAMES: u64 = 10_000_000;

/// Length of an index and a weight in the usual binary form.
const PAIR: usize = 2 * UNIT;

impl Value for Posterior {
    const NAME: &'static str = "posterior";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_line, reach)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.read_marker()? {
            let start = cursor.offset();
            let num_frames = read_count(cursor)?;
            check_num_frames(num_frames as u64, start)?;
            let mut frames = Vec::new();
            for _ in 0..num_frames {
                frames.push(read_binary_frame(cursor)?);
            }
            return Ok(Self(frames));
        }
        if cursor.rest().is_empty() {
            return Err(cursor.end("a line"));
        }
        let mut frames = Vec::new();
        let mut frame = Vec::new();
        while !cursor.skip_line_end()? {
            frame.clear();
            read_text_frame(cursor, &mut frame)?;
            frames.push(frame.to_vec());
        }
        check_count(cursor, frames.len())?;
        Ok(Self(frames))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => {
                write_header(out, self.0.len());
                for frame in &self.0 {
                    write_count(out, frame.len());
                    for (index, weight) in frame {
                        let [index, weight] = [unit(index.to_le_bytes()), unit(weight.to_le_bytes())];
                        out.extend_from_slice([index, weight].as_flattened());
                    }
                }
            }
            Format::Text => {
                for frame in &self.0 {
                    out.extend_from_slice(b"[ ");
                    for &(index, weight) in frame {
                        crate::number::write_integer(out, i64::from(index));
                        out.push(b' ');
                        crate::number::write_f32(out, weight);
                        out.push(b' ');
                    }
                    out.extend_from_slice(b"] ");
                }
                out.push(b'\n');
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\0B")
            && are_units(&bytes[2..])
            && reach(bytes).is_ok_and(|reach| reach == bytes.len() as u64)
    }
}

impl Posterior {
    /// Gives each entry another weight, or leaves it out if there is none, in the bytes of a binary value: without making
    /// the value. `weigh` gets the frame, the index and the weight. `None` if the bytes are not in the form that is written
    /// here.
    ///
    /// # Errors
    /// The first one of `weigh`.
    pub fn reweigh_binary<E>(
        bytes: &[u8],
        mut weigh: impl FnMut(usize, i32, f32) -> Result<Option<f32>, E>,
    ) -> Option<Result<Vec<u8>, E>> {
        if !Self::is_canonical_binary(bytes) {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let (head, mut rest) = bytes.split_at_checked(2 + UNIT)?;
        out.extend_from_slice(head);
        let mut frame = 0;
        while let Some((count, after)) = rest.split_at_checked(UNIT) {
            let (pairs, after) = after.split_at_checked(LittleEndian::read_i32(&count[1..]) as usize * PAIR)?;
            let place = out.len();
            out.extend_from_slice(count);
            for pair in pairs.as_chunks::<PAIR>().0 {
                let (index, weight) = (LittleEndian::read_i32(&pair[1..]), LittleEndian::read_f32(&pair[UNIT + 1..]));
                match weigh(frame, index, weight) {
                    Ok(Some(weight)) => {
                        out.extend_from_slice([unit(index.to_le_bytes()), unit(weight.to_le_bytes())].as_flattened());
                    }
                    Ok(None) => {}
                    Err(error) => return Some(Err(error)),
                }
            }
            let kept = (out.len() - place - UNIT) / PAIR;
            out[place..place + UNIT].copy_from_slice(&unit((kept as i32).to_le_bytes()));
            (rest, frame) = (after, frame + 1);
        }
        Some(Ok(out))
    }
}

fn check_num_frames(num_frames: u64, at: usize) -> Result<(), ParseError> {
    if num_frames > MOST_FRAMES {
        return Err(ParseError::new(at, format!("expected at most {MOST_FRAMES} frames, got {num_frames}")));
    }
    Ok(())
}

fn read_binary_frame(cursor: &mut Cursor<'_>) -> Result<Vec<(i32, f32)>, ParseError> {
    let count = read_count(cursor)?;
    if let Some(bytes) = cursor.rest().get(..count * PAIR) {
        let mut wrong = 0;
        let (pairs, _) = bytes.as_chunks::<PAIR>();
        let gather = |pair: &[u8; PAIR]| {
            wrong |= (pair[0] ^ 4) | (pair[UNIT] ^ 4);
            (LittleEndian::read_i32(&pair[1..]), LittleEndian::read_f32(&pair[UNIT + 1..]))
        };
        let frame = pairs.iter().map(gather).collect();
        if wrong == 0 {
            cursor.advance(bytes.len());
            return Ok(frame);
        }
    }
    // There are doubles, or something is missing or wrong.
    let mut frame = Vec::new();
    for _ in 0..count {
        frame.push((cursor.read_basic()?, cursor.read_basic()?));
    }
    Ok(frame)
}

/// Consumes `[ index weight ... ]`; the opening bracket must be a word, the closing one need not.
fn read_text_frame(cursor: &mut Cursor<'_>, frame: &mut Vec<(i32, f32)>) -> Result<(), ParseError> {
    let rest = cursor.rest();
    match rest {
        [b'[', space, ..] if is_space(*space) => cursor.advance(1),
        _ => {
            let mut error = cursor.expected("\"[\"");
            let word = rest.split(|&byte| is_space(byte)).next().unwrap_or_default();
            if crate::number::parse_integer(word).is_ok_and(|(_, length)| length == word.len()) {
                error.message = format!("{error}: did you provide alignments instead of posteriors?").into();
            }
            return Err(error);
        }
    }
    loop {
        cursor.skip_blanks();
        if cursor.peek() == Some(b']') {
            check_count(cursor, frame.len())?;
            cursor.advance(1);
            return Ok(());
        }
        frame.push((cursor.read_on_line("an index or \"]\"")?, read_weight(cursor)?));
    }
}

fn read_weight(cursor: &mut Cursor<'_>) -> Result<f32, ParseError> {
    cursor.skip_blanks();
    let start = cursor.clone();
    let weight: f32 = cursor.read_on_line("a weight")?;
    match weight.is_finite() {
        true => Ok(weight),
        false => Err(start.expected("a finite weight")),
    }
}

fn reach(window: &[u8]) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    let num_frames = count_at(window, 2)?;
    check_num_frames(num_frames, 2)?;
    let mut at = HEADER;
    for left in (0..num_frames).rev() {
        // Each of the following frames takes at least a count.
        let after = left * UNIT as u64;
        if window.len() - at < UNIT {
            return Ok((at + UNIT) as u64 + after);
        }
        let count = count_at(window, at)?;
        at += UNIT;
        for index in 0..count {
            at += match window.get(at + UNIT) {
                Some(4) => PAIR,
                Some(8) => PAIR + 4,
                Some(size) => {
                    return Err(ParseError::new(
                        at + UNIT,
                        format!("expected a float of size 4 or 8, got size {size}"),
                    ));
                }
                None => return Ok(at as u64 + (count - index) * PAIR as u64 + after),
            };
        }
        if at > window.len() {
            return Ok(at as u64 + after);
        }
    }
    Ok(at as u64)
}

#[cfg(test)]
mod tests {
    use crate::testing::{keeps_the_contract, reads, reads_before, refuses};

    use super::*;

    fn sample() -> Posterior {
        Posterior(vec![vec![(1, 0.5)], vec![], vec![(2, 0.25), (-3, 0.75)]])
    }

    #[test]
    fn posteriors_keep_the_contract() {
        keeps_the_contract(|random| {
            Posterior(random.many(5, |random| random.many(4, |random| (random.integer(), random.float()))))
        });
    }

    #[test]
    fn posteriors_are_written_as_kaldi_does() {
        assert_eq!(sample().to_bytes(Format::Text), b"[ 1 0.5 ] [ ] [ 2 0.25 -3 0.75 ] \n");
        assert_eq!(Posterior::default().to_bytes(Format::Text), b"\n");
        assert_eq!(
            Posterior(vec![vec![], vec![(3, 0.25)]]).to_bytes(Format::Binary),
            b"\0B\x04\x02\0\0\0\x04\0\0\0\0\x04\x01\0\0\0\x04\x03\0\0\0\x04\0\0\x80\x3e"
        );
    }

    #[test]
    fn a_posterior_is_a_line_of_frames_in_brackets() {
        reads_before(b"[ 1 0.5][ ]  [ 2 .25 -3 +.75 ]\r\n", b"b [ ]\n", sample());
        reads(b"[ 1.5 ]", Posterior(vec![vec![(1, 0.5)]]));
        reads(b"[ 007 1. 8 2e-1]", Posterior(vec![vec![(7, 1.0), (8, 0.2)]]));
        reads_before(b"\n", b"b [ ]\n", Posterior::default());
        reads(b" ", Posterior::default());
        refuses::<Posterior>(b"", 0, "expected a line, got the end of the input");
        refuses::<Posterior>(b"[1 0.5 ]\n", 0, "expected \"[\", got \"[1\"");
        refuses::<Posterior>(b"[] \n", 0, "expected \"[\", got \"[]\"");
        refuses::<Posterior>(b"[ 1 0.5 ] ]\n", 10, "expected \"[\", got \"]\"");
        refuses::<Posterior>(b"[ 1 ]\n", 4, "expected a number, got \"]\"");
        refuses::<Posterior>(b"[ 1 0.5\n]\n", 7, "expected an index or \"]\", got \"\\n\"");
        refuses::<Posterior>(b"[ 1\n0.5 ]\n", 3, "expected a weight, got \"\\n\"");
    }

    #[test]
    fn alignments_are_told_from_posteriors() {
        let advice = "expected \"[\", got \"12\": did you provide alignments instead of posteriors?";
        refuses::<Posterior>(b"12 13\n", 0, advice);
    }

    #[test]
    fn weights_that_are_not_finite_are_refused_in_text() {
        refuses::<Posterior>(b"[ 1 inf ]\n", 4, "expected a finite weight, got \"inf\"");
        refuses::<Posterior>(b"[ 1 nan ]\n", 4, "expected a finite weight, got \"nan\"");
        refuses::<Posterior>(b"[ 1 1e39 ]\n", 4, "a number is out of range: \"1e39\"");
    }

    #[test]
    fn weights_may_be_doubles() {
        let bytes =
            b"\0B\x04\x01\0\0\0\x04\x02\0\0\0\x04\x05\0\0\0\x08\0\0\0\0\0\0\xe0\x3f\x04\x06\0\0\0\x04\0\0\0\x3f";
        reads_before(bytes, b"b ", Posterior(vec![vec![(5, 0.5), (6, 0.5)]]));
        assert!(!Posterior::is_canonical_binary(bytes));
        for cut in 0..bytes.len() {
            let Ok(Frame::Partial(at_least)) = Posterior::frame(&bytes[..cut], false) else { panic!("{cut}") };
            assert!((cut as u64 + 1..=bytes.len() as u64).contains(&at_least), "{cut}");
        }
    }

    #[test]
    fn damaged_counts_are_refused() {
        refuses::<Posterior>(b"\0B\x04\x81\x96\x98\0", 2, "expected at most 10000000 frames, got 10000001");
        refuses::<Posterior>(b"\0B\x04\x01\0\0\0\x04\xff\xff\xff\xff", 7, "expected a count, got -1");
        let bytes = b"\0B\x04\x80\x96\x98\0\x04\xff\xff\xff\x7f\x04";
        let reach = 7 + 5 * 10_000_000 + 10 * i32::MAX as u64;
        assert_eq!(Posterior::frame(bytes, false), Ok(Frame::Partial(reach)));
        assert!(Posterior::frame(bytes, true).unwrap_err().at_end);
    }

    #[test]
    fn weights_change_in_the_bytes_of_a_value() {
        let value = Posterior(vec![vec![(7, 0.5), (1, 0.25), (7, 2.0)], vec![], vec![(7, 1.0)]]);
        let bytes = value.to_bytes(Format::Binary);
        let reweighed = |bytes: &[u8], other: Option<f32>| {
            Posterior::reweigh_binary(bytes, |frame, index, weight| match (frame, index) {
                (_, 1) => Ok(Some(weight)),
                (_, 7) => Ok(other.map(|other| other * weight)),
                _ => Err(frame),
            })
        };
        for (other, expected) in [
            (Some(2.0), vec![vec![(7, 1.0), (1, 0.25), (7, 4.0)], vec![], vec![(7, 2.0)]]),
            (None, vec![vec![(1, 0.25)], vec![], vec![]]),
        ] {
            let out = Posterior(expected).to_bytes(Format::Binary);
            assert_eq!(reweighed(&bytes, other), Some(Ok(out)));
        }
        for cut in 0..bytes.len() {
            assert_eq!(reweighed(&bytes[..cut], None), None, "{cut}");
        }
        assert_eq!(reweighed(b"[ 7 0.5 ] \n", None), None);
        let bytes = Posterior(vec![vec![], vec![(3, 1.0)]]).to_bytes(Format::Binary);
        assert_eq!(reweighed(&bytes, None), Some(Err(1)));
    }
}
