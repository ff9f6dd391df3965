//! Training examples.

use kaldi_egs::{NnetChainExample, NnetExample, NnetIo};
use kaldi_io::ParseError;
use kaldi_matrix::Matrix;
use kaldi_value::{Cursor, Value};

use crate::advice::TypeAdvice;
use crate::content::part;
use crate::frames::Frames;
use crate::header::Header;
use crate::row::{Detected, Found, Row, Text};

type Result<T> = std::result::Result<T, ParseError>;

/// A kind of examples.
trait Example: Value {
    /// The first two words, after which there is a number.
    const START: &'static str;

    /// The largest number of indexes, and the columns of the first input.
    fn size(&self) -> (usize, usize);

    /// Its inputs.
    fn inputs(&self) -> &[NnetIo];
}

impl Example for NnetExample {
    const START: &'static str = "<Nnet3Eg> <NumIo> ";

    fn size(&self) -> (usize, usize) {
        (NnetExample::size(self), self.io.first().map_or(0, |io| io.matrix.num_cols()))
    }

    fn inputs(&self) -> &[NnetIo] {
        &self.io
    }
}

impl Example for NnetChainExample {
    const START: &'static str = "<Nnet3ChainEg> <NumInputs> ";

    fn size(&self) -> (usize, usize) {
        let largest = self.inputs.iter().map(|input| input.indexes.len()).max().unwrap_or(0);
        (largest, self.inputs.first().map_or(0, |input| input.matrix.num_cols()))
    }

    fn inputs(&self) -> &[NnetIo] {
        &self.inputs
    }
}

/// The row of examples of nnet3.
pub(crate) const NNET3: Row = row::<NnetExample>(
    "nnet3-example",
    TypeAdvice { sentence: "this is a training example", tool: "nnet3-copy-egs", verb: "reads it" },
);

/// The row of examples of chain models.
pub(crate) const NNET3_CHAIN: Row = row::<NnetChainExample>(
    "nnet3-chain-example",
    TypeAdvice {
        sentence: "this is a training example of a chain model",
        tool: "nnet3-chain-copy-egs",
        verb: "reads it",
    },
);

const fn row<T: Example>(name: &'static str, advice: TypeAdvice) -> Row {
    Row {
        found: Found::AtStart(detect::<T>),
        has_common_columns: false,
        header: header::<T>,
        frames: Some(frames::<T>),
        ..Row::without_content::<T>(name, Text::Own, advice)
    }
}

/// The rows of the first input are its frames.
fn frames<T: Example>(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    let place = cursor.clone();
    let example: T = part(cursor, range)?;
    let matrix = example.inputs().first().map(|input| input.matrix.to_matrix()).transpose();
    let matrix = matrix.map_err(|error| place.error(error.to_string()))?;
    Ok(Frames::Rows(matrix.unwrap_or_else(|| Matrix::from_vec(0, 0, Vec::new()))))
}

fn detect<T: Example>(window: &[u8], at_end: bool) -> Detected {
    let body = window.strip_prefix(b"\0B").unwrap_or(window);
    if body.starts_with(T::START.as_bytes()) {
        Detected::Yes
    } else if !at_end && T::START.as_bytes().starts_with(body) {
        Detected::NeedMoreBytes
    } else {
        Detected::No
    }
}

/// An example has no header: all of it is read.
fn header<T: Example>(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    if beyond > 0 {
        return Err(ParseError::end(head.len(), "the rest of the example"));
    }
    let mut cursor = Cursor::new(head);
    let example = match range {
        Some(range) => T::read_range(&mut cursor, range)?,
        None => T::read(&mut cursor)?,
    };
    let (rows, columns) = example.size();
    Ok(Some(Header { rows: Some(rows as u64), columns: Some(columns as u64), ..Header::EMPTY }))
}
