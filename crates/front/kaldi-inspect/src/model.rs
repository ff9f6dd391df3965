//! Files of models and of statistics for them: how large they are, and their text.

use std::collections::BTreeMap;

use bstr::BStr;
use kaldi_any::ModelType;
use kaldi_gmm::transform::{BasisFmllr, BasisFmllrStats, Fmpe, FmpeStats, LdaStats, LinearVtln, MlltStats};
use kaldi_gmm::{AccumDiagGmm, AccumFullGmm, AcousticStats, AmDiagGmm, DiagGmm, FullGmm, GmmStats, Mixture, PdfStats};
use kaldi_hmm::{ContextDependency, HmmTopology, Questions, TransitionModel, TreeStats};
use kaldi_io::ParseError;
use kaldi_ivector::{IvectorExtractor, IvectorExtractorStats, LogisticRegression, Plda};
use kaldi_table::{RawEntries, Reader, Typed, read_file};
use kaldi_value::{Cursor, Format, Frame, KaldiObject, Value};

use crate::Result;
use crate::trailing_bytes::{bytes_after, is_network};

/// The sizes of a model, or of the data of which there are statistics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSummary {
    /// Its kind.
    pub model_type: ModelType,
    /// Numbers of its parts by their names: `phones`, `pdfs`, `gaussians`, `frames` ...
    pub sizes: BTreeMap<&'static str, u64>,
}

impl ModelSummary {
    /// Reads the model, or the statistics, that an rxfilename names. Of a model of transitions and a network only the transitions are read.
    ///
    /// # Errors
    /// If it is no such model.
    pub fn read(name: &BStr, model_type: ModelType) -> Result<Self> {
        let sizes = (row(model_type).sizes)(name)?;
        let sizes = sizes.into_iter().map(|(name, size)| (name, size as u64)).collect();
        Ok(Self { model_type, sizes })
    }
}

/// The text form of the model that an rxfilename names. Of a model of transitions and a network only the transitions are
/// read.
///
/// # Errors
/// If it is no such model.
pub fn model_text(name: &BStr, model_type: ModelType) -> Result<Vec<u8>> {
    (row(model_type).text)(name)
}

/// What follows a model or statistics that should be all that a file has; `None` if that is nothing.
///
/// # Errors
/// If it is no such model.
pub fn model_rest(name: &BStr, model_type: ModelType) -> Result<Option<String>> {
    let (end, is_text) = (row(model_type).end)(name)?;
    match model_type == ModelType::Transitions && is_network(name, end) {
        true => Ok(None),
        false => bytes_after(name, end, is_text),
    }
}

/// Whether there is a network behind the transitions of a model.
pub(crate) fn has_network(name: &BStr, model_type: ModelType) -> Result<bool> {
    let (end, _) = (row(model_type).end)(name)?;
    Ok(model_type == ModelType::Transitions && is_network(name, end))
}

/// How files of one kind are read.
struct Row {
    /// Where the model ends, and whether it is text.
    end: fn(&BStr) -> Result<(u64, bool)>,
    sizes: fn(&BStr) -> Result<Sizes>,
    text: fn(&BStr) -> Result<Vec<u8>>,
}

/// The row of a kind whose files hold this type, with these sizes.
macro_rules! row {
    ($model:ty, $sizes:expr) => {
        Row { end: end::<$model>, sizes: |name| Ok($sizes(&read_file::<$model>(name)?)), text: text::<$model> }
    };
}

