//! Computes posterior probabilities of the transition-ids of lattices.
//!
//! Matches Kaldi's `lattice-to-post`; a lattice without a path, or with paths of different lengths, is an error with a message.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_lattice::{CostScaleArguments, Error, Lattice, Scale};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;
use kaldi_value::number::general;

use crate::usable::if_usable;

const USAGE: &str = "\
Computes the posterior probability of each transition-id in each frame of lattices, and if wanted the total log-likelihood
of each lattice.

Usage: lattice-to-post [options] <lattice-rspecifier> <posteriors-wspecifier> [<loglikes-wspecifier>]
 e.g.: lattice-to-post --acoustic-scale=0.1 ark:1.lats ark:1.post
See also: lattice-arc-post, post-to-weights, weight-silence-post
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    source: InputName,
    posteriors: OutputName,
    loglikes: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_to_post)).by_entry(0);

fn lattice_to_post(opts: Options) -> anyhow::Result<Tally> {
    if opts.scale.acoustic_scale == 0.0 {
        bail!("expected an acoustic scale that is not 0");
    }
    let scale = Scale::from(&opts.scale);
    let source = SequentialReader::<Lattice>::open(&opts.source)?;
    let mut posteriors = TableWriter::<Posterior>::create(&opts.posteriors)?;
    let loglikes = opts.loglikes.filter(|name| !name.is_empty());
    let mut loglikes = loglikes.map(TableWriter::<f32>::create).transpose()?;

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        if !lattice.sort_unless_known() {
            return Err(Error::Cycle.into());
        }
        let found = if_usable(entry.key(), lattice.posteriors())?;
        Ok(found.map(|found| (Posterior(found.frames), found.log_prob, found.acoustic)))
    });
    let (mut done, mut failed, mut frames, mut total, mut total_acoustic) = (0, 0, 0, 0.0, 0.0);
    let ended = rows.drain(|key, found| {
        let Some((posterior, loglike, acoustic)) = found else {
            failed += 1;
            return Ok(());
        };
        done += 1;
        frames += posterior.0.len();
        total += loglike;
        total_acoustic += acoustic;
        posteriors.write(&key, &posterior)?;
        loglikes.as_mut().map_or(Ok(()), |target| target.write(&key, &(loglike as f32)))
    })?;
    log!(
        "Overall average log-like/frame is {} over {frames} frames.  Average acoustic like/frame is {}",
        general(total / frames as f64),
        general(total_acoustic / frames as f64)
    );
    log!("Done {done} lattices.");
    ended.finish()?;
    posteriors.finish()?;
    loglikes.map_or(Ok(()), TableWriter::finish)?;
    Ok(Tally::new(done, failed))
}
