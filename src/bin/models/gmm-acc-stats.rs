//! Computes statistics for the estimation of a model of Gaussian mixtures, from posteriors.
//!
//! Matches Kaldi's `gmm-acc-stats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, log_average_likelihood, of_utterance};
use kaldi_gmm::{AcousticModel, AcousticStats, GmmFlags};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Computes statistics of features for the estimation of a model of Gaussian mixtures, from posteriors of transition-ids.

Usage: gmm-acc-stats [options] <model-in> <feats-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: gmm-acc-stats 1.mdl scp:feats.scp ark:1.post 1.acc
See also: gmm-acc-stats-ali, gmm-acc-stats2, gmm-sum-accs, gmm-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The parameters to keep statistics for: m means, v variances, w weights; transitions always count
    #[arg(long, default_value = "mvwt")]
    update_flags: GmmFlags,
    model: InputName,
    feats: InputName,
    post: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_acc_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "gmm-sum-accs OUT IN"))]);

fn gmm_acc_stats(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let mut stats = AcousticStats::new(&model, model.pdfs.dim(), opts.update_flags);
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let pdfs = model.transitions.pdf_posterior(posterior).map_err(|error| of_utterance(utt, error))?;
        let added = stats.add_posterior(&model.pdfs, (feats, feats), (&pdfs, posterior));
        Ok(Some(added.map_err(|error| of_utterance(utt, error))?))
    })?;
    log_average_likelihood(&totals);
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written accs.");
    Ok(Tally::new(totals.done, totals.failed))
}
