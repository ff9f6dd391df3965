//! Feeds padded batches to the training of a model.
//!
//! Kaldi has no such tool. The chain, its configuration and the arrays of a batch are those of WeNet's data loader; the
//! order and the random changes depend only on the seed, the epoch and the keys.

use std::sync::Arc;

use anyhow::ensure;
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_feed::{FeedArguments, TensorFormat, standard_stages};
use kaldi_io::log::log;
use kaldi_io::{Encoded, NewFolder, Output};
use kaldi_reader::Reader;

const USAGE: &str = "\
Feeds the training of a model: reads utterances, computes labels and features, changes these at random, shuffles and
sorts them, and writes padded batches: as files in a folder, or as one stream for a pipe.

Usage: feed-batches [options] <data-list> <folder>
  or:  feed-batches [options] <data-list> -
 e.g.: feed-batches --conf=train.yaml --symbols=units.txt --epoch=3 data.list batches
       feed-batches --conf=train.yaml --data-type=shard --rank=1 --world-size=4 shards.list - | train.py
       feed-batches --conf=train.yaml --data-type=table --text=data/text scp:data/wav.scp batches
A batch has the arrays feats (float32, n by longest by dim), feats_lengths (int32), and if there are labels target
(int64) and target_lengths (int32); padding is 0.0 and -1. The keys are the entry \"keys\" of the metadata of
safetensors, a list in JSON, or the array keys of npz. The longest utterance comes first.
See also: feed-feats, make-raw-list, make-shard-list, batch-utts
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    feed: FeedArguments,
    /// Form of the batches: safetensors or npz
    #[arg(long, default_value = "safetensors", value_parser = kaldi_cli::one_of(&TensorFormat::NAMES))]
    format: TensorFormat,
    source: InputName,
    out_dir: Arg,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(feed_batches))
    .whole("order and batches are those of the whole list; --rank and --world-size divide it");

fn feed_batches(opts: Options) -> anyhow::Result<Tally> {
    let format = opts.format;
    let chain = Arc::new(opts.feed.build_chain(&standard_stages(), true)?);
    if opts.feed.dry_run {
        return print(&chain.description().to_string());
    }
    let feed = opts.feed.open(&opts.source, &chain)?;
    let mut target = Target::create(&opts.out_dir, format, &opts.feed)?;
    let mut batches =
        feed.padded(kaldi_table::Session::current(), move |number, batch| Ok((number, format.encode(batch)?)));
    while let Some((number, bytes)) = batches.next()? {
        target.write(number, &bytes)?;
    }
    let counts = batches.counts();
    log!("{counts}");
    target.finish()?;
    // With everything dropped, it is the samples that came to nothing, and not that there were none.
    let dropped = if counts.batches == 0 { counts.samples.saturating_sub(counts.bad) } else { 0 };
    let tally = Tally::new(counts.batches, counts.bad + dropped);
    // Nothing is left to do after the end of an epoch.
    Ok(if counts.are_left_only() { tally.always_ok() } else { tally })
}

/// Prints a description.
fn print(text: &str) -> anyhow::Result<Tally> {
    kaldi_io::print(text)?;
    Ok(Tally::default().always_ok())
}

/// The place for batches.
enum Target {
    Stream(Output),
    Folder(BString, TensorFormat, NewFolder),
}

impl Target {
    fn create(name: &Arg, format: TensorFormat, feed: &FeedArguments) -> anyhow::Result<Self> {
        if **name == "-" {
            return Ok(Self::Stream(Output::stdout()?));
        }
        let folder = name.to_path_lossy();
        let created = kaldi_io::make_folder(&folder)?;
        // Batches of another run would look like batches of this one.
        for file in kaldi_io::former_names(&folder)? {
            let file = file.to_string_lossy();
            let suffix = format!(".{}", format.suffix());
            let number = file.strip_prefix("batch-").and_then(|rest| rest.strip_suffix(&suffix));
            let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) else { continue };
            let is_mine = number.checked_sub(feed.skip_batches).is_some_and(|it| it % feed.num_workers == feed.worker);
            ensure!(
                !is_mine,
                "{name}: expected a folder without batches of another run, got {file}: choose another folder, or remove them"
            );
        }
        Ok(Self::Folder((**name).to_owned(), format, created))
    }

    fn write(&mut self, number: u64, bytes: &Encoded) -> anyhow::Result<()> {
        match self {
            Self::Stream(output) => output.write_encoded(bytes)?,
            Self::Folder(folder, format, _) => {
                let name = format!("/batch-{number:07}.{}", format.suffix());
                let name = [folder.as_slice(), name.as_bytes()].concat();
                let mut output = Output::create(name.as_bstr(), false)?;
                output.write_encoded(bytes)?;
                output.finish()?;
            }
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Stream(output) => output.finish()?,
            Self::Folder(.., created) => created.keep(),
        }
        Ok(())
    }
}
