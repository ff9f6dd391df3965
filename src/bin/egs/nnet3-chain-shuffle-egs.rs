//! Shuffles training examples of chain models.
//!
//! Matches Kaldi's `nnet3-chain-shuffle-egs`, except that `--srand` seeds the order of all examples, which Kaldi draws anew in each run.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{NnetChainExample, pass_buffer, read_records};
use kaldi_io::log::log;
use kaldi_table::{Reader, TableWriter};
use kaldi_value::random::{Mersenne, Random};

const USAGE: &str = "\
Shuffles training examples of chain models: all of them in memory, or in a buffer while they pass.

Usage: nnet3-chain-shuffle-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-chain-shuffle-egs --srand=1 ark:train.cegs ark:shuffled.cegs
       nnet3-chain-shuffle-egs --buffer-size=5000 ark:train.cegs ark:-
See also: nnet3-chain-copy-egs, nnet3-chain-subset-egs, table-shuffle
";

#[derive(clap::Args)]
struct Options {
    /// Seed of the order
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
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_chain_shuffle_egs)).whole("the order is one of all examples");

fn nnet3_chain_shuffle_egs(opts: Options) -> anyhow::Result<Tally> {
    ensure!(opts.buffer_size >= 0, "expected --buffer-size to be 0 or more, got {}", opts.buffer_size);
    let mut target = TableWriter::<NnetChainExample>::create(&opts.target)?;
    let mut rows = read_records(&opts.source, target.format())?;
    let done = if opts.buffer_size > 0 {
        let mut random = Random::seeded(opts.srand as u32);
        pass_buffer(&mut rows, opts.buffer_size.unsigned_abs(), &mut random, |record| target.put(record))?
    } else {
        let mut records = Vec::new();
        while let Some((_, record)) = rows.next()? {
            records.push(record);
        }
        Mersenne::seeded(opts.srand as u32).shuffle(&mut records);
        let done = records.len() as u64;
        records.into_iter().try_for_each(|record| target.put(record))?;
        done
    };
    let how = if opts.buffer_size > 0 { "using a buffer (partial randomization)" } else { "" };
    log!("Shuffled order of {done} neural-network training examples {how}");
    rows.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
