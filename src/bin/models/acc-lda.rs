//! Accumulates statistics for LDA, with pdfs as classes.
//!
//! Matches Kaldi's `acc-lda`; a number that is not a transition-id of the model is an error, as is a negative
//! `--rand-prune`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::LdaStats;
use kaldi_hmm::TransitionModel;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::random::Random;
use kaldi_value::{Format, Posterior};

const USAGE: &str = "\
Accumulates statistics for LDA, with the pdfs of posteriors as classes.

Usage: acc-lda [options] <model-rxfilename> <feats-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: ali-to-post ark:1.ali ark:- | acc-lda final.mdl 'ark:splice-feats scp:feats.scp ark:- |' ark,s,cs:- lda.1.acc
See also: est-lda, sum-lda-accs, ali-to-post
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Raise posteriors below this to it, or drop them, at random, so that the average stays the same; this saves time
    #[arg(long, default_value_t = 0.0)]
    rand_prune: f32,
    model: InputName,
    source: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(acc_lda)).in_pieces(&[
    (
        kaldi_cli::PiecesIf::Given("rand-prune"),
        kaldi_cli::Pieces::Whole("the random numbers of Kaldi run through the whole table"),
    ),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "sum-lda-accs OUT IN")),
]);

fn acc_lda(opts: Options) -> anyhow::Result<Tally> {
    if opts.rand_prune < 0.0 || opts.rand_prune.is_nan() {
        bail!("expected --rand-prune to be 0 or more, got {}", opts.rand_prune);
    }
    let model: TransitionModel = read_file(&opts.model)?;
    let num_pdfs = model.num_pdfs();
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let posteriors = RandomAccessReader::<Posterior>::open(&opts.posteriors)?;

    let rows = source.par_map_with(posteriors, move |entry, posterior| {
        let Some(posterior) = posterior else {
            warning!("No posteriors for utterance {}", entry.key());
            return Ok(None);
        };
        let feats = entry.read()?;
        if feats.num_rows() != posterior.0.len() {
            let (num_frames, num_rows) = (posterior.0.len(), feats.num_rows());
            warning!("{}: Posterior vs. feats size mismatch {num_frames} vs. {num_rows}", entry.key());
            return Ok(Some((feats.num_cols(), None)));
        }
        Ok(Some((feats.num_cols(), Some((model.pdf_posterior(&posterior)?, feats)))))
    });
    let (mut stats, mut random, mut tally) = (LdaStats::default(), Random::default(), Tally::default());
    let ended = rows.drain(|key, row| {
        let Some((dim, found)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        if stats.dim() == 0 {
            stats = LdaStats::new(num_pdfs, dim);
        }
        let Some((posterior, feats)) = found else {
            tally.failed += 1;
            return Ok(());
        };
        if stats.dim() != dim {
            warning!("{key}: Feature dimension mismatch {} vs. {dim}", stats.dim());
            tally.failed += 1;
            return Ok(());
        }
        let entries = feats.rows().zip(&posterior.0).flat_map(|(row, entries)| entries.iter().map(move |it| (row, it)));
        let vectors =
            entries.map(|(row, &(pdf, weight))| (pdf as usize, prune(weight, opts.rand_prune, &mut random), row));
        stats.accumulate(&vectors.collect::<Vec<_>>())?;
        tally.done += 1;
        if tally.done % 100 == 0 {
            log!("Done {} utterances.", tally.done);
        }
        anyhow::Ok(())
    })?;
    log!("Done {} files, failed for {}", tally.done, tally.failed);
    ended.finish()?;
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written statistics.");
    Ok(tally)
}

/// Drops a weight below the threshold, or makes it as large, so that it is the same on average (Kaldi's `RandPrune`).
fn prune(weight: f32, threshold: f32, random: &mut Random) -> f32 {
    if weight == 0.0 || weight.abs() >= threshold {
        return weight;
    }
    if random.uniform() <= weight.abs() / threshold { threshold.copysign(weight) } else { 0.0 }
}
