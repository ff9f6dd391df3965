//! The kinds of files with a model or statistics for one.

/// The kind of a file with a model, or with statistics from which one is estimated. Its first word shows most of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelType {
    /// Transitions, perhaps with Gaussian mixtures or a network after them: `final.mdl`.
    Transitions,
    /// The states of phones.
    Topology,
    /// A decision tree.
    Tree,
    /// Statistics for a decision tree.
    TreeStats,
    /// Questions for a decision tree.
    Questions,
    /// The Gaussian mixtures of all pdfs, without transitions.
    PdfGmms,
    /// Statistics of the mixtures of all pdfs.
    PdfStats,
    /// The same after counts of transition-ids.
    AcousticStats,
    /// A mixture of Gaussians with diagonal covariances.
    DiagGmm,
    /// Statistics of such a mixture.
    DiagGmmStats,
    /// A mixture of Gaussians with full covariances.
    FullGmm,
    /// Statistics of such a mixture.
    FullGmmStats,
    /// An i-vector extractor.
    IvectorExtractor,
    /// Statistics for an i-vector extractor.
    IvectorExtractorStats,
    /// A PLDA model.
    Plda,
    /// A logistic regression.
    LogisticRegression,
    /// Statistics for LDA.
    LdaStats,
    /// Statistics for MLLT.
    MlltStats,
    /// Transforms of linear VTLN.
    LinearVtln,
    /// Bases of fMLLR.
    BasisFmllr,
    /// Statistics for bases of fMLLR.
    BasisFmllrStats,
    /// An fMPE transform.
    Fmpe,
    /// Statistics for an fMPE transform.
    FmpeStats,
}

/// The first words of kinds. Of those that share one the first is here.
const FIRST_WORDS: [(&str, ModelType); 21] = [
    ("<TransitionModel>", ModelType::Transitions),
    ("<Topology>", ModelType::Topology),
    ("ContextDependency", ModelType::Tree),
    ("BTS", ModelType::TreeStats),
    ("<Questions>", ModelType::Questions),
    ("<DIMENSION>", ModelType::PdfGmms),
    ("<NUMPDFS>", ModelType::PdfStats),
    ("<DiagGMM>", ModelType::DiagGmm),
    ("<DiagGMMBegin>", ModelType::DiagGmm),
    ("<GMMACCS>", ModelType::DiagGmmStats),
    ("<FullGMM>", ModelType::FullGmm),
    ("<FullGMMBegin>", ModelType::FullGmm),
    ("<IvectorExtractor>", ModelType::IvectorExtractor),
    ("<IvectorExtractorStats>", ModelType::IvectorExtractorStats),
    ("<Plda>", ModelType::Plda),
    ("<LogisticRegression>", ModelType::LogisticRegression),
    ("<LDAACCS>", ModelType::LdaStats),
    ("<MlltAccs>", ModelType::MlltStats),
    ("<LinearVtln>", ModelType::LinearVtln),
    ("<BASISFMLLRPARAM>", ModelType::BasisFmllr),
    ("<BASISFMLLRACCUS>", ModelType::BasisFmllrStats),
];

impl ModelType {
    /// The kind of the model or the statistics that start with these bytes; `None` if they are none.
    ///
    /// The first word of some kinds is that of another kind, or no word of their own:
    ///
    /// | kind | found as |
    /// | --- | --- |
    /// | [`Fmpe`](Self::Fmpe) | [`DiagGmm`](Self::DiagGmm) |
    /// | [`FullGmmStats`](Self::FullGmmStats) | [`DiagGmmStats`](Self::DiagGmmStats) |
    /// | [`AcousticStats`](Self::AcousticStats), [`FmpeStats`](Self::FmpeStats) | `None`: a vector, a matrix |
    pub fn of(head: &[u8]) -> Option<Self> {
        let text = head.strip_prefix(b"\0B").unwrap_or(head).trim_ascii_start();
        let word = text.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        FIRST_WORDS.iter().find(|(token, _)| token.as_bytes() == word).map(|&(_, model_type)| model_type)
    }

    /// The name, what there is in a file, and a sentence that says so.
    const fn facts(self) -> (&'static str, Content, &'static str) {
        use Content::{Model, Models, Stats};
        match self {
            Self::Transitions => ("transition-model", Model, "this is a model"),
            Self::Topology => ("topology", Model, "this is a topology"),
            Self::Tree => ("tree", Model, "this is a decision tree"),
            Self::TreeStats => ("tree-stats", Stats, "these are statistics for a tree"),
            Self::Questions => ("questions", Models, "these are questions for a tree"),
            Self::PdfGmms => ("pdf-gmms", Models, "these are mixtures of Gaussians without transitions"),
            Self::PdfStats => ("pdf-stats", Stats, "these are statistics of a model"),
            Self::AcousticStats => ("acoustic-stats", Stats, "these are statistics of a model"),
            Self::DiagGmm => ("diag-gmm", Model, "this is a mixture of Gaussians"),
            Self::DiagGmmStats => ("diag-gmm-stats", Stats, "these are statistics of a mixture of Gaussians"),
            Self::FullGmm => ("full-gmm", Model, "this is a mixture of Gaussians"),
            Self::FullGmmStats => ("full-gmm-stats", Stats, "these are statistics of a mixture of Gaussians"),
            Self::IvectorExtractor => ("ivector-extractor", Model, "this is an i-vector extractor"),
            Self::IvectorExtractorStats => {
                ("ivector-extractor-stats", Stats, "these are statistics for an i-vector extractor")
            }
            Self::Plda => ("plda", Model, "this is a PLDA model"),
            Self::LogisticRegression => ("logistic-regression", Model, "this is a logistic regression"),
            Self::LdaStats => ("lda-stats", Stats, "these are statistics for LDA"),
            Self::MlltStats => ("mllt-stats", Stats, "these are statistics for MLLT"),
            Self::LinearVtln => ("linear-vtln", Models, "these are transforms of linear VTLN"),
            Self::BasisFmllr => ("basis-fmllr", Models, "these are bases of fMLLR"),
            Self::BasisFmllrStats => ("basis-fmllr-stats", Stats, "these are statistics for bases of fMLLR"),
            Self::Fmpe => ("fmpe", Model, "this is an fMPE transform"),
            Self::FmpeStats => ("fmpe-stats", Stats, "these are statistics for fMPE"),
        }
    }

    /// The name: `transition-model`, `tree`, `lda-stats` ...
    pub fn name(self) -> &'static str {
        self.facts().0
    }

    /// Whether it has statistics, from which a model is estimated.
    pub fn is_stats(self) -> bool {
        self.facts().1 == Content::Stats
    }

    /// Whether it is several things in a sentence: `these are statistics`, not `this is a model`.
    pub(crate) fn is_several(self) -> bool {
        self.facts().1 != Content::Model
    }

    /// What it is in a sentence: `this is a decision tree`.
    pub fn sentence(self) -> &'static str {
        self.facts().2
    }
}

/// What there is in a file of a kind.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// One thing that is used.
    Model,
    /// Several of them.
    Models,
    /// Statistics.
    Stats,
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
            (b"<FullGMMBegin> \n", Some(ModelType::FullGmm)),
            (b"\0B<IvectorExtractor> ", Some(ModelType::IvectorExtractor)),
            (b"\0BBTS \xfc", Some(ModelType::TreeStats)),
            (b"\0BFM \x04", None),
            (b"utt1 <TransitionModel> ", None),
            (b"", None),
        ] {
            assert_eq!(ModelType::of(head), expected);
        }
        assert_eq!(ModelType::DiagGmm.name(), "diag-gmm");
    }
}