fn row(model_type: ModelType) -> Row {
    match model_type {
        ModelType::Transitions => row!(Model, of_transitions),
        ModelType::Topology => row!(HmmTopology, of_topology),
        ModelType::Tree => row!(ContextDependency, of_tree),
        ModelType::TreeStats => row!(TreeStats, of_tree_stats),
        ModelType::Questions => row!(Questions, of_questions),
        ModelType::PdfGmms => row!(AmDiagGmm, of_pdfs),
        ModelType::PdfStats => row!(PdfStats, of_pdf_stats),
        ModelType::AcousticStats => row!(AcousticStats, of_acoustic_stats),
        ModelType::DiagGmm => row!(DiagGmm, of_mixture),
        ModelType::DiagGmmStats => row!(AccumDiagGmm, of_mixture_stats),
        ModelType::FullGmm => row!(FullGmm, of_mixture),
        ModelType::FullGmmStats => row!(AccumFullGmm, of_mixture_stats),
        ModelType::IvectorExtractor => row!(IvectorExtractor, of_extractor),
        ModelType::IvectorExtractorStats => row!(IvectorExtractorStats, of_extractor_stats),
        ModelType::Plda => row!(Plda, of_plda),
        ModelType::LogisticRegression => row!(LogisticRegression, of_regression),
        ModelType::LdaStats => row!(LdaStats, of_lda_stats),
        ModelType::MlltStats => row!(MlltStats, of_mllt_stats),
        ModelType::LinearVtln => row!(LinearVtln, of_vtln),
        ModelType::BasisFmllr => row!(BasisFmllr, of_bases),
        ModelType::BasisFmllrStats => row!(BasisFmllrStats, of_basis_stats),
        ModelType::Fmpe => row!(Fmpe, of_fmpe),
        ModelType::FmpeStats => row!(FmpeStats, of_fmpe_stats),
    }
}

fn end<T: Value>(name: &BStr) -> Result<(u64, bool)> {
    let mut value = RawEntries::file(name, Typed::of::<T>())?;
    Ok(value.next()?.map_or((u64::MAX, false), |value| (value.end(), value.is_text())))
}

fn text<T: Value>(name: &BStr) -> Result<Vec<u8>> {
    Ok(read_file::<T>(name)?.to_bytes(Format::Text))
}

