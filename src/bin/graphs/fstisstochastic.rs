//! Checks that what leaves each state of a graph sums to one.
//!
//! Matches Kaldi's `fstisstochastic`.

use kaldi_cli::{InputName, Tally};
use kaldi_lattice::{Semiring, StateSums};
use kaldi_value::number::general;

use crate::files::FstFile;

const USAGE: &str = "\
Prints the largest and the smallest cost that all arcs of a state and its final weight sum to; with --test-in-log=false the
smallest first. They are 0 where probabilities sum to one, over 0 where they sum to less. Exits with 1 if a sum is off.

Usage: fstisstochastic [options] [<fst-rxfilename>]
 e.g.: fstisstochastic G.fst
See also: arpa2fst
";

#[derive(clap::Args)]
struct Options {
    /// A sum may be off by this
    #[arg(long, default_value_t = 0.01)]
    delta: f32,
    /// Add costs as logarithms of probabilities; otherwise take the smallest one
    #[arg(long, default_value_t = true)]
    test_in_log: bool,
    source: Option<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fstisstochastic));

fn fstisstochastic(opts: Options) -> anyhow::Result<Tally> {
    let semiring = if opts.test_in_log { Semiring::Log } else { Semiring::Tropical };
    let file = FstFile::open(opts.source.as_ref())?;
    let (sums, length) = file.parse(|bytes| StateSums::of_file(bytes, semiring, opts.delta))?;
    file.expect_end(length);
    let [first, second] = match semiring {
        Semiring::Log => [sums.largest, sums.smallest],
        Semiring::Tropical => [sums.smallest, sums.largest],
    };
    kaldi_io::print(format!("{} {}\n", general(first.into()), general(second.into())))?;
    Ok(Tally::new(1, 0).ok_if(sums.are_fine))
}
