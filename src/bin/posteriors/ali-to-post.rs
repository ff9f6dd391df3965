//! Converts alignments to posteriors.
//!
//! Matches Kaldi's `ali-to-post`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts alignments to posteriors: each frame gets the index that is aligned with it (transition, pdf, phone ...), with
a weight of 1.

Usage: ali-to-post [options] <alignments-rspecifier> <posteriors-wspecifier>
 e.g.: ali-to-post 'ark:gunzip -c ali.1.gz |' ark:1.post
See also: post-to-weights, post-to-smat, get-post-on-ali, copy-int-vector
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ali_to_post)).by_entry(0);

fn ali_to_post(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Vec<i32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let posterior = Posterior::from_alignment(&entry.read()?);
        Ok(entry.record(&posterior))
    })?;
    let done = written.done();
    log!("Converted {done} alignments.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
