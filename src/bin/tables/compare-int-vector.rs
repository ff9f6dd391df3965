//! Compares vectors of integers, and counts their elements, differences and confusions.
//!
//! Matches Kaldi's `compare-int-vector`: as there, the log counts every utterance that is in both tables twice, and an
//! utterance that the second table lacks counts as done.

use std::collections::HashMap;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use bstr::BStr;
use kaldi_cli::{Arg, Tally};
use kaldi_io::{Format, Output};
use kaldi_log::{Digits, log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Entry, RandomAccessReader, SequentialReader, WorkError, write_file};

const USAGE: &str = "\
Compares vectors of integers (alignments), key by key. Prints a line for each key that is in both tables: the key, the
number of elements compared, the number of those that differ. Of two vectors of different lengths the end of the longer
one is not compared.

Usage: compare-int-vector [options] <vector1-rspecifier> <vector2-rspecifier>
 e.g.: compare-int-vector scp:phones1.scp scp:phones2.scp > comparison
See also: copy-int-vector, vector-sum, matrix-sum
";

#[derive(clap::Parser)]
struct Options {
    /// Write the counts in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Wxfilename for a vector that counts how often each integer stands in the part of the first vectors that is compared
    #[arg(long)]
    write_tot_counts: Option<Arg>,
    /// Wxfilename for a vector that counts how often each integer is one of two that differ, 0.5 for each of the two
    #[arg(long)]
    write_diff_counts: Option<Arg>,
    /// Wxfilename for a matrix that counts every pair of integers, the row of the first vector's, the column of the
    /// second's
    #[arg(long)]
    write_confusion_matrix: Option<Arg>,
    first: Arg,
    second: Arg,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, compare_int_vector)
}

fn compare_int_vector(opts: Options) -> anyhow::Result<Tally> {
    let first = SequentialReader::<Vec<i32>>::open(&opts.first)?;
    let second = RandomAccessReader::<Vec<i32>>::open(&opts.second)?;
    let mut stdout = Output::create("-".into(), false)?;
    let wants_counts =
        opts.write_tot_counts.is_some() || opts.write_diff_counts.is_some() || opts.write_confusion_matrix.is_some();
    let mut counts = Counts::default();

    let mut rows = first.map_with(second, move |entry, found| compare(entry, found, wants_counts));
    let (mut done, mut not_found, mut mismatched, mut frames, mut differences) = (0_u64, 0_u64, 0_u64, 0, 0);
    for row in &mut rows {
        let (key, comparison) = row?;
        done += 1;
        let Some(comparison) = comparison else {
            not_found += 1;
            continue;
        };
        done += 1;
        mismatched += u64::from(comparison.lengths_differ);
        frames += comparison.length;
        differences += comparison.difference;
        counts.add(key.as_ref(), &comparison.pairs, &opts)?;
        let numbers = format!(" {} {}\n", comparison.length, comparison.difference);
        stdout.write_all(&[&**key, numbers.as_bytes()].concat())?;
    }
    log!(
        "Computed difference for {done} utterances, of which {mismatched} had mismatched lengths; corresponding utterance \
         not found for {not_found}"
    );
    let percentage = differences as f64 * 100.0 / frames as f64;
    log!("Average p(different) is {}%, over {frames} frames.", Digits(percentage, 4));
    rows.finish()?;
    counts.write(&opts)?;
    stdout.finish()?;
    Ok(Tally::new(done, not_found))
}

/// What two vectors have in common.
struct Comparison {
    length: usize,
    difference: usize,
    lengths_differ: bool,
    /// The elements side by side, where they are to be counted.
    pairs: Vec<(i32, i32)>,
}

fn compare(
    entry: &Entry<'_, Vec<i32>>,
    found: Option<Arc<Vec<i32>>>,
    wants_pairs: bool,
) -> Result<Option<Comparison>, WorkError> {
    let key = entry.key();
    let Some(second) = found else {
        warning!("No key {key} found in second input.");
        return Ok(None);
    };
    let first = entry.read()?;
    let lengths_differ = first.len() != second.len();
    if lengths_differ {
        warning!("For utterance {key}, lengths differ {} vs. {}", first.len(), second.len());
    }
    let pairs = || first.iter().copied().zip(second.iter().copied());
    Ok(Some(Comparison {
        length: pairs().len(),
        difference: pairs().filter(|(a, b)| a != b).count(),
        lengths_differ,
        pairs: if wants_pairs { pairs().collect() } else { Vec::new() },
    }))
}

/// How often every pair of integers stood side by side.
#[derive(Default)]
struct Counts(HashMap<(i32, i32), u64>);

impl Counts {
    fn add(&mut self, key: &BStr, pairs: &[(i32, i32)], opts: &Options) -> anyhow::Result<()> {
        for &(a, b) in pairs {
            let counted = a < 0 && opts.write_tot_counts.is_some()
                || a.min(b) < 0 && a != b && opts.write_diff_counts.is_some()
                || a.min(b) < 0 && opts.write_confusion_matrix.is_some();
            if counted {
                bail!("{key}: Contents of vectors cannot be negative where they are counted, got {}", a.min(b));
            }
            *self.0.entry((a, b)).or_default() += 1;
        }
        Ok(())
    }

    fn write(&self, opts: &Options) -> anyhow::Result<()> {
        let format = Format::from_binary(opts.binary);
        let counts = || self.0.iter().map(|(&(a, b), &count)| (a, b, count as f64));
        if let Some(name) = &opts.write_tot_counts {
            let totals = sum_by_index(counts().map(|(a, _, count)| (a, count)))?;
            write_file(name, &totals.to_precision::<f32>(), format)?;
        }
        if let Some(name) = &opts.write_diff_counts {
            let differing = counts().filter(|(a, b, _)| a != b);
            let halves = sum_by_index(differing.flat_map(|(a, b, count)| [(a, 0.5 * count), (b, 0.5 * count)]))?;
            write_file(name, &halves.to_precision::<f32>(), format)?;
        }
        if let Some(name) = &opts.write_confusion_matrix {
            let size = counts().map(|(a, b, _)| a.max(b) as usize + 1).max().unwrap_or(0);
            let mut confusions = Matrix::<f64>::from_vec(size, size, zeros(size.checked_mul(size))?);
            counts().for_each(|(a, b, count)| confusions.row_mut(a as usize)[b as usize] += count);
            write_file(name, &confusions, format)?;
        }
        Ok(())
    }
}

/// A vector of the sum of what stands with each index; the indexes are not negative.
fn sum_by_index(counts: impl Iterator<Item = (i32, f64)> + Clone) -> anyhow::Result<Vector<f64>> {
    let dim = counts.clone().map(|(index, _)| index as usize + 1).max().unwrap_or(0);
    let mut sums = zeros(Some(dim))?;
    counts.for_each(|(index, count)| sums[index as usize] += count);
    Ok(Vector::from_vec(sums))
}

/// So many zeros, as long as a format can count them and the memory holds them.
fn zeros(len: Option<usize>) -> anyhow::Result<Vec<f64>> {
    const ADVICE: &str = "the integers are too large to be counted";
    let len = len.filter(|&len| i32::try_from(len).is_ok()).context(ADVICE)?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).context(ADVICE)?;
    zeros.resize(len, 0.0);
    Ok(zeros)
}
