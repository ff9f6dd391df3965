//! Copies training examples of nnet3, possibly to several tables, and changes them on the way.
//!
//! Matches Kaldi's `nnet3-copy-egs`, random numbers included.

use anyhow::{Context, bail};
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, InputName, OutputName, Tally};
use kaldi_egs::{Copies, CopyCount, FrameChoice, FrameSelection, NnetExample, Outputs};
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::Token;
use kaldi_value::random::Random;

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
    /// Choose a random output for each example; otherwise they take turns
    #[arg(long)]
    random: bool,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 0)]
    srand: i32,
    /// How often each example is copied: the whole part, and once more with the probability of the rest
    #[arg(long, default_value_t = 1.0)]
    keep_proportion: f32,
    /// Keep only the label of this frame (0, 1, ...), or of a random one (random)
    #[arg(long)]
    frame: Option<Arg>,
    /// Keep at most this many frames of input before the first label; -1 keeps all
    #[arg(long, default_value_t = -1)]
    left_context: i32,
    /// Keep at most this many frames of input after the last label; -1 keeps all
    #[arg(long, default_value_t = -1)]
    right_context: i32,
    /// Add this to the times of all but ivector, after frames were chosen
    #[arg(long, default_value_t = 0)]
    frame_shift: i32,
    /// Rspecifier of a weight for each example, by which its output is multiplied
    #[arg(long)]
    weights: Option<InputName>,
    /// Rspecifier of a new name for the output of each example
    #[arg(long)]
    outputs: Option<InputName>,
    source: InputName,
    target: OutputName,
    more_targets: Vec<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_copy_egs)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("random"), kaldi_cli::Pieces::Whole("random numbers depend on all examples before")),
    (
        kaldi_cli::PiecesIf::Given("keep-proportion"),
        kaldi_cli::Pieces::Whole("random numbers depend on all examples before"),
    ),
    (
        kaldi_cli::PiecesIf::Is("frame", "random"),
        kaldi_cli::Pieces::Whole("random numbers depend on all examples before"),
    ),
    (kaldi_cli::PiecesIf::NumArguments(2), kaldi_cli::Pieces::Entries(0)),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Whole("the outputs take turns")),
]);

fn nnet3_copy_egs(opts: Options) -> anyhow::Result<Tally> {
    let count = CopyCount::new(opts.keep_proportion)?;
    let mut selection = opts.selection()?;
    let source = SequentialReader::<NnetExample>::open(&opts.source)?;
    let mut outputs = Outputs::create([&opts.target].into_iter().chain(&opts.more_targets), opts.random)?;
    let mut random = Random::seeded(opts.srand as u32);
    if selection.is_needed() || opts.weights.is_some() || opts.outputs.is_some() {
        let mut changes = Changes::open(&opts)?;
        let (mut num_read, mut failed) = (0_u64, 0_u64);
        let ended = source.values().drain(|key, example| {
            num_read += 1;
            let copies = count.draw(&mut random);
            let Some((mut example, name)) = changes.weighted(&key, example)? else {
                failed += 1;
                return Ok(());
            };
            for copy in 0..copies {
                let output = outputs.choose(&mut random);
                let mut write = |example: &NnetExample| outputs.write(output, &key, example);
                let of_example = || key.to_string();
                if !selection.is_needed() {
                    if let (Some(name), 0) = (&name, copy) {
                        example.rename_output(name.as_bstr()).with_context(of_example)?;
                    }
                    write(&example)?;
                    continue;
                }
                let selected = selection.select(&example, &mut random, |message| warning!("{message}"));
                if let Some(mut selected) = selected.with_context(of_example)? {
                    if let Some(name) = &name {
                        selected.rename_output(name.as_bstr()).with_context(of_example)?;
                    }
                    write(&selected)?;
                }
            }
            anyhow::Ok(())
        })?;
        changes.finish()?;
        log_counts(num_read, outputs.num_written(), failed);
        ended.finish()?;
        let tally = Tally::new(outputs.num_written(), failed);
        outputs.finish()?;
        return Ok(tally);
    }
    let formats = outputs.formats();
    let mut num_read = 0;
    let ended = source.par_map(move |entry| Ok(Copies::of_entry(entry, formats)?)).drain(|_, copies| {
        num_read += 1;
        for _ in 0..count.draw(&mut random) {
            outputs.put(outputs.choose(&mut random), &copies)?;
        }
        Ok::<(), kaldi_table::Error>(())
    })?;
    log_counts(num_read, outputs.num_written(), 0);
    ended.finish()?;
    let tally = Tally::new(outputs.num_written(), 0);
    outputs.finish()?;
    Ok(tally)
}

fn log_counts(num_read: u64, num_written: u64, failed: u64) {
    log!("Read {num_read} neural-network training examples, wrote {num_written}, {failed} examples had errors.");
}

/// Weights and names for examples.
struct Changes {
    weights: Option<RandomAccessReader<f32>>,
    names: Option<RandomAccessReader<Token>>,
}

impl Changes {
    fn open(opts: &Options) -> anyhow::Result<Self> {
        let weights = opts.weights.as_ref().map(RandomAccessReader::open).transpose()?;
        Ok(Self { weights, names: opts.outputs.as_ref().map(RandomAccessReader::open).transpose()? })
    }

    /// Multiplies the output by its weight, and finds its new name; `None` if one of them is missing.
    fn weighted(
        &mut self,
        key: &BString,
        mut example: NnetExample,
    ) -> anyhow::Result<Option<(NnetExample, Option<BString>)>> {
        if let Some(weights) = &mut self.weights {
            let Some(weight) = weights.get(key)? else {
                warning!("No weight for example key {key}");
                return Ok(None);
            };
            example.scale_output(*weight).with_context(|| key.to_string())?;
        }
        let Some(names) = &mut self.names else { return Ok(Some((example, None))) };
        let Some(name) = names.get(key)? else {
            warning!("No new output-name for example key {key}");
            return Ok(None);
        };
        Ok(Some((example, Some((*name).clone().into_inner()))))
    }

    fn finish(&mut self) -> kaldi_table::Result<()> {
        self.weights.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
        self.names.as_mut().map_or(Ok(()), RandomAccessReader::finish)
    }
}

impl Options {
    fn selection(&self) -> anyhow::Result<FrameSelection> {
        let frame = match self.frame.as_ref().map(|frame| frame.as_bytes()) {
            None | Some(b"") => None,
            Some(b"random") => Some(FrameChoice::Random),
            Some(number) => match number.to_str().ok().and_then(|number| number.parse().ok()) {
                Some(frame) => Some(FrameChoice::At(frame)),
                None => bail!("expected --frame to be a number or random, got {:?}", number.as_bstr()),
            },
        };
        let context = |context: i32| (context != -1).then_some(context);
        let mut selection = FrameSelection { frame, frame_shift: self.frame_shift, ..FrameSelection::default() };
        selection.left_context = context(self.left_context);
        selection.right_context = context(self.right_context);
        Ok(selection)
    }
}
