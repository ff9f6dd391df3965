//! Values of any type, as numbers or words, and written again.

use bstr::BString;
use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, SphinxFeatures, Vector};
use kaldi_value::{Cursor, Format, Value};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens};
use kaldi_wave::Wave;

use crate::value_type::ValueType;

/// The content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Numbers, in their order in the file; see [`ValueShape`].
    Numbers {
        /// Their arrangement.
        shape: ValueShape,
        /// The numbers; integers are exact, truth values are 0 and 1.
        values: Vec<f64>,
    },
    /// A word.
    Word(BString),
    /// The words of a line.
    Words(Vec<BString>),
}

/// The arrangement of the numbers of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueShape {
    /// One number.
    Scalar,
    /// A row of numbers: of vectors and vectors of integers.
    Vector,
    /// Row after row, each with this many columns; in waveforms a row has a sample of each channel.
    Matrix {
        /// Numbers of a row.
        columns: usize,
    },
    /// Lists, each with this many numbers: pairs; in posteriors a list has the indices of a frame, each followed by its
    /// weight; in Gaussian posteriors each index is followed by its weights.
    Lists(Vec<usize>),
}

impl Content {
    /// Reads the value at the cursor, or the part of it that `range` names. Doubles keep their precision.
    ///
    /// # Errors
    /// If it is not a value of the type, or values of the type are neither numbers nor words.
    pub fn parse(value_type: ValueType, cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Self, ParseError> {
        match value_type.row().content {
            Some(read) => read(cursor, range),
            None => Err(cursor.error(format!("values of the type {value_type} are not read as numbers or words"))),
        }
    }

    /// The words, if the value has words.
    pub fn words(&self) -> Option<&[BString]> {
        match self {
            Self::Word(word) => Some(std::slice::from_ref(word)),
            Self::Words(words) => Some(words),
            Self::Numbers { .. } => None,
        }
    }
}

/// Reads the value at the cursor, or the part of it that `range` names, and appends it to `out` in the given form, like
/// the tool that copies values of this type. Waveforms have no text form: their bytes are written unchanged.
///
/// # Errors
/// If it is not a value of the type.
pub fn write_value(
    value_type: ValueType,
    cursor: &mut Cursor<'_>,
    range: Option<&[u8]>,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<(), ParseError> {
    (value_type.row().rewrite)(cursor, range, format, out)
}

/// Reads a value, or a part of it.
pub(crate) fn part<T: Value>(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<T, ParseError> {
    match range {
        Some(range) => T::read_range(cursor, range),
        None => T::read(cursor),
    }
}

/// A matrix with the precision that it has.
pub(crate) fn of_any_matrix(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Content, ParseError> {
    let matrix = match GeneralMatrix::is_sparse(cursor.rest()) {
        true => with_zeros(cursor, range)?.to_precision(),
        false => part::<Matrix<f64>>(cursor, range)?,
    };
    Ok(of_matrix(matrix))
}

/// A matrix of any kind with all of its elements.
pub(crate) fn with_zeros(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Matrix<f32>, ParseError> {
    let start = cursor.clone();
    part::<GeneralMatrix>(cursor, range)?.into_matrix().map_err(|error| start.error(error.to_string()))
}

/// A vector in double precision.
pub(crate) fn of_vector(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Content, ParseError> {
    Ok(part::<Vector<f64>>(cursor, range)?.into_content())
}

fn of_matrix(matrix: Matrix<f64>) -> Content {
    Content::Numbers { shape: ValueShape::Matrix { columns: matrix.num_cols() }, values: matrix.into_vec() }
}

/// A value that becomes numbers or words.
pub(crate) trait IntoContent {
    fn into_content(self) -> Content;
}

/// Numbers of several lists one after the other.
fn lists<T>(lists: Vec<Vec<T>>, push: impl Fn(T, &mut Vec<f64>)) -> Content {
    let (mut values, mut lengths) = (Vec::new(), Vec::with_capacity(lists.len()));
    for list in lists {
        let begin = values.len();
        list.into_iter().for_each(|item| push(item, &mut values));
        lengths.push(values.len() - begin);
    }
    Content::Numbers { shape: ValueShape::Lists(lengths), values }
}

fn scalar(value: f64) -> Content {
    Content::Numbers { shape: ValueShape::Scalar, values: vec![value] }
}

impl IntoContent for i32 {
    fn into_content(self) -> Content {
        scalar(self.into())
    }
}

impl IntoContent for f32 {
    fn into_content(self) -> Content {
        scalar(self.into())
    }
}

impl IntoContent for f64 {
    fn into_content(self) -> Content {
        scalar(self)
    }
}

impl IntoContent for bool {
    fn into_content(self) -> Content {
        scalar(self.into())
    }
}

impl IntoContent for Vector<f64> {
    fn into_content(self) -> Content {
        Content::Numbers { shape: ValueShape::Vector, values: self.into_vec() }
    }
}

impl IntoContent for Vec<i32> {
    fn into_content(self) -> Content {
        Content::Numbers { shape: ValueShape::Vector, values: self.into_iter().map(f64::from).collect() }
    }
}

impl IntoContent for IntMatrix {
    fn into_content(self) -> Content {
        let shape = ValueShape::Matrix { columns: self.num_cols() };
        Content::Numbers { shape, values: self.into_vec().into_iter().map(f64::from).collect() }
    }
}

impl IntoContent for Vec<Vec<i32>> {
    fn into_content(self) -> Content {
        lists(self, |value, values| values.push(value.into()))
    }
}

impl IntoContent for Vec<(i32, i32)> {
    fn into_content(self) -> Content {
        lists(self.into_iter().map(|pair| vec![pair]).collect(), |(a, b), values| {
            values.extend([a.into(), f64::from(b)])
        })
    }
}

impl IntoContent for Vec<(f32, f32)> {
    fn into_content(self) -> Content {
        lists(self.into_iter().map(|pair| vec![pair]).collect(), |(a, b), values| {
            values.extend([a.into(), f64::from(b)])
        })
    }
}

impl IntoContent for Posterior {
    fn into_content(self) -> Content {
        lists(self.0, |(index, weight), values| values.extend([index.into(), f64::from(weight)]))
    }
}

impl IntoContent for GaussPost {
    fn into_content(self) -> Content {
        lists(self.0, |(index, weights), values| {
            values.push(index.into());
            values.extend(weights.into_iter().map(f64::from));
        })
    }
}

impl IntoContent for Token {
    fn into_content(self) -> Content {
        Content::Word(self.into_inner())
    }
}

impl IntoContent for Tokens {
    fn into_content(self) -> Content {
        Content::Words(self.iter().map(ToOwned::to_owned).collect())
    }
}

impl IntoContent for HtkFeatures {
    fn into_content(self) -> Content {
        of_matrix(self.into_feats().to_precision())
    }
}

impl IntoContent for SphinxFeatures {
    fn into_content(self) -> Content {
        of_matrix(self.into_feats().to_precision())
    }
}

impl IntoContent for Wave {
    fn into_content(self) -> Content {
        let (columns, num_samples) = (self.num_channels(), self.num_samples());
        let sample = |index: usize| (0..columns).map(move |channel| (channel, index));
        let values = (0..num_samples).flat_map(sample).map(|(channel, index)| self.channel(channel)[index].into());
        Content::Numbers { shape: ValueShape::Matrix { columns }, values: values.collect() }
    }
}
