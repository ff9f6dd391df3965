//! Tests of the files, and of training as a whole.

use std::sync::Arc;

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::random::Random;
use kaldi_value::{Cursor, Format, Posterior, Value};

use super::*;
use crate::Result;

/// Three Gaussians in two dimensions, i-vectors of two dimensions.
fn extractor(use_weights: bool) -> IvectorExtractor {
    let means = Matrix::from_vec(3, 2, vec![4.0, 0.0, -4.0, 1.0, 0.0, -5.0]);
    let inverses = (1..4).map(|scale| SymmetricMatrix::from_vec(2, vec![1.0, 0.25, f64::from(scale)])).collect();
    let weights = Vector::from_vec(vec![0.5, 0.25, 0.25]);
    IvectorExtractor::new(weights, &means, inverses, 2, use_weights, &mut Random::default()).unwrap()
}

/// Utterances whose frames are near the means, moved by what their speaker has.
fn utterances(num: usize) -> Vec<(Matrix<f32>, Arc<Posterior>)> {
    let mut random = Random::seeded(3);
    let means = [[4.0, 0.0], [-4.0, 1.0], [0.0, -5.0]];
    let mut utterance = || {
        let moved = random.gauss();
        let (mut feats, mut posterior) = (Vec::new(), Vec::new());
        for frame in 0..20 {
            let gauss = frame % 3;
            feats.extend(means[gauss].map(|mean: f32| mean + moved * (gauss as f32 - 0.5) + 0.5 * random.gauss()));
            posterior.push(vec![(gauss as i32, 0.75), ((gauss as i32 + 1) % 3, 0.0625)]);
        }
        (Matrix::from_vec(20, 2, feats), Arc::new(Posterior(posterior)))
    };
    (0..num).map(|_| utterance()).collect()
}

fn stats(extractor: IvectorExtractor, num_threads: usize, cache_size: usize) -> IvectorExtractorStats {
    let options = StatsOptions { cache_size, ..StatsOptions::default() };
    let estimator = IvectorEstimator::new(extractor, num_threads).unwrap();
    let mut stats = StatsAccumulator::new(estimator, options, num_threads).unwrap();
    for (feats, posterior) in utterances(50) {
        stats.add(feats, &posterior).unwrap();
    }
    stats.finish().unwrap()
}

fn written(value: &impl Value, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    value.write(&mut out, format);
    out
}

fn is_a_file<T: Value + PartialEq + std::fmt::Debug>(value: &T) {
    let binary = written(value, Format::Binary);
    assert_eq!(&T::read(&mut Cursor::new(&binary)).unwrap(), value);
    let text = written(value, Format::Text);
    assert_eq!(written(&T::read(&mut Cursor::new(&text)).unwrap(), Format::Text), text);
    for bytes in [binary, text] {
        let last = bytes.trim_ascii_end().len();
        for cut in 0..last {
            let error = T::read(&mut Cursor::new(&bytes[..cut])).unwrap_err();
            assert!(error.offset <= cut, "{cut}");
        }
    }
}

#[test]
fn files_are_read_again_and_may_not_be_cut() {
    for use_weights in [false, true] {
        is_a_file(&extractor(use_weights));
        // What is read again has some numbers in single precision.
        let stats = stats(extractor(use_weights), 1, 100);
        is_a_file(&IvectorExtractorStats::read(&mut Cursor::new(&written(&stats, Format::Binary))).unwrap());
    }
    is_a_file(&IvectorExtractorStats::new(&extractor(false), false));
}

#[test]
fn numbers_of_parts_that_are_not_there_take_no_memory() {
    let claim =
        b"\0B<IvectorExtractorStats> <TotAuxf> \x08\0\0\0\0\0\0\0\0<gamma> DV \x04\0\0\0\0<Y> \x04\xff\xff\xff\x7f";
    assert!(IvectorExtractorStats::read(&mut Cursor::new(claim)).is_err());
    let claim = b"\0B<IvectorExtractor> <w> DM \x04\0\0\0\0\x04\0\0\0\0<w_vec> DV \x04\0\0\0\0<M> \x04\xff\xff\xff\x7f";
    assert!(IvectorExtractor::read(&mut Cursor::new(claim)).is_err());
}

#[test]
fn statistics_do_not_depend_on_threads() {
    for use_weights in [false, true] {
        let one = stats(extractor(use_weights), 1, 100);
        assert_eq!(stats(extractor(use_weights), 4, 100), one);
        // Only the order of sums changes.
        let other = stats(extractor(use_weights), 2, 7);
        assert!((other.objective() - one.objective()).abs() < 1e-6 * one.objective().abs());
        assert_eq!(other.count(), one.count());
    }
}

