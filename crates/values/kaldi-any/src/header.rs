//! The headers of values.

use kaldi_io::ParseError;
use kaldi_lattice::GraphSize;
use kaldi_matrix::{GeneralMatrix, Vector};
use kaldi_value::Cursor;
use kaldi_wave::WaveInfo;

use crate::content::{Content, ValueShape};
use crate::value_type::ValueType;

type Result<T> = std::result::Result<T, ParseError>;

/// The letters of binary matrices and vectors, by their precision.
const LETTERS: [u8; 2] = [b'F', b'D'];

/// The widths of binary numbers, by their precision.
const WIDTHS: [u8; 2] = [4, 8];

/// Bytes of the marker, and of a number after its width.
const COUNT: std::ops::Range<usize> = 3..7;

/// The content of a value's header; text has no header, and is parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Header {
    /// Rows of a matrix; elements of a vector, an alignment or a line of words; frames of a posterior or a lattice; samples of each
    /// channel of a waveform, if that is known. `None` for a single number or word.
    pub rows: Option<u64>,
    /// Columns of a matrix; channels of a waveform.
    pub columns: Option<u64>,
    /// The precision of the numbers of a binary matrix, vector, lattice or FST.
    pub precision: Option<Precision>,
    /// Whether it is a compressed matrix.
    pub is_compressed: bool,
    /// Samples of a waveform in a second.
    pub sample_rate: Option<f32>,
    /// Length of a waveform, if its header has it.
    pub seconds: Option<f64>,
    /// The type of a lattice or an FST as it is stored, and its size.
    pub graph: Option<(ValueType, GraphSize)>,
}

/// The precision of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Four bytes.
    Single,
    /// Eight bytes.
    Double,
}

impl Precision {
    /// The precision of a binary value whose first byte after the marker is `single` or `double`.
    fn of(head: &[u8], [single, double]: [u8; 2]) -> Option<Self> {
        match *head.strip_prefix(b"\0B")?.first()? {
            sign if sign == single => Some(Self::Single),
            sign if sign == double => Some(Self::Double),
            _ => None,
        }
    }

    /// The word: `single`, `double`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Double => "double",
        }
    }
}

impl Header {
    /// A header that says nothing.
    pub(crate) const EMPTY: Self = Self {
        rows: None,
        columns: None,
        precision: None,
        is_compressed: false,
        sample_rate: None,
        seconds: None,
        graph: None,
    };

    /// The header at the start of a value, `beyond` bytes of which are missing; `None` if the value has to be parsed.
    ///
    /// # Errors
    /// If the value is not of the type. The error says `at_end` if more bytes are needed.
    pub fn in_head(value_type: ValueType, head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Self>> {
        (value_type.row().header)(head, beyond, range)
    }

    /// The header for a value whose content is known.
    pub fn of_content(content: &Content) -> Self {
        let (rows, columns) = match content {
            Content::Word(_) => return Self::default(),
            Content::Words(words) => (words.len(), None),
            Content::Numbers { shape, values } => match shape {
                ValueShape::Scalar => return Self::default(),
                ValueShape::Vector => (values.len(), None),
                ValueShape::Matrix { columns } => {
                    (values.len().checked_div(*columns).unwrap_or(0), Some(*columns as u64))
                }
                ValueShape::Lists(lengths) => (lengths.len(), None),
            },
        };
        Self { rows: Some(rows as u64), columns, ..Self::default() }
    }
}

pub(crate) fn of_matrix(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    let (rows, columns) = GeneralMatrix::read_size(&mut Cursor::new_head(head, beyond), range)?;
    Ok(Some(Header {
        rows: Some(rows as u64),
        columns: Some(columns as u64),
        precision: Precision::of(head, LETTERS),
        is_compressed: head.starts_with(b"\0BC"),
        ..Header::EMPTY
    }))
}

pub(crate) fn of_vector(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    let dim = Vector::<f32>::read_dim(&mut Cursor::new_head(head, beyond), range)?;
    Ok(Some(Header { rows: Some(dim as u64), precision: Precision::of(head, LETTERS), ..Header::EMPTY }))
}

pub(crate) fn of_wave(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    let info = WaveInfo::read(&mut Cursor::new_head(head, beyond), range)?;
    Ok(Some(Header {
        rows: info.num_samples(),
        columns: Some(info.num_channels() as u64),
        sample_rate: Some(info.sample_rate()),
        seconds: info.duration(),
        ..Header::EMPTY
    }))
}

/// Of a number that is no integer.
pub(crate) fn of_real(head: &[u8], _: u64, _: Option<&[u8]>) -> Result<Option<Header>> {
    Ok(Some(Header { precision: Precision::of(head, WIDTHS), ..Header::EMPTY }))
}

/// The count at this place of a binary value that is taken as a whole.
fn count(head: &[u8], at: usize) -> Option<u64> {
    let bytes = head.get(at..at + COUNT.len())?.try_into().ok()?;
    Some(i32::from_le_bytes(bytes).max(0) as u64)
}

/// Of a value that starts with a count.
pub(crate) fn of_count(head: &[u8], _: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    let is_known = head.starts_with(b"\0B") && range.is_none();
    Ok(is_known.then(|| Header { rows: count(head, COUNT.start), ..Header::EMPTY }))
}

pub(crate) fn of_integer_matrix(head: &[u8], _: u64, range: Option<&[u8]>) -> Result<Option<Header>> {
    let is_known = head.starts_with(b"\0B") && range.is_none();
    Ok(is_known.then(|| {
        let rows = count(head, COUNT.start);
        // The first row starts with the number of columns.
        let columns = if rows == Some(0) { Some(0) } else { count(head, COUNT.end + 1) };
        Header { rows, columns, ..Header::EMPTY }
    }))
}
