//! What the tools have in common that copy training examples of nnet3 and of chain models.

use anyhow::Context;
use bstr::BString;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{Copies, CopyCount, ExampleOutput, FrameChoice, FrameSelection, Outputs};
use kaldi_io::log::warning;
use kaldi_table::{RandomAccessReader, SequentialReader};
use kaldi_value::random::Random;
use kaldi_value::{Token, Value};

#[derive(clap::Args)]
pub(crate) struct CopyEgsOptions {
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
    /// Rspecifier of a new name for the output of each example
    #[arg(long)]
    outputs: Option<InputName>,
    source: InputName,
    target: OutputName,
    more_targets: Vec<OutputName>,
}

/// Command lines that draw random numbers.
pub(crate) const RANDOM: kaldi_cli::Pieces = kaldi_cli::Pieces::Whole("random numbers depend on all examples before");
/// Those with several outputs.
pub(crate) const TURNS: kaldi_cli::Pieces = kaldi_cli::Pieces::Whole("the outputs take turns");

/// How many examples were read, written, and left out for want of a weight or name.
pub(crate) struct Counts {
    pub(crate) num_read: u64,
    pub(crate) num_written: u64,
    pub(crate) failed: u64,
}

/// An example that is to be changed.
pub(crate) struct Weighted<E> {
    /// Its output has its weight already.
    pub(crate) example: E,
    /// The new name of its output.
    pub(crate) name: Option<BString>,
    /// How often it is copied.
    pub(crate) num_copies: u32,
}

impl CopyEgsOptions {
    /// The frames of each example that are kept.
    pub(crate) fn selection(&self, frame: Option<FrameChoice>, frame_shift: i32) -> FrameSelection {
        let context = |context: i32| (context != -1).then_some(context);
        FrameSelection {
            frame,
            frame_shift,
            left_context: context(self.left_context),
            right_context: context(self.right_context),
            ..FrameSelection::default()
        }
    }

    /// Copies examples. They stay as they are, unless there are weights, names or a selection: then `write` changes and writes them.
    pub(crate) fn copy<E: Value + ExampleOutput>(
        &self,
        weights: Option<&InputName>,
        is_selection: bool,
        mut write: impl FnMut(&BString, Weighted<E>, &mut Outputs<E>, &mut Random) -> anyhow::Result<()>,
        log: impl FnOnce(Counts),
    ) -> anyhow::Result<Tally> {
        let count = CopyCount::new(self.keep_proportion)?;
        let source = SequentialReader::<E>::open(&self.source)?;
        let mut outputs = Outputs::create([&self.target].into_iter().chain(&self.more_targets), self.random)?;
        let mut random = Random::seeded(self.srand as u32);
        let (mut num_read, mut failed) = (0, 0);
        let ended = if is_selection || weights.is_some() || self.outputs.is_some() {
            let mut tables = Tables::open(weights, self.outputs.as_ref())?;
            let ended = source.values().drain(|key, example| {
                num_read += 1;
                let num_copies = count.draw(&mut random);
                match tables.weighted(&key, example, num_copies)? {
                    Some(weighted) => write(&key, weighted, &mut outputs, &mut random)?,
                    None => failed += 1,
                }
                anyhow::Ok(())
            })?;
            tables.finish()?;
            ended
        } else {
            let formats = outputs.formats();
            source.par_map(move |entry| Ok(Copies::of_entry(entry, formats)?)).drain(|_, copies| {
                num_read += 1;
                for _ in 0..count.draw(&mut random) {
                    outputs.put(outputs.choose(&mut random), &copies)?;
                }
                anyhow::Ok(())
            })?
        };
        log(Counts { num_read, num_written: outputs.num_written(), failed });
        ended.finish()?;
        let tally = Tally::new(outputs.num_written(), failed);
        outputs.finish()?;
        Ok(tally)
    }
}

/// The weights of examples, and new names of their outputs.
struct Tables {
    weights: Option<RandomAccessReader<f32>>,
    names: Option<RandomAccessReader<Token>>,
}

impl Tables {
    fn open(weights: Option<&InputName>, names: Option<&InputName>) -> kaldi_table::Result<Self> {
        let weights = weights.map(RandomAccessReader::open).transpose()?;
        Ok(Self { weights, names: names.map(RandomAccessReader::open).transpose()? })
    }

    /// Multiplies the output by its weight, and finds its new name; `None` if one of them is missing.
    fn weighted<E: ExampleOutput>(
        &mut self,
        key: &BString,
        mut example: E,
        num_copies: u32,
    ) -> anyhow::Result<Option<Weighted<E>>> {
        if let Some(weights) = &mut self.weights {
            let Some(weight) = weights.get(key)? else {
                warning!("No weight for example key {key}");
                return Ok(None);
            };
            example.scale_output(*weight).with_context(|| key.to_string())?;
        }
        let mut name = None;
        if let Some(names) = &mut self.names {
            let Some(found) = names.get(key)? else {
                warning!("No new output-name for example key {key}");
                return Ok(None);
            };
            name = Some((*found).clone().into_inner());
        }
        Ok(Some(Weighted { example, name, num_copies }))
    }

    fn finish(&mut self) -> kaldi_table::Result<()> {
        self.weights.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
        self.names.as_mut().map_or(Ok(()), RandomAccessReader::finish)
    }
}
