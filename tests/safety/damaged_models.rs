//! Files of models, cut and damaged at every byte.

use bstr::BStr;
use kaldi_any::ModelType;
use kaldi_gmm::transform::{BasisFmllr, BasisFmllrStats, Fmpe, FmpeStats, LdaStats, LinearVtln, MlltStats};
use kaldi_gmm::{AccumDiagGmm, AccumFullGmm, AcousticModel, AcousticStats, AmDiagGmm, DiagGmm, FullGmm, PdfStats};
use kaldi_hmm::{ContextDependency, HmmTopology, Questions, TransitionModel, TreeStats};
use kaldi_inspect::{ModelSummary, Named, NamedKind, model_text};
use kaldi_ivector::{IvectorExtractor, IvectorExtractorStats, LogisticRegression, Plda};
use kaldi_table::read_file;
use kaldi_value::{Cursor, Format, Value};

use crate::support::Scratch;
use crate::tools::models::extractor::{EXTRACTOR, WITH_WEIGHTS};
use crate::tools::models::samples::{Sample, samples};
use crate::tools::models::{TRANSITIONS, gaussians};

/// What a byte is combined with, by exclusive or: single bits, signs, and values that turn letters into spaces.
const DAMAGE: [u8; 10] = [0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0x7f, 0xff];

/// A model that is cut is an error that names the file; one with a wrong byte is another model, or an error of one line.
fn survives<T: Value>(text: &str) {
    let model = T::read(&mut Cursor::new(text.as_bytes())).unwrap();
    let scratch = Scratch::new();
    let path = scratch.path("cut.mdl").into_os_string().into_encoded_bytes();
    for format in [Format::Binary, Format::Text] {
        let mut bytes = model.to_bytes(format);
        // White space at the end of a text is not always needed.
        let needed = if format == Format::Text { bytes.trim_ascii_end().len() } else { bytes.len() };
        // Old statistics of pdfs end before their totals.
        let is_whole = |cut: usize| bytes[cut..].trim_ascii_start().starts_with(b"<total_like>");
        for cut in (0..needed).filter(|&cut| !is_whole(cut)) {
            scratch.write("cut.mdl", &bytes[..cut]);
            let Err(error) = kaldi_io::log::capture(|| read_file::<T>(&path)).0 else {
                panic!("{}: {cut} bytes", T::NAME)
            };
            let error = error.to_string();
            assert!(error.contains("cut.mdl:") && !error.contains('\n'), "{} in {cut} bytes: {error}", T::NAME);
        }
        for place in 0..bytes.len() {
            for damage in DAMAGE {
                bytes[place] ^= damage;
                let (read, frame) = (T::read(&mut Cursor::new(&bytes)), T::frame(&bytes, true));
                if let Some(error) = read.err() {
                    let what = format!("{}, byte {place} ^ {damage:#x}: {error}", T::NAME);
                    assert!(error.offset <= bytes.len() && !error.to_string().contains('\n'), "{what}");
                    assert!(frame.is_err(), "{what}");
                }
                bytes[place] ^= damage;
            }
        }
    }
}

/// Damages the sample of a kind.
fn sample_survives<T: Value>(model_type: ModelType) {
    let found = samples().into_iter().find(|sample| sample.model_type == model_type);
    survives::<T>(&found.unwrap().text);
}

#[test]
fn damaged_transforms_are_others_or_an_error() {
    sample_survives::<LinearVtln>(ModelType::LinearVtln);
    sample_survives::<BasisFmllr>(ModelType::BasisFmllr);
    sample_survives::<Fmpe>(ModelType::Fmpe);
}

#[test]
fn damaged_statistics_for_transforms_are_others_or_an_error() {
    sample_survives::<BasisFmllrStats>(ModelType::BasisFmllrStats);
    sample_survives::<FmpeStats>(ModelType::FmpeStats);
    sample_survives::<LdaStats>(ModelType::LdaStats);
    sample_survives::<MlltStats>(ModelType::MlltStats);
}

