//! Copies Gaussian selections, and shortens their lists.
//!
//! Matches Kaldi's `copy-gselect`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Copies tables of Gaussian selections (for each frame the indexes of its best Gaussians, the best first); can keep only
the first ones of each frame.

Usage: copy-gselect [options] <gselect-rspecifier> <gselect-wspecifier>
 e.g.: copy-gselect --n=10 ark:gselect.ark ark,t:-
See also: copy-int-vector, copy-post
";

#[derive(clap::Args)]
struct Options {
    /// Keep at most this many indexes of each frame; 0 keeps all
    #[arg(long, default_value_t = 0)]
    n: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_gselect)).by_entry(0);

fn copy_gselect(opts: Options) -> anyhow::Result<Tally> {
    let Ok(most) = usize::try_from(opts.n) else { bail!("expected --n to be 0 or more, got {}", opts.n) };
    let source = SequentialReader::<Vec<Vec<i32>>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        if most == 0 {
            return Ok(entry.copied()?);
        }
        let mut frames = entry.read()?;
        frames.iter_mut().for_each(|frame| frame.truncate(most));
        Ok(entry.record(&frames))
    })?;
    let done = written.done();
    match most {
        0 => log!("Copied {done} gselect objects"),
        _ => log!("Copied {done} gselect objects,  limiting sizes to {most}"),
    }
    written.finish()?;
    Ok(Tally::new(done, 0))
}
