//! Combines the lattices of several systems.
//!
//! Matches Kaldi's `lattice-combine`. A lattice without a path is an error of its utterance, where Kaldi gives numbers that are
//! none.

use kaldi_cli::{InputName, OutputName, Tally, wrong_usage};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{AcousticScaleArguments, CompactLattice, Scale};
use kaldi_table::{SequentialReader, TableWriter, Tables};

const USAGE: &str = "\
Combines the lattices of several systems: the total probability of each lattice becomes its weight, and the paths of all are
put beside each other. The result is for lattice-mbr-decode or lattice-to-ctm-conf, without any more scaling: the scales are
not taken back, and graph costs alone have no meaning any more.

Usage: lattice-combine [options] <lattice-rspecifier1> <lattice-rspecifier2> [<lattice-rspecifier3> ...]
         <lattice-wspecifier>
 e.g.: lattice-combine --inv-acoustic-scale=12 'ark:gunzip -c foo/lat.1.gz |' 'ark:gunzip -c bar/lat.1.gz |' ark:- |
         lattice-mbr-decode ark:- ark,t:-
See also: lattice-union, lattice-interp, lattice-mbr-decode
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    acoustic: AcousticScaleArguments,
    /// Multiply graph costs by this
    #[arg(long, default_value_t = 1.0)]
    lm_scale: f32,
    /// Weights of the systems with colons between them, such as 0.2:0.8; all alike if not given
    #[arg(long, default_value = "")]
    lat_weights: String,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_combine)).by_entry(0);

fn lattice_combine(opts: Options) -> anyhow::Result<Tally> {
    let scale = Scale::new(f64::from(opts.lm_scale), f64::from(opts.acoustic.acoustic_scale()?));
    let systems = opts.sources.len();
    let [source, others @ ..] = &opts.sources[..] else { return Ok(wrong_usage(USAGE, "expected lattices")) };
    if others.is_empty() {
        return Ok(wrong_usage(USAGE, "expected the lattices of two systems or more"));
    }
    let weights = weights(&opts.lat_weights, systems);
    let source = SequentialReader::<CompactLattice>::open(source)?;
    let others = Tables::<CompactLattice>::open(others)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map_with(others, move |entry, found| {
        let (key, mut combined) = (entry.key(), entry.read()?);
        let mut counts = Counts { lattices: 1, ..Counts::default() };
        if !prepare(&mut combined, &scale, weights[0], &format!("system 1, utterance: {key}")) {
            counts.failed += 1;
            return Ok((None, counts));
        }
        for (((name, lattice), &weight), system) in found.iter().zip(&weights[1..]).zip(2..) {
            let Some(lattice) = lattice else {
                warning!("No lattice found for utterance {key} for system {system}, rspecifier: {name}");
                counts.missing += 1;
                continue;
            };
            counts.lattices += 1;
            let mut lattice = lattice.clone();
            if prepare(&mut lattice, &scale, weight, &format!("system {system}, utterance: {key}")) {
                combined.join(&lattice);
            } else {
                counts.failed += 1;
            }
        }
        Ok((Some(kaldi_table::Record::from_value(key, combined, format)), counts))
    });
    let (mut total, mut utterances, mut done) = (Counts::default(), 0, 0);
    let ended = rows.drain(|_, (record, counts)| {
        utterances += 1;
        total.lattices += counts.lattices;
        total.missing += counts.missing;
        total.failed += counts.failed;
        if let Some(record) = record {
            target.put(record)?;
            done += 1;
        }
        anyhow::Ok(())
    })?;
    let Counts { lattices, missing, failed } = total;
    log!("Processed {utterances} utterances: with a total of {lattices} lattices across {systems} different systems");
    log!(
        "Produced output for {done} utterances; {missing} total missing lattices and {failed} total lattices had errors in \
         processing."
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed).ok_if(done > 0 && 2 * missing < done))
}

#[derive(Clone, Copy, Default)]
struct Counts {
    lattices: u64,
    missing: u64,
    failed: u64,
}

/// Scales a lattice and gives it its weight; warns if that is impossible.
fn prepare(lattice: &mut CompactLattice, scale: &Scale, weight: f32, which: &str) -> bool {
    if weight <= 0.0 {
        warning!("Weights must be positive; found: {weight}");
        warning!("Could not normalize lattice for {which}");
        return false;
    }
    lattice.scale(scale);
    match lattice.normalize(weight) {
        Ok(()) => true,
        Err(error) => {
            warning!("Could not normalize lattice for {which}: {error}");
            false
        }
    }
}

/// The weights of systems, which sum to 1.
fn weights(text: &str, systems: usize) -> Vec<f32> {
    let uniform = vec![1.0 / systems as f32; systems];
    if text.is_empty() {
        return uniform;
    }
    // From the first one that is no number on, they are 0.
    let mut words = text.split(':').filter(|word| !word.is_empty()).map(str::parse).fuse();
    let mut weights: Vec<f32> = words.by_ref().map_while(Result::ok).collect();
    weights.resize(text.split(':').filter(|word| !word.is_empty()).count(), 0.0);
    if weights.len() != systems {
        warning!("Expecting {systems} weights, found {}: using uniform weights.", weights.len());
        return uniform;
    }
    if let Some(weight) = weights.iter().find(|weight| weight.is_nan() || **weight < 0.0) {
        warning!("Cannot use negative weight: {weight}; input string: {text}: using uniform weights.");
        return uniform;
    }
    let sum: f32 = weights.iter().sum();
    if sum != 1.0 {
        warning!("Weights sum to {sum} instead of 1: renormalizing");
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
    weights
}
