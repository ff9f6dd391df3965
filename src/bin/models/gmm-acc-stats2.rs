//! Computes statistics of positive and negative posteriors for discriminative training.
//!
//! Matches Kaldi's `gmm-acc-stats2`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, of_utterance};
use kaldi_gmm::{AcousticModel, AcousticStats, GmmFlags, PdfFrame};
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
    // Those of positive weights, and the others.
    let mut stats = [(); 2].map(|()| AcousticStats::new(&model, model.pdfs.dim(), opts.update_flags));
    let mut total_weight = 0.0;
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let (mut frames, mut weights) = ([Vec::new(), Vec::new()], Vec::new());
        for (frame, ids) in posterior.0.iter().enumerate() {
            for &(id, weight) in ids {
                total_weight += f64::from(weight);
                let side = if weight > 0.0 { 0 } else { 1 };
                let pdf = model.transitions.pdf(id).map_err(|error| of_utterance(utt, error))?;
                let counted = stats[side].count_transition(id, f64::from(weight.abs()));
                counted.map_err(|error| of_utterance(utt, error))?;
                frames[side].push(PdfFrame { frame, pdf, weight: weight.abs() });
                weights.push((side, weight));
            }
        }
        let mut likes = [Vec::new(), Vec::new()];
        for ((stats, frames), likes) in stats.iter_mut().zip(&frames).zip(&mut likes) {
            let added = stats.add_frames(&model.pdfs, (feats, feats), frames);
            *likes = added.map_err(|(_, error)| of_utterance(utt, error))?;
        }
        let mut likes = likes.map(IntoIterator::into_iter);
        let weighted = weights.into_iter().filter_map(|(side, weight)| Some(likes[side].next()? * weight));
        Ok(Some((weighted.map(f64::from).sum(), feats.num_rows() as f64)))
    })?;
    // Scripts of Kaldi read these words by their places.
    log!(
        "Overall weighted acoustic likelihood per frame was {} over {} frames; average weight per frame was {}",
        general(totals.average()),
        general(totals.frames),
        general(total_weight / totals.frames)
    );
    let format = Format::from_binary(opts.binary);
    write_file(&opts.positive, &stats[0], format)?;
    write_file(&opts.negative, &stats[1], format)?;
    log!("Written accs.");
    Ok(Tally::new(totals.done, totals.failed))
}
