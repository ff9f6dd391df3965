//! Computes the posteriors of the Gaussians of pdfs.
//!
//! Matches Kaldi's `gmm-post-to-gpost`, also in the random numbers of --rand-prune; in addition, utterances without
//! posteriors are named.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{each_posterior, log_average_likelihood, of_utterance};
use kaldi_gmm::{AcousticModel, PdfFrame};
use kaldi_io::log::log;
use kaldi_table::{TableWriter, read_file};
use kaldi_value::GaussPost;
use kaldi_value::random::{Pruning, Random};

const USAGE: &str = "\
Computes the posteriors of the Gaussians of each pdf, from posteriors of transition-ids, for transforms that are estimated
with them.

Usage: gmm-post-to-gpost [options] <model-in> <feats-rspecifier> <post-rspecifier> <gpost-wspecifier>
 e.g.: gmm-post-to-gpost 1.mdl scp:feats.scp ark:1.post ark:1.gpost
See also: gmm-acc-stats, ali-to-post
";

#[derive(clap::Args)]
struct Options {
    /// Has no effect: the wspecifier says which form is written
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Raise posteriors below this to it, or set them to zero, at random, so that the average stays the same
    #[arg(long, default_value_t = 0.0)]
    rand_prune: f32,
    model: InputName,
    feats: InputName,
    post: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_post_to_gpost)).in_pieces(&[
    (
        kaldi_cli::PiecesIf::Given("rand-prune"),
        kaldi_cli::Pieces::Whole("the random numbers of Kaldi run through the whole table"),
    ),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);

fn gmm_post_to_gpost(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.binary;
    let model: AcousticModel = read_file(&opts.model)?;
    let mut target = TableWriter::<GaussPost>::create(&opts.target)?;
    let mut pruning = Pruning { least: opts.rand_prune, random: Some(Random::default()) };
    let totals = each_posterior([&opts.feats, &opts.post], |utt, feats, posterior| {
        let pdfs = model.transitions.pdf_posterior(posterior).map_err(|error| of_utterance(utt, error))?;
        let wanted = PdfFrame::all_of(&pdfs);
        let found = model.pdfs.posteriors(feats, &wanted).map_err(|(_, error)| of_utterance(utt, error))?;
        let (mut log_like, mut total, mut frames) = (0.0, 0.0, vec![Vec::new(); pdfs.0.len()]);
        for (place, (&PdfFrame { frame, pdf, weight }, like)) in wanted.iter().zip(found.log_likelihoods()).enumerate()
        {
            let prune = |&whole: &f32| match opts.rand_prune > 0.0 {
                true => pruning.weigh(whole.abs()).map_or(0.0, |kept| kept.copysign(whole)),
                false => whole,
            };
            let posteriors: Vec<f32> = found.of(place).iter().map(prune).collect();
            if posteriors.iter().any(|posterior| *posterior != 0.0) {
                frames[frame].push((pdf, posteriors));
            }
            log_like += f64::from(like * weight);
            total += f64::from(weight);
        }
        target.write(utt, &GaussPost(frames))?;
        Ok(Some((log_like, total)))
    })?;
    log_average_likelihood(&totals);
    target.finish()?;
    log!("Done converting post to gpost");
    Ok(Tally::new(totals.done, totals.failed))
}
