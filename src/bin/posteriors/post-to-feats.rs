//! Converts posteriors to features.
//!
//! Matches Kaldi's `post-to-feats`, except that single files work (Kaldi's then asks for a third argument, which it
//! does not allow).

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts posteriors to feature matrices: a row for each frame, with the weights in the columns of the indexes, and zeros
elsewhere.

Usage: post-to-feats --post-dim=<dim> [options] <post-rspecifier> <feats-wspecifier>
  or:  post-to-feats --post-dim=<dim> [options] <post-rxfilename> <feats-wxfilename>
 e.g.: post-to-feats --post-dim=50 ark:1.post ark:feats.ark
See also: append-post-to-feats, feat-to-post, post-to-smat, post-to-weights
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The dimension of the posteriors, greater than every index (must be given)
    #[arg(long, default_value_t = 0)]
    post_dim: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_feats)).by_entry(0);

fn post_to_feats(opts: Options) -> anyhow::Result<Tally> {
    if opts.post_dim <= 0 {
        bail!("expected --post-dim to be given and above 0, got {}", opts.post_dim);
    }
    let tables = are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Posterior>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;

    let written = source.par_map_into(target, move |entry| {
        let feats = Matrix::from_posterior(&entry.read()?, opts.post_dim as usize)
            .map_err(|error| format!("Out-of-bound Posterior element: {error}"))?;
        if feats.is_empty() {
            return Err("expected a posterior with frames, got an empty one".into());
        }
        Ok(entry.record(&feats))
    })?;
    let done = written.done();
    if tables {
        log!("Done {done} utts, errors on 0");
    }
    written.finish()?;
    if !tables {
        log!("Wrote posteriors as feature-matrix to {}", opts.target);
    }
    Ok(Tally::new(done, 0).error_if_none())
}