#[test]
fn statistics_add_up() -> Result<()> {
    let one = stats(extractor(false), 1, 100);
    let mut sum = IvectorExtractorStats::default();
    sum.add(one.clone())?;
    assert_eq!(sum, one);
    sum.add(one.clone())?;
    assert_eq!((sum.count(), sum.objective()), (2.0 * one.count(), 2.0 * one.objective()));
    assert!(sum.add(stats(extractor(true), 1, 100)).is_err());
    Ok(())
}

#[test]
fn every_step_of_training_improves_the_log_likelihood() -> Result<()> {
    for use_weights in [false, true] {
        let mut extractor = extractor(use_weights);
        let mut last = f64::NEG_INFINITY;
        for step in 0..5 {
            let stats = stats(extractor.clone(), 2, 100);
            // The samples for weights are random.
            let slack = if use_weights { 1e-3 * last.abs() } else { 1e-9 };
            assert!(stats.objective() > last - slack, "{step} {last} {}", stats.objective());
            last = stats.objective();
            let options = ExtractorOptions { gaussian_min_count: 10.0, ..ExtractorOptions::default() };
            let mut other = extractor.clone();
            let update = stats.update(&mut extractor, &options, 1)?;
            assert!(update.improvement() > 0.0 && update.explained > 0.0 && update.skipped.is_empty());
            stats.update(&mut other, &options, 3)?;
            assert_eq!(other, extractor);
        }
    }
    Ok(())
}

/// After training the i-vectors of the training data have the distribution of the prior.
#[test]
fn i_vectors_get_the_distribution_of_the_prior() -> Result<()> {
    let mut extractor = extractor(false);
    let options = ExtractorOptions { gaussian_min_count: 10.0, ..ExtractorOptions::default() };
    for _ in 0..3 {
        stats(extractor.clone(), 1, 100).update(&mut extractor, &options, 1)?;
    }
    let estimator = IvectorEstimator::new(extractor, 1)?;
    let utts: Vec<UtteranceStats> = utterances(50)
        .into_iter()
        .map(|(feats, posterior)| {
            let mut sums = UtteranceStats::new(3, 2);
            sums.add(&feats, &posterior).map(|()| sums)
        })
        .collect::<Result<_>>()?;
    let ivectors = estimator.ivectors(&utts, 1)?.into_iter().collect::<Result<Vec<Ivector>>>()?;
    for dim in 0..2 {
        let mean = ivectors.iter().map(|ivector| ivector.vector.as_slice()[dim]).sum::<f64>() / 50.0;
        assert!(mean.abs() < 0.2, "{dim}: {mean}");
    }
    assert!(ivectors.iter().all(|ivector| ivector.improvement > -1e-9));
    // One alone is the same as one among others.
    let alone = estimator.ivectors(&utts[30..31], 1)?.remove(0)?;
    assert_eq!(alone, ivectors[30]);
    Ok(())
}

#[test]
fn gradients_lead_to_the_i_vector_of_all_frames() -> Result<()> {
    let estimator = IvectorEstimator::new(extractor(false), 1)?;
    let (feats, posterior) = utterances(1).remove(0);
    let (rows, improvement) = online_ivectors(&estimator, &feats, &posterior, 1, None, 0.0)?;
    let mut sums = UtteranceStats::new(3, 2);
    sums.add(&feats, &posterior)?;
    let exact = estimator.ivectors(&[sums.clone()], 1)?.remove(0)?;
    let last: Vec<f64> = rows.row(19).iter().map(|&element| element.into()).collect();
    assert!((last[0] - 100.0 - exact.vector.as_slice()[0]).abs() < 1e-4);
    assert!((last[1] - exact.vector.as_slice()[1]).abs() < 1e-4);
    assert!((improvement - exact.improvement / sums.count()).abs() < 1e-6);
    assert_eq!(online_ivectors(&estimator, &feats, &posterior, 7, None, 0.0)?.0.num_rows(), 3);
    assert!(
        online_ivectors(&IvectorEstimator::new(super::tests::extractor(true), 1)?, &feats, &posterior, 1, None, 0.0)
            .is_err()
    );
    Ok(())
}

#[test]
fn fewer_frames_count_less_but_the_prior_does_not() -> Result<()> {
    let estimator = IvectorEstimator::new(extractor(false), 1)?;
    let (feats, posterior) = utterances(1).remove(0);
    for max_count in [0.0, 4.0] {
        let mut all = OnlineIvectorStats::new(&estimator, max_count)?;
        all.add(&estimator, &feats, &posterior)?;
        let count = all.count();
        all.scale(0.5);
        assert_eq!(all.count(), 0.5 * count);
        let mut half = OnlineIvectorStats::new(&estimator, max_count)?;
        let mut weights = posterior.as_ref().clone();
        weights.scale(0.5);
        half.add(&estimator, &feats, &weights)?;
        let (mut left, mut right) = (all.prior_mean(), half.prior_mean());
        all.improve(&mut left, None)?;
        half.improve(&mut right, None)?;
        assert!(left.is_approx_equal(&right, 1e-9), "{left} {right}");
    }
    Ok(())
}
