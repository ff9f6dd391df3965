//! Keeps every n-th frame of features, or repeats every frame.
//!
//! Matches Kaldi's `subsample-feats`: as in Kaldi, `--offset` does not count if frames are repeated.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::frames;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Keeps every n-th frame of features. With a negative n it repeats each frame instead (--n=-2: twice).

Usage: subsample-feats [options] <in-rspecifier> <out-wspecifier>
 e.g.: subsample-feats --n=2 ark:- ark:-
See also: copy-feats, subset-feats, shift-feats, extract-feature-segments
";

#[derive(clap::Args)]
struct Options {
    /// Keep every n-th frame; if it is negative, repeat each frame n times
    #[arg(long, default_value_t = 1)]
    n: i32,
    /// Start with the frame of this number (0 is the first), for a positive n
    #[arg(long, default_value_t = 0)]
    offset: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(subsample_feats)).by_entry(0);

fn subsample_feats(opts: Options) -> anyhow::Result<Tally> {
    let Options { n, offset, .. } = opts;
    if n == 0 {
        bail!("expected --n not to be 0");
    }
    if n > 0 && offset < 0 {
        bail!("expected --offset to be 0 or more, got {offset}");
    }
    let (step, offset) = (n.unsigned_abs() as usize, offset as usize);
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let (feats, key) = (entry.read()?, entry.key());
        let (num_in, out) = if n > 0 {
            (feats.num_rows(), frames::subsample(&feats, step, offset))
        } else {
            (feats.num_rows(), frames::repeat(&feats, step)?)
        };
        let num_out = out.num_rows();
        if n > 0 && num_out == 0 {
            warning!("For utterance {key}, output would have no rows, producing no output.");
            return Ok((None, num_in, num_out));
        }
        Ok((Some(Record::from_value(key, out, format)), num_in, num_out))
    });
    let mut tally = Tally::default();
    let (mut frames_in, mut frames_out) = (0, 0);
    let ended = rows.drain(|_, (record, num_in, num_out)| {
        match record {
            Some(record) => {
                target.put(record)?;
                tally.done += 1;
            }
            None => tally.failed += 1,
        }
        frames_in += num_in as u64;
        frames_out += num_out as u64;
        anyhow::Ok(())
    })?;
    log!("Processed {} feature matrices; {} with errors.", tally.done, tally.failed);
    log!("Processed {frames_in} input frames and {frames_out} output frames.");
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}
