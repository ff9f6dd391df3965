//! Computes statistics for a model of Gaussian mixtures in other features than those for the likelihoods.
//!
//! Matches Kaldi's `gmm-acc-stats-twofeats`, except that an utterance whose features differ in their numbers of frames is
//! skipped (Kaldi aborts), and that nothing is written if there are no utterances.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, log_average_likelihood, of_utterance};
use kaldi_gmm::{AcousticModel, AcousticStats, GmmFlags};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Computes statistics for the estimation of a model of Gaussian mixtures. The first features are for the likelihoods, the
second ones, of the same frames, for the statistics: so a model moves to other features.

Usage: gmm-acc-stats-twofeats [options] <model-in> <feats1-rspecifier> <feats2-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: gmm-acc-stats-twofeats 1.mdl scp:feats.scp scp:other.scp ark:1.post 1.acc
See also: gmm-acc-stats, gmm-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    model: InputName,
    feats: InputName,
    other_feats: InputName,
    post: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_acc_stats_twofeats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "gmm-sum-accs OUT IN"))]);

fn gmm_acc_stats_twofeats(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let mut others = RandomAccessReader::<Matrix<f32>>::open(&opts.other_feats)?;
    let mut stats: Option<AcousticStats> = None;
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let Some(other) = others.get(utt)? else {
            warning!("For utterance {utt}, second features not present.");
            return Ok(None);
        };
        if other.num_rows() != feats.num_rows() {
            let (expected, got) = (feats.num_rows(), other.num_rows());
            warning!("For utterance {utt}, second features have {got} frames instead of {expected}.");
            return Ok(None);
        }
        let stats = stats.get_or_insert_with(|| AcousticStats::new(&model, other.num_cols(), GmmFlags::ALL));
        let pdfs = model.transitions.pdf_posterior(posterior).map_err(|error| of_utterance(utt, error))?;
        let added = stats.add_posterior(&model.pdfs, (feats, &other), (&pdfs, posterior));
        Ok(Some(added.map_err(|error| of_utterance(utt, error))?))
    })?;
    log_average_likelihood(&totals);
    others.finish()?;
    let Some(stats) = stats else { bail!("no statistics: no utterance has both features and posteriors") };
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written accs.");
    Ok(Tally::new(totals.done, totals.failed))
}
