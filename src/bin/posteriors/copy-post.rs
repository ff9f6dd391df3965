//! Copies posteriors, and scales them on the way.
//!
//! Matches Kaldi's `copy-post`.

use std::process::ExitCode;

use kaldi_cli::{InputName, OutputName, Tally, write_rows};
use kaldi_log::log;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_values::Posterior;

const USAGE: &str = "\
Copies tables of posteriors, between archives, text and binary; may scale them.

Usage: copy-post [options] <post-rspecifier> <post-wspecifier>
 e.g.: copy-post --scale=0.5 scp:post.scp ark,t:-
See also: sum-post, copy-int-vector, copy-gselect
";

#[derive(clap::Parser)]
struct Options {
    /// Multiply the weights by this; 0 leaves the frames empty
    #[arg(long, default_value_t = 1.0)]
    scale: f32,
    source: InputName,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, copy_post)
}

fn copy_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let mut rows = source.map(move |entry| {
        if opts.scale == 1.0 {
            return Ok(entry.copy(format)?);
        }
        let mut posterior = entry.read()?;
        posterior.scale(opts.scale);
        Ok(Record::new(entry.key(), &posterior, format))
    });
    let done = write_rows(&mut rows, &mut target)?.done;
    log!("Done copying {done} posteriors.");
    rows.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
