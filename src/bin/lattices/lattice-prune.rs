//! Prunes lattices by a beam.
//!
//! Matches Kaldi's `lattice-prune`: a lattice that cannot be pruned is written all the same, with a warning. A beam that is
//! not above 0 is an error with a message.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{AcousticScaleArguments, CompactLattice, Error, Scale};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Drops arcs that are on no path nearly as good as the best one. A lattice with a cycle is written as it is, one without a
path is written without states; both with a warning.

Usage: lattice-prune [options] <lattice-rspecifier> <lattice-wspecifier>
 e.g.: lattice-prune --acoustic-scale=0.1 --beam=4.0 ark:1.lats ark:pruned.lats
See also: lattice-limit-depth, lattice-scale
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    acoustic: AcousticScaleArguments,
    /// How much more than the best path a path may cost, after scaling
    #[arg(long, default_value_t = 10.0)]
    beam: f32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_prune)).by_entry(0);

fn lattice_prune(opts: Options) -> anyhow::Result<Tally> {
    let acoustic_scale = opts.acoustic.acoustic_scale()?;
    if acoustic_scale == 0.0 {
        bail!("expected an acoustic scale that is not 0, since it is taken back");
    }
    if opts.beam.is_nan() || opts.beam <= 0.0 {
        bail!("expected --beam to be above 0, got {}", opts.beam);
    }
    let scale = Scale::new(1.0, f64::from(acoustic_scale));
    let beam = f64::from(opts.beam);
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        let before = [lattice.num_states(), lattice.num_arcs()];
        if let Err(error) = lattice.prune(beam) {
            let what = match error {
                Error::Cycle => "it has a cycle and is not pruned".to_owned(),
                Error::NoPath => "it has no path".to_owned(),
                error => format!("{error}, and it is not pruned"),
            };
            warning!("Error pruning lattice for utterance {}: {what}", entry.key());
        }
        let after = [lattice.num_states(), lattice.num_arcs()];
        log!(
            "For utterance {}, pruned #states from {} to {} and #arcs from {} to {}",
            entry.key(),
            before[0],
            after[0],
            before[1],
            after[1]
        );
        lattice.scale(&scale.inverse());
        Ok((kaldi_table::Record::from_value(entry.key(), lattice, format), before, after))
    });
    let (mut done, mut sums) = (0_u64, [[0; 2]; 2]);
    let ended = rows.drain(|_, (record, before, after)| {
        target.put(record)?;
        done += 1;
        for (sum, counts) in sums.iter_mut().zip([before, after]) {
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        anyhow::Ok(())
    })?;
    let mean = |sum: usize| general((sum as f32 / done.max(1) as f32).into());
    let [before, after] = sums;
    log!(
        "Overall, pruned from on average {} to {} states, and from {} to {} arcs, over {done} utterances.",
        mean(before[0]),
        mean(after[0]),
        mean(before[1]),
        mean(after[1])
    );
    log!("Done {done} lattices.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
