//! Sums the posteriors of each frame.
//!
//! Matches Kaldi's `post-to-weights`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts posteriors to one weight for each frame, the sum of the frame's weights.

Usage: post-to-weights [options] <post-rspecifier> <weights-wspecifier>
 e.g.: post-to-weights ark:1.post 'ark:| gzip -c > weights.1.gz'
See also: weight-post, get-post-on-ali, post-to-feats
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_weights)).by_entry(0);

fn post_to_weights(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let weights = Vector::from_vec(entry.read()?.frame_weights());
        Ok(entry.record(&weights))
    })?;
    let done = written.done();
    log!("Done converting {done} posteriors to weights.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