type Sizes = Vec<(&'static str, usize)>;

fn of_transitions(model: &Model) -> Sizes {
    let transitions = &model.transitions;
    let mut sizes = vec![
        ("phones", transitions.phones().len()),
        ("pdfs", transitions.num_pdfs()),
        ("transition_ids", transitions.num_transition_ids()),
        ("transition_states", transitions.num_transition_states()),
    ];
    if let Some(pdfs) = &model.pdfs {
        sizes.extend([("gaussians", pdfs.num_gauss()), ("dimension", pdfs.dim())]);
    }
    sizes
}

fn of_topology(topology: &HmmTopology) -> Sizes {
    vec![("phones", topology.phones().len())]
}

fn of_tree(tree: &ContextDependency) -> Sizes {
    let number = |number: i32| number.max(0) as usize;
    vec![
        ("pdfs", tree.num_pdfs()),
        ("context_width", number(tree.context_width())),
        ("central_position", number(tree.central_position())),
    ]
}

fn of_tree_stats(stats: &TreeStats) -> Sizes {
    vec![("contexts", stats.len()), ("dimension", stats.dim()), ("frames", count(stats.count()))]
}

fn of_questions(questions: &Questions) -> Sizes {
    vec![("positions", questions.iter().count()), ("questions", questions.iter().map(|(_, of)| of.sets.len()).sum())]
}

fn of_pdfs(pdfs: &AmDiagGmm) -> Sizes {
    vec![("pdfs", pdfs.pdfs().len()), ("gaussians", pdfs.num_gauss()), ("dimension", pdfs.dim())]
}

fn of_pdf_stats(stats: &PdfStats) -> Sizes {
    let pdfs = stats.pdfs();
    vec![
        ("pdfs", pdfs.len()),
        ("gaussians", pdfs.iter().map(AccumDiagGmm::num_gauss).sum()),
        ("dimension", pdfs.first().map_or(0, AccumDiagGmm::dim)),
        ("frames", count(stats.total_count())),
    ]
}

fn of_acoustic_stats(stats: &AcousticStats) -> Sizes {
    let mut sizes = of_pdf_stats(stats.pdf_stats());
    // Element 0 is unused.
    sizes.push(("transition_ids", stats.transitions().len() - 1));
    sizes
}

fn of_mixture(mixture: &impl Mixture) -> Sizes {
    vec![("gaussians", mixture.num_gauss()), ("dimension", mixture.dim())]
}

fn of_mixture_stats(stats: &impl GmmStats) -> Sizes {
    let frames = count(stats.occupancy().iter().sum());
    vec![("gaussians", stats.num_gauss()), ("dimension", stats.dim()), ("frames", frames)]
}

fn of_extractor(extractor: &IvectorExtractor) -> Sizes {
    vec![
        ("gaussians", extractor.num_gauss()),
        ("dimension", extractor.feat_dim()),
        ("ivector_dimension", extractor.ivector_dim()),
    ]
}

fn of_extractor_stats(stats: &IvectorExtractorStats) -> Sizes {
    vec![
        ("gaussians", stats.num_gauss()),
        ("dimension", stats.feat_dim()),
        ("ivector_dimension", stats.ivector_dim()),
        ("ivectors", count(stats.num_ivectors())),
        ("frames", count(stats.count())),
    ]
}

fn of_plda(plda: &Plda) -> Sizes {
    vec![("dimension", plda.dim())]
}

fn of_regression(regression: &LogisticRegression) -> Sizes {
    vec![("classes", regression.num_classes()), ("dimension", regression.dim())]
}

fn of_lda_stats(stats: &LdaStats) -> Sizes {
    vec![("classes", stats.num_classes()), ("dimension", stats.dim()), ("frames", count(stats.count()))]
}

fn of_mllt_stats(stats: &MlltStats) -> Sizes {
    vec![("dimension", stats.dim()), ("frames", count(stats.count()))]
}

fn of_vtln(vtln: &LinearVtln) -> Sizes {
    vec![("classes", vtln.num_classes()), ("dimension", vtln.dim())]
}

fn of_bases(bases: &BasisFmllr) -> Sizes {
    vec![("bases", bases.num_bases()), ("dimension", bases.dim())]
}

fn of_basis_stats(stats: &BasisFmllrStats) -> Sizes {
    vec![("dimension", stats.dim()), ("frames", count(stats.count()))]
}

fn of_fmpe(fmpe: &Fmpe) -> Sizes {
    let mut sizes = of_mixture(fmpe.gmm());
    sizes.push(("contexts", fmpe.num_contexts()));
    sizes
}

fn of_fmpe_stats(stats: &FmpeStats) -> Sizes {
    vec![("gaussians", stats.num_gauss()), ("dimension", stats.dim()), ("contexts", stats.num_contexts())]
}

/// A sum of weights as a number of frames.
fn count(sum: f64) -> usize {
    sum.round() as usize
}

/// Transitions, and Gaussian mixtures if these follow.
pub(crate) struct Model {
    pub(crate) transitions: TransitionModel,
    pub(crate) pdfs: Option<AmDiagGmm>,
}

/// The first word of Gaussian mixtures.
const PDFS: &[u8] = b"<DIMENSION>";

impl Value for Model {
    const NAME: &'static str = "model";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        let transitions = TransitionModel::frame(window, at_end)?;
        let Frame::Whole(length) = transitions else { return Ok(transitions) };
        let rest = window[length..].trim_ascii_start();
        if rest.starts_with(PDFS) {
            return kaldi_gmm::AcousticModel::frame(window, at_end);
        }
        Ok(if at_end || !PDFS.starts_with(rest) { transitions } else { Frame::Partial(window.len() as u64 + 1) })
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        let transitions = TransitionModel::read_part(cursor)?;
        let has_pdfs = cursor.rest().trim_ascii_start().starts_with(PDFS);
        Ok(Self { transitions, pdfs: if has_pdfs { Some(AmDiagGmm::read_part(cursor)?) } else { None } })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.transitions.write_part(out, format);
        if let Some(pdfs) = &self.pdfs {
            pdfs.write_part(out, format);
        }
    }
}
