//! The fast path for text of compact lattices as programs write it.
//!
//! Strings are nine tenths of the text. They are put one behind the other, with spaces for underscores, and read as one row.
//! What is unusual is left to the reader that looks at every word.

use memchr::{memchr_iter, memchr3};

use super::MOST_UNNAMED;
use crate::builder::Builder;
use crate::cost::Cost;
use crate::graph::{Arc, Graph, Span};

/// Reads lines up to the empty one or the end of `bytes`; returns the graph with its length. `None` if a line is not as
/// programs write compact lattices, or if all lines fit plain ones, too.
pub(super) fn read(bytes: &[u8]) -> Option<(Graph, usize)> {
    let mut lines = Lines { bytes, at: 0, ids: Vec::new(), num_ids: 0 };
    let mut builder = Builder::default();
    let mut num_lines = 0;
    let mut is_compact = false;
    loop {
        match lines.bytes.get(lines.at) {
            None => break,
            Some(b'\n') => {
                lines.at += 1;
                break;
            }
            Some(_) => num_lines += 1,
        }
        let most = MOST_UNNAMED + 2 * num_lines;
        let state = lines.state(&mut builder, most)?;
        if num_lines == 1 {
            builder.set_start(state);
        }
        let (arc, has_weight) = match lines.separator()? {
            b'\n' => (None, false),
            // A final cost has a comma, a point or an exponent behind its first digits.
            b'\t' => match lines.lead_to(&mut builder, most) {
                Some((next, word)) => (Some((next, word)), lines.separator()? == b'\t'),
                None => (None, true),
            },
            _ => return None,
        };
        let (cost, string) = if has_weight { lines.weight()? } else { (Cost::ONE, Span::EMPTY) };
        match arc {
            Some((next, word)) => builder.add_arc(state, Arc::word(word, cost, string, next)),
            None => builder.set_final(state, cost, string),
        }
        is_compact |= has_weight || arc.is_some();
    }
    let length = lines.at;
    let mut ids = Vec::with_capacity(lines.num_ids + SPARE);
    let consumed = kaldi_value::number::parse_i32_row(&lines.ids, &mut ids).ok()?;
    let is_whole = consumed == lines.ids.len() && ids.len() == lines.num_ids;
    (is_compact && is_whole).then(|| (builder.with_ids(ids).finish(), length))
}

/// Numbers for which there is room, since they are read in groups.
const SPARE: usize = 8;

struct Lines<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The text of all strings, with a space behind each number.
    ids: Vec<u8>,
    num_ids: usize,
}

impl Lines<'_> {
    fn state(&mut self, builder: &mut Builder, most: usize) -> Option<u32> {
        let (number, length) = digits(&self.bytes[self.at..])?;
        if number as usize > most {
            return None;
        }
        self.at += length;
        builder.add_states_to(number as usize + 1);
        Some(number)
    }

    /// The state and the word of an arc. `None` if that is not what stands here, and then nothing is read.
    fn lead_to(&mut self, builder: &mut Builder, most: usize) -> Option<(u32, i32)> {
        let (_, length) = digits(&self.bytes[self.at..])?;
        let (word, word_length) = match self.bytes.get(self.at + length)? {
            b'\t' => digits(&self.bytes[self.at + length + 1..])?,
            _ => return None,
        };
        let next = self.state(builder, most)?;
        self.at += 1 + word_length;
        Some((next, word as i32))
    }

    /// The byte that ends a number.
    fn separator(&mut self) -> Option<u8> {
        self.at += 1;
        self.bytes.get(self.at - 1).copied()
    }

    /// Reads a weight and the end of the line.
    fn weight(&mut self) -> Option<(Cost, Span)> {
        let cost = Cost::new(self.number()?, self.number()?);
        let rest = &self.bytes[self.at..];
        let length = memchr3(b'\n', b'\t', b' ', rest)?;
        let string = &rest[..length];
        self.at += length;
        if self.separator()? != b'\n' || !cost.is_finite() {
            return None;
        }
        if string.is_empty() {
            return Some((cost, Span::EMPTY));
        }
        self.ids.extend(string.iter().map(|&byte| if byte == b'_' { b' ' } else { byte }));
        self.ids.push(b' ');
        let span = Span::new(self.num_ids, 1 + memchr_iter(b'_', string).count());
        self.num_ids += span.len();
        Some((cost, span))
    }

    /// Reads a number and the comma behind it.
    fn number(&mut self) -> Option<f32> {
        let rest = &self.bytes[self.at..];
        let (number, length) = decimal(rest).or_else(|| kaldi_value::number::parse_f64(rest).ok())?;
        self.at += length;
        (self.separator()? == b',').then_some(number as f32)
    }
}

