//! The sample index.

use std::path::PathBuf;

use array_files::DType;

use super::lengths::Lengths;
use super::npy::NpyWriter;
use super::options::SampleOptions;
use super::plan::Plan;
use crate::{Error, Result};

/// The number of sequences whose lengths are looked up together: one by one, each would wait for the memory.
const GATHERED: usize = 512;

/// Writes the start of every sample, and the end of the last one.
///
/// `first` is the number of the first of the `lengths`.
pub(super) fn write(
    path: PathBuf,
    documents: &[i32],
    lengths: &Lengths,
    first: u64,
    options: &SampleOptions,
    plan: &Plan,
) -> Result<NpyWriter> {
    // Sizes are 32-bit numbers, positions need not be.
    let is_wide = i32::try_from(documents.len()).is_err();
    let shape = [plan.num_samples + 1, 2];
    let kind = if is_wide { DType::Int64 } else { DType::Int32 };
    let mut file = NpyWriter::create(path, kind, &shape)?;
    let mut count = 0;
    let each = |position: u64, offset: u64| {
        count += 1;
        if is_wide {
            file.put(&position.to_le_bytes())?;
            file.put(&offset.to_le_bytes())
        } else {
            // Both are below 2^31.
            file.put(&((offset << 32) | position).to_le_bytes())
        }
    };
    for_each_row(documents, |document| lengths.get((document as u64 - first) as usize).into(), options, plan, each)?;
    if count == shape[0] {
        return Ok(file);
    }
    Err(Error::Request(format!("expected {} rows of samples, made {count}", shape[0])))
}

/// Calls `each` with the start of each sample: the position in `documents` and the token there.
///
/// Sample `k` starts after `k * seq_length` tokens. With an extra token, the token there belongs to it. So a sample
/// does not start at the end of a sequence but in the next one that has tokens.
pub(super) fn for_each_row(
    documents: &[i32],
    length: impl Fn(i32) -> u64,
    options: &SampleOptions,
    plan: &Plan,
    mut each: impl FnMut(u64, u64) -> Result<()>,
) -> Result<()> {
    let extra = u64::from(options.extra_token);
    each(0, 0)?;
    let mut rows = 1;
    let mut gathered = [0; GATHERED];
    // Tokens before the sequence and before the next sample; the last sequence in which a sample may end.
    let (mut before, mut next, mut last) = (0_u64, options.seq_length, (0, 0));
    let mut position = 0;
    for documents in documents.chunks(GATHERED) {
        for (place, document) in gathered.iter_mut().zip(documents) {
            *place = length(*document);
        }
        for length in &gathered[..documents.len()] {
            let end = before + length;
            while next + extra <= end {
                each(position, next - before)?;
                rows += 1;
                next = next.saturating_add(options.seq_length);
            }
            // Without an extra token, a sample may end in a sequence without tokens.
            if *length >= extra {
                last = (position, *length);
            }
            before = end;
            position += 1;
        }
    }
    // The rest is shorter than a sample.
    if rows == plan.num_samples {
        each(last.0, last.1 - extra)?;
    }
    Ok(())
}
