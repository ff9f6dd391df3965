//! Sums matrices: several tables key by key, the matrices of one table, or files; or averages them.
//!
//! Matches Kaldi's `matrix-sum`. Several tables are summed in single precision, the matrices of one in double.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, SumInput, Tally, sum_files, sum_table, sum_tables, wrong_usage};
use kaldi_io::is_specifier;
use kaldi_matrix::Matrix;
use kaldi_value::Format;

const USAGE: &str = "\
Sums matrices: those with the same key of several tables, into a table; all of one table, into a file; or those of files.
For several tables there is a sum for each key of the first one, whether the others have that key or not. The matrices
of files may differ in size, as long as none is smaller than an earlier one: the sum grows.

Usage: matrix-sum [options] <matrix-rspecifier1> [<matrix-rspecifier2> ...] <matrix-wspecifier>
  or:  matrix-sum [options] <matrix-rspecifier> <matrix-wxfilename>
  or:  matrix-sum [options] <matrix-rxfilename1> [<matrix-rxfilename2> ...] <matrix-wxfilename>
 e.g.: matrix-sum ark:1.ark ark:2.ark ark:sum.ark
       matrix-sum --binary=false scp:cmvn.scp global_cmvn
       matrix-sum --average=true 1.mat 2.mat 3.mat average.mat
See also: copy-matrix, vector-sum, compare-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Write the average instead of the sum (not for one table into a file); a missing matrix counts as zeros
    #[arg(long)]
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

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(matrix_sum)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("average"), kaldi_cli::Pieces::Whole("an average is not the sum of averages")),
    (kaldi_cli::PiecesIf::ToFile, kaldi_cli::Pieces::Sums(0, "matrix-sum IN OUT")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn matrix_sum(opts: Options) -> anyhow::Result<Tally> {
    let Options { average, sources, target, .. } = &opts;
    let summand = SumInput {
        nouns: ["matrix", "matrices"],
        size: |matrix: &Matrix<f32>| format!("{} by {}", matrix.num_rows(), matrix.num_cols()),
        is_empty: Matrix::is_empty,
        scale: Matrix::scale,
        add_scaled: Matrix::add_scaled,
        grow: |sum, matrix| sum.resize(sum.num_rows().max(matrix.num_rows()), sum.num_cols().max(matrix.num_cols())),
        zeros: |matrix| Matrix::<f64>::new(matrix.num_rows(), matrix.num_cols()),
        add_to_double: Matrix::add,
        scaled_single: |mut sum, factor| {
            sum.scale(factor);
            sum.to_precision()
        },
    };
    if is_specifier(target) {
        let one_of_all = (1.0 / sources.len() as f64) as f32;
        let factors = if *average { [one_of_all; 3] } else { [opts.scale1, opts.scale2, 1.0] };
        return sum_tables(sources, target, &summand, factors);
    }
    let from_table = is_specifier(&sources[0]);
    if from_table && sources.len() > 1 {
        return Ok(wrong_usage(USAGE, "several tables are summed into a table, and not into a file"));
    }
    if opts.scale1 != 1.0 || opts.scale2 != 1.0 {
        bail!("--scale1 and --scale2 are only for sums into a table");
    }
    let format = Format::from_binary(opts.binary);
    if !from_table {
        return sum_files(sources, target, &summand, *average, format);
    }
    if *average {
        bail!("--average does not go with the sum of one table into a file");
    }
    sum_table(&sources[0], target, &summand, false, format)
}