/// Reads at most 7 digits before a point and as many behind it, up to a comma.
fn decimal(bytes: &[u8]) -> Option<(f64, usize)> {
    const POWERS: [u32; 8] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000];
    let is_negative = bytes.first() == Some(&b'-');
    let start = usize::from(is_negative);
    let (whole, length) = digits(&bytes[start..])?;
    let mut size = f64::from(whole);
    let mut end = start + length;
    if bytes.get(end) == Some(&b'.') {
        let (decimals, length) = digits(&bytes[end + 1..])?;
        end += 1 + length;
        // Both are exact, so that the quotient is rounded correctly.
        let power = u64::from(POWERS[length & 7]);
        size = (u64::from(whole) * power + u64::from(decimals)) as f64 / power as f64;
    }
    (bytes.get(end) == Some(&b',')).then_some((if is_negative { -size } else { size }, end))
}

/// Reads 1 to 7 digits that another byte follows; returns their length, too.
#[inline(always)]
fn digits(bytes: &[u8]) -> Option<(u32, usize)> {
    match bytes.first_chunk() {
        Some(word) => digits_of_word(*word),
        None => digits_at_end(bytes),
    }
}

#[cold]
fn digits_at_end(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut word = [0; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    digits_of_word(word)
}

#[inline(always)]
fn digits_of_word(word: [u8; 8]) -> Option<(u32, usize)> {
    let word = u64::from_le_bytes(word) ^ u64::from_le_bytes([b'0'; 8]);
    // The highest bit of each byte above 9. A carry only reaches bytes behind such a one.
    let others = (word.wrapping_add(u64::from_le_bytes([0x76; 8])) | word) & u64::from_le_bytes([0x80; 8]);
    let length = others.trailing_zeros() as usize / 8;
    if length.wrapping_sub(1) >= 7 {
        return None;
    }
    // Tens, hundreds and ten thousands, with zeros in front.
    let ones = word << (8 * (8 - length));
    let pairs = (ones.wrapping_mul(10 << 8 | 1) >> 8) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs.wrapping_mul(100 << 16 | 1) >> 16) & 0x0000_ffff_0000_ffff;
    Some(((fours.wrapping_mul(10_000 << 32 | 1) >> 32) as u32, length))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::GraphForm;

    /// What the reader of words makes of the same text.
    fn by_words(text: &[u8]) -> Option<(Graph, GraphForm, usize)> {
        crate::text::read_by_words(text, 0, GraphForm::Plain).ok()
    }

    #[test]
    fn usual_text_is_read_as_word_by_word() {
        for text in [
            &b"0\t1\t8\t7.09375,-53.349,3_3_4_1\n0\t2\t5\n1\t2\t0\t0.5,0,\n2\t1.25,0,7_8\n\nnext"[..],
            b"3\t0\t1234567\t1e+06,-1e-05,2147483647\n0\n",
            b"0\t1.5,2,\n\n",
            b"0\t12,2,1\n\n",
            b"0\t123456.5,1234567.7654321,1_2_3",
            b"0\t1\t2\t12345678.5,0.25,1_2_3\n1\n",
        ] {
            let Some((graph, GraphForm::Compact, length)) = by_words(text) else { panic!("{text:?}") };
            match read(text) {
                Some(quick) => assert_eq!(quick, (graph, length), "{text:?}"),
                None => assert!(!text.ends_with(b"\n"), "{text:?}"),
            }
        }
    }

    #[test]
    fn what_is_unusual_is_left_to_the_reader_of_words() {
        for text in [
            &b"0\n\n"[..],
            b"0\t1\t5\t6\n\n",
            b"0\t1\t5\t6\t1,2\n\n",
            b"0\t1\t-5\t1,2,\n\n",
            b"0 1 5 1,2,\n\n",
            b"0\t1\t5\t1,2,\r\n\n",
            b"0\t1\t5\t1,2,3_4 \n\n",
            b"0\t1\t5\t1,2,3_4\t\n\n",
            b"0\t1\t5\t1,2,_3\n1\t0\t1\t1,2,3 4\n\n",
            b"0\t1\t5\t1,2,3__4\n\n",
            b"0\t1\t5\t1,2,3_x\n\n",
            b"0\t1\t5\t1,2,3_4_\n\n",
            b"0\t1\t5\t1e39,1e39,\n\n",
            b"0\tInfinity,Infinity,\n\n",
            b"0\t1\t5\t1,2,3_99999999999\n\n",
            b"0\t9999999\t5\t1,2,3\n\n",
            b"0\t1\t5\tx,2,3\n\n",
        ] {
            assert_eq!(read(text), None, "{text:?}");
        }
    }
}
