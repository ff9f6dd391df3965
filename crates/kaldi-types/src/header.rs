//! The headers of values.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_values::Cursor;
use kaldi_wave::WaveInfo;

use crate::content::{Content, ValueShape};
use crate::value_type::ValueType;

/// Bytes of the marker, and of a number after its width.
const COUNT: std::ops::Range<usize> = 3..7;

/// The content of a value's header; text has no header, and is parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Header {
    /// Rows of a matrix; elements of a vector, an alignment or a line of words; frames of a posterior; samples of each
    /// channel of a waveform, if that is known. `None` for a single number or word.
    pub rows: Option<u64>,
    /// Columns of a matrix; channels of a waveform.
    pub columns: Option<u64>,
    /// The precision of the numbers of a binary matrix or vector.
    pub precision: Option<Precision>,
    /// Whether it is a compressed matrix.
    pub is_compressed: bool,
    /// Samples of a waveform in a second.
    pub sample_rate: Option<f32>,
    /// Length of a waveform, if its header has it.
    pub seconds: Option<f64>,
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
    /// The precision of a binary value that starts like this.
    fn of(value_type: ValueType, head: &[u8]) -> Option<Self> {
        let sign = *head.strip_prefix(b"\0B")?.first()?;
        match value_type {
            ValueType::Matrix | ValueType::Vector => match sign {
                b'F' => Some(Self::Single),
                b'D' => Some(Self::Double),
                _ => None,
            },
            ValueType::Float | ValueType::Double => match sign {
                4 => Some(Self::Single),
                8 => Some(Self::Double),
                _ => None,
            },
            ValueType::Wave
            | ValueType::Int32
            | ValueType::Bool
            | ValueType::Int32Vector
            | ValueType::Int32Matrix
            | ValueType::Int32VectorVector
            | ValueType::Int32Pairs
            | ValueType::FloatPairs
            | ValueType::Posterior
            | ValueType::GaussPost
            | ValueType::Token
            | ValueType::TokenVector
            | ValueType::Htk
            | ValueType::Sphinx => None,
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
    /// The header at the start of a value, `beyond` bytes of which are missing; `None` if the value has to be parsed.
    ///
    /// # Errors
    /// If it is no value of the type. The error says `at_end` if more bytes are needed.
    pub fn in_head(
        value_type: ValueType,
        head: &[u8],
        beyond: u64,
        range: Option<&[u8]>,
    ) -> Result<Option<Self>, ParseError> {
        let cursor = &mut Cursor::new_head(head, beyond);
        let is_binary = head.starts_with(b"\0B");
        let header = Self { precision: Precision::of(value_type, head), ..Self::default() };
        Ok(match value_type {
            ValueType::Matrix if head.starts_with(b"\0BS") || head.trim_ascii_start().starts_with(b"r") => None,
            ValueType::Matrix => {
                let (rows, columns) = Matrix::<f32>::read_size(cursor, range)?;
                let is_compressed = is_binary && head.get(2) == Some(&b'C');
                Some(Self { rows: Some(rows as u64), columns: Some(columns as u64), is_compressed, ..header })
            }
            ValueType::Vector => {
                let dim = Vector::<f32>::read_dim(cursor, range)?;
                Some(Self { rows: Some(dim as u64), ..header })
            }
            ValueType::Wave => {
                let info = WaveInfo::read(cursor, range)?;
                Some(Self {
                    rows: info.num_samples(),
                    columns: Some(info.num_channels() as u64),
                    sample_rate: Some(info.sample_rate()),
                    seconds: info.duration(),
                    ..header
                })
            }
            ValueType::Int32 | ValueType::Float | ValueType::Double | ValueType::Bool | ValueType::Token => {
                Some(header)
            }
            ValueType::Htk | ValueType::Sphinx | ValueType::TokenVector => None,
            ValueType::Int32Matrix => (is_binary && range.is_none()).then(|| {
                let count = |at: usize| head.get(at..at + 4)?.try_into().ok().map(i32::from_le_bytes);
                let rows = count(COUNT.start).map(|count| count.max(0) as u64);
                // The first row starts with the number of columns.
                let columns = if rows == Some(0) { Some(0) } else { count(COUNT.end + 1) };
                Self { rows, columns: columns.map(|count| count.max(0) as u64), ..header }
            }),
            // They start with a count.
            ValueType::Int32Vector
            | ValueType::Int32VectorVector
            | ValueType::Int32Pairs
            | ValueType::FloatPairs
            | ValueType::Posterior
            | ValueType::GaussPost => (is_binary && range.is_none()).then(|| {
                let count = head.get(COUNT).and_then(|bytes| bytes.try_into().ok()).map(i32::from_le_bytes);
                Self { rows: count.map(|count| count.max(0) as u64), ..header }
            }),
        })
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
