//! Sums vectors: several tables key by key, the vectors of one table, or files.
//!
//! Matches Kaldi's `vector-sum`; there the default of `--binary` is uninitialized memory. Several tables are summed in
//! single precision, the vectors of one in double.

use kaldi_cli::{InputName, OutputName, SumInput, Tally, sum_files, sum_table, sum_tables, wrong_usage};
use kaldi_io::is_specifier;
use kaldi_matrix::Vector;
use kaldi_value::Format;

const USAGE: &str = "\
Sums vectors: those with the same key of several tables, into a table; all of one table, into a file; or those of files.
For several tables there is a sum for each key of the first one, whether the others have that key or not. The vectors of
files may differ in length, as long as none is shorter than an earlier one: the sum grows.

Usage: vector-sum [options] <vector-rspecifier1> [<vector-rspecifier2> ...] <vector-wspecifier>
  or:  vector-sum [options] <vector-rspecifier> <vector-wxfilename>
  or:  vector-sum [options] <vector-rxfilename1> [<vector-rxfilename2> ...] <vector-wxfilename>
 e.g.: vector-sum ark:1.ark ark:2.ark ark:sum.ark
       vector-sum --average=true scp:spk.scp mean.vec
       vector-sum --binary=false post.*.vec post.vec
See also: copy-vector, matrix-sum, compare-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Write the average instead of the sum (only for one table into a file)
    #[arg(long)]
    average: bool,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(vector_sum)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("average"), kaldi_cli::Pieces::Whole("an average is not the sum of averages")),
    (kaldi_cli::PiecesIf::ToFile, kaldi_cli::Pieces::Sums(0, "vector-sum IN OUT")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(0)),
]);

fn vector_sum(opts: Options) -> anyhow::Result<Tally> {
    let Options { average, sources, target, .. } = &opts;
    let summand = SumInput {
        nouns: ["vector", "vectors"],
        size: |vector: &Vector<f32>| vector.dim().to_string(),
        is_empty: Vector::is_empty,
        scale: Vector::scale,
        add_scaled: Vector::add_scaled,
        grow: |sum, vector| sum.resize(sum.dim().max(vector.dim())),
        zeros: |vector| Vector::<f64>::new(vector.dim()),
        add_to_double: Vector::add,
        scaled_single: |mut sum, factor| {
            sum.scale(factor);
            sum.to_precision()
        },
    };
    if is_specifier(target) {
        return sum_tables(sources, target, &summand, [1.0; 3]);
    }
    let format = Format::from_binary(opts.binary);
    match (is_specifier(&sources[0]), &sources[..]) {
        (true, [table]) => sum_table(table, target, &summand, *average, format),
        (true, _) => Ok(wrong_usage(USAGE, "several tables are summed into a table, and not into a file")),
        (false, _) => sum_files(sources, target, &summand, false, format),
    }
}
