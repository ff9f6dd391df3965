//! Sums matrices in files of their own.
//!
//! Matches Kaldi's `sum-matrices`.

use kaldi_cli::{SumOptions, Tally, add_files};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums matrices of one size, such as statistics of several jobs.

Usage: sum-matrices [options] <matrix-wxfilename> <matrix-rxfilename1> [<matrix-rxfilename2> ...]
 e.g.: sum-matrices sum.mat 1.mat 2.mat 3.mat
See also: matrix-sum
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_matrices));

fn sum_matrices(opts: SumOptions) -> anyhow::Result<Tally> {
    let mut sum = Matrix::<f32>::default();
    add_files(&opts.sources, |matrix: Matrix<f32>| {
        if sum.is_empty() {
            // A sum starts with zero, which removes the sign of a negative zero.
            sum.resize(matrix.num_rows(), matrix.num_cols());
        }
        if matrix.is_empty() { Ok(()) } else { sum.add(&matrix) }
    })?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    let num_files = opts.sources.len();
    log!("Summed {num_files} matrices  of dimension {} by {}", sum.num_rows(), sum.num_cols());
    Ok(Tally::new(num_files as u64, 0))
}
