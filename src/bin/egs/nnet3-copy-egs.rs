//! Copies training examples of nnet3, possibly to several tables, and changes them on the way.
//!
//! Matches Kaldi's `nnet3-copy-egs`, random numbers included.

use anyhow::{Context, bail};
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_egs::{ExampleOutput, FrameChoice, NnetExample, Outputs};
use kaldi_io::log::{log, warning};
use kaldi_value::random::Random;

use crate::copy_egs::{CopyEgsOptions, Counts, RANDOM, TURNS, Weighted};

const USAGE: &str = "\
Copies training examples of nnet3. Several outputs take turns. Examples can be kept by chance, cut to one frame or to less
context, weighted and renamed.

Usage: nnet3-copy-egs [options] <egs-rspecifier> <egs-wspecifier> [<egs-wspecifier> ...]
 e.g.: nnet3-copy-egs ark:train.egs ark,t:text.egs
       nnet3-copy-egs --random=true --srand=1 ark:train.egs ark:1.egs ark:2.egs
       nnet3-copy-egs --frame=random --left-context=4 --right-context=4 ark:train.egs ark:-
See also: nnet3-shuffle-egs, nnet3-subset-egs, nnet3-merge-egs, nnet3-get-egs
";

#[derive(clap::Args)]
struct Options {
    /// Keep only the label of this frame (0, 1, ...), or of a random one (random)
    #[arg(long)]
    frame: Option<Arg>,
    /// Add this to the times of all but ivector, after frames were chosen
    #[arg(long, default_value_t = 0)]
    frame_shift: i32,
    /// Rspecifier of a weight for each example, by which its output is multiplied
    #[arg(long)]
    weights: Option<InputName>,
    #[command(flatten)]
    copy: CopyEgsOptions,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_copy_egs)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("random"), RANDOM),
    (kaldi_cli::PiecesIf::Given("keep-proportion"), RANDOM),
    (kaldi_cli::PiecesIf::Is("frame", "random"), RANDOM),
    (kaldi_cli::PiecesIf::NumArguments(2), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, TURNS),
]);

fn nnet3_copy_egs(opts: Options) -> anyhow::Result<Tally> {
    let mut selection = opts.copy.selection(opts.frame()?, opts.frame_shift);
    let is_needed = selection.is_needed();
    let write = |key: &BString, weighted: Weighted<NnetExample>, outputs: &mut Outputs<_>, random: &mut Random| {
        let Weighted { mut example, name, num_copies } = weighted;
        let of_example = || key.to_string();
        for copy in 0..num_copies {
            let output = outputs.choose(random);
            if !is_needed {
                if let (Some(name), 0) = (&name, copy) {
                    example.rename_output(name.as_bstr()).with_context(of_example)?;
                }
                outputs.write(output, key, &example)?;
                continue;
            }
            let selected = selection.select(&example, random, |message| warning!("{message}"));
            if let Some(mut selected) = selected.with_context(of_example)? {
                if let Some(name) = &name {
                    selected.rename_output(name.as_bstr()).with_context(of_example)?;
                }
                outputs.write(output, key, &selected)?;
            }
        }
        Ok(())
    };
    opts.copy.copy(opts.weights.as_ref(), is_needed, write, |Counts { num_read, num_written, failed }| {
        log!("Read {num_read} neural-network training examples, wrote {num_written}, {failed} examples had errors.");
    })
}

impl Options {
    fn frame(&self) -> anyhow::Result<Option<FrameChoice>> {
        Ok(match self.frame.as_ref().map(|frame| frame.as_bytes()) {
            None | Some(b"") => None,
            Some(b"random") => Some(FrameChoice::Random),
            Some(number) => match number.to_str().ok().and_then(|number| number.parse().ok()) {
                Some(frame) => Some(FrameChoice::At(frame)),
                None => bail!("expected --frame to be a number or random, got {:?}", number.as_bstr()),
            },
        })
    }
}
