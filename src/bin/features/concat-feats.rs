//! Concatenates the features of several files in time.
//!
//! Matches Kaldi's `concat-feats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::frames;
use kaldi_matrix::Matrix;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Concatenates the features of several files in time. All must have the same dimension.

Usage: concat-feats <in-rxfilename1> <in-rxfilename2> [<in-rxfilename3> ...] <out-wxfilename>
 e.g.: concat-feats mfcc/foo.ark:12343 mfcc/foo.ark:56789 -
See also: copy-feats, append-vector-to-feats, paste-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(concat_feats));

fn concat_feats(opts: Options) -> anyhow::Result<Tally> {
    let names = std::iter::once(&opts.first).chain(&opts.others);
    let all = names.map(read_file).collect::<Result<Vec<Matrix<f32>>, _>>()?;
    write_file(&opts.target, &frames::concat(&all)?, Format::from_binary(opts.binary))?;
    Ok(Tally::new(all.len() as u64, 0))
}
