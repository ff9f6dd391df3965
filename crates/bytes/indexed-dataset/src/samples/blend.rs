//! The dataset of each sample of a blend.

use std::path::Path;

use array_files::DType;

use super::index_names::IndexNames;
use super::npy::NpyWriter;
use crate::publish::publish;
use crate::spool::Spool;
use crate::{Error, Result};

/// The number of samples that are written at a time.
const PIECE: usize = 1 << 14;

/// The samples of a blend in their order, see [`blend`]: the number of a dataset, and the number of its sample.
#[derive(Clone, Debug)]
pub struct Blend {
    weights: Vec<f64>,
    counts: Vec<u64>,
    next: u64,
    size: u64,
}

/// A blend of `size` samples of datasets with these weights. Each sample comes from the dataset that is furthest below
/// its share, like Megatron's choice.
///
/// # Errors
/// If a weight is not a positive number, or there are more datasets than 16 bits can number.
pub fn blend(weights: &[f64], size: u64) -> Result<Blend> {
    let sum = pairwise_sum(weights);
    let is_share = |weight: &f64| *weight > 0.0 && weight.is_finite();
    if weights.is_empty() || !weights.iter().all(is_share) || !sum.is_finite() {
        return Err(Error::Request(format!("expected weights above 0, got {weights:?}")));
    }
    if weights.len() > i16::MAX as usize {
        return Err(Error::Request(format!("expected at most {} weights, got {}", i16::MAX, weights.len())));
    }
    let weights: Vec<_> = weights.iter().map(|weight| weight / sum).collect();
    Ok(Blend { counts: vec![0; weights.len()], weights, next: 0, size })
}

impl Iterator for Blend {
    type Item = (i16, i64);

    fn next(&mut self) -> Option<(i16, i64)> {
        if self.next == self.size {
            return None;
        }
        let place = (self.next as f64).max(1.0);
        let mut chosen = (0, f64::NEG_INFINITY);
        for (at, (weight, count)) in self.weights.iter().zip(&self.counts).enumerate() {
            let lag = weight * place - *count as f64;
            if lag > chosen.1 {
                chosen = (at, lag);
            }
        }
        self.next += 1;
        let count = &mut self.counts[chosen.0];
        *count += 1;
        Some((chosen.0 as i16, (*count - 1) as i64))
    }
}

impl Blend {
    /// Writes `dataset_index.npy` and `dataset_sample_index.npy` into a folder, which is made if it is missing.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(self, out: &Path, names: &IndexNames) -> Result<()> {
        let _folder = kaldi_io::make_folder(out)?;
        let path = |what| out.join(names.of(what));
        let mut datasets = NpyWriter::create(path("dataset_index.npy"), DType::Int16, &[self.size])?;
        let mut samples = NpyWriter::create(path("dataset_sample_index.npy"), DType::Int64, &[self.size])?;
        let mut rows = self.peekable();
        while rows.peek().is_some() {
            let (numbers, places): (Vec<_>, Vec<_>) = rows.by_ref().take(PIECE).unzip();
            datasets.put_all(&numbers, i16::to_le_bytes)?;
            samples.put_all(&places, i64::to_le_bytes)?;
        }
        let mut sealed = vec![datasets.seal()?, samples.seal()?];
        if let Some(description) = &names.description {
            let mut file = Spool::create(path("description.txt"), 0)?;
            file.put(description)?;
            sealed.push(file.seal()?);
        }
        publish(sealed, || Ok(()))
    }
}

/// Adds up in NumPy's order, so that the last bit is the same: eight parallel sums, and halves if there are more than
/// 128 numbers.
fn pairwise_sum(numbers: &[f64]) -> f64 {
    let count = numbers.len();
    if count < 8 {
        return numbers.iter().sum();
    }
    if count > 128 {
        let half = count / 2 / 8 * 8;
        return pairwise_sum(&numbers[..half]) + pairwise_sum(&numbers[half..]);
    }
    let (eights, rest) = numbers.as_chunks::<8>();
    let mut sums = eights[0];
    for eight in &eights[1..] {
        sums.iter_mut().zip(eight).for_each(|(sum, number)| *sum += number);
    }
    let [a, b, c, d, e, f, g, h] = sums;
    rest.iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, number| sum + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dataset_furthest_behind_is_next() {
        let (datasets, samples): (Vec<_>, Vec<_>) = blend(&[0.5, 0.3, 0.2], 10).unwrap().unzip();
        assert_eq!(datasets, [0, 1, 2, 0, 1, 0, 2, 0, 1, 0]);
        assert_eq!(samples, [0, 0, 0, 1, 1, 2, 1, 3, 2, 4]);
        let scaled: Vec<_> = blend(&[5.0, 3.0, 2.0], 10).unwrap().map(|row| row.0).collect();
        assert_eq!(scaled, datasets);
    }

    #[test]
    fn weights_are_positive_numbers() {
        for weights in [&[][..], &[0.0, 1.0], &[-1.0], &[f64::NAN], &[f64::INFINITY], &[f64::MAX, f64::MAX]] {
            assert!(blend(weights, 1).is_err(), "{weights:?}");
        }
        assert_eq!(blend(&[1.0], 0).unwrap().count(), 0);
    }

    #[test]
    fn sums_of_whole_numbers_do_not_depend_on_the_order() {
        for count in [0, 1, 7, 8, 9, 127, 128, 129, 1000] {
            let numbers: Vec<_> = (0..count).map(f64::from).collect();
            assert_eq!(pairwise_sum(&numbers), f64::from(count * (count - 1) / 2));
        }
    }
}
