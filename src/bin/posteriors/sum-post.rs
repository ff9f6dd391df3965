//! Sums two tables of posteriors, frame by frame.
//!
//! Matches Kaldi's `sum-post`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};
use kaldi_value::Posterior;
use kaldi_value::number::Digits;

const USAGE: &str = "\
Sums two tables of posteriors, frame by frame; with --scale2=-1 it takes their difference.

Usage: sum-post [options] <post1-rspecifier> <post2-rspecifier> <post-wspecifier>
 e.g.: sum-post --scale2=-1 ark:num.post ark:den.post ark:diff.post
See also: copy-post
";

#[derive(clap::Args)]
struct Options {
    /// Multiply the first posteriors by this
    #[arg(long, default_value_t = 1.0)]
    scale1: f32,
    /// Multiply the second posteriors by this
    #[arg(long, default_value_t = 1.0)]
    scale2: f32,
    /// Sum the weights of equal indexes, and leave out sums of zero; otherwise all are kept
    #[arg(long, default_value_t = true)]
    merge: bool,
    /// Empty the frames in which the two have no index in common
    #[arg(long, visible_alias = "zero-if-disjoint")]
    drop_frames: bool,
    first: InputName,
    second: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_post)).by_entry(0);

fn sum_post(opts: Options) -> anyhow::Result<Tally> {
    let first = SequentialReader::<Posterior>::open(&opts.first)?;
    let second = RandomAccessReader::<Posterior>::open(&opts.second)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = first.par_map_with(second, move |entry, found: Option<Arc<Posterior>>| {
        let key = entry.key();
        let Some(second) = found else {
            warning!("Second set of posteriors has nothing for key {key}, producing no output.");
            return Ok(None);
        };
        let mut sum = entry.read()?;
        if sum.0.len() != second.0.len() {
            warning!("Posteriors have mismatched sizes {} vs. {} for key {key}", sum.0.len(), second.0.len());
            return Ok(None);
        }
        if opts.scale1 != 1.0 {
            sum.scale(opts.scale1);
        }
        let num_disjoint = if opts.scale2 == 1.0 {
            sum.merge(&second, opts.merge, opts.drop_frames)
        } else {
            let mut second = Arc::unwrap_or_clone(second);
            second.scale(opts.scale2);
            sum.merge(&second, opts.merge, opts.drop_frames)
        };
        Ok(Some((Record::new(key, &sum, format), sum.0.len(), num_disjoint)))
    });
    let (mut done, mut failed, mut frames, mut disjoint) = (0, 0, 0, 0);
    let ended = rows.drain(|_, row| {
        let Some((record, num_frames, num_disjoint)) = row else {
            failed += 1;
            return Ok(());
        };
        target.put(record)?;
        done += 1;
        frames += num_frames;
        disjoint += num_disjoint;
        anyhow::Ok(())
    })?;
    let percentage = disjoint as f64 * 100.0 / frames as f64;
    log!(
        "Processed {frames} frames; for {disjoint} frames there was no overlap, i.e. {}% (e.g. numerator path not in \
         denominator lattice)",
        Digits(percentage, 6)
    );
    log!("Done adding {done} posteriors;  {failed} with errors.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
