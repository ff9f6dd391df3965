//! The numbers of models as arrays.

use bstr::BStr;
use kaldi_any::ModelType;
use kaldi_gmm::transform::{BasisFmllr, LinearVtln};
use kaldi_gmm::{AmDiagGmm, DiagGmm, Error as GmmError, FullGmm, Mixture};
use kaldi_hmm::TransitionModel;
use kaldi_ivector::{IvectorExtractor, Plda};
use kaldi_matrix::SymmetricMatrix;
use kaldi_table::read_file;

use crate::model::Model;
use crate::{Elements, Error, Numbers, Result};

/// The numbers of a model as named arrays: weights, means and (co)variances of Gaussians, what transition-ids are.
///
/// Their names and sizes are in `docs/formats.md`. Element 0 of arrays of transition-ids is unused, so that
/// transition-ids are indices.
///
/// # Errors
/// If the file is no such model, or is of a kind of which nothing is exported: a tree, a topology, statistics.
pub fn model_arrays(name: &BStr, model_type: ModelType) -> Result<Vec<(&'static str, Numbers)>> {
    let read = array_reader(model_type).ok_or_else(|| Error::NoArrays { name: name.to_owned(), model_type })?;
    read(name)
}

type Arrays = Vec<(&'static str, Numbers)>;

/// The function that reads the arrays of models of a kind; `None` if nothing of them is exported.
pub(crate) fn array_reader(model_type: ModelType) -> Option<fn(&BStr) -> Result<Arrays>> {
    Some(match model_type {
        ModelType::Transitions => |name| Ok(of_model(&read_file(name)?)),
        ModelType::DiagGmm => |name| Ok(of_diag_gmm(&read_file(name)?)),
        ModelType::FullGmm => |name| {
            of_full_gmm(&read_file(name)?).map_err(|error| Error::ModelNumbers { name: name.to_owned(), source: error })
        },
        ModelType::IvectorExtractor => |name| Ok(of_extractor(&read_file(name)?)),
        ModelType::PdfGmms => |name| Ok(of_pdfs(&read_file(name)?)),
        ModelType::Plda => |name| Ok(of_plda(&read_file(name)?)),
        ModelType::LinearVtln => |name| Ok(of_vtln(&read_file(name)?)),
        ModelType::BasisFmllr => |name| Ok(of_bases(&read_file(name)?)),
        _ => return None,
    })
}

fn single(dims: &[usize], numbers: Vec<f32>) -> Numbers {
    Numbers { dims: dims.to_vec(), elements: Elements::Single(numbers) }
}

fn double(dims: &[usize], numbers: Vec<f64>) -> Numbers {
    Numbers { dims: dims.to_vec(), elements: Elements::Double(numbers) }
}

fn integers(numbers: Vec<i32>) -> Numbers {
    Numbers { dims: vec![numbers.len()], elements: Elements::Integer(numbers) }
}

fn of_model(model: &Model) -> Arrays {
    let mut arrays = of_transitions(&model.transitions);
    arrays.extend(model.pdfs.iter().flat_map(of_pdfs));
    arrays
}

fn of_transitions(model: &TransitionModel) -> Arrays {
    // Element 0 is unused, since ids count from 1; `none` is a number that no id has.
    let of_ids = |none: i32, number: fn(&kaldi_hmm::TransitionFacts) -> i32| {
        integers(std::iter::once(none).chain(model.all_facts().iter().map(number)).collect())
    };
    vec![
        ("transition_log_probs", single(&[model.log_probs().len()], model.log_probs().to_vec())),
        ("transition_phones", of_ids(0, |facts| facts.phone)),
        ("transition_pdfs", of_ids(-1, |facts| facts.pdf)),
        ("transition_states", of_ids(0, |facts| facts.transition_state as i32)),
    ]
}

/// All Gaussians of all pdfs, one after the other.
fn of_pdfs(model: &AmDiagGmm) -> Arrays {
    let (num_gauss, dim) = (model.num_gauss(), model.dim());
    let all = |numbers: fn(&DiagGmm) -> Vec<f32>| model.pdfs().iter().flat_map(numbers).collect();
    let pdfs = (0..).zip(model.pdfs()).flat_map(|(pdf, gmm)| std::iter::repeat_n(pdf, gmm.num_gauss()));
    vec![
        ("pdfs", integers(pdfs.collect())),
        ("weights", single(&[num_gauss], all(|gmm| gmm.weights().to_vec()))),
        ("means", single(&[num_gauss, dim], all(|gmm| gmm.means().into_vec()))),
        ("variances", single(&[num_gauss, dim], all(|gmm| gmm.vars().into_vec()))),
    ]
}

fn of_diag_gmm(gmm: &DiagGmm) -> Arrays {
    let (num_gauss, dim) = (gmm.num_gauss(), gmm.dim());
    vec![
        ("weights", single(&[num_gauss], gmm.weights().to_vec())),
        ("means", single(&[num_gauss, dim], gmm.means().into_vec())),
        ("variances", single(&[num_gauss, dim], gmm.vars().into_vec())),
    ]
}

fn of_full_gmm(gmm: &FullGmm) -> Result<Arrays, GmmError> {
    let (num_gauss, dim) = (gmm.num_gauss(), gmm.dim());
    let (mut means, mut covariances) = (Vec::new(), Vec::new());
    for gauss in 0..num_gauss {
        let (mean, covariance) = gmm.moments(gauss)?;
        means.extend(mean.as_slice().iter().map(|&value| value as f32));
        covariances.extend(covariance.to_matrix().as_slice().iter().map(|&value| value as f32));
    }
    Ok(vec![
        ("weights", single(&[num_gauss], gmm.weights().to_vec())),
        ("means", single(&[num_gauss, dim], means)),
        ("covariances", single(&[num_gauss, dim, dim], covariances)),
    ])
}

fn of_extractor(extractor: &IvectorExtractor) -> Arrays {
    let (num_gauss, dim, ivector_dim) = (extractor.num_gauss(), extractor.feat_dim(), extractor.ivector_dim());
    let projections: Vec<f64> = extractor.projections().iter().flat_map(|matrix| matrix.as_slice()).copied().collect();
    // The mean of i-vectors is zero but for the first element.
    let means = projections.iter().step_by(ivector_dim).map(|value| value * extractor.prior_offset()).collect();
    let inverses = extractor
        .inverse_covariances()
        .iter()
        .flat_map(|matrix: &SymmetricMatrix| matrix.to_matrix().into_vec())
        .collect();
    let mut arrays = vec![
        ("means", double(&[num_gauss, dim], means)),
        ("projections", double(&[num_gauss, dim, ivector_dim], projections)),
        ("inverse_covariances", double(&[num_gauss, dim, dim], inverses)),
        ("prior_offset", double(&[], vec![extractor.prior_offset()])),
    ];
    arrays.push(match extractor.has_weight_projections() {
        true => {
            let projections = extractor.weight_projections().as_slice().to_vec();
            ("weight_projections", double(&[num_gauss, ivector_dim], projections))
        }
        false => ("weights", double(&[num_gauss], extractor.weights().to_vec())),
    });
    arrays
}

fn of_plda(plda: &Plda) -> Arrays {
    let (dim, transform) = (plda.dim(), plda.transform_matrix().as_slice().to_vec());
    vec![
        ("mean", double(&[dim], plda.mean().as_slice().to_vec())),
        ("transform", double(&[dim, dim], transform)),
        ("psi", double(&[dim], plda.psi().as_slice().to_vec())),
    ]
}

fn of_vtln(vtln: &LinearVtln) -> Arrays {
    let (num_classes, dim) = (vtln.num_classes(), vtln.dim());
    let transforms = vtln.transforms().flat_map(|(transform, _)| transform.as_slice()).copied().collect();
    vec![
        ("transforms", single(&[num_classes, dim, dim], transforms)),
        ("warps", single(&[num_classes], vtln.transforms().map(|(_, warp)| warp).collect())),
    ]
}

fn of_bases(bases: &BasisFmllr) -> Arrays {
    let elements = bases.bases().iter().flat_map(|basis| basis.as_slice()).copied().collect();
    vec![("bases", single(&[bases.num_bases(), bases.dim(), bases.dim() + 1], elements))]
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIAG: &str =
        "<DiagGMM> <WEIGHTS> [ 0.25 0.75 ] <MEANS_INVVARS> [ 8 0\n 1 4 ] <INV_VARS> [ 4 1\n 0.5 2 ] </DiagGMM> ";
    const FULL: &str = "<FullGMM> <WEIGHTS> [ 1 ] <MEANS_INVCOVARS> [ 1 2 ] <INV_COVARS> [ 0.5\n0 2 ] </FullGMM> ";
    const EXTRACTOR: &str = "<IvectorExtractor> <w> [ ] <w_vec> [ 1 ] <M> 1 [ 0.5 1\n 2 3 ] <SigmaInv> [ 4\n1 2 ] \
                             <IvectorOffset> 100 </IvectorExtractor> ";

    fn arrays(text: &str, model_type: ModelType) -> Result<Arrays> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        std::fs::write(&path, text).unwrap();
        model_arrays(path.to_str().unwrap().into(), model_type)
    }

    #[test]
    fn means_and_variances_are_those_of_the_density() {
        let expected = vec![
            ("weights", single(&[2], vec![0.25, 0.75])),
            ("means", single(&[2, 2], vec![2.0, 0.0, 2.0, 2.0])),
            ("variances", single(&[2, 2], vec![0.25, 1.0, 2.0, 0.5])),
        ];
        assert_eq!(arrays(DIAG, ModelType::DiagGmm).unwrap(), expected);
        let expected = vec![
            ("weights", single(&[1], vec![1.0])),
            ("means", single(&[1, 2], vec![2.0, 1.0])),
            ("covariances", single(&[1, 2, 2], vec![2.0, 0.0, 0.0, 0.5])),
        ];
        assert_eq!(arrays(FULL, ModelType::FullGmm).unwrap(), expected);
    }

    #[test]
    fn an_extractor_has_means_of_its_prior() {
        let expected = vec![
            ("means", double(&[1, 2], vec![50.0, 200.0])),
            ("projections", double(&[1, 2, 2], vec![0.5, 1.0, 2.0, 3.0])),
            ("inverse_covariances", double(&[1, 2, 2], vec![4.0, 1.0, 1.0, 2.0])),
            ("prior_offset", double(&[], vec![100.0])),
            ("weights", double(&[1], vec![1.0])),
        ];
        assert_eq!(arrays(EXTRACTOR, ModelType::IvectorExtractor).unwrap(), expected);
        let weighted = EXTRACTOR.replace("<w> [ ] <w_vec> [ 1 ]", "<w> [ 7 8 ] <w_vec> [ ]");
        let found = arrays(&weighted, ModelType::IvectorExtractor).unwrap();
        assert_eq!(found[4], ("weight_projections", double(&[1, 2], vec![7.0, 8.0])));
    }

    #[test]
    fn only_models_with_arrays_are_said_to_have_some() {
        let advice = |model_type| Error::Model { name: "x".into(), model_type }.to_string();
        for (text, model_type) in [
            (DIAG, ModelType::DiagGmm),
            ("<Plda> [ 0.5 ] [ 2 ] [ 1.25 ] </Plda> ", ModelType::Plda),
            ("<BASISFMLLRPARAM> <NUMBASIS> 1 <BASIS> [ 1 2 ] </BASISFMLLRPARAM> ", ModelType::BasisFmllr),
            (
                "<LogisticRegression> <weights> [ 1 0 ] <class> [ 0 ] </LogisticRegression> ",
                ModelType::LogisticRegression,
            ),
            ("ContextDependency 1 0 ToPdf CE 0 EndContextDependency ", ModelType::Tree),
        ] {
            let exported = arrays(text, model_type).is_ok();
            assert_eq!(
                advice(model_type).contains("table-export writes its arrays"),
                exported,
                "{}",
                model_type.name()
            );
        }
    }

    #[test]
    fn a_tree_has_no_arrays() {
        let error = arrays("ContextDependency 1 0 ToPdf CE 0 EndContextDependency ", ModelType::Tree).unwrap_err();
        assert!(error.to_string().ends_with(": of tree no arrays are exported; table-head shows its text"));
    }
}
