//! Sums vectors: several tables key by key, the vectors of one table, or files.
//!
//! Matches Kaldi's `vector-sum`; there the default of `--binary` is whatever the memory holds. Several tables are summed
//! in single precision, the vectors of one in double.

use std::process::ExitCode;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Summand, Tally, add_files, sum_tables, wrong_usage};
use kaldi_io::{Format, is_specifier, printable_wxfilename};
use kaldi_log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, write_file};

const USAGE: &str = "\
Sums vectors: those with the same key of several tables, into a table; all of one table, into a file; or those of files.
Of several tables there is a sum for each key of the first one, whether the others have that key or not. The vectors of
files may differ in length, as long as none is shorter than one before it: the sum grows.

Usage: vector-sum [options] <vector-rspecifier1> [<vector-rspecifier2> ...] <vector-wspecifier>
  or:  vector-sum [options] <vector-rspecifier> <vector-wxfilename>
  or:  vector-sum [options] <vector-rxfilename1> [<vector-rxfilename2> ...] <vector-wxfilename>
 e.g.: vector-sum ark:1.ark ark:2.ark ark:sum.ark
       vector-sum --average=true scp:spk.scp mean.vec
       vector-sum --binary=false post.*.vec post.vec
See also: copy-vector, matrix-sum, compare-int-vector
";

#[derive(clap::Parser)]
struct Options {
    /// Write the average instead of the sum (only for one table into a file)
    #[arg(long, default_value_t = false)]
    average: bool,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, vector_sum)
}

fn vector_sum(opts: Options) -> anyhow::Result<Tally> {
    if is_specifier(&opts.target) {
        return sum_vector_tables(&opts);
    }
    match (is_specifier(&opts.sources[0]), opts.sources.len()) {
        (true, 1) => sum_table(&opts),
        (true, _) => Ok(wrong_usage(USAGE, "several tables are summed into a table, and not into a file")),
        (false, _) => sum_files(&opts),
    }
}

/// Sums the vectors of each key of the first table.
fn sum_vector_tables(opts: &Options) -> anyhow::Result<Tally> {
    let summand = Summand {
        nouns: ["vector", "vectors"],
        size: |vector: &Vector<f32>| vector.dim().to_string(),
        scale: Vector::scale,
        add_scaled: Vector::add_scaled,
    };
    sum_tables(&opts.sources, &opts.target, summand, [1.0; 3])
}

/// Sums or averages the vectors of one table.
fn sum_table(opts: &Options) -> anyhow::Result<Tally> {
    let rows = SequentialReader::<Vector<f32>>::open(&opts.sources[0])?.values();
    let mut sum = Vector::<f64>::default();
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|key, vector| {
        if vector.is_empty() {
            warning!("Zero vector input for key {key}");
            failed += 1;
            return Ok(());
        }
        if sum.is_empty() {
            sum.resize(vector.dim());
        }
        if sum.add(&vector).is_err() {
            warning!("Dimension mismatch for key {key}: {} vs. {}", vector.dim(), sum.dim());
            failed += 1;
            return Ok(());
        }
        done += 1;
        anyhow::Ok(())
    })?;
    if opts.average && done > 0 {
        sum.scale(1.0 / done as f64);
    }
    ended.finish()?;
    write_file(&opts.target, &sum.to_precision::<f32>(), Format::from_binary(opts.binary))?;
    let target = printable_wxfilename(&opts.target);
    log!("Summed {done} vectors, {failed} with errors; wrote sum to {target}");
    Ok(Tally::new(done, failed).ok_if(failed < done))
}

/// Sums vectors in files of their own.
fn sum_files(opts: &Options) -> anyhow::Result<Tally> {
    if let Some(table) = opts.sources.iter().find(|source| is_specifier(source)) {
        bail!("files and tables cannot be summed together: {table} is a table, {} is a file", opts.sources[0]);
    }
    let mut sum = Vector::<f32>::default();
    add_files(&opts.sources, |vector: Vector<f32>| {
        sum.resize(sum.dim().max(vector.dim()));
        sum.add(&vector)
    })?;
    let num_files = opts.sources.len();
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Summed {num_files} vectors; wrote sum to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(num_files as u64, 0))
}
