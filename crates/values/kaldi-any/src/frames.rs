//! Values over time.

use kaldi_io::ParseError;
use kaldi_lattice::{BayesRiskOptions, CompactLattice, GraphForm, StoredGraph};
use kaldi_matrix::{HtkFeatures, Matrix, SphinxFeatures, Vector};
use kaldi_value::Cursor;
use kaldi_value::{GaussPost, Posterior};
use kaldi_wave::Wave;

use crate::content::{part, with_zeros};
use crate::value_type::ValueType;

/// The content of a value for each frame, or for each sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Frames {
    /// Numbers: the rows of a matrix, or of the first input of an example, in single precision. Each number of a vector is a row.
    Rows(Matrix<f32>),
    /// Indices with weights, from posteriors. Weights of Gaussians are added up; indices without weights have the
    /// weight 1.
    Lists(Vec<Vec<(i32, f32)>>),
    /// A label.
    Labels(Vec<i32>),
    /// Samples of a waveform.
    Wave(Wave),
    /// Words, from lattices.
    Words {
        /// The number of frames.
        frames: usize,
        /// The words of least expected error.
        words: Vec<FrameWord>,
    },
}

/// A word over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameWord {
    /// Where it begins, in frames.
    pub begin: f32,
    /// Where it ends, in frames.
    pub end: f32,
    /// Its number.
    pub word: i32,
    /// Its probability.
    pub confidence: f32,
}

impl Frames {
    /// The names of the types that have frames, for messages.
    pub const TYPES: &str = "matrices, vectors, integer vectors, posteriors, lattices, training examples or waveforms";

    /// Reads the value at the cursor, or the part of it that `range` names; `None` if values of this type have no frames.
    ///
    /// # Errors
    /// If it is not a value of the type.
    pub fn parse(value_type: ValueType, cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Option<Self>> {
        value_type.row().frames.map(|read| read(cursor, range)).transpose()
    }

    /// As [`Frames::parse`], but takes no more memory than this for the words of a lattice, which are found among all of its paths.
    ///
    /// # Errors
    /// As [`Frames::parse`], and if more would be needed.
    pub fn parse_within(
        most_memory: usize,
        value_type: ValueType,
        cursor: &mut Cursor<'_>,
        range: Option<&[u8]>,
    ) -> Result<Option<Self>> {
        match value_type {
            ValueType::Lattice | ValueType::CompactLattice => {
                words_of_lattice(cursor, range, Some(most_memory)).map(Some)
            }
            _ => Self::parse(value_type, cursor, range),
        }
    }

    /// The number of frames or samples.
    pub fn len(&self) -> usize {
        match self {
            Self::Rows(matrix) => matrix.num_rows(),
            Self::Lists(lists) => lists.len(),
            Self::Labels(labels) => labels.len(),
            Self::Wave(wave) => wave.num_samples(),
            Self::Words { frames, .. } => *frames,
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

type Result<T> = std::result::Result<T, ParseError>;

pub(crate) fn of_matrix(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Rows(with_zeros(cursor, range)?))
}

pub(crate) fn of_htk(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Rows(part::<HtkFeatures>(cursor, range)?.into_feats()))
}

pub(crate) fn of_sphinx(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Rows(part::<SphinxFeatures>(cursor, range)?.into_feats()))
}

pub(crate) fn of_vector(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    let vector = part::<Vector<f32>>(cursor, range)?;
    Ok(Frames::Rows(Matrix::from_vec(vector.dim(), 1, vector.into_vec())))
}

pub(crate) fn of_labels(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Labels(part(cursor, range)?))
}

pub(crate) fn of_posterior(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Lists(part::<Posterior>(cursor, range)?.0))
}

pub(crate) fn of_gauss_post(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    let sums = |(index, weights): (i32, Vec<f32>)| (index, weights.iter().sum());
    let lists = part::<GaussPost>(cursor, range)?.0.into_iter();
    Ok(Frames::Lists(lists.map(|list| list.into_iter().map(sums).collect()).collect()))
}

pub(crate) fn of_lists(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    let lists = part::<Vec<Vec<i32>>>(cursor, range)?.into_iter();
    Ok(Frames::Lists(lists.map(|list| list.into_iter().map(|index| (index, 1.0)).collect()).collect()))
}

/// Times of words are those of arcs, which need not be aligned with words.
pub(crate) fn of_lattice(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    words_of_lattice(cursor, range, None)
}

fn words_of_lattice(cursor: &mut Cursor<'_>, range: Option<&[u8]>, most_memory: Option<usize>) -> Result<Frames> {
    let place = cursor.clone();
    let lattice = part::<CompactLattice>(cursor, range)?;
    let mut options = BayesRiskOptions::default();
    options.most_memory = most_memory;
    let found = lattice.bayes_risk(None, options);
    let found = found.map_err(|error| place.error(error.to_string()))?;
    let times = found.times.iter().zip(&found.confidences).zip(&found.words);
    let words = times.map(|((&(begin, end), &confidence), &word)| FrameWord { begin, end, word, confidence });
    let frames = StoredGraph { graph: lattice.0, form: GraphForm::Compact, has_doubles: None }.size().path;
    Ok(Frames::Words { frames: frames.map_or(0, |path| path.frames), words: words.collect() })
}

pub(crate) fn of_wave(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Frames> {
    Ok(Frames::Wave(part(cursor, range)?))
}
