//! What can go wrong with statistics and estimates.

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Statistics that do not fit each other, or from which nothing can be estimated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two LDA statistics are of other sizes.
    #[error(
        "dimension or classes count mismatch: expected statistics of {} classes in {} dimensions, got {} in {}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    LdaSize {
        /// The numbers of classes and dimensions of the sum so far.
        expected: (usize, usize),
        /// Those of the statistics to add.
        got: (usize, usize),
    },
    /// Two MLLT statistics are of other dimensions.
    #[error("summing accs of different size: expected statistics in {expected} dimensions, got {got}")]
    MlltSize {
        /// The dimension of the sum so far.
        expected: usize,
        /// That of the statistics to add.
        got: usize,
    },
    /// There are no statistics to estimate anything from.
    #[error("there are no statistics")]
    NoData,
    /// More dimensions are wanted than there are.
    #[error("expected a dimension from 1 to {limit} ({why}), got {got}")]
    Dim {
        /// The wanted number.
        got: i32,
        /// The largest dimension possible.
        limit: usize,
        /// What sets the limit.
        why: &'static str,
    },
    /// A text does not describe the contexts of a frame.
    #[error("expected contexts such as 0,1.0:-1,0.5;1,0.5 for `context_expansion`, got {got:?}")]
    Contexts {
        /// The text.
        got: String,
    },
    /// Features have another dimension than the transform.
    #[error("expected features with {expected} columns, got {got}")]
    FeatsDim {
        /// The dimension of the transform.
        expected: usize,
        /// That of the features.
        got: usize,
    },
    /// The Gaussians that were selected for a frame do not exist, or none were selected.
    #[error("expected numbers of existing Gaussians in frame {frame}, got {got:?}")]
    Selection {
        /// The frame, counted from zero.
        frame: usize,
        /// The numbers of the Gaussians.
        got: Vec<i32>,
    },
    /// Statistics of fMPE are of another transform.
    #[error(
        "expected derivatives of {} by {}, got {} by {}: statistics of another transform",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    FmpeSize {
        /// The size of the derivatives of the transform.
        expected: (usize, usize),
        /// That of the statistics.
        got: (usize, usize),
    },
    /// Derivatives by the features have another size than these.
    #[error(
        "expected derivatives of {} by {}, as the features are, got {} by {}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    Derivatives {
        /// The size of the features.
        expected: (usize, usize),
        /// That of the derivatives.
        got: (usize, usize),
    },
    /// Features or derivatives of a frame are not finite numbers.
    #[error("expected features and derivatives that are finite numbers, got others in frame {frame}")]
    NotFinite {
        /// The frame, counted from zero.
        frame: usize,
    },
    /// A class of VTLN does not exist.
    #[error("expected a class below {num_classes}, got {got}")]
    VtlnClass {
        /// The class.
        got: i32,
        /// The number of classes.
        num_classes: usize,
    },
    /// No class of VTLN has an objective function that is a number.
    #[error("no class has an objective function that is a number")]
    NoClass,
    /// Statistics of bases of fMLLR have another size.
    #[error("expected statistics of transforms with {expected} elements, got {got}")]
    BasisSize {
        /// The number of elements of a transform.
        expected: usize,
        /// That of the statistics.
        got: usize,
    },
    /// The full matrix of LDA does not fit features before splicing.
    #[error(
        "expected a full matrix of LDA and MLLT with the rejected rows, for frames of {raw_dim} dimensions side by \
         side and a model of {model_dim}, got {} by {}",
        .got.0, .got.1
    )]
    FullTransform {
        /// The size of the matrix.
        got: (usize, usize),
        /// The dimension of a frame before splicing.
        raw_dim: i32,
        /// The dimension of the model.
        model_dim: usize,
    },
    /// There is not one posterior for each Gaussian of a mixture.
    #[error("expected posteriors of {expected} Gaussians, got {got}")]
    Posteriors {
        /// The number of Gaussians.
        expected: usize,
        /// The number of posteriors.
        got: usize,
    },
    /// No such part of an fMLLR transform can be estimated.
    #[error("expected full, diag, offset or none, got {got:?}")]
    FmllrUpdate {
        /// The name.
        got: String,
    },
    /// All frames have the same value in a dimension.
    #[error("the features do not vary in dimension {dim}")]
    NoSpread {
        /// The dimension, counted from zero.
        dim: usize,
    },
    /// A computation of the estimate is not possible with these statistics.
    #[error("cannot compute {what}: {source}")]
    Estimate {
        /// What should be computed.
        what: String,
        /// Why that is not possible.
        source: kaldi_matrix::Error,
    },
    /// An iteration made the estimate worse instead of better.
    #[error("the objective function of row {row} decreases from {before} to {after}")]
    ObjectiveDecrease {
        /// The row of the transform that was estimated.
        row: usize,
        /// The objective function before.
        before: f64,
        /// The objective function after.
        after: f64,
    },
}

impl Error {
    pub(crate) fn estimate(what: impl Into<String>) -> impl FnOnce(kaldi_matrix::Error) -> Self {
        |source| Self::Estimate { what: what.into(), source }
    }
}
