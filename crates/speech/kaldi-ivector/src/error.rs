//! What can go wrong with decisions about speakers.

use kaldi_value::number::general;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Options or data from which nothing can be decided.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An option has a value that makes no sense.
    #[error("expected `{name}` to be {expected}, got {}", general(*.got))]
    Option {
        /// The name of the field.
        name: &'static str,
        /// What its value has to be.
        expected: &'static str,
        /// The value that it has.
        got: f64,
    },
    /// A transform of spliced frames fits no dimension of frames.
    #[error(
        "expected the transform to have a multiple of {width} columns, the number of spliced frames, or one more, got {got}"
    )]
    TransformColumns {
        /// The number of spliced frames.
        width: usize,
        /// The columns that it has.
        got: usize,
    },
    /// A line of a map of labels does not have that many integers.
    #[error("line {line}: Bad line. Expected {expected} fields, all integers, got: {got:?}")]
    LabelLine {
        /// The line's number, from 1.
        line: usize,
        /// How many integers there should be, in words.
        expected: &'static str,
        /// The line.
        got: String,
    },
    /// A map of labels names a class that does not exist.
    #[error("expected a class below {num_classes}, got {got}")]
    Class {
        /// The number of classes.
        num_classes: usize,
        /// The class in the map.
        got: i32,
    },
    /// A map of labels has no entry for two labels of one frame.
    #[error("Map is missing combination {first} and {second} (frame {frame})", first = .labels.0, second = .labels.1)]
    Combination {
        /// The frame, from 0.
        frame: usize,
        /// The labels.
        labels: (f32, f32),
    },
    /// A frame is neither voiced nor unvoiced.
    #[error("frame {frame}: expected 0 (unvoiced) or 1 (voiced), got {got}")]
    Voicing {
        /// The frame, from 0.
        frame: usize,
        /// The number that should be 0 or 1.
        got: f32,
    },
    /// The lengths of two things that belong together differ.
    #[error("expected {expected} {what}, got {got}")]
    Length {
        /// What has the wrong length.
        what: &'static str,
        /// The length that it needs.
        expected: usize,
        /// The length that it has.
        got: usize,
    },
    /// A frame has a weight for a Gaussian that does not exist.
    #[error("frame {frame}: expected a Gaussian below {num_gauss}, got {got}")]
    Gaussian {
        /// The frame, from 0.
        frame: usize,
        /// The number of Gaussians.
        num_gauss: usize,
        /// The Gaussian, from 0.
        got: i32,
    },
    /// The weights of an extractor's Gaussians depend on the i-vector, which is not possible here.
    #[error(
        "expected an i-vector extractor with fixed weights (ivector-extractor-init --use-weights=false), got one \
         whose weights depend on the i-vector"
    )]
    WeightProjections,
    /// Every speaker has only one vector.
    #[error("expected a speaker with several vectors, got none")]
    NoRepetition,
    /// A vector is said to come from fewer than one utterance.
    #[error("expected 1 utterance at least, got {got}")]
    NumExamples {
        /// The number of utterances.
        got: i32,
    },
    /// Matrices or vectors do not fit each other, or cannot be decomposed.
    #[error("cannot compute {what}: {source}")]
    Matrix {
        /// The quantity to compute.
        what: &'static str,
        /// Why that is not possible.
        source: kaldi_matrix::Error,
    },
    /// Features cannot be normalized or spliced.
    #[error(transparent)]
    Feats(kaldi_feat::Error),
    /// Features do not fit a mixture of Gaussians, or a transform cannot be estimated.
    #[error(transparent)]
    Gmm(kaldi_gmm::Error),
    /// A list of trials cannot be read, or their scores cannot be written.
    #[error(transparent)]
    Stream(#[from] kaldi_io::Error),
    /// A line of a list of trials does not have two keys.
    #[error("{list}:{line}: expected two fields: key1 key2, got \"{got}\"")]
    TrialLine {
        /// The printable name of the list.
        list: String,
        /// The line's number, from 1.
        line: u64,
        /// The start of the line.
        got: String,
    },
}

impl Error {
    pub(crate) fn matrix(what: &'static str) -> impl Fn(kaldi_matrix::Error) -> Self {
        move |source| Self::Matrix { what, source }
    }
}
