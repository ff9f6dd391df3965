//! Turns alignments into posteriors.
//!
//! Matches Kaldi's `ali-to-post`.

use std::process::ExitCode;

use kaldi_cli::{InputName, OutputName, Tally, write_rows};
use kaldi_log::log;
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_values::Posterior;

const USAGE: &str = "\
Turns alignments into posteriors: each frame gets the index that is aligned with it (transition, pdf, phone ...), with a
weight of 1.

Usage: ali-to-post [options] <alignments-rspecifier> <posteriors-wspecifier>
 e.g.: ali-to-post 'ark:gunzip -c ali.1.gz |' ark:1.post
See also: post-to-weights, post-to-smat, get-post-on-ali, copy-int-vector
";

#[derive(clap::Parser)]
struct Options {
    source: InputName,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, ali_to_post)
}

fn ali_to_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let mut rows = source.map(move |entry| {
        let posterior = Posterior::from_alignment(&entry.read()?);
        Ok(Record::new(entry.key(), &posterior, format))
    });
    let done = write_rows(&mut rows, &mut target)?.done;
    log!("Converted {done} alignments.");
    rows.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
