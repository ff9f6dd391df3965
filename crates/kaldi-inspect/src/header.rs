//! What the headers of values say.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_scan::ValueType;
use kaldi_values::Cursor;
use kaldi_wave::WaveInfo;

use crate::Result;
use crate::content::{Content, Shape};
use crate::entry::Entry;

/// Bytes of the marker, and of a number behind its width.
const COUNT: std::ops::Range<usize> = 3..7;

/// What the header of a value says; text has none, and is parsed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Header {
    /// Rows of a matrix; elements of a vector, an alignment or a line of words; frames of a posterior; samples of each
    /// channel of a waveform, where that is known. A single number or word has none.
    pub rows: Option<u64>,
    /// Columns of a matrix; channels of a waveform.
    pub columns: Option<u64>,
    /// How exact the numbers of a binary matrix or vector are.
    pub precision: Option<Precision>,
    /// Whether it is a compressed matrix.
    pub is_compressed: bool,
    /// Samples of a waveform in a second.
    pub sample_rate: Option<f32>,
    /// Length of a waveform, where its header knows.
    pub seconds: Option<f64>,
}

/// How exact numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Precision {
    /// Four bytes.
    Single,
    /// Eight bytes.
    Double,
}

impl Precision {
    /// The word for it: `single`, `double`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "single",
            Self::Double => "double",
        }
    }
}

impl Header {
    /// Reads the header of the value of an entry, or of the part of it that its range names. What follows in a file is not
    /// read, where the value is binary.
    ///
    /// # Errors
    /// Where it cannot be read, or is no value of the type.
    pub fn read(entry: &Entry, value_type: &ValueType) -> Result<Self> {
        let (head, range) = (entry.head(), entry.range().map(|range| range.as_ref()));
        let beyond = entry.size() - head.len() as u64;
        if entry.is_text() && beyond > 0 {
            return Self::of_content(entry, value_type);
        }
        match Self::in_head(value_type, head, beyond, range) {
            // More of it is needed.
            Ok(None) => Self::of_content(entry, value_type),
            Err(error) if error.at_end && beyond > 0 => {
                let bytes = entry.bytes()?;
                match Self::in_head(value_type, &bytes, 0, range).map_err(|error| entry.error(error))? {
                    Some(header) => Ok(header),
                    None => Self::of_content(entry, value_type),
                }
            }
            Ok(Some(header)) => Ok(header),
            Err(error) => Err(entry.error(error)),
        }
    }

    /// What the begin of a value says, `beyond` bytes of which are missing; nothing where the value has to be parsed.
    fn in_head(
        value_type: &ValueType,
        head: &[u8],
        beyond: u64,
        range: Option<&[u8]>,
    ) -> Result<Option<Self>, ParseError> {
        let cursor = &mut Cursor::new_head(head, beyond);
        let is_binary = head.starts_with(b"\0B");
        let precision = match (is_binary, head.get(2), value_type.name()) {
            (true, Some(b'F'), "matrix" | "vector") => Some(Precision::Single),
            (true, Some(b'D'), "matrix" | "vector") => Some(Precision::Double),
            (true, Some(4), "float" | "double") => Some(Precision::Single),
            (true, Some(8), "float" | "double") => Some(Precision::Double),
            _ => None,
        };
        let header = Self { precision, ..Self::default() };
        Ok(match value_type.name() {
            "matrix" if head.starts_with(b"\0BS") || head.trim_ascii_start().starts_with(b"r") => None,
            "matrix" => {
                let (rows, columns) = Matrix::<f32>::read_size(cursor, range)?;
                let is_compressed = is_binary && head.get(2) == Some(&b'C');
                Some(Self { rows: Some(rows as u64), columns: Some(columns as u64), is_compressed, ..header })
            }
            "vector" => {
                let dim = Vector::<f32>::read_dim(cursor, range)?;
                Some(Self { rows: Some(dim as u64), ..header })
            }
            "wave" => {
                let info = WaveInfo::read(cursor, range)?;
                Some(Self {
                    rows: info.num_samples(),
                    columns: Some(info.num_channels() as u64),
                    sample_rate: Some(info.sample_rate()),
                    seconds: info.duration(),
                    ..header
                })
            }
            "int32" | "float" | "double" | "bool" | "token" => Some(header),
            "htk" | "sphinx" | "token-vector" => None,
            // All others begin with a count.
            _ if is_binary && range.is_none() => {
                let count = head.get(COUNT).and_then(|bytes| bytes.try_into().ok()).map(i32::from_le_bytes);
                Some(Self { rows: count.map(|count| count.max(0) as u64), ..header })
            }
            _ => None,
        })
    }

    /// What the value itself says.
    fn of_content(entry: &Entry, value_type: &ValueType) -> Result<Self> {
        let (rows, columns) = match Content::read(entry, value_type)? {
            Content::Words(words) => (words.len(), None),
            Content::Numbers { shape, values } => match shape {
                Shape::Scalar => return Ok(Self::default()),
                Shape::Vector => (values.len(), None),
                Shape::Matrix { columns } => (values.len().checked_div(columns).unwrap_or(0), Some(columns as u64)),
                Shape::Lists(lengths) => (lengths.len(), None),
            },
        };
        Ok(Self { rows: Some(rows as u64), columns, ..Self::default() })
    }
}
