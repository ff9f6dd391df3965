//! Computes statistics of positive and negative posteriors for discriminative training.
//!
//! Matches Kaldi's `gmm-acc-stats2`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, of_utterance};
use kaldi_gmm::{AcousticModel, AcousticStats, GmmFlags};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Computes statistics for discriminative training of a model of Gaussian mixtures, from posteriors of transition-ids: of the
positive ones into one file, of the negative ones into the other.

Usage: gmm-acc-stats2 [options] <model-in> <feats-rspecifier> <post-rspecifier> <num-stats-wxfilename> <den-stats-wxfilename>
 e.g.: gmm-acc-stats2 1.mdl scp:feats.scp ark:1.post 1.num_acc 1.den_acc
See also: gmm-acc-stats, gmm-sum-accs
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
    positive: OutputName,
    negative: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_acc_stats2)).whole("it writes two files of sums");

fn gmm_acc_stats2(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let mut positive = AcousticStats::new(&model, model.pdfs.dim(), opts.update_flags);
    let mut negative = positive.clone();
    let mut total_weight = 0.0;
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let mut log_like = 0.0;
        for (values, ids) in feats.rows().zip(&posterior.0) {
            for &(id, weight) in ids {
                total_weight += f64::from(weight);
                let stats = if weight > 0.0 { &mut positive } else { &mut negative };
                let pdf = model.transitions.pdf(id).map_err(|error| of_utterance(utt, error))?;
                let counted = stats.count_transition(id, f64::from(weight.abs()));
                let like = counted.and_then(|()| stats.add_frame(&model.pdfs, pdf, weight.abs(), (values, values)));
                log_like += f64::from(like.map_err(|error| of_utterance(utt, error))? * weight);
            }
        }
        Ok(Some((log_like, feats.num_rows() as f64)))
    })?;
    // Scripts of Kaldi read these words by their places.
    log!(
        "Overall weighted acoustic likelihood per frame was {} over {} frames; average weight per frame was {}",
        general(totals.average()),
        general(totals.frames),
        general(total_weight / totals.frames)
    );
    let format = Format::from_binary(opts.binary);
    write_file(&opts.positive, &positive, format)?;
    write_file(&opts.negative, &negative, format)?;
    log!("Written accs.");
    Ok(Tally::new(totals.done, totals.failed))
}
