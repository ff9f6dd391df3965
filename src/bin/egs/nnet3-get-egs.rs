//! Cuts utterances into training examples of nnet3.
//!
//! Matches Kaldi's `nnet3-get-egs`, except that the places of gaps between examples depend on the utterance alone, while Kaldi
//! draws them anew in each run. With `--frame-subsampling-factor` posteriors are those of every so many frames, as the check of
//! their number expects; Kaldi reads others, and weights that are not there.

use anyhow::ensure;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{CutArguments, CutTables, NnetExample, SplitOptions, UtteranceSplitter, cut_utterances};
use kaldi_io::log::{log, warning};
use kaldi_table::TableWriter;
use kaldi_value::Posterior;

const USAGE: &str = "\
Cuts utterances into training examples of nnet3: features with context, iVectors if there are any, and posteriors of pdfs.

Usage: nnet3-get-egs --num-pdfs=<n> [options] <feats-rspecifier> <pdf-post-rspecifier> <egs-wspecifier>
 e.g.: nnet3-get-egs --num-pdfs=2658 --left-context=12 --right-context=9 --num-frames=8 scp:feats.scp ark:pdf_post.ark ark:1.egs
       nnet3-get-egs --num-pdfs=2658 --num-frames=40,25,50 scp:feats.scp 'ark:ali-to-post ark:pdf.ark ark:- |' ark:1.egs
See also: nnet3-get-egs-dense-targets, nnet3-get-egs-simple, nnet3-copy-egs, nnet3-shuffle-egs
";

#[derive(clap::Args)]
struct Options {
    /// The number of pdfs, greater than every one in the posteriors (must be given)
    #[arg(long, default_value_t = -1)]
    num_pdfs: i32,
    #[command(flatten)]
    split: SplitOptions,
    #[command(flatten)]
    cut: CutArguments,
    feats: InputName,
    labels: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_get_egs))
    .whole("random numbers depend on all utterances before");

fn nnet3_get_egs(opts: Options) -> anyhow::Result<Tally> {
    ensure!(opts.num_pdfs > 0, "expected --num-pdfs to be given and above 0, got {}", opts.num_pdfs);
    let dim = Some(opts.num_pdfs);
    let options = opts.cut.options(dim, false)?;
    let splitter = UtteranceSplitter::new(opts.split)?;
    if let Some(rounded) = splitter.rounded() {
        log!("{rounded}");
    }
    let tables =
        CutTables { feats: &opts.feats, labels: &opts.labels, ivectors: opts.cut.ivectors().map(|name| &**name) };
    let mut target = TableWriter::<NnetExample>::create(&opts.target)?;
    let cut = cut_utterances::<Posterior>(&tables, splitter, options, &mut target)?;
    if cut.failed > 0 {
        warning!("{} utterances had errors and could not be processed.", cut.failed);
    }
    for sentence in cut.stats.sentences() {
        log!("{sentence}");
    }
    target.finish()?;
    Ok(Tally::new(cut.stats.num_chunks(), cut.failed).ok_if(cut.stats.num_frames() > 0))
}
