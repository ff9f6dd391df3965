//! Pieces of a long page: a few of its values each, as pages of their own.

use std::io::{BufRead, BufReader, Read};
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::column::page::Page;
use parquet::errors::Result;

use crate::codecs::Codec;
use crate::dictionary::{Dictionary, NamedValues};

/// Bytes of a piece, unless one value has more.
const PIECE: usize = 1 << 20;

/// The most values of a piece.
const MANY: usize = 1 << 16;

/// What is left of a page.
pub(crate) struct Pieces {
    /// The values: the length of each in four bytes, and its bytes.
    values: Box<dyn BufRead + Send>,
    codec: Codec,
    /// Which rows have a value; `None` if all have.
    levels: Option<Levels>,
    /// Rows that are left.
    num_left: usize,
}

impl Pieces {
    /// The pieces of a page of a column without lists, of which `source` has the bytes; the values may be those of a dictionary. `None` if
    /// they are neither there one after the other nor named.
    ///
    /// # Errors
    /// If they are no page.
    pub(crate) fn open(
        page: &Page,
        mut source: impl BufRead + Send + 'static,
        codec: Codec,
        value_level: i16,
        dictionary: Option<&Arc<Dictionary>>,
    ) -> Result<Option<Self>> {
        let has_levels = value_level > 0;
        let is_named = matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY);
        let dictionary = dictionary.filter(|_| is_named);
        if page.encoding() != Encoding::PLAIN && dictionary.is_none() {
            return Ok(None);
        }
        let mut levels = Vec::new();
        let (values, num_left) = match page {
            Page::DataPage { num_values, def_level_encoding, .. }
                if !has_levels || *def_level_encoding == Encoding::RLE =>
            {
                let mut values = codec.open(source)?;
                if has_levels {
                    let length = length(&mut values).map_err(|message| codec.fault(message))?;
                    append(&mut values, length, &mut levels).map_err(|message| codec.fault(message))?;
                }
                (values, *num_values)
            }
            Page::DataPageV2 { num_values, def_levels_byte_len, rep_levels_byte_len: 0, is_compressed, .. } => {
                append(&mut source, *def_levels_byte_len, &mut levels).map_err(|message| codec.fault(message))?;
                (if *is_compressed { codec.open(source)? } else { Codec::Plain.open(source)? }, *num_values)
            }
            _ if is_named => return Err(codec.fault("expected levels as runs, got others".to_owned())),
            _ => return Ok(None),
        };
        let values: Box<dyn BufRead + Send> = match dictionary {
            None => values,
            Some(dictionary) => {
                let values = NamedValues::open(values, dictionary).map_err(|message| codec.fault(message))?;
                Box::new(BufReader::new(values))
            }
        };
        let levels = has_levels.then(|| Levels::new(levels, value_level));
        Ok(Some(Self { values, codec, levels, num_left: usize::try_from(num_left)? }))
    }

    /// Rows that are left.
    pub(crate) fn num_left(&self) -> usize {
        self.num_left
    }

    /// The next piece; `None` at the end.
    ///
    /// # Errors
    /// If the page is cut or damaged.
    pub(crate) fn next_piece(&mut self) -> Result<Option<Page>> {
        match self.read() {
            Err(message) => Err(self.codec.fault(message)),
            Ok((0, ..)) => {
                // The checksum is that of all bytes.
                let end = std::io::copy(&mut self.values, &mut std::io::sink());
                end.map(|_| None).map_err(|error| self.codec.fault(error.to_string()))
            }
            Ok((num_values, levels, values)) => {
                let length = u32::try_from(levels.len())?.to_le_bytes();
                let buf = match self.levels {
                    None => values,
                    Some(_) => [&length[..], &levels, &values].concat(),
                };
                Ok(Some(Page::DataPage {
                    buf: buf.into(),
                    num_values,
                    encoding: Encoding::PLAIN,
                    def_level_encoding: Encoding::RLE,
                    rep_level_encoding: Encoding::RLE,
                    statistics: None,
                }))
            }
        }
    }

    /// The rows of a piece: how many there are, their levels, and their values.
    fn read(&mut self) -> Result<(u32, Vec<u8>, Vec<u8>), String> {
        let (mut count, mut runs, mut values) = (0, Vec::new(), Vec::new());
        while self.num_left > 0 && values.len() < PIECE && (count as usize) < MANY {
            let level = match &mut self.levels {
                None => 0,
                Some(levels) => {
                    let level = levels.next().ok_or_else(|| {
                        format!("expected levels of {} more values, got the end of them", self.num_left)
                    })?;
                    // A run of one.
                    runs.extend([2, level]);
                    level
                }
            };
            if self.levels.as_ref().is_none_or(|levels| levels.of_value == level) {
                let length = length(&mut self.values)?;
                values.extend(length.to_le_bytes());
                append(&mut self.values, length, &mut values)?;
            }
            count += 1;
            self.num_left -= 1;
        }
        Ok((count, runs, values))
    }
}

pub(crate) fn length(source: &mut impl Read) -> Result<u32, String> {
    let mut bytes = [0; 4];
    source.read_exact(&mut bytes).map_err(|error| format!("expected the length of a value: {error}"))?;
    Ok(u32::from_le_bytes(bytes))
}

/// Appends bytes that are there.
pub(crate) fn append(source: &mut impl Read, length: u32, out: &mut Vec<u8>) -> Result<(), String> {
    match source.take(length.into()).read_to_end(out) {
        Ok(count) if count as u64 == u64::from(length) => Ok(()),
        Ok(count) => Err(format!("expected {length} bytes, got {count}")),
        Err(error) => Err(error.to_string()),
    }
}

