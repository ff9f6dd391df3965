//! Files of models: which kind they are, how large, and their text.

use std::collections::BTreeMap;

use bstr::BStr;
use kaldi_gmm::{AmDiagGmm, DiagGmm, FullGmm, Mixture};
use kaldi_hmm::{ContextDependency, HmmTopology, TransitionModel};
use kaldi_io::ParseError;
use kaldi_ivector::IvectorExtractor;
use kaldi_table::read_file;
use kaldi_values::{Cursor, Format, Frame, Value};

use crate::Result;

/// The kind of a model, which its first word shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelType {
    /// Transitions, perhaps with Gaussian mixtures or a network after them: `final.mdl`.
    Transitions,
    /// The states of phones.
    Topology,
    /// A decision tree.
    Tree,
    /// A mixture of Gaussians with diagonal covariances.
    DiagGmm,
    /// A mixture of Gaussians with full covariances.
    FullGmm,
    /// An i-vector extractor.
    IvectorExtractor,
}

/// The first word of each kind, and its name.
const TYPES: [(&str, ModelType, &str); 7] = [
    ("<TransitionModel>", ModelType::Transitions, "transition-model"),
    ("<Topology>", ModelType::Topology, "topology"),
    ("ContextDependency", ModelType::Tree, "tree"),
    ("<DiagGMM>", ModelType::DiagGmm, "diag-gmm"),
    ("<DiagGMMBegin>", ModelType::DiagGmm, "diag-gmm"),
    ("<FullGMM>", ModelType::FullGmm, "full-gmm"),
    ("<IvectorExtractor>", ModelType::IvectorExtractor, "ivector-extractor"),
];

impl ModelType {
    /// The kind of the model that starts with these bytes; `None` if it is no model.
    pub fn of(head: &[u8]) -> Option<Self> {
        let text = head.strip_prefix(b"\0B").unwrap_or(head).trim_ascii_start();
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        TYPES.iter().find(|(token, ..)| token.as_bytes() == word).map(|&(_, model_type, _)| model_type)
    }

    /// The name: `transition-model`, `topology`, `tree`, `diag-gmm`, `full-gmm`, `ivector-extractor`.
    pub fn name(self) -> &'static str {
        TYPES.iter().find(|(_, model_type, _)| *model_type == self).map_or("model", |&(.., name)| name)
    }
}

/// How large a model is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSummary {
    /// Its kind.
    pub model_type: ModelType,
    /// Numbers of its parts by their names: `phones`, `pdfs`, `gaussians` ...
    pub sizes: BTreeMap<&'static str, u64>,
}

impl ModelSummary {
    /// Reads the model that an rxfilename names. Of a model of transitions and a network only the transitions are read.
    ///
    /// # Errors
    /// If it is no such model.
    pub fn read(name: &BStr, model_type: ModelType) -> Result<Self> {
        let sizes = match model_type {
            ModelType::Transitions => sizes_of_transitions(&read_file(name)?),
            ModelType::Topology => sizes_of_topology(&read_file(name)?),
            ModelType::Tree => sizes_of_tree(&read_file(name)?),
            ModelType::DiagGmm => sizes_of_mixture(&read_file::<DiagGmm>(name)?),
            ModelType::FullGmm => sizes_of_mixture(&read_file::<FullGmm>(name)?),
            ModelType::IvectorExtractor => sizes_of_extractor(&read_file(name)?),
        };
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
    fn text<T: Value>(name: &BStr) -> Result<Vec<u8>> {
        let mut text = Vec::new();
        read_file::<T>(name)?.write(&mut text, Format::Text);
        Ok(text)
    }
    match model_type {
        ModelType::Transitions => text::<Model>(name),
        ModelType::Topology => text::<HmmTopology>(name),
        ModelType::Tree => text::<ContextDependency>(name),
        ModelType::DiagGmm => text::<DiagGmm>(name),
        ModelType::FullGmm => text::<FullGmm>(name),
        ModelType::IvectorExtractor => text::<IvectorExtractor>(name),
    }
}

type Sizes = Vec<(&'static str, usize)>;

fn sizes_of_transitions(model: &Model) -> Sizes {
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

fn sizes_of_topology(topology: &HmmTopology) -> Sizes {
    vec![("phones", topology.phones().len())]
}

fn sizes_of_tree(tree: &ContextDependency) -> Sizes {
    let number = |number: i32| number.max(0) as usize;
    vec![
        ("pdfs", tree.num_pdfs()),
        ("context_width", number(tree.context_width())),
        ("central_position", number(tree.central_position())),
    ]
}

fn sizes_of_mixture(mixture: &impl Mixture) -> Sizes {
    vec![("gaussians", mixture.num_gauss()), ("dimension", mixture.dim())]
}

fn sizes_of_extractor(extractor: &IvectorExtractor) -> Sizes {
    vec![
        ("gaussians", extractor.num_gauss()),
        ("dimension", extractor.feat_dim()),
        ("ivector_dimension", extractor.ivector_dim()),
    ]
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_shows_the_kind() {
        for (head, expected) in [
            (&b"\0B<TransitionModel> <Topology> "[..], Some(ModelType::Transitions)),
            (b"<TransitionModel> \n<Topology> \n", Some(ModelType::Transitions)),
            (b"<Topology>\n\n", Some(ModelType::Topology)),
            (b"ContextDependency 3 1 ToPdf ", Some(ModelType::Tree)),
            (b"\0B<DiagGMM> ", Some(ModelType::DiagGmm)),
            (b"<DiagGMMBegin> \n", Some(ModelType::DiagGmm)),
            (b"<FullGMM> \n", Some(ModelType::FullGmm)),
            (b"\0B<IvectorExtractor> ", Some(ModelType::IvectorExtractor)),
            (b"\0BFM \x04", None),
            (b"utt1 <TransitionModel> ", None),
            (b"", None),
        ] {
            assert_eq!(ModelType::of(head), expected);
        }
        assert_eq!(ModelType::DiagGmm.name(), "diag-gmm");
    }
}
