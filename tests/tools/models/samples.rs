//! A small file of every kind of models and of statistics.

use kaldi_any::ModelType;

use super::extractor::EXTRACTOR;
use super::{TRANSITIONS, TREE, gaussians};

const DIAG_GMM: &str = "<DiagGMM> \n<GCONSTS>  [ -8 -2 ]\n<WEIGHTS>  [ 0.5 0.5 ]\n<MEANS_INVVARS>  [\n  8 \n  1 ]\n<INV_VARS>  [\n  4 \n  0.25 ]\n</DiagGMM> \n";
const DIAG_STATS: &str = "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]\n<MEANACCS>  [\n  8 ]\n<DIAGVARACCS>  \
                          [\n  17 ]\n</GMMACCS> ";

/// One of a kind.
pub struct Sample {
    pub model_type: ModelType,
    /// The file as text.
    pub text: String,
    /// What table-info says of it, after its format.
    pub sizes: &'static str,
}

fn sample(model_type: ModelType, text: impl Into<String>, sizes: &'static str) -> Sample {
    Sample { model_type, text: text.into(), sizes }
}

/// All samples.
pub fn samples() -> Vec<Sample> {
    let (start, end) = (TRANSITIONS.find("<Topology>").unwrap(), TRANSITIONS.find("<Triples>").unwrap());
    let pdf_stats = format!("<NUMPDFS> 1 {DIAG_STATS}<total_like> -12.5 <total_frames> 4 ");
    let checks = "  1 \n".repeat(7);
    let mut samples = vec![
        sample(
            ModelType::Transitions,
            TRANSITIONS,
            "\"pdfs\":4,\"phones\":2,\"transition_ids\":8,\"transition_states\":4",
        ),
        sample(ModelType::Topology, &TRANSITIONS[start..end], "\"phones\":2"),
        sample(ModelType::Tree, TREE, "\"central_position\":0,\"context_width\":1,\"pdfs\":4"),
        sample(
            ModelType::TreeStats,
            "BTS 2 EV 2 -1 0 0 1 \nT GCL 2 0.5  [\n  2.5 1 \n  4.25 0.5 ]\nEV 2 -1 0 0 2 \nT GCL 1 0.5  [\n  1 1 \n  1 1 ]\n\n",
            "\"contexts\":2,\"dimension\":2,\"frames\":3",
        ),
        sample(
            ModelType::Questions,
            "<Questions> <Key> 0 <QuestionsForKey> 2 [ 1 ]\n[ 1 2 ]\n<RefineClustersOptions> 0 2 </RefineClustersOptions> \
             </QuestionsForKey> </Questions> ",
            "\"positions\":1,\"questions\":2",
        ),
        sample(ModelType::PdfGmms, gaussians(), "\"dimension\":1,\"gaussians\":4,\"pdfs\":4"),
        sample(ModelType::DiagGmm, DIAG_GMM, "\"dimension\":1,\"gaussians\":2"),
        sample(ModelType::DiagGmmStats, DIAG_STATS, "\"dimension\":1,\"frames\":4,\"gaussians\":1"),
        sample(
            ModelType::FullGmm,
            "<FullGMM> \n<GCONSTS>  [ -9.14473 ]\n<WEIGHTS>  [ 1 ]\n<MEANS_INVCOVARS>  [\n  8 0 ]\n<INV_COVARS> [\n4 \n0 1 ]\n</FullGMM> \n",
            "\"dimension\":2,\"gaussians\":1",
        ),
        sample(
            ModelType::FullGmmStats,
            DIAG_STATS.replace("<DIAGVARACCS>  [\n  17 ]", "<FULLVARACCS> [\n1 ]"),
            "\"dimension\":1,\"frames\":4,\"gaussians\":1",
        ),
        sample(ModelType::PdfStats, &pdf_stats, "\"dimension\":1,\"frames\":4,\"gaussians\":1,\"pdfs\":1"),
        sample(
            ModelType::AcousticStats,
            format!(" [ 0 3 1 ]\n{pdf_stats}"),
            "\"dimension\":1,\"frames\":4,\"gaussians\":1,\"pdfs\":1,\"transition_ids\":2",
        ),
    ];
    samples.extend([
        sample(ModelType::IvectorExtractor, EXTRACTOR, "\"dimension\":2,\"gaussians\":2,\"ivector_dimension\":2"),
        sample(
            ModelType::IvectorExtractorStats,
            "<IvectorExtractorStats> <TotAuxf> -12.5 <gamma>  [ 3 ]\n<Y> 1  [\n  150 2 ]\n<R>  [\n  30000 0.5 3 ]\n<Q>  [ ]\n<G>  [ \
             ]\n<S> 1 [\n12 ]\n<NumIvectors> 1 <IvectorSum>  [ 100 0.25 ]\n<IvectorScatter> [\n10000 \n25 1 ]\n\
             </IvectorExtractorStats> ",
            "\"dimension\":1,\"frames\":3,\"gaussians\":1,\"ivector_dimension\":2,\"ivectors\":1",
        ),
        sample(ModelType::Plda, "<Plda>  [ 0.5 ]\n [\n  2 ]\n [ 1.25 ]\n</Plda> ", "\"dimension\":1"),
        sample(
            ModelType::LogisticRegression,
            "<LogisticRegression> <weights>  [\n  -0.5 0.25 \n  0.5 -0.25 ]\n<class> [ 0 1 ]\n</LogisticRegression> ",
            "\"classes\":2,\"dimension\":1",
        ),
        sample(
            ModelType::LdaStats,
            "<LDAACCS> <VECSIZE> 1 <NUMCLASSES> 2 <ZERO_ACCS>  [ 3 1 ]\n<FIRST_ACCS>  [\n  6 \n  1 ]\n<SECOND_ACCS> [\n2 ]\n</LDAACCS> ",
            "\"classes\":2,\"dimension\":1,\"frames\":4",
        ),
        sample(
            ModelType::MlltStats,
            "<MlltAccs> 4 1 <G> [\n2 ]\n</MlltAccs> ",
            "\"dimension\":1,\"frames\":4",
        ),
        sample(
            ModelType::LinearVtln,
            "<LinearVtln> 2 <A>  [\n  1 ]\n<logdet> 0 <warp> 1 <A>  [\n  2 ]\n<logdet> 0.6931472 <warp> 1.25 <DefaultClass> 0 </LinearVtln> ",
            "\"classes\":2,\"dimension\":1",
        ),
        sample(
            ModelType::BasisFmllr,
            "<BASISFMLLRPARAM> <NUMBASIS> 1 <BASIS>  [\n  1 2 ]\n</BASISFMLLRPARAM> ",
            "\"bases\":1,\"dimension\":1",
        ),
        sample(
            ModelType::BasisFmllrStats,
            "<BASISFMLLRACCUS> <BETA> 12 <GRADSCATTER> [\n4 \n1 2 ]\n</BASISFMLLRACCUS> ",
            "\"dimension\":1,\"frames\":12",
        ),
        sample(
            ModelType::Fmpe,
            format!("{DIAG_GMM}0,1:-1,0.5;1,2 5  [\n  1 2 \n  0 1 \n  3 4 \n  1 1 ]\n[\n2 ]\n"),
            "\"contexts\":2,\"dimension\":1,\"gaussians\":2",
        ),
        sample(
            ModelType::FmpeStats,
            format!(" [\n  1 2 0 1 \n  0 1 2 3 ]\n [\n{checks}  1 ]\n"),
            "\"contexts\":2,\"dimension\":1,\"gaussians\":1",
        ),
    ]);
    samples
}