/// Levels of definition.
struct Levels {
    runs: Runs,
    /// The level of a value.
    of_value: u8,
}

impl Levels {
    fn new(bytes: Vec<u8>, of_value: i16) -> Self {
        Self { runs: Runs::new(bytes, i16::BITS - of_value.leading_zeros()), of_value: of_value as u8 }
    }
}

impl Iterator for Levels {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        self.runs.next().map(|level| level as u8)
    }
}

/// Small numbers: runs of the same one, and groups of eight that are packed.
pub(crate) struct Runs {
    bytes: Vec<u8>,
    at: usize,
    /// Bits of a number, at most 32.
    width: u32,
    run: Run,
}

/// What is left of a run.
enum Run {
    Same {
        number: u32,
        left: u64,
    },
    /// The number of the next bit, and that of the one after the last.
    Packed {
        bit: usize,
        end: usize,
    },
}

impl Runs {
    pub(crate) fn new(bytes: Vec<u8>, width: u32) -> Self {
        Self { bytes, at: 0, width, run: Run::Same { number: 0, left: 0 } }
    }

    /// Starts the next run. `None` at the end.
    fn start(&mut self) -> Option<()> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take(9).position(|byte| *byte < 0x80)? + 1;
        let header = rest[..length].iter().rev().fold(0_u64, |header, byte| header << 7 | u64::from(byte & 0x7f));
        self.at += length;
        if header & 1 == 0 {
            let end = self.at + self.width.div_ceil(8) as usize;
            let number =
                self.bytes.get(self.at..end)?.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
            self.run = Run::Same { number, left: header >> 1 };
            self.at = end;
        } else {
            let length = usize::try_from(header >> 1).ok()?.checked_mul(self.width as usize)?;
            // The last group may be cut.
            let end = self.bytes.len().min(self.at.checked_add(length)?);
            self.run = Run::Packed { bit: self.at * 8, end: end * 8 };
            self.at = end;
        }
        Some(())
    }
}

impl Iterator for Runs {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        loop {
            match &mut self.run {
                Run::Same { number, left: left @ 1.. } => {
                    *left -= 1;
                    return Some(*number);
                }
                Run::Packed { bit, end } if *bit + self.width as usize <= *end && self.width > 0 => {
                    let bits = (*bit..*bit + self.width as usize).rev();
                    *bit += self.width as usize;
                    return Some(
                        bits.fold(0, |number, at| number << 1 | u32::from(self.bytes[at / 8] >> (at % 8) & 1)),
                    );
                }
                _ => self.start()?,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(num_values: u32) -> Page {
        Page::DataPage {
            buf: bytes::Bytes::new(),
            num_values,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }

    #[test]
    fn levels_are_runs_and_packed_groups() {
        // Three of 2; eight of two bits each: 0 1 2 0 1 2 0 1; one of 1.
        let bytes = vec![6, 2, 3, 0b0010_0100, 0b0100_1001, 2, 1];
        let levels: Vec<u8> = Levels::new(bytes, 2).collect();
        assert_eq!(levels, [2, 2, 2, 0, 1, 2, 0, 1, 2, 0, 1, 1]);
        assert_eq!(Levels::new(vec![3, 0xff], 1).collect::<Vec<_>>(), [1; 8]);
        assert_eq!(Levels::new(vec![0xff; 20], 1).count(), 0);
        // A run of no levels at the end.
        assert_eq!(Levels::new(vec![0, 1], 1).count(), 0);
    }

    #[test]
    fn pieces_have_all_values_of_the_page() {
        let long = vec![7; PIECE + 5];
        let values: [Option<&[u8]>; 5] = [Some(b"ab"), None, Some(&long), Some(b""), None];
        // Packed: 1 0 1 1 0.
        let mut source = vec![2, 0, 0, 0, 3, 0b0_1101];
        for value in values.into_iter().flatten() {
            source.extend((value.len() as u32).to_le_bytes());
            source.extend(value);
        }
        let mut pieces =
            Pieces::open(&page(5), std::io::Cursor::new(source.clone()), Codec::Plain, 1, None).unwrap().unwrap();
        let first = pieces.next_piece().unwrap().unwrap();
        assert_eq!((first.num_values(), pieces.num_left()), (3, 2));
        let start = [6, 0, 0, 0, 2, 1, 2, 0, 2, 1, 2, 0, 0, 0, b'a', b'b', 5, 0, 0x10, 0, 7];
        assert!(first.buffer().starts_with(&start) && first.buffer().len() == 20 + long.len());
        let second = pieces.next_piece().unwrap().unwrap();
        assert_eq!((second.num_values(), &second.buffer()[..]), (2, &[4, 0, 0, 0, 2, 1, 2, 0, 0, 0, 0, 0][..]));
        assert!(pieces.next_piece().unwrap().is_none());
        for (num_values, length, expected) in [
            (9, source.len(), "a page: expected levels of 1 more values, got the end of them"),
            (5, 20, "a page: expected 1048581 bytes, got 4"),
            (5, 8, "a page: expected the length of a value: failed to fill whole buffer"),
        ] {
            let cut = std::io::Cursor::new(source[..length].to_vec());
            let mut pieces = Pieces::open(&page(num_values), cut, Codec::Plain, 1, None).unwrap().unwrap();
            let error = loop {
                match pieces.next_piece() {
                    Ok(piece) => assert!(piece.is_some()),
                    Err(error) => break error.to_string(),
                }
            };
            assert_eq!(error, format!("Parquet error: {expected}"));
        }
    }
}
