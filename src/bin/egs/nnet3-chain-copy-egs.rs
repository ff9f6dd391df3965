//! Copies training examples of chain models, possibly to several tables, and changes them on the way.
//!
//! Matches Kaldi's `nnet3-chain-copy-egs`, random numbers included.

use anyhow::Context;
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_egs::{ExampleOutput, NnetChainExample, Outputs};
use kaldi_io::log::{log, warning};
use kaldi_value::random::Random;

use crate::copy_egs::{CopyEgsOptions, Counts, RANDOM, TURNS, Weighted};

const USAGE: &str = "\
Copies training examples of chain models. Several outputs take turns. Examples can be kept by chance, cut to less context,
weighted, renamed, and shifted in time.

Usage: nnet3-chain-copy-egs [options] <egs-rspecifier> <egs-wspecifier> [<egs-wspecifier> ...]
 e.g.: nnet3-chain-copy-egs ark:train.cegs ark,t:text.cegs
       nnet3-chain-copy-egs --frame-shift=1 ark:train.cegs ark:1.cegs ark:2.cegs
See also: nnet3-chain-shuffle-egs, nnet3-chain-subset-egs, nnet3-copy-egs
";

#[derive(clap::Args)]
struct Options {
    /// Add this to the times of all inputs but ivector, and to those of outputs the nearest multiple of their step
    #[arg(long, default_value_t = 0)]
    frame_shift: i32,
    /// Rspecifier of a weight for each example, by which that of its supervision is multiplied
    #[arg(long)]
    weights: Option<InputName>,
    #[command(flatten)]
    copy: CopyEgsOptions,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_chain_copy_egs)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("random"), RANDOM),
    (kaldi_cli::PiecesIf::Given("keep-proportion"), RANDOM),
    (kaldi_cli::PiecesIf::NumArguments(2), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, TURNS),
]);

fn nnet3_chain_copy_egs(opts: Options) -> anyhow::Result<Tally> {
    let mut selection = opts.copy.selection(None, opts.frame_shift);
    let is_needed = selection.is_needed();
    let write = |key: &BString, weighted: Weighted<NnetChainExample>, outputs: &mut Outputs<_>, random: &mut Random| {
        let Weighted { mut example, name, num_copies } = weighted;
        let of_example = || key.to_string();
        if let Some(name) = name {
            example.rename_output(name.as_bstr()).with_context(of_example)?;
        }
        selection.select_chain(&mut example, |message| warning!("{message}")).with_context(of_example)?;
        for _ in 0..num_copies {
            outputs.write(outputs.choose(random), key, &example)?;
        }
        Ok(())
    };
    opts.copy.copy(opts.weights.as_ref(), is_needed, write, |Counts { num_read, num_written, .. }| {
        log!("Read {num_read} neural-network training examples, wrote {num_written}");
    })
}
