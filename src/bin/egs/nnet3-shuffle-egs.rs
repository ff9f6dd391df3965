//! Shuffles training examples of nnet3.
//!
//! Matches Kaldi's `nnet3-shuffle-egs`, the order included.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{NnetExample, pass_buffer, read_records};
use kaldi_io::log::log;
use kaldi_table::{Reader, TableWriter};
use kaldi_value::Value;
use kaldi_value::random::{Mersenne, Random};

const USAGE: &str = "\
Shuffles training examples of nnet3: all of them in memory, or in a buffer while they pass.

Usage: nnet3-shuffle-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-shuffle-egs --srand=1 ark:train.egs ark:shuffled.egs
       nnet3-shuffle-egs --buffer-size=5000 ark:train.egs ark:-
See also: nnet3-copy-egs, nnet3-subset-egs, table-shuffle
";

#[derive(clap::Args)]
struct Options {
    /// Seed of the order, which has no effect with --buffer-size
    #[arg(long, default_value_t = 0)]
    srand: i32,
    /// Keep this many examples in memory: each new one takes a random place, and the one that was there is written. 0 keeps
    /// all of them
    #[arg(long, default_value_t = 0)]
    buffer_size: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_shuffle_egs)).whole("the order is one of all examples");

fn nnet3_shuffle_egs(opts: Options) -> anyhow::Result<Tally> {
    shuffle::<NnetExample>((&opts.source, &opts.target), opts.buffer_size, Random::default(), opts.srand)
}

/// Shuffles examples of any kind: through a buffer by `random`, or all of them by the seed.
pub(crate) fn shuffle<E: Value>(
    (source, target): (&InputName, &OutputName),
    buffer_size: i32,
    mut random: Random,
    seed: i32,
) -> anyhow::Result<Tally> {
    ensure!(buffer_size >= 0, "expected --buffer-size to be 0 or more, got {buffer_size}");
    let mut target = TableWriter::<E>::create(target)?;
    let mut rows = read_records(source, target.format())?;
    let done = if buffer_size > 0 {
        pass_buffer(&mut rows, buffer_size.unsigned_abs(), &mut random, |record| target.put(record))?
    } else {
        let mut records = Vec::new();
        while let Some((_, record)) = rows.next()? {
            records.push(record);
        }
        Mersenne::seeded(seed as u32).shuffle(&mut records);
        let done = records.len() as u64;
        records.into_iter().try_for_each(|record| target.put(record))?;
        done
    };
    let how = if buffer_size > 0 { "using a buffer (partial randomization)" } else { "" };
    log!("Shuffled order of {done} neural-network training examples {how}");
    rows.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
