//! The document, sample and shuffle index.

use std::ops::Range;
use std::path::{Path, PathBuf};

use array_files::DType;

use super::index_names::IndexNames;
use super::lengths::Lengths;
use super::npy::NpyWriter;
use super::options::SampleOptions;
use super::plan::Plan;
use super::random::NumpyRandom;
use super::rows;
use crate::publish::publish;
use crate::spool::Spool;
use crate::{DatasetFault, Error, IndexedDataset, Result};

/// The counts of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Built {
    /// Epochs.
    pub num_epochs: u64,
    /// Samples.
    pub num_samples: u64,
    /// Tokens of an epoch.
    pub tokens_per_epoch: u64,
    /// Whether the last epoch is shuffled separately.
    pub separate: bool,
}

/// Makes the three indices of some sequences of a dataset, in the folder `out`, which is made if it is missing.
///
/// Needs memory for the document index and two bytes for each sequence, and after that for the shuffle index.
///
/// # Errors
/// If there are no tokens, numbers are too large, the dataset is damaged, or a file cannot be written.
pub fn build_samples(
    dataset: &IndexedDataset,
    sequences: Range<u64>,
    options: &SampleOptions,
    out: &Path,
    names: &IndexNames,
) -> Result<Built> {
    if i32::try_from(dataset.len()).is_err() {
        let message =
            format!("{}: {} sequences are more than a document index can number", dataset.prefix(), dataset.len());
        return Err(Error::Request(message));
    }
    let lengths = Lengths::read(dataset, sequences.clone())?;
    let tokens = lengths.total();
    let bytes = tokens.checked_mul(dataset.token_type().size());
    if bytes.is_none_or(|bytes| bytes > dataset.bin_length) {
        let expected = format!("at most the tokens of the .bin, {} bytes", dataset.bin_length);
        return Err(DatasetFault::new(&dataset.index.path, "sizes", None, expected, format!("{tokens} tokens")).into());
    }
    let plan = Plan::new(options, tokens)?;
    let mut random = NumpyRandom::new(options.seed);
    let documents = document_index(&sequences, &plan, options.shuffle.then_some(&mut random))?;

    let _folder = kaldi_io::make_folder(out)?;
    let path = |what| out.join(names.of(what));
    let mut sealed = Vec::new();
    let mut file = NpyWriter::create(path("document_index.npy"), DType::Int32, &[documents.len() as u64])?;
    file.put_all(&documents, |number| number.to_le_bytes())?;
    sealed.push(file.seal()?);
    sealed.push(rows::write(path("sample_index.npy"), &documents, &lengths, sequences.start, options, &plan)?.seal()?);
    drop((documents, lengths));
    sealed.push(write_shuffle_index(path("shuffle_index.npy"), &plan, options.shuffle.then_some(&mut random))?.seal()?);
    if let Some(description) = &names.description {
        let mut file = Spool::create(path("description.txt"), 0)?;
        file.put(description)?;
        sealed.push(file.seal()?);
    }
    publish(sealed, || Ok::<_, Error>(()))?;
    let tokens_per_epoch = plan.num_tokens / plan.num_epochs;
    Ok(Built { num_epochs: plan.num_epochs, num_samples: plan.num_samples, tokens_per_epoch, separate: plan.separate })
}

/// The sequences of all epochs.
fn document_index(sequences: &Range<u64>, plan: &Plan, random: Option<&mut NumpyRandom>) -> Result<Vec<i32>> {
    let count = plan.num_epochs.checked_mul(sequences.end - sequences.start);
    let too_many = || Error::Request(format!("no memory for {} epochs of sequences", plan.num_epochs));
    let count = count.and_then(|count| usize::try_from(count).ok()).ok_or_else(too_many)?;
    let mut documents = Vec::new();
    documents.try_reserve_exact(count).map_err(|_| too_many())?;
    for _ in 0..plan.num_epochs {
        // All are below 2^31.
        documents.extend(sequences.clone().map(|number| number as i32));
    }
    if let Some(random) = random {
        let last = if plan.separate { count - count / plan.num_epochs as usize } else { count };
        let (first, last) = documents.split_at_mut(last);
        random.shuffle(first);
        random.shuffle(last);
    }
    Ok(documents)
}

/// The order of the samples.
fn write_shuffle_index(path: PathBuf, plan: &Plan, random: Option<&mut NumpyRandom>) -> Result<NpyWriter> {
    let count = plan.num_samples;
    if count >= u64::from(u32::MAX) - 1 {
        let mut file = NpyWriter::create(path, DType::Int64, &[count])?;
        let order = shuffled(0..count as i64, plan, random)?;
        file.put_all(&order, |number| number.to_le_bytes())?;
        return Ok(file);
    }
    let mut file = NpyWriter::create(path, DType::Uint32, &[count])?;
    let order = shuffled(0..count as u32, plan, random)?;
    file.put_all(&order, |number| number.to_le_bytes())?;
    Ok(file)
}

fn shuffled<T: Copy>(
    numbers: impl Iterator<Item = T>,
    plan: &Plan,
    random: Option<&mut NumpyRandom>,
) -> Result<Vec<T>> {
    let too_many = |_| Error::Request(format!("no memory for {} samples", plan.num_samples));
    let mut order = Vec::new();
    order.try_reserve_exact(plan.num_samples as usize).map_err(too_many)?;
    order.extend(numbers);
    if let Some(random) = random {
        let (first, last) = order.split_at_mut(plan.num_before_last as usize);
        random.shuffle(first);
        random.shuffle(last);
    }
    Ok(order)
}
