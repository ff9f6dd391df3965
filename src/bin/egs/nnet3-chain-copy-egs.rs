//! Copies training examples of chain models, possibly to several tables, and changes them on the way.
//!
//! Matches Kaldi's `nnet3-chain-copy-egs`, random numbers included.

use anyhow::Context;
use bstr::BString;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{Copies, CopyCount, FrameSelection, NnetChainExample, Outputs};
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::Token;
use kaldi_value::random::Random;

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
    /// Choose a random output for each example; otherwise they take turns
    #[arg(long)]
    random: bool,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    srand: i32,
    /// How often each example is copied: the whole part, and once more with the probability of the rest
    #[arg(long, default_value_t = 1.0)]
    keep_proportion: f32,
    /// Keep at most this many frames of input before the first label; -1 keeps all
    #[arg(long, default_value_t = -1)]
    left_context: i32,
    /// Keep at most this many frames of input after the last label; -1 keeps all
    #[arg(long, default_value_t = -1)]
    right_context: i32,
    /// Add this to the times of all inputs but ivector, and to those of outputs the nearest multiple of their step
    #[arg(long, default_value_t = 0)]
    frame_shift: i32,
    /// Rspecifier of a weight for each example, by which that of its supervision is multiplied
    #[arg(long)]
    weights: Option<InputName>,
    /// Rspecifier of a new name for the output of each example
    #[arg(long)]
    outputs: Option<InputName>,
    source: InputName,
    target: OutputName,
    more_targets: Vec<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_chain_copy_egs)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("random"), kaldi_cli::Pieces::Whole("random numbers depend on all examples before")),
    (
        kaldi_cli::PiecesIf::Given("keep-proportion"),
        kaldi_cli::Pieces::Whole("random numbers depend on all examples before"),
    ),
    (kaldi_cli::PiecesIf::NumArguments(2), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Whole("the outputs take turns")),
]);

fn nnet3_chain_copy_egs(opts: Options) -> anyhow::Result<Tally> {
    let count = CopyCount::new(opts.keep_proportion)?;
    let source = SequentialReader::<NnetChainExample>::open(&opts.source)?;
    let mut outputs = Outputs::create([&opts.target].into_iter().chain(&opts.more_targets), opts.random)?;
    let mut random = Random::seeded(opts.srand as u32);
    let (mut num_read, mut failed) = (0_u64, 0_u64);
    let ended = match Changes::open(&opts)? {
        None => {
            let formats = outputs.formats();
            source.par_map(move |entry| Ok(Copies::of_entry(entry, formats)?)).drain(|_, copies| {
                num_read += 1;
                for _ in 0..count.draw(&mut random) {
                    outputs.put(outputs.choose(&mut random), &copies)?;
                }
                anyhow::Ok(())
            })?
        }
        Some(mut changes) => {
            let ended = source.values().drain(|key, mut example| {
                num_read += 1;
                let copies = count.draw(&mut random);
                if !changes.apply(&key, &mut example)? {
                    failed += 1;
                    return Ok(());
                }
                for _ in 0..copies {
                    outputs.write(outputs.choose(&mut random), &key, &example)?;
                }
                anyhow::Ok(())
            })?;
            changes.finish()?;
            ended
        }
    };
    log!("Read {num_read} neural-network training examples, wrote {}", outputs.num_written());
    ended.finish()?;
    let tally = Tally::new(outputs.num_written(), failed);
    outputs.finish()?;
    Ok(tally)
}

/// What is done to each example.
struct Changes {
    weights: Option<RandomAccessReader<f32>>,
    names: Option<RandomAccessReader<Token>>,
    selection: FrameSelection,
}

impl Changes {
    /// `None` if examples stay as they are.
    fn open(opts: &Options) -> anyhow::Result<Option<Self>> {
        let context = |context: i32| (context != -1).then_some(context);
        let mut selection = FrameSelection { frame_shift: opts.frame_shift, ..FrameSelection::default() };
        selection.left_context = context(opts.left_context);
        selection.right_context = context(opts.right_context);
        if !selection.is_needed() && opts.weights.is_none() && opts.outputs.is_none() {
            return Ok(None);
        }
        Ok(Some(Self {
            weights: opts.weights.as_ref().map(RandomAccessReader::open).transpose()?,
            names: opts.outputs.as_ref().map(RandomAccessReader::open).transpose()?,
            selection,
        }))
    }

    /// Changes an example; returns whether its weight and name were found.
    fn apply(&mut self, key: &BString, example: &mut NnetChainExample) -> anyhow::Result<bool> {
        let of_example = || key.to_string();
        if let Some(weights) = &mut self.weights {
            let Some(weight) = weights.get(key)? else {
                warning!("No weight for example key {key}");
                return Ok(false);
            };
            example.scale_output(*weight).with_context(of_example)?;
        }
        if let Some(names) = &mut self.names {
            let Some(name) = names.get(key)? else {
                warning!("No new output-name for example key {key}");
                return Ok(false);
            };
            let name = (*name).clone().into_inner();
            example.rename_output(name.as_ref()).with_context(of_example)?;
        }
        self.selection.select_chain(example, |message| warning!("{message}")).with_context(of_example)?;
        Ok(true)
    }

    fn finish(&mut self) -> kaldi_table::Result<()> {
        self.weights.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
        self.names.as_mut().map_or(Ok(()), RandomAccessReader::finish)
    }
}
