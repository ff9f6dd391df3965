//! Estimates a PLDA model.
//!
//! Matches Kaldi's `ivector-compute-plda`.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, verbose, vlog, warning};
use kaldi_ivector::{PldaEstimator, PldaStats};
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{RandomAccessReader, ReaderExt, SequentialReader, write_file};
use kaldi_value::Format;
use kaldi_value::Keys;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates a model for probabilistic linear discriminant analysis from speaker vectors of known speakers: how these vary
within and between speakers.

Usage: ivector-compute-plda [options] <spk2utt-rspecifier> <ivector-rspecifier> <plda-wxfilename>
 e.g.: ivector-compute-plda ark:spk2utt scp:ivectors.scp plda
See also: ivector-plda-scoring, ivector-copy-plda, ivector-adapt-plda, ivector-compute-lda
";

#[derive(clap::Args)]
struct Options {
    /// Number of iterations of expectation and maximization
    #[arg(long, default_value_t = 10)]
    num_em_iters: i32,
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    spk2utt: MapName,
    ivectors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_compute_plda)).whole("it is estimated from the whole table");

fn ivector_compute_plda(opts: Options) -> anyhow::Result<Tally> {
    let mut speakers = SequentialReader::<Keys>::open(&opts.spk2utt)?;
    let mut ivectors = RandomAccessReader::<Vector<f32>>::open(&opts.ivectors)?;

    let mut stats = PldaStats::default();
    let (mut tally, mut utts_done, mut utts_missing) = (Tally::default(), 0, 0);
    for speaker in speakers.iter() {
        let (spk, utts) = speaker?;
        if utts.is_empty() {
            bail!("Speaker with no utterances: {spk}");
        }
        let (mut rows, mut elements) = (0, Vec::new());
        for utt in utts.iter() {
            let Some(ivector) = ivectors.get(utt)? else {
                warning!("No iVector present in input for utterance {utt}");
                utts_missing += 1;
                continue;
            };
            rows += 1;
            elements.extend(ivector.as_slice().iter().map(|&value| f64::from(value)));
            if elements.len() != rows * ivector.dim() {
                bail!("{spk}: the iVector of {utt} has another dimension than those before it");
            }
        }
        if rows == 0 {
            warning!("Not producing output for speaker {spk} since no utterances had iVectors");
            tally.failed += 1;
            continue;
        }
        let vectors = Matrix::from_vec(rows, elements.len() / rows, elements);
        stats.add(&vectors).with_context(|| spk.to_string())?;
        tally.done += 1;
        utts_done += rows;
    }
    if utts_done <= stats.dim() {
        bail!("Number of training iVectors is not greater than their dimension, unable to estimate PLDA.");
    }
    log!(
        "Accumulated stats from {} speakers ({} with no utterances), consisting of {utts_done} utterances ({utts_missing} \
         absent from input).",
        tally.done,
        tally.failed
    );
    if tally.done == utts_done as u64 {
        bail!("No speakers with multiple utterances, unable to estimate PLDA.");
    }
    ivectors.finish()?;

    let mut estimator = PldaEstimator::new(stats)?;
    for iteration in 0..opts.num_em_iters {
        log!("Plda estimation iteration {iteration} of {}", opts.num_em_iters);
        estimator.step()?;
        log!("Trace of within-class variance is {}", general(estimator.within().trace()));
        log!("Trace of between-class variance is {}", general(estimator.between().trace()));
        if verbose() >= 2 {
            vlog!(2, "Objective function is {}", general(estimator.objective()?));
        }
    }
    let plda = estimator.finish()?;
    log!("Norm of mean of iVector distribution is {}", general(plda.mean().norm()));
    log!("Diagonal of between-class variance in normalized space is {}", plda.psi());
    write_file(&opts.target, &plda, Format::from_binary(opts.binary))?;
    Ok(tally)
}