#[test]
fn damaged_models_of_speakers_are_others_or_an_error() {
    sample_survives::<Plda>(ModelType::Plda);
    sample_survives::<LogisticRegression>(ModelType::LogisticRegression);
}

#[test]
fn damaged_statistics_of_pdfs_are_others_or_an_error() {
    sample_survives::<PdfStats>(ModelType::PdfStats);
    sample_survives::<AcousticStats>(ModelType::AcousticStats);
    sample_survives::<AmDiagGmm>(ModelType::PdfGmms);
}

/// What tools that look into files do with a damaged one: a summary and a text, or an error of one line.
fn looks(scratch: &Scratch, bytes: &[u8], what: &str) -> Option<ModelType> {
    scratch.write("x", bytes);
    let name = scratch.path("x").into_os_string().into_encoded_bytes();
    let name: &BStr = name.as_slice().into();
    let NamedKind::Model(model_type) = Named::find(name).unwrap().kind else { return None };
    let (looked, _) = kaldi_io::log::capture(|| {
        let summary = ModelSummary::read(name, model_type).map(drop);
        summary.and_then(|()| model_text(name, model_type).map(drop))
    });
    if let Err(error) = looked {
        let error = error.to_string();
        assert!(error.contains("/x") && !error.contains('\n'), "{what}: {error}");
    }
    Some(model_type)
}

#[test]
fn a_damaged_model_of_any_kind_is_looked_at() {
    let scratch = Scratch::new();
    for Sample { model_type, text, .. } in samples() {
        for format in [Format::Text, Format::Binary] {
            let mut bytes = bytes_of(model_type, &text, format);
            assert_eq!(looks(&scratch, &bytes, model_type.name()), Some(model_type), "{format:?}");
            for cut in 0..bytes.len() {
                looks(&scratch, &bytes[..cut], model_type.name());
            }
            for place in 0..bytes.len() {
                for damage in [0x01, 0x80] {
                    bytes[place] ^= damage;
                    looks(&scratch, &bytes, &format!("{}, byte {place} ^ {damage:#x}", model_type.name()));
                    bytes[place] ^= damage;
                }
            }
        }
    }
}

/// A sample in one of the two formats.
fn bytes_of(model_type: ModelType, text: &str, format: Format) -> Vec<u8> {
    fn written<T: Value>(text: &str, format: Format) -> Vec<u8> {
        T::read(&mut Cursor::new(text.as_bytes())).unwrap().to_bytes(format)
    }
    let written = match model_type {
        ModelType::Transitions => written::<TransitionModel>,
        ModelType::Topology => written::<HmmTopology>,
        ModelType::Tree => written::<ContextDependency>,
        ModelType::TreeStats => written::<TreeStats>,
        ModelType::Questions => written::<Questions>,
        ModelType::PdfGmms => written::<AmDiagGmm>,
        ModelType::PdfStats => written::<PdfStats>,
        ModelType::AcousticStats => written::<AcousticStats>,
        ModelType::DiagGmm => written::<DiagGmm>,
        ModelType::DiagGmmStats => written::<AccumDiagGmm>,
        ModelType::FullGmm => written::<FullGmm>,
        ModelType::FullGmmStats => written::<AccumFullGmm>,
        ModelType::IvectorExtractor => written::<IvectorExtractor>,
        ModelType::IvectorExtractorStats => written::<IvectorExtractorStats>,
        ModelType::Plda => written::<Plda>,
        ModelType::LogisticRegression => written::<LogisticRegression>,
        ModelType::LdaStats => written::<LdaStats>,
        ModelType::MlltStats => written::<MlltStats>,
        ModelType::LinearVtln => written::<LinearVtln>,
        ModelType::BasisFmllr => written::<BasisFmllr>,
        ModelType::BasisFmllrStats => written::<BasisFmllrStats>,
        ModelType::Fmpe => written::<Fmpe>,
        ModelType::FmpeStats => written::<FmpeStats>,
    };
    written(text, format)
}

