//! Sorts a table.
//!
//! Kaldi's recipes run `sort`, only on lists.

use anyhow::{bail, ensure};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{ItemRank, ItemSort, ItemWriter, Items, Lengths, TableItem, Unit};
use kaldi_inspect::copied_tables;
use kaldi_io::log::log;
use kaldi_reader::Reader;

const USAGE: &str = "\
Sorts an archive with values of any type, or the lines of a list (for example a script file): by key as LC_ALL=C sort
does, by bytes, or by the length of utterances. Equal entries keep their order. Values are copied unchanged.

Usage: table-sort [options] <table> <archive>
  or:  table-sort [options] <list> <list>
 e.g.: table-sort feats.ark ark,scp:sorted.ark,sorted.scp
       table-sort --by=length --utt2num-frames=data/utt2num_frames feats.scp sorted.scp
       copy-feats scp:feats.scp ark:- | table-sort --by=size --buffer-size=500 ark:- ark:-
Without --buffer-size the whole table is sorted: for an archive in a file only keys and places are kept in memory.
See also: table-shuffle, table-split, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// key, size (bytes of an entry) or length (--utt2num-frames)
    #[arg(long, default_value = "key", value_parser = kaldi_cli::one_of(&ORDERS))]
    by: By,
    /// Number of frames of each utterance, for --by=length: a file of lines with key and number, or a table of integers
    #[arg(long)]
    utt2num_frames: Option<InputName>,
    /// The largest first
    #[arg(long)]
    reverse: bool,
    /// Sort while reading, this many entries at a time; 0 sorts the whole table
    #[arg(long, default_value_t = 0)]
    buffer_size: u32,
    source: InputName,
    target: OutputName,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Key,
    Size,
    Length,
}

const ORDERS: [(&str, By); 3] = [("key", By::Key), ("size", By::Size), ("length", By::Length)];

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_sort)).whole("the order is one of the whole table");

fn table_sort(opts: Options) -> anyhow::Result<Tally> {
    let (source, target) = copied_tables(&opts.source, &opts.target);
    let mut items = Items::open_for(source.as_ref(), target.as_ref())?;
    let lengths = opts.lengths()?;
    let mut target = ItemWriter::create(target.as_ref(), &items)?;
    let window = if opts.buffer_size == 0 { usize::MAX } else { opts.buffer_size as usize };
    let mut sort = ItemSort::new(opts.reverse);
    let mut done = 0;
    let mut next = items.next()?;
    while let Some(item) = next.take() {
        sort.push(opts.rank(&item, lengths.as_ref())?, item);
        next = items.next()?;
        if sort.len() == window || next.is_none() {
            done += sort.len() as u64;
            sort.drain(|item| target.put(item))?;
        }
    }
    log!("Wrote {done} sorted entries");
    target.finish()?;
    Ok(Tally::new(done, 0))
}

impl Options {
    fn lengths(&self) -> anyhow::Result<Option<Lengths>> {
        match (self.by, &self.utt2num_frames) {
            (By::Length, Some(name)) => Ok(Some(Lengths::read(name, Unit::Frames)?)),
            (By::Length, None) => bail!("expected --utt2num-frames with --by=length"),
            (By::Key | By::Size, None) => Ok(None),
            (By::Key | By::Size, Some(_)) => bail!("expected --utt2num-frames with --by=length only"),
        }
    }

    fn rank(&self, item: &TableItem, lengths: Option<&Lengths>) -> anyhow::Result<ItemRank> {
        let Some(lengths) = lengths else {
            return Ok(if self.by == By::Key { ItemRank::Key } else { ItemRank::Number(item.size()) });
        };
        let length = lengths.get(item.key());
        ensure!(length.is_some(), "{}: --utt2num-frames does not have this key", item.key());
        Ok(ItemRank::Number(length.map_or(0, |length| length as u64)))
    }
}
