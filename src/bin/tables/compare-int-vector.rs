//! Compares vectors of integers, and counts their elements, differences and confusions.
//!
//! Matches Kaldi's `compare-int-vector`: as in Kaldi, the log counts every utterance that is in both tables twice, and
//! an utterance that is missing in the second table counts as done.

use std::sync::Arc;

use anyhow::bail;
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::Output;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_score::Confusions;
use kaldi_table::{Entry, RandomAccessReader, SequentialReader, WorkError, write_file};
use kaldi_value::Format;
use kaldi_value::number::Digits;

const USAGE: &str = "\
Compares vectors of integers (alignments), key by key. Prints a line for each key that is in both tables: the key, the
number of elements compared, the number of those that differ. If two vectors have different lengths, the end of the
longer one is not compared.

Usage: compare-int-vector [options] <vector1-rspecifier> <vector2-rspecifier>
 e.g.: compare-int-vector scp:phones1.scp scp:phones2.scp > comparison
See also: copy-int-vector, vector-sum, matrix-sum
";

#[derive(clap::Args)]
struct Options {
    /// Write the counts in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Wxfilename for a vector of how often each integer is in the compared part of the first vectors
    #[arg(long)]
    write_tot_counts: Option<OutputName>,
    /// Wxfilename for a vector of how often each integer is one of two that differ, 0.5 for each of the two
    #[arg(long)]
    write_diff_counts: Option<OutputName>,
    /// Wxfilename for a matrix of the counts of every pair of integers; the row is the integer of the first vector, the
    /// column that of the second
    #[arg(long)]
    write_confusion_matrix: Option<OutputName>,
    first: InputName,
    second: InputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compare_int_vector)).whole("it compares the whole tables");

fn compare_int_vector(opts: Options) -> anyhow::Result<Tally> {
    let first = SequentialReader::<Vec<i32>>::open(&opts.first)?;
    let second = RandomAccessReader::<Vec<i32>>::open(&opts.second)?;
    let mut stdout = Output::stdout()?;
    let wants_counts =
        opts.write_tot_counts.is_some() || opts.write_diff_counts.is_some() || opts.write_confusion_matrix.is_some();
    let mut confusions = Confusions::default();

    let rows = first.par_map_with(second, move |entry, found| compare(entry, found, wants_counts));
    let (mut done, mut not_found, mut mismatched, mut frames, mut differences) = (0_u64, 0_u64, 0_u64, 0, 0);
    let ended = rows.drain(|key, comparison| {
        done += 1;
        let Some(comparison) = comparison else {
            not_found += 1;
            return Ok(());
        };
        done += 1;
        mismatched += u64::from(comparison.lengths_differ);
        frames += comparison.length;
        differences += comparison.difference;
        count(&mut confusions, key.as_ref(), &comparison.pairs, &opts)?;
        let numbers = format!(" {} {}\n", comparison.length, comparison.difference);
        stdout.write_all(&[&**key, numbers.as_bytes()].concat())?;
        anyhow::Ok(())
    })?;
    log!(
        "Computed difference for {done} utterances, of which {mismatched} had mismatched lengths; corresponding utterance \
         not found for {not_found}"
    );
    let percentage = differences as f64 * 100.0 / frames as f64;
    log!("Average p(different) is {}%, over {frames} frames.", Digits(percentage, 4));
    ended.finish()?;
    write_counts(&confusions, &opts)?;
    stdout.finish()?;
    Ok(Tally::new(done, not_found))
}

/// The comparison of two vectors.
struct Comparison {
    length: usize,
    difference: usize,
    lengths_differ: bool,
    /// The pairs of elements, if they have to be counted.
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

/// Counts the pairs of an utterance.
fn count(confusions: &mut Confusions, key: &BStr, pairs: &[(i32, i32)], opts: &Options) -> anyhow::Result<()> {
    for &(a, b) in pairs {
        let counted = a < 0 && opts.write_tot_counts.is_some()
            || a.min(b) < 0 && a != b && opts.write_diff_counts.is_some()
            || a.min(b) < 0 && opts.write_confusion_matrix.is_some();
        if counted {
            bail!("{key}: Contents of vectors cannot be negative if they are counted, got {}", a.min(b));
        }
        confusions.add(a, b);
    }
    Ok(())
}

fn write_counts(confusions: &Confusions, opts: &Options) -> anyhow::Result<()> {
    let format = Format::from_binary(opts.binary);
    if let Some(name) = &opts.write_tot_counts {
        write_file(name, &Vector::from_vec(confusions.totals()?).to_precision::<f32>(), format)?;
    }
    if let Some(name) = &opts.write_diff_counts {
        write_file(name, &Vector::from_vec(confusions.differences()?).to_precision::<f32>(), format)?;
    }
    if let Some(name) = &opts.write_confusion_matrix {
        let (size, counts) = confusions.matrix()?;
        write_file(name, &Matrix::from_vec(size, size, counts), format)?;
    }
    Ok(())
}
