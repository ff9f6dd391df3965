//! Examples of nnet3 and their inputs and outputs.

use bstr::BString;
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value, write_basic, write_token};

use crate::walk::{self, Walk};
use crate::{Index, IoMatrix};

/// The most inputs and outputs of an example.
const MAX_IO: i32 = 1_000_000;

/// An input or output of a network: a name, and an index for each row of a matrix (Kaldi's `NnetIo`).
#[derive(Clone, Debug, PartialEq)]
pub struct NnetIo {
    /// The name of the node: `input`, `ivector`, `output` ...; a token.
    pub name: BString,
    /// What each row belongs to.
    pub indexes: Vec<Index>,
    /// As many rows as there are indexes.
    pub matrix: IoMatrix,
}

impl NnetIo {
    /// Numbers the rows: the first one is frame `first`, and the others follow in steps of `step`. All are of sequence 0.
    ///
    /// Frame numbers wrap at the end of 32 bits.
    pub fn new(name: impl Into<BString>, first: i32, step: i32, matrix: IoMatrix) -> Self {
        let frame = |row: usize| first.wrapping_add(step.wrapping_mul(row as i32));
        let indexes = (0..matrix.num_rows()).map(|row| Index { t: frame(row), ..Index::default() }).collect();
        Self { name: name.into(), indexes, matrix }
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<NnetIo>")?;
        let name = BString::from(cursor.read_token()?);
        let indexes = Index::read_all(cursor)?;
        if !cursor.is_binary() {
            cursor.skip_space();
        }
        let at = cursor.offset();
        let matrix = IoMatrix::read(cursor)?;
        if matrix.num_rows() != indexes.len() {
            let (expected, got) = (indexes.len(), matrix.num_rows());
            return Err(ParseError::new(at, format!("expected {expected} rows, one for each index, got {got}")));
        }
        cursor.expect_token("</NnetIo>")?;
        Ok(Self { name, indexes, matrix })
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<NnetIo>");
        write_token(out, &self.name);
        Index::write_all(&self.indexes, out, format);
        self.matrix.write(out, format);
        write_token(out, b"</NnetIo>");
    }
}

/// An example of nnet3: inputs and outputs, in any order (Kaldi's `NnetExample`). There is at least one.
#[derive(Clone, Debug, PartialEq)]
pub struct NnetExample {
    /// The inputs and outputs. Their order is kept; a name may come twice.
    pub io: Vec<NnetIo>,
}

impl NnetExample {
    /// The first input or output of this name.
    pub fn named(&self, name: &str) -> Option<&NnetIo> {
        self.io.iter().find(|io| io.name == name)
    }

    /// The largest number of indexes of its inputs and outputs.
    pub fn size(&self) -> usize {
        self.io.iter().map(|io| io.indexes.len()).max().unwrap_or(0)
    }

    fn walk(walk: &mut Walk<'_>) -> Result<(), ParseError> {
        walk.token("<Nnet3Eg>")?;
        walk.token("<NumIo>")?;
        for _ in 0..read_count(&mut walk.cursor)? {
            walk.io()?;
        }
        walk.token("</Nnet3Eg>")
    }
}

/// Reads a number of inputs or outputs.
pub(crate) fn read_count(cursor: &mut Cursor<'_>) -> Result<i32, ParseError> {
    let at = cursor.offset();
    let count: i32 = cursor.read_basic()?;
    if !(1..=MAX_IO).contains(&count) {
        return Err(ParseError::new(at, format!("expected a number from 1 to {MAX_IO}, got {count}")));
    }
    Ok(count)
}

/// An example of nnet3, binary or text. Text ends with a space instead of a newline, as in Kaldi.
impl Value for NnetExample {
    const NAME: &'static str = "nnet3 example";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        walk::frame::<Self>(window, at_end, Self::walk, "<Nnet3Eg>", "/Nnet3Eg>")
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        cursor.expect_token("<Nnet3Eg>")?;
        cursor.expect_token("<NumIo>")?;
        let mut io = Vec::new();
        for _ in 0..read_count(cursor)? {
            io.push(NnetIo::read(cursor)?);
        }
        cursor.expect_token("</Nnet3Eg>")?;
        Ok(Self { io })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        write_token(out, b"<Nnet3Eg>");
        write_token(out, b"<NumIo>");
        write_basic(out, format, self.io.len() as i32);
        for io in &self.io {
            io.write(out, format);
        }
        write_token(out, b"</Nnet3Eg>");
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        walk::is_canonical(bytes, Self::walk)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use kaldi_matrix::Matrix;
    use kaldi_value::testing::{SeededRandom, keeps_the_contract, refuses};

