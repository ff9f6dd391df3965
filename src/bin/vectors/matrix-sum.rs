//! Sums matrices: several tables key by key, the matrices of one table, or files; or averages them.
//!
//! Matches Kaldi's `matrix-sum`. Several tables are summed in single precision, the matrices of one in double.

use std::process::ExitCode;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Summand, Tally, add_files, sum_tables, wrong_usage};
use kaldi_io::{Format, is_specifier, printable_wxfilename};
use kaldi_log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, write_file};

const USAGE: &str = "\
Sums matrices: those with the same key of several tables, into a table; all of one table, into a file; or those of files.
Of several tables there is a sum for each key of the first one, whether the others have that key or not. The matrices of
files may differ in size, as long as none is smaller than one before it: the sum grows.

Usage: matrix-sum [options] <matrix-rspecifier1> [<matrix-rspecifier2> ...] <matrix-wspecifier>
  or:  matrix-sum [options] <matrix-rspecifier> <matrix-wxfilename>
  or:  matrix-sum [options] <matrix-rxfilename1> [<matrix-rxfilename2> ...] <matrix-wxfilename>
 e.g.: matrix-sum ark:1.ark ark:2.ark ark:sum.ark
       matrix-sum --binary=false scp:cmvn.scp global_cmvn
       matrix-sum --average=true 1.mat 2.mat 3.mat average.mat
See also: copy-matrix, vector-sum, compare-int-vector
";

#[derive(clap::Parser)]
struct Options {
    /// Write the average instead of the sum (not for one table into a file); a matrix that is missing counts as zeros
    #[arg(long, default_value_t = false)]
    average: bool,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Multiply the matrices of the first table by this (only into a table, and not with --average)
    #[arg(long, default_value_t = 1.0)]
    scale1: f32,
    /// Multiply the matrices of the second table by this (only into a table, and not with --average)
    #[arg(long, default_value_t = 1.0)]
    scale2: f32,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, matrix_sum)
}

fn matrix_sum(opts: Options) -> anyhow::Result<Tally> {
    let from_table = is_specifier(&opts.sources[0]);
    if is_specifier(&opts.target) {
        return sum_matrix_tables(&opts);
    }
    if from_table && opts.sources.len() > 1 {
        return Ok(wrong_usage(USAGE, "several tables are summed into a table, and not into a file"));
    }
    if opts.scale1 != 1.0 || opts.scale2 != 1.0 {
        bail!("--scale1 and --scale2 are only for sums into a table");
    }
    if from_table { sum_table(&opts) } else { sum_files(&opts) }
}

/// Sums the matrices of each key of the first table.
fn sum_matrix_tables(opts: &Options) -> anyhow::Result<Tally> {
    let average = (1.0 / opts.sources.len() as f64) as f32;
    let factors = if opts.average { [average; 3] } else { [opts.scale1, opts.scale2, 1.0] };
    let summand = Summand {
        nouns: ["matrix", "matrices"],
        size: |matrix: &Matrix<f32>| format!("{} by {}", matrix.num_rows(), matrix.num_cols()),
        scale: Matrix::scale,
        add_scaled: Matrix::add_scaled,
    };
    sum_tables(&opts.sources, &opts.target, summand, factors)
}

/// Sums the matrices of one table.
fn sum_table(opts: &Options) -> anyhow::Result<Tally> {
    if opts.average {
        bail!("--average does not go with the sum of one table into a file");
    }
    let rows = SequentialReader::<Matrix<f32>>::open(&opts.sources[0])?.values();
    let mut sum = Matrix::<f64>::default();
    let (mut done, mut failed) = (0, 0);
    let ended = rows.drain(|key, matrix| {
        let (num_rows, num_cols) = matrix.size();
        if matrix.is_empty() {
            warning!("Zero matrix input for key {key}");
            failed += 1;
            return Ok(());
        }
        if sum.is_empty() {
            sum = Matrix::new(num_rows, num_cols);
        }
        if sum.add(&matrix).is_err() {
            let (sum_rows, sum_cols) = sum.size();
            warning!("Dimension mismatch for key {key}: {num_rows} by {num_cols} vs. {sum_rows} by {sum_cols}");
            failed += 1;
            return Ok(());
        }
        done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;
    write_file(&opts.target, &sum.to_precision::<f32>(), Format::from_binary(opts.binary))?;
    let target = printable_wxfilename(&opts.target);
    log!("Summed {done} matrices, {failed} with errors; wrote sum to {target}");
    Ok(Tally::new(done, failed).ok_if(failed < done))
}

/// Sums matrices in files of their own.
fn sum_files(opts: &Options) -> anyhow::Result<Tally> {
    if let Some(table) = opts.sources.iter().find(|source| is_specifier(source)) {
        bail!("files and tables cannot be summed together: {table} is a table, {} is a file", opts.sources[0]);
    }
    let mut sum = Matrix::<f32>::default();
    add_files(&opts.sources, |matrix: Matrix<f32>| {
        sum.resize(sum.num_rows().max(matrix.num_rows()), sum.num_cols().max(matrix.num_cols()));
        sum.add(&matrix)
    })?;
    let num_files = opts.sources.len();
    if opts.average {
        sum.scale((1.0 / num_files as f64) as f32);
    }
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Summed {num_files} matrices; wrote sum to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(num_files as u64, 0))
}
