//! Cuts utterances into training examples of nnet3 whose targets are matrices.
//!
//! Matches Kaldi's `nnet3-get-egs-dense-targets`, except that the places of gaps between examples depend on the utterance alone,
//! while Kaldi draws them anew in each run.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{CutArguments, CutTables, NnetExample, SplitOptions, UtteranceSplitter, cut_utterances};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::TableWriter;

const USAGE: &str = "\
Cuts utterances into training examples of nnet3: features with context, iVectors if there are any, and rows of target matrices.

Usage: nnet3-get-egs-dense-targets [options] <feats-rspecifier> <targets-rspecifier> <egs-wspecifier>
 e.g.: nnet3-get-egs-dense-targets --num-targets=26 --left-context=12 --right-context=9 --num-frames=8 scp:feats.scp \\
           ark:targets.ark ark:1.egs
See also: nnet3-get-egs, nnet3-copy-egs, nnet3-shuffle-egs
";

#[derive(clap::Args)]
struct Options {
    /// The number of columns that targets have to have; -1 takes any
    #[arg(long, default_value_t = -1)]
    num_targets: i32,
    #[command(flatten)]
    split: SplitOptions,
    #[command(flatten)]
    cut: CutArguments,
    feats: InputName,
    labels: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_get_egs_dense_targets))
    .whole("random numbers depend on all utterances before");

fn nnet3_get_egs_dense_targets(opts: Options) -> anyhow::Result<Tally> {
    let dim = (opts.num_targets >= 0).then_some(opts.num_targets);
    let options = opts.cut.options(dim, true)?;
    let splitter = UtteranceSplitter::new(opts.split)?;
    if let Some(rounded) = splitter.rounded() {
        log!("{rounded}");
    }
    let tables =
        CutTables { feats: &opts.feats, labels: &opts.labels, ivectors: opts.cut.ivectors().map(|name| &**name) };
    let mut target = TableWriter::<NnetExample>::create(&opts.target)?;
    let cut = cut_utterances::<Matrix<f32>>(&tables, splitter, options, &mut target)?;
    if cut.failed > 0 {
        warning!("{} utterances had errors and could not be processed.", cut.failed);
    }
    for sentence in cut.stats.sentences() {
        log!("{sentence}");
    }
    target.finish()?;
    Ok(Tally::new(cut.stats.num_chunks(), cut.failed).ok_if(cut.stats.num_frames() > 0))
}