#[test]
fn a_damaged_topology_is_another_one_or_an_error() {
    let (start, end) = (TRANSITIONS.find("<Topology>").unwrap(), TRANSITIONS.find("<Triples>").unwrap());
    survives::<HmmTopology>(&TRANSITIONS[start..end]);
}

#[test]
fn a_damaged_transition_model_is_another_one_or_an_error() {
    survives::<TransitionModel>(TRANSITIONS);
}

#[test]
fn a_damaged_model_of_mixtures_is_another_one_or_an_error() {
    survives::<AcousticModel>(&[TRANSITIONS, &gaussians()].concat());
}

#[test]
fn a_damaged_mixture_is_another_one_or_an_error() {
    survives::<DiagGmm>(
        "<DiagGMM> \n<GCONSTS>  [ -8 -2 ]\n<WEIGHTS>  [ 1 0.5 ]\n<MEANS_INVVARS>  [\n  8 \n  1 ]\n<INV_VARS>  [\n  4 \n  0.25 \
         ]\n</DiagGMM> \n",
    );
    survives::<FullGmm>(
        "<FullGMM> \n<GCONSTS>  [ -9 ]\n<WEIGHTS>  [ 1 ]\n<MEANS_INVCOVARS>  [\n  8 0 ]\n<INV_COVARS> [\n4 \n0 1 ]\n</FullGMM> \n",
    );
}

#[test]
fn damaged_statistics_of_a_mixture_are_others_or_an_error() {
    let head = "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]\n<MEANACCS>  [\n  8 ]\n";
    survives::<AccumDiagGmm>(&format!("{head}<DIAGVARACCS>  [\n  17 ]\n</GMMACCS> "));
    survives::<AccumFullGmm>(&format!("{head}<FULLVARACCS> [\n1 ]\n</GMMACCS> "));
}

#[test]
fn a_damaged_tree_is_another_one_or_an_error() {
    survives::<ContextDependency>(
        "ContextDependency 3 1 ToPdf TE 1 3 ( NULL CE 0 SE -1 [ 0 1 ]\n{ CE 1 CE 2 } \n) \nEndContextDependency ",
    );
}

#[test]
fn damaged_tree_statistics_are_others_or_an_error() {
    survives::<TreeStats>(
        "BTS 2 EV 2 -1 0 0 1 \nT GCL 2 0.5  [\n  2.5 1 \n  4.25 0.5 ]\nEV 2 -1 0 0 2 \nT GCL 1 0.5  [\n  1 1 \n  1 1 ]\n\n",
    );
}

#[test]
fn damaged_questions_are_others_or_an_error() {
    survives::<Questions>(
        "<Questions> <Key> 0 <QuestionsForKey> 2 [ 1 ]\n[ 1 2 ]\n<RefineClustersOptions> 0 2 </RefineClustersOptions> \
         </QuestionsForKey> </Questions> ",
    );
}

#[test]
fn a_damaged_i_vector_extractor_is_another_one_or_an_error() {
    survives::<IvectorExtractor>(EXTRACTOR);
    survives::<IvectorExtractor>(WITH_WEIGHTS);
}

#[test]
fn damaged_statistics_of_i_vectors_are_others_or_an_error() {
    survives::<IvectorExtractorStats>(
        "<IvectorExtractorStats> <TotAuxf> -12.5 <gamma>  [ 3 ]\n<Y> 1  [\n  150 2 ]\n<R>  [\n  30000 0.5 3 ]\n<Q>  [\n  1 2 3 \
         ]\n<G>  [\n  1 2 ]\n<S> 1 [\n12 ]\n<NumIvectors> 1 <IvectorSum>  [ 100 0.25 ]\n<IvectorScatter> [\n10000 \n25 1 ]\n\
         </IvectorExtractorStats> ",
    );
}
