//! Computes statistics for MLLT with a model of Gaussian mixtures.
//!
//! Matches Kaldi's `gmm-acc-mllt`, also in the random numbers of --rand-prune; in addition, utterances without posteriors
//! are named.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, log_average_likelihood, of_utterance};
use kaldi_gmm::transform::MlltStats;
use kaldi_gmm::{AcousticModel, PdfFrame};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::random::{Pruning, Random};

const USAGE: &str = "\
Computes statistics for the estimation of MLLT (semi-tied covariances) with a model of Gaussian mixtures, from posteriors of
transition-ids.

Usage: gmm-acc-mllt [options] <model-in> <feats-rspecifier> <post-rspecifier> <stats-wxfilename>
 e.g.: gmm-acc-mllt --rand-prune=4.0 1.mdl scp:feats.scp ark:1.post 1.macc
See also: est-mllt, sum-mllt-accs, gmm-acc-stats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Raise posteriors below this to it, or set them to zero, at random, so that the average stays the same; this saves time
    #[arg(long, default_value_t = 0.25)]
    rand_prune: f32,
    model: InputName,
    feats: InputName,
    post: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_acc_mllt)).in_pieces(&[
    (
        kaldi_cli::PiecesIf::Given("rand-prune"),
        kaldi_cli::Pieces::Whole("the random numbers of Kaldi run through the whole table"),
    ),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "sum-mllt-accs OUT IN")),
]);

fn gmm_acc_mllt(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let mut stats = MlltStats::new(model.pdfs.dim());
    let mut frames = stats.frames();
    let mut pruning = Pruning { least: opts.rand_prune, random: Some(Random::default()) };
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let pdfs = model.transitions.pdf_posterior(posterior).map_err(|error| of_utterance(utt, error))?;
        let wanted = PdfFrame::all_of(&pdfs);
        let found = model.pdfs.posteriors(feats, &wanted).map_err(|(_, error)| of_utterance(utt, error))?;
        let (mut log_like, mut total) = (0.0, 0.0);
        for (place, (&PdfFrame { frame, pdf, weight }, like)) in wanted.iter().zip(found.log_likelihoods()).enumerate()
        {
            let prune = |&whole: &f32| match opts.rand_prune > 0.0 {
                true => pruning.weigh(whole.abs()).map_or(0.0, |kept| kept.copysign(whole)),
                false => whole,
            };
            let posteriors: Vec<f32> = found.of(place).iter().map(prune).collect();
            let added = frames.add(&model.pdfs.pdfs()[pdf as usize], feats.row(frame), &posteriors);
            added.map_err(|error| of_utterance(utt, error))?;
            log_like += f64::from(like * weight);
            total += f64::from(weight);
        }
        Ok(Some((log_like, total)))
    })?;
    drop(frames);
    log_average_likelihood(&totals);
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written accs.");
    Ok(Tally::new(totals.done, totals.failed))
}
