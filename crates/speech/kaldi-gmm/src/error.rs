//! What can go wrong with mixtures, transforms and statistics.

use crate::GmmFlags;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Parts of a mixture or of statistics that do not fit each other, features that do not fit a mixture, or statistics from which
/// nothing can be estimated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The parts of a mixture are of different numbers of Gaussians or dimensions, or empty.
    #[error(
        "expected as many weights, means and variances, got {weights} weights, means of {} by {} and variances of {} \
         by {}",
        .means.0, .means.1, .variances.0, .variances.1
    )]
    Parts { weights: usize, means: (usize, usize), variances: (usize, usize) },
    /// A weight is negative or no number.
    #[error("expected weights of 0 or more, got {got:?} for Gaussian {gauss}")]
    Weight { gauss: usize, got: f32 },
    /// The constant of a Gaussian is no number: its weight, mean or variance is none, or the variance is negative.
    #[error("expected weights, means and variances that are numbers, got others for Gaussian {gauss}")]
    NotANumber { gauss: usize },
    /// A covariance matrix cannot be inverted.
    #[error("the covariance of Gaussian {gauss}: {source}")]
    Covariance { gauss: usize, source: kaldi_matrix::Error },
    /// There are no frames to compute a Gaussian from.
    #[error("no features were seen: expected at least one frame")]
    NoFrames,
    /// The features have no variance in a dimension.
    #[error("bad variance: the features are constant in dimension {dim}")]
    ConstantDim { dim: usize },
    /// Something has another number of pdfs than the model.
    #[error("expected {expected} pdfs, got {got}")]
    NumPdfs { expected: usize, got: usize },
    /// A transform does not fit the means.
    #[error(
        "expected a transform of {dim} rows and {dim} or {} columns, got {rows} by {columns}",
        .dim + 1, rows = .got.0, columns = .got.1
    )]
    Transform { dim: usize, got: (usize, usize) },
    /// Features have another dimension than the mixture or the transform.
    #[error("expected features with {expected} columns, got {got}")]
    FeatsDim { expected: usize, got: usize },
    /// The lists of Gaussians are not as many as the frames.
    #[error("expected a list of Gaussians for each of {expected} frames, got {got}")]
    SelectionLength { expected: usize, got: usize },
    /// The Gaussians that were selected for a frame do not exist, or none were selected.
    #[error("expected numbers of Gaussians below {num_gauss} in frame {frame}, got {got:?}")]
    Selection { frame: usize, num_gauss: usize, got: Vec<i32> },
    /// Two statistics are of other sizes or for other parameters.
    #[error(
        "dimension or flags mismatch: expected statistics of {} Gaussians in {} dimensions with flags {flags}, got {} \
         in {} with {got_flags}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    StatsSize { expected: (usize, usize), flags: GmmFlags, got: (usize, usize), got_flags: GmmFlags },
    /// Statistics are of another size than the mixture.
    #[error(
        "expected statistics of {} Gaussians in {} dimensions, as the model has, got {} in {}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    OtherModel { expected: (usize, usize), got: (usize, usize) },
    /// There are no statistics for parameters that shall be estimated.
    #[error("expected statistics for the flags {wanted}, got those for {got}")]
    Flags { wanted: GmmFlags, got: GmmFlags },
    /// A pdf does not exist.
    #[error("expected a pdf below {num_pdfs}, got {got}")]
    Pdf { got: i32, num_pdfs: usize },
    /// Something is wrong with a pdf.
    #[error("pdf {pdf}: {source}")]
    InPdf { pdf: usize, source: Box<Error> },
    /// Variances shall be estimated discriminatively, and means shall not.
    #[error("variances are estimated with means only, expected the flag m beside v")]
    VariancesAlone,
    /// A transition-id does not exist.
    #[error("expected a transition-id from 1 to {largest}, got {got}")]
    TransitionId { got: i32, largest: usize },
    /// Statistics are of another model, with another number of pdfs or transition-ids.
    #[error("expected statistics of {expected} pdfs or counts of transitions, got {got}: of another model")]
    OtherStats { expected: usize, got: usize },
    /// Transition-states of one pdf differ in their numbers of transitions.
    #[error("the transition-states of a pdf have different numbers of transitions, and cannot share probabilities")]
    Sharing,
    /// The new probability of a transition is zero or no number.
    #[error("the probability of transition-id {transition_id} is zero or no number")]
    NoProbability { transition_id: usize },
    /// There are too few frames to start a mixture with.
    #[error("expected {expected} frames at least for {num_gauss} Gaussians, got {got}")]
    FewFrames { num_gauss: usize, expected: usize, got: usize },
    /// All frames are the same.
    #[error("features do not have positive variance: all frames are the same")]
    NoVariance,
    /// A mixture cannot get this number of Gaussians in this way.
    #[error("cannot {what} {got} Gaussians to get {wanted}")]
    Target { what: &'static str, got: usize, wanted: i32 },
    /// An acoustic model has no pdfs.
    #[error("expected pdfs, got none")]
    NoPdfs,
    /// The mixtures of an acoustic model have different dimensions.
    #[error("expected pdf {pdf} in {expected} dimensions, got {got}")]
    PdfDim { pdf: usize, expected: usize, got: usize },
    /// A letter does not stand for parameters.
    #[error("expected letters of m, v, w, t and a for the parameters, got {letter:?} in {text:?}")]
    FlagLetter { letter: char, text: String },
    /// No Gaussian has a likelihood that is a number.
    #[error("no Gaussian has a likelihood that is a number in frame {frame}")]
    Likelihood { frame: usize },
    /// Two LDA statistics are of other sizes.
    #[error(
        "dimension or classes count mismatch: expected statistics of {} classes in {} dimensions, got {} in {}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    LdaSize { expected: (usize, usize), got: (usize, usize) },
    /// Two MLLT statistics are of other dimensions.
    #[error("summing accs of different size: expected statistics in {expected} dimensions, got {got}")]
    MlltSize { expected: usize, got: usize },
    /// There are no statistics to estimate anything from.
    #[error("there are no statistics")]
    NoData,
    /// More dimensions are wanted than there are.
    #[error("expected a dimension from 1 to {limit} ({why}), got {got}")]
    Dim { got: i32, limit: usize, why: &'static str },
    /// A text does not describe the contexts of a frame.
    #[error("expected contexts such as 0,1.0:-1,0.5;1,0.5 for `context_expansion`, got {got:?}")]
    Contexts { got: String },
    /// The Gaussians that were selected for a frame do not exist, or none were selected.
    #[error("expected numbers of existing Gaussians in frame {frame}, got {got:?}")]
    UnknownGaussians { frame: usize, got: Vec<i32> },
    /// Statistics of fMPE are of another transform.
    #[error(
        "expected derivatives of {} by {}, got {} by {}: statistics of another transform",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    FmpeSize { expected: (usize, usize), got: (usize, usize) },
    /// Derivatives by the features have another size than these.
    #[error(
        "expected derivatives of {} by {}, as the features are, got {} by {}",
        .expected.0, .expected.1, .got.0, .got.1
    )]
    Derivatives { expected: (usize, usize), got: (usize, usize) },
    /// Features or derivatives of a frame are not finite numbers.
    #[error("expected features and derivatives that are finite numbers, got others in frame {frame}")]
    NotFinite { frame: usize },
    /// A class of VTLN does not exist.
    #[error("expected a class below {num_classes}, got {got}")]
    VtlnClass { got: i32, num_classes: usize },
    /// No class of VTLN has an objective function that is a number.
    #[error("no class has an objective function that is a number")]
    NoClass,
    /// Statistics of bases of fMLLR have another size.
    #[error("expected statistics of transforms with {expected} elements, got {got}")]
    BasisSize { expected: usize, got: usize },
    /// The full matrix of LDA does not fit features before splicing.
    #[error(
        "expected a full matrix of LDA and MLLT with the rejected rows, for frames of {raw_dim} dimensions side by \
         side and a model of {model_dim}, got {} by {}",
        .got.0, .got.1
    )]
    FullTransform { got: (usize, usize), raw_dim: i32, model_dim: usize },
    /// There is not one posterior for each Gaussian of a mixture.
    #[error("expected posteriors of {expected} Gaussians, got {got}")]
    Posteriors { expected: usize, got: usize },
    /// All frames have the same value in a dimension.
    #[error("the features do not vary in dimension {dim}")]
    NoSpread { dim: usize },
    /// A computation of the estimate is not possible with these statistics.
    #[error("cannot compute {what}: {source}")]
    Estimate { what: String, source: kaldi_matrix::Error },
    /// An iteration made the estimate worse instead of better.
    #[error("the objective function of row {row} decreases from {before} to {after}")]
    ObjectiveDecrease { row: usize, before: f64, after: f64 },
}

impl Error {
    /// Makes errors of a pdf.
    pub(crate) fn in_pdf(pdf: usize) -> impl Fn(Self) -> Self {
        move |source| Self::InPdf { pdf, source: Box::new(source) }
    }

    pub(crate) fn estimate(what: impl Into<String>) -> impl FnOnce(kaldi_matrix::Error) -> Self {
        |source| Self::Estimate { what: what.into(), source }
    }
}
