//! Computes an LDA transform of speaker vectors.
//!
//! Matches Kaldi's `ivector-compute-lda`.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_io::printable_wxfilename;
use kaldi_ivector::{SpeakerLdaOptions, SpeakerStats};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, SequentialReader, write_file};
use kaldi_value::Format;
use kaldi_value::Token;
use kaldi_value::number::general;
use std::collections::{HashMap, HashSet};

const USAGE: &str = "\
Computes an LDA transform of speaker vectors: it keeps the directions in which speakers differ most, and makes the
covariance within speakers the unit matrix. It is affine, with an offset that makes the mean zero.

Usage: ivector-compute-lda [options] <ivector-rspecifier> <utt2spk-rspecifier> <lda-matrix-wxfilename>
 e.g.: ivector-compute-lda --dim=150 scp:ivectors.scp ark:utt2spk transform.mat
See also: ivector-transform, ivector-compute-plda, est-lda
";

#[derive(clap::Args)]
struct Options {
    /// Number of dimensions to keep
    #[arg(long, default_value_t = 100)]
    dim: i32,
    /// What becomes the unit matrix: the covariance within speakers (0), that of all vectors (1), or a mixture of them
    #[arg(long, default_value_t = 0.0)]
    total_covariance_factor: f32,
    /// Raise variances in the matrix that becomes the unit matrix to this, compared with the largest one
    #[arg(long, default_value_t = 1.0e-6)]
    covariance_floor: f32,
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    ivectors: InputName,
    utt2spk: MapName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_compute_lda)).whole("it is estimated from the whole table");

fn ivector_compute_lda(opts: Options) -> anyhow::Result<Tally> {
    let lda_options = SpeakerLdaOptions {
        dim: opts.dim,
        total_covariance_factor: opts.total_covariance_factor,
        covariance_floor: opts.covariance_floor,
    };
    lda_options.check()?;
    let ivectors = SequentialReader::<Vector<f32>>::open(&opts.ivectors)?;
    let utt2spk = RandomAccessReader::<Token>::open(&opts.utt2spk)?;

    let rows = ivectors.par_map_with(utt2spk, |entry, spk| Ok((entry.read()?, spk)));
    let (mut utts, mut speakers, mut failed) = (HashSet::new(), HashMap::new(), 0);
    let mut stats = SpeakerStats::default();
    let ended = rows.drain(|utt, (ivector, spk)| {
        if utts.contains(&utt) {
            warning!("Duplicate iVector found for utterance {utt}, ignoring it.");
            failed += 1;
            return Ok(());
        }
        let Some(spk) = spk else {
            warning!("utt2spk has no entry for utterance {utt}, skipping it.");
            failed += 1;
            return Ok(());
        };
        let next = speakers.len();
        let speaker = *speakers.entry(spk).or_insert(next);
        stats.add(speaker, &ivector).with_context(|| utt.to_string())?;
        utts.insert(utt);
        anyhow::Ok(())
    })?;
    log!("Read {} utterances, {failed} with errors.", stats.num_utts());
    if utts.is_empty() {
        bail!("Did not read any utterances.");
    }
    ended.finish()?;

    log!("Computing within-class covariance.");
    log!("2-norm of iVector mean is {}", general(stats.mean().norm()));
    log!("Stats have {} speakers, {} utterances. ", stats.num_speakers(), stats.num_utts());
    let lda = stats.lda(&lda_options)?;
    if let Some((count, floor)) = lda.floored {
        warning!("Floored {count} eigenvalues of covariance to {}", general(floor));
    }
    log!(
        "Singular values of between-class covariance after projecting with interpolated [total/within] covariance with a \
         weight of {} on the total covariance, are: {}",
        general(f64::from(opts.total_covariance_factor)),
        lda.singular_values
    );
    write_file(&opts.target, &lda.transform, Format::from_binary(opts.binary))?;
    log!("Wrote LDA transform to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(utts.len() as u64, failed))
}
