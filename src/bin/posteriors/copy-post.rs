//! Copies posteriors, and scales them.
//!
//! Matches Kaldi's `copy-post`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Copies tables of posteriors, between archives, text and binary; can scale them.

Usage: copy-post [options] <post-rspecifier> <post-wspecifier>
 e.g.: copy-post --scale=0.5 scp:post.scp ark,t:-
See also: sum-post, copy-int-vector, copy-gselect
";

#[derive(clap::Args)]
struct Options {
    /// Multiply the weights by this; 0 leaves the frames empty
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_post)).by_entry(0);

fn copy_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        if opts.scale == 1.0 {
            return Ok(entry.copied()?);
        }
        let mut posterior = entry.read()?;
        posterior.scale(opts.scale);
        Ok(entry.record(&posterior))
    })?;
    let done = written.done();
    log!("Done copying {done} posteriors.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
