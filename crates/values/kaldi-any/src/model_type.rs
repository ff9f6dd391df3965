//! The kinds of files with a model or statistics for one.

/// What there is to know about a kind of files.
struct Row {
    /// The name.
    name: &'static str,
    /// What there is in a file.
    content: Content,
    /// A sentence that says so.
    sentence: &'static str,
    /// The first words of files. Kinds that share them with another one have none here.
    words: &'static [&'static str],
}

const fn row(name: &'static str, content: Content, sentence: &'static str, words: &'static [&'static str]) -> Row {
    Row { name, content, sentence, words }
}

/// Lists the kinds once: each has a row.
macro_rules! model_types {
    ($($(#[$doc:meta])* $variant:ident = $row:expr;)*) => {
        /// The kind of a file with a model, or with statistics from which one is estimated. Its first word shows most of
        /// them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum ModelType {
            $($(#[$doc])* $variant,)*
        }

        impl ModelType {
            /// Every kind.
            const ALL: &[Self] = &[$(Self::$variant,)*];

            const fn row(self) -> &'static Row {
                match self {
                    $(Self::$variant => const { &$row },)*
                }
            }
        }
    };
}

model_types! {
    /// Transitions, perhaps with Gaussian mixtures or a network after them: `final.mdl`.
    Transitions = row("transition-model", Content::Model, "this is a model", &["<TransitionModel>"]);
    /// The states of phones.
    Topology = row("topology", Content::Model, "this is a topology", &["<Topology>"]);
    /// A decision tree.
    Tree = row("tree", Content::Model, "this is a decision tree", &["ContextDependency"]);
    /// Statistics for a decision tree.
    TreeStats = row("tree-stats", Content::Stats, "these are statistics for a tree", &["BTS"]);
    /// Questions for a decision tree.
    Questions = row("questions", Content::Models, "these are questions for a tree", &["<Questions>"]);
    /// The Gaussian mixtures of all pdfs, without transitions.
    PdfGmms = row("pdf-gmms", Content::Models, "these are mixtures of Gaussians without transitions", &["<DIMENSION>"]);
    /// Statistics of the mixtures of all pdfs.
    PdfStats = row("pdf-stats", Content::Stats, "these are statistics of a model", &["<NUMPDFS>"]);
    /// The same after counts of transition-ids.
    AcousticStats = row("acoustic-stats", Content::Stats, "these are statistics of a model", &[]);
    /// A mixture of Gaussians with diagonal covariances.
    DiagGmm = row("diag-gmm", Content::Model, "this is a mixture of Gaussians", &["<DiagGMM>", "<DiagGMMBegin>"]);
    /// Statistics of such a mixture.
    DiagGmmStats = row("diag-gmm-stats", Content::Stats, "these are statistics of a mixture of Gaussians", &["<GMMACCS>"]);
    /// A mixture of Gaussians with full covariances.
    FullGmm = row("full-gmm", Content::Model, "this is a mixture of Gaussians", &["<FullGMM>", "<FullGMMBegin>"]);
    /// Statistics of such a mixture.
    FullGmmStats = row("full-gmm-stats", Content::Stats, "these are statistics of a mixture of Gaussians", &[]);
    /// An i-vector extractor.
    IvectorExtractor = row("ivector-extractor", Content::Model, "this is an i-vector extractor", &["<IvectorExtractor>"]);
    /// Statistics for an i-vector extractor.
    IvectorExtractorStats = row("ivector-extractor-stats", Content::Stats, "these are statistics for an i-vector extractor", &["<IvectorExtractorStats>"]);
    /// A PLDA model.
    Plda = row("plda", Content::Model, "this is a PLDA model", &["<Plda>"]);
    /// A logistic regression.
    LogisticRegression = row("logistic-regression", Content::Model, "this is a logistic regression", &["<LogisticRegression>"]);
    /// Statistics for LDA.
    LdaStats = row("lda-stats", Content::Stats, "these are statistics for LDA", &["<LDAACCS>"]);
    /// Statistics for MLLT.
    MlltStats = row("mllt-stats", Content::Stats, "these are statistics for MLLT", &["<MlltAccs>"]);
    /// Transforms of linear VTLN.
    LinearVtln = row("linear-vtln", Content::Models, "these are transforms of linear VTLN", &["<LinearVtln>"]);
    /// Bases of fMLLR.
    BasisFmllr = row("basis-fmllr", Content::Models, "these are bases of fMLLR", &["<BASISFMLLRPARAM>"]);
    /// Statistics for bases of fMLLR.
    BasisFmllrStats = row("basis-fmllr-stats", Content::Stats, "these are statistics for bases of fMLLR", &["<BASISFMLLRACCUS>"]);
    /// An fMPE transform.
    Fmpe = row("fmpe", Content::Model, "this is an fMPE transform", &[]);
    /// Statistics for an fMPE transform.
    FmpeStats = row("fmpe-stats", Content::Stats, "these are statistics for fMPE", &[]);
}

impl ModelType {
    /// The kind of the model or the statistics that start with these bytes; `None` if they are neither.
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
        Self::ALL.iter().copied().find(|it| it.row().words.iter().any(|token| token.as_bytes() == word))
    }

    /// The name: `transition-model`, `tree`, `lda-stats` ...
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether it has statistics, from which a model is estimated.
    pub fn is_stats(self) -> bool {
        self.row().content == Content::Stats
    }

    /// Whether it is several things in a sentence: `these are statistics`, not `this is a model`.
    pub(crate) fn is_several(self) -> bool {
        self.row().content != Content::Model
    }

    /// What it is in a sentence: `this is a decision tree`.
    pub fn sentence(self) -> &'static str {
        self.row().sentence
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