    use super::*;
    use crate::SparseRows;

    pub(crate) fn io(random: &mut SeededRandom, compress: bool) -> NnetIo {
        let (rows, cols) = (random.below(4), 1 + random.below(2));
        let full = |random: &mut SeededRandom| {
            let data = (0..rows * cols).map(|_| random.float()).collect();
            IoMatrix::Full(if rows == 0 { Matrix::default() } else { Matrix::from_vec(rows, cols, data) })
        };
        let matrix = match random.below(3) {
            0 if rows > 0 => {
                let mut sparse = SparseRows::default();
                for _ in 0..rows {
                    let labels = random.many(3, |random| (random.below(5) as i32, random.float()));
                    sparse.push_labels(5, &labels).unwrap();
                }
                IoMatrix::Sparse(sparse)
            }
            1 if compress => full(random).compressed().unwrap(),
            _ => full(random),
        };
        let index = |random: &mut SeededRandom| match random.below(4) {
            0 => Index { n: random.integer(), t: random.integer(), x: random.integer() },
            _ => Index { n: 0, t: random.below(500) as i32 - 250, x: 0 },
        };
        let names = ["input", "ivector", "output", "output-0", "<NnetIo>", "\u{e4}"];
        NnetIo {
            name: names[random.below(names.len())].into(),
            indexes: (0..rows).map(|_| index(random)).collect(),
            matrix,
        }
    }

    /// Compressed matrices are numbers in text, so they are not the same again.
    #[test]
    fn examples_keep_the_contract() {
        keeps_the_contract(|random| NnetExample { io: (0..=random.below(2)).map(|_| io(random, false)).collect() });
    }

    #[test]
    fn compressed_matrices_pass_unchanged_in_binary_form() {
        let mut random = SeededRandom::seeded(0);
        for _ in 0..100 {
            let example = NnetExample { io: vec![io(&mut random, true), io(&mut random, true)] };
            let bytes = example.to_bytes(Format::Binary);
            assert_eq!(NnetExample::frame(&bytes, false), Ok(Frame::Whole(bytes.len())));
            assert!(NnetExample::is_canonical_binary(&bytes));
            assert_eq!(NnetExample::read(&mut Cursor::new(&bytes)), Ok(example));
        }
    }

    fn example() -> NnetExample {
        let matrix = IoMatrix::Full(Matrix::from_vec(2, 1, vec![1.0, 2.0]));
        NnetExample { io: vec![NnetIo::new("input", -1, 1, matrix)] }
    }

    #[test]
    fn text_has_no_newline_at_its_end() {
        let text = example().to_bytes(Format::Text);
        assert_eq!(
            BString::from(text),
            "<Nnet3Eg> <NumIo> 1 <NnetIo> input <I1V> 2 <I1> 0 -1 0 <I1> 0 0 0  [\n  1 \n  2 ]\n</NnetIo> </Nnet3Eg> "
        );
    }

    #[test]
    fn what_would_be_written_otherwise_is_not_canonical() {
        let bytes = example().to_bytes(Format::Binary);
        assert!(NnetExample::is_canonical_binary(&bytes));
        let place = bytes.windows(2).position(|pair| pair == b"\xff\x01").unwrap();
        let in_full = b"\x7f\x04\0\0\0\0\x04\xff\xff\xff\xff\x04\0\0\0\0";
        let long = [&bytes[..place], in_full, &bytes[place + 1..]].concat();
        assert_eq!(NnetExample::read(&mut Cursor::new(&long)), Ok(example()));
        assert!(!NnetExample::is_canonical_binary(&long));
        let spaced = [b"\0B ".as_slice(), &bytes[2..]].concat();
        assert_eq!(NnetExample::read(&mut Cursor::new(&spaced)), Ok(example()));
        assert!(!NnetExample::is_canonical_binary(&spaced));
    }

    #[test]
    fn errors_name_both_sides() {
        refuses::<NnetExample>(b"<Nnet3Eg> <NumIo> 0 </Nnet3Eg> ", 18, "expected a number from 1 to 1000000, got 0");
        refuses::<NnetExample>(
            b"<Nnet3Eg> <NumIo> 1 <NnetIo> i <I1V> 2 <I1> 0 0 0 <I1> 0 1 0 [ 1 ]\n</NnetIo> </Nnet3Eg> ",
            // The bracket of the matrix; the space before it belongs to the last index.
            61,
            "expected 2 rows, one for each index, got 1",
        );
        refuses::<NnetExample>(b"<Nnet3ChainEg> ", 0, "expected token \"<Nnet3Eg>\", got \"<Nnet3ChainEg>\"");
    }
}
