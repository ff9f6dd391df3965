//! Values over time.

use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, SphinxFeatures, Vector};
use kaldi_values::Cursor;
use kaldi_values::{GaussPost, Posterior};
use kaldi_wave::Wave;

use crate::content::part;
use crate::value_type::ValueType;

/// The content of a value for each frame, or for each sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Numbers: the rows of a matrix, in single precision. Each number of a vector is a row.
    Rows(Matrix<f32>),
    /// Indices with weights, from posteriors. Weights of Gaussians are added up; indices without weights have the
    /// weight 1.
    Lists(Vec<Vec<(i32, f32)>>),
    /// A label.
    Labels(Vec<i32>),
    /// Samples of a waveform.
    Wave(Wave),
}

impl Frames {
    /// The names of the types that have frames, for messages.
    pub const TYPES: &str = "matrices, vectors, integer vectors, posteriors or waveforms";

    /// Reads the value at the cursor, or the part of it that `range` names; `None` if values of this type have no frames.
    ///
    /// # Errors
    /// If it is not a value of the type.
    pub fn parse(
        value_type: ValueType,
        cursor: &mut Cursor<'_>,
        range: Option<&[u8]>,
    ) -> Result<Option<Self>, ParseError> {
        Ok(Some(match value_type {
            ValueType::Matrix => Self::Rows(part::<GeneralMatrix>(cursor, range)?.into_matrix()),
            ValueType::Htk => Self::Rows(part::<HtkFeatures>(cursor, range)?.into_feats()),
            ValueType::Sphinx => Self::Rows(part::<SphinxFeatures>(cursor, range)?.into_feats()),
            ValueType::Vector => {
                let vector = part::<Vector<f32>>(cursor, range)?;
                Self::Rows(Matrix::from_vec(vector.dim(), 1, vector.into_vec()))
            }
            ValueType::Int32Vector => Self::Labels(part(cursor, range)?),
            ValueType::Posterior => Self::Lists(part::<Posterior>(cursor, range)?.0),
            ValueType::GaussPost => {
                let sums = |(index, weights): (i32, Vec<f32>)| (index, weights.iter().sum());
                let lists = part::<GaussPost>(cursor, range)?.0.into_iter();
                Self::Lists(lists.map(|list| list.into_iter().map(sums).collect()).collect())
            }
            ValueType::Int32Matrix | ValueType::Int32VectorVector => {
                let lists = part::<Vec<Vec<i32>>>(cursor, range)?.into_iter();
                Self::Lists(lists.map(|list| list.into_iter().map(|index| (index, 1.0)).collect()).collect())
            }
            ValueType::Wave => Self::Wave(part(cursor, range)?),
            ValueType::Int32
            | ValueType::Float
            | ValueType::Double
            | ValueType::Bool
            | ValueType::Int32Pairs
            | ValueType::FloatPairs
            | ValueType::Token
            | ValueType::TokenVector => return Ok(None),
        }))
    }

    /// The number of frames or samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(matrix) => matrix.num_rows(),
            Self::Lists(lists) => lists.len(),
            Self::Labels(labels) => labels.len(),
            Self::Wave(wave) => wave.num_samples(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
