//! Converts features to posteriors.
//!
//! Matches Kaldi's `feat-to-post`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Converts feature matrices to posteriors: for each frame, the numbers of all columns with their values.

Usage: feat-to-post [options] <feats-rspecifier> <posteriors-wspecifier>
 e.g.: feat-to-post scp:feats.scp ark:feats.post
See also: post-to-feats, prob-to-post, paste-post
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(feat_to_post)).by_entry(0);

fn feat_to_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let posterior = entry.read()?.to_posterior(Some);
        Ok(entry.record(&posterior))
    })?;
    let done = written.done();
    log!("Converted {done} alignments.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
