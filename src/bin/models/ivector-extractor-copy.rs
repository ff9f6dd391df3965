//! Copies an i-vector extractor.
//!
//! Matches Kaldi's `ivector-extractor-copy`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_ivector::IvectorExtractor;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Copies an i-vector extractor, for example to text form.

Usage: ivector-extractor-copy [options] <extractor-rxfilename> <extractor-wxfilename>
 e.g.: ivector-extractor-copy --binary=false final.ie -
See also: ivector-extractor-init, ivector-extractor-est, table-info
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// No effect, as in Kaldi
    #[arg(long, default_value_t = 400)]
    ivector_dim: i32,
    /// No effect, as in Kaldi
    #[arg(long, default_value_t = 2)]
    num_iters: i32,
    /// No effect, as in Kaldi
    #[arg(long, default_value_t = true)]
    use_weights: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extractor_copy));

fn ivector_extractor_copy(opts: Options) -> anyhow::Result<Tally> {
    // As in Kaldi, these options of ivector-extractor-init change nothing.
    let _ = (opts.ivector_dim, opts.num_iters, opts.use_weights);
    let extractor: IvectorExtractor = read_file(&opts.source)?;
    write_file(&opts.target, &extractor, Format::from_binary(opts.binary))?;
    Ok(Tally::new(1, 0))
}
