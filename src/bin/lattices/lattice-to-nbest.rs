//! Finds the best paths of lattices, or random ones.
//!
//! Matches Kaldi's `lattice-to-nbest`, except that random paths depend on the seed and the utterance alone, and are other ones
//! than Kaldi's.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{CompactLattice, CostScaleArguments, Scale};
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::number::general;
use kaldi_value::random::Random;

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the best paths of each lattice, and writes each as a lattice of its own with the costs that it had: those of utt1 are
utt1-1, utt1-2 and so on. They differ as paths, but may have the same words.

Usage: lattice-to-nbest [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-to-nbest --acoustic-scale=0.1 --n=10 ark:1.lats ark:nbest.lats
See also: lattice-1best, nbest-to-lattice, nbest-to-linear
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    /// Number of paths
    #[arg(long, default_value_t = 1)]
    n: i32,
    /// Take random paths, without costs
    #[arg(long)]
    random: bool,
    /// Seed of random paths
    #[arg(long, default_value_t = 0)]
    srand: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_to_nbest)).by_entry(0);

fn lattice_to_nbest(opts: Options) -> anyhow::Result<Tally> {
    let Some(count) = usize::try_from(opts.n).ok().filter(|&count| count > 0) else {
        bail!("expected --n to be 1 or more, got {}", opts.n);
    };
    if opts.scale.acoustic_scale == 0.0 || opts.scale.lm_scale == 0.0 {
        bail!("expected scales that are not 0, since they are taken back");
    }
    let scale = Scale::from(&opts.scale);
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let (key, mut lattice) = (entry.key(), entry.read()?);
        lattice.scale(&scale);
        let paths = if opts.random {
            let mut random = Random::named(opts.srand as u32, key);
            let draw = |_| lattice.random_path(|ways| random.below(ways.max(1) as u32) as usize);
            (0..count).filter_map(draw).collect()
        } else {
            if_usable(key, lattice.best_paths(count))?.unwrap_or_default()
        };
        if paths.is_empty() {
            warning!("Possibly empty lattice for utterance-id {key}(no N-best entries)");
        }
        let record = |(number, mut path): (usize, CompactLattice)| {
            path.scale(&scale.inverse());
            Record::from_value([key, format!("-{number}").as_bytes()].concat(), path, format)
        };
        Ok((1..).zip(paths).map(record).collect::<Vec<_>>())
    });
    let (mut done, mut failed, mut total) = (0_u64, 0, 0_usize);
    let ended = rows.drain(|_, records| {
        if records.is_empty() {
            failed += 1
        } else {
            done += 1
        }
        total += records.len();
        records.into_iter().try_for_each(|record| target.put(record))
    })?;
    log!(
        "Done applying N-best algorithm to {done} lattices with n = {count}, average actual #paths is {}",
        general(total as f64 / (done as f64 + 1.0e-20))
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
