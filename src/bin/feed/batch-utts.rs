//! Joins utterances to batches by their lengths.
//!
//! Kaldi has no such tool. Batches are those of WeNet's `batch_conf`.

use anyhow::{Context, bail, ensure};
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{Lengths, Unit};
use kaldi_io::log::log;
use kaldi_reader::{BoxReader, Buckets, Leftover, Reader, ReaderExt, Step, from_fn};
use kaldi_table::TableWriter;
use kaldi_value::Tokens;
use std::convert::Infallible;

const USAGE: &str = "\
Joins utterances to batches, in their order: a table of token vectors with the keys of each batch.
static: --batch-size utterances. dynamic: as many as have --max-frames-in-batch frames when all are padded to the longest.
bucket: utterances of similar lengths; each of the --bucket-boundaries has its own batch size.

Usage: batch-utts [options] <utt2num-frames> <batches-wspecifier>
 e.g.: batch-utts --batch-type=dynamic --max-frames-in-batch=12000 data/utt2num_frames ark,t:batches
       batch-utts --batch-type=bucket --bucket-boundaries=500,1000 --bucket-batch-sizes=32,16,8 ark:utt2num_frames ark,t:-
Lengths are a file of lines with key and number, or a table of integers.
See also: filter-utts, feat-to-len
";

#[derive(clap::Args)]
struct Options {
    /// static, dynamic or bucket
    #[arg(long, default_value = "static", value_parser = kaldi_cli::one_of(&BATCH_TYPES))]
    batch_type: BatchType,
    /// Utterances of a batch, for --batch-type=static
    #[arg(long, default_value_t = 16)]
    batch_size: u32,
    /// The most frames of a batch with padding, for --batch-type=dynamic
    #[arg(long, default_value_t = 12000)]
    max_frames_in_batch: u32,
    /// Lengths in rising order, separated by commas, for --batch-type=bucket: each bucket ends before one of them
    #[arg(long)]
    bucket_boundaries: Option<String>,
    /// Batch sizes of the buckets, separated by commas; one more than boundaries
    #[arg(long)]
    bucket_batch_sizes: Option<String>,
    /// Leave out the utterances at the end that are too few for a batch (static and bucket)
    #[arg(long)]
    drop_last: bool,
    source: InputName,
    target: OutputName,
}

#[derive(Clone, Copy)]
enum BatchType {
    Static,
    Dynamic,
    Bucket,
}

const BATCH_TYPES: [(&str, BatchType); 3] =
    [("static", BatchType::Static), ("dynamic", BatchType::Dynamic), ("bucket", BatchType::Bucket)];

/// The most utterances that wait in buckets, as in WeNet.
const MAX_WAITING: usize = 10_000;

/// An utterance: its place in the list, and its length.
type Utterance = (usize, usize);

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(batch_utts)).whole("batches are made of the whole table");

fn batch_utts(opts: Options) -> anyhow::Result<Tally> {
    let lengths = Lengths::read(&opts.source, Unit::Frames)?;
    let utterances: Vec<(&BStr, usize)> = lengths.iter().map(|(key, length)| (key, length as usize)).collect();
    let mut batches = opts.batches(utterances.iter().map(|utterance| utterance.1).collect())?;
    let mut target = TableWriter::<Tokens>::create(&opts.target)?;

    let (mut num_batches, mut num_utterances) = (0_u64, 0);
    let (mut frames, mut padded) = (0_u128, 0_u128);
    while let Some(batch) = batches.next()? {
        let key = format!("batch-{num_batches:07}");
        target.write(&key, &Tokens::new(batch.iter().map(|&(place, _)| utterances[place].0))?)?;
        let longest = batch.iter().map(|&(_, length)| length).max().unwrap_or(0);
        frames += batch.iter().map(|&(_, length)| length as u128).sum::<u128>();
        padded += longest as u128 * batch.len() as u128;
        num_batches += 1;
        num_utterances += batch.len();
    }
    let percent = 100.0 * (padded - frames) as f64 / padded.max(1) as f64;
    let dropped = utterances.len() - num_utterances;
    log!(
        "Joined {num_utterances} utterances to {num_batches} batches; {percent:.2} percent padding; {dropped} dropped"
    );
    target.finish()?;
    Ok(Tally::new(num_batches, 0))
}

impl Options {
    /// The batches of utterances of these lengths.
    fn batches(&self, lengths: Vec<usize>) -> anyhow::Result<BoxReader<Vec<Utterance>, Infallible>> {
        let mut next = 0_usize;
        let utterances = from_fn(move |step| {
            next = if step == Step::Restart { 0 } else { next + 1 };
            Ok(next.checked_sub(1).and_then(|place| Some((place, *lengths.get(place)?))))
        });
        let leftover = if self.drop_last { Leftover::Drop } else { Leftover::Keep };
        Ok(match self.batch_type {
            BatchType::Static => {
                ensure!(self.batch_size > 0, "expected --batch-size to be 1 or more, got 0");
                utterances.batch(self.batch_size as usize, leftover).boxed()
            }
            BatchType::Dynamic => {
                ensure!(self.max_frames_in_batch > 0, "expected --max-frames-in-batch to be 1 or more, got 0");
                utterances.batch_by_frames(self.max_frames_in_batch as usize, |utterance| utterance.1).boxed()
            }
            BatchType::Bucket => {
                let boundaries = numbers("bucket-boundaries", &self.bucket_boundaries)?;
                let sizes = numbers("bucket-batch-sizes", &self.bucket_batch_sizes)?;
                let buckets = Buckets::new(boundaries, sizes)?;
                utterances.batch_by_length(buckets, MAX_WAITING, leftover, |utterance| utterance.1).boxed()
            }
        })
    }
}

/// The numbers, separated by commas.
fn numbers(option: &str, list: &Option<String>) -> anyhow::Result<Vec<usize>> {
    let Some(list) = list else { bail!("expected --{option} with --batch-type=bucket") };
    let number = |part: &str| part.trim().parse().ok();
    let numbers: Option<_> = list.split(',').map(number).collect();
    numbers.with_context(|| format!("expected --{option} to be numbers separated by commas, got {list:?}"))
}
