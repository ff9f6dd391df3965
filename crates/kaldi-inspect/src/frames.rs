//! Values over time.

use kaldi_io::{Cursor, ParseError};
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, SphinxFeatures, Vector};
use kaldi_scan::ValueType;
use kaldi_values::{GaussPost, Posterior};
use kaldi_wave::Wave;

use crate::content::part;
use crate::{Entry, Result};

/// What a value has for each frame, or for each sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Numbers: the rows of a matrix, in single precision. Each number of a vector is a row.
    Rows(Matrix<f32>),
    /// Indices with weights: of posteriors. Weights of Gaussians are added up; indices without weights have 1.
    Lists(Vec<Vec<(i32, f32)>>),
    /// A label.
    Labels(Vec<i32>),
    /// Samples of a waveform.
    Wave(Wave),
}

impl Frames {
    /// The names of the types that have frames, for messages.
    pub const TYPES: &str = "matrices, vectors, integer vectors, posteriors or waveforms";

    /// Reads the value of an entry, or the part of it that its range names; nothing where a value of this type has no frames.
    ///
    /// # Errors
    /// Where it cannot be read, or is no value of the type.
    pub fn read(entry: &Entry, value_type: &ValueType) -> Result<Option<Self>> {
        let Some(parse) = parser(value_type) else { return Ok(None) };
        let bytes = entry.bytes()?;
        let range = entry.range().map(|range| range.as_ref());
        parse(&mut Cursor::new(&bytes), range).map(Some).map_err(|error| entry.error(error))
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

type Parse = fn(&mut Cursor<'_>, Option<&[u8]>) -> std::result::Result<Frames, ParseError>;

fn parser(value_type: &ValueType) -> Option<Parse> {
    Some(match value_type.name() {
        "matrix" => |cursor, range| Ok(Frames::Rows(part::<GeneralMatrix>(cursor, range)?.into_matrix())),
        "htk" => |cursor, range| Ok(Frames::Rows(part::<HtkFeatures>(cursor, range)?.into_feats())),
        "sphinx" => |cursor, range| Ok(Frames::Rows(part::<SphinxFeatures>(cursor, range)?.into_feats())),
        "vector" => |cursor, range| {
            let vector = part::<Vector<f32>>(cursor, range)?;
            Ok(Frames::Rows(Matrix::from_vec(vector.dim(), 1, vector.into_vec())))
        },
        "int32-vector" => |cursor, range| Ok(Frames::Labels(part(cursor, range)?)),
        "posterior" => |cursor, range| Ok(Frames::Lists(part::<Posterior>(cursor, range)?.0)),
        "gauss-post" => |cursor, range| {
            let sums = |(index, weights): (i32, Vec<f32>)| (index, weights.iter().sum());
            let lists = part::<GaussPost>(cursor, range)?.0.into_iter();
            Ok(Frames::Lists(lists.map(|list| list.into_iter().map(sums).collect()).collect()))
        },
        "int32-vector-vector" => |cursor, range| {
            let lists = part::<Vec<Vec<i32>>>(cursor, range)?.into_iter();
            Ok(Frames::Lists(lists.map(|list| list.into_iter().map(|index| (index, 1.0)).collect()).collect()))
        },
        "wave" => |cursor, range| Ok(Frames::Wave(part(cursor, range)?)),
        _ => return None,
    })
}
