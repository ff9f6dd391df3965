//! Shuffles a table.
//!
//! Kaldi has `shuffle_list.pl`, only for lists.

use anyhow::{bail, ensure};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{ItemWriter, Items, TableItem, python_order};
use kaldi_inspect::copied_tables;
use kaldi_io::log::log;
use kaldi_reader::{BoxReader, Draws, Reader, ReaderExt};

const USAGE: &str = "\
Shuffles an archive with values of any type, or the lines of a list (for example a script file). The order depends on
--seed and --epoch. Values are copied unchanged.

Usage: table-shuffle [options] <table> <archive>
  or:  table-shuffle [options] <list> <list>
 e.g.: table-shuffle --epoch=3 feats.scp shuffled.scp
       table-shuffle feats.ark ark,scp:shuffled.ark,shuffled.scp
       copy-feats scp:feats.scp ark:- | table-shuffle --buffer-size=1000 ark:- ark:-
Without --buffer-size the whole table is shuffled: for an archive in a file only keys and places are kept in memory.
See also: table-sort, table-split, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// Seed of the order
    #[arg(long, default_value_t = 0)]
    seed: u32,
    /// Pass over the data: each pass has another order
    #[arg(long, default_value_t = 0)]
    epoch: u32,
    /// Shuffle while reading, with this many entries in memory: each new one replaces a random one, which is written. 0
    /// shuffles the whole table
    #[arg(long, default_value_t = 0)]
    buffer_size: u32,
    /// Start to write when this many entries are in the buffer; 0 waits until it is full
    #[arg(long, default_value_t = 0)]
    initial: u32,
    /// python gives the order of random.Random(epoch).shuffle, as in published samplers
    #[arg(long, default_value = "none", value_parser = kaldi_cli::one_of(&ORDERS))]
    shuffle_compat: Order,
    source: InputName,
    target: OutputName,
}

/// Whose order it is.
#[derive(Clone, Copy)]
enum Order {
    Own,
    Python,
}

const ORDERS: [(&str, Order); 2] = [("none", Order::Own), ("python", Order::Python)];

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_shuffle)).whole("the order is one of the whole table");

fn table_shuffle(opts: Options) -> anyhow::Result<Tally> {
    let (source, target) = copied_tables(&opts.source, &opts.target);
    let items = Items::open_for(source.as_ref(), target.as_ref())?;
    let mut target = ItemWriter::create(target.as_ref(), &items)?;
    let mut done = 0;
    if opts.is_python()? {
        let mut items = items;
        let all = items.read_all()?;
        ensure!(u32::try_from(all.len()).is_ok(), "expected fewer than 2^32 entries, got {}", all.len());
        for place in python_order(opts.epoch.into(), all.len()) {
            target.put(&all[place])?;
            done += 1;
        }
    } else {
        let mut shuffled = opts.shuffle(items);
        while let Some(item) = shuffled.next()? {
            target.put(&item)?;
            done += 1;
        }
    }
    log!("Wrote {done} entries in random order");
    target.finish()?;
    Ok(Tally::new(done, 0))
}

impl Options {
    fn is_python(&self) -> anyhow::Result<bool> {
        match (self.shuffle_compat, self.buffer_size) {
            (Order::Own, _) => Ok(false),
            (Order::Python, 0) => Ok(true),
            (Order::Python, _) => bail!("expected either --shuffle-compat=python or --buffer-size"),
        }
    }

    fn shuffle(&self, items: Items) -> BoxReader<TableItem, kaldi_feed::Error> {
        let seed = Draws::named(&[self.seed.into(), self.epoch.into()], b"").bits();
        match (self.buffer_size as usize, self.initial as usize) {
            (0, _) => items.shuffle_window(usize::MAX, seed).boxed(),
            (size, 0) => items.shuffle_stream(size, seed).boxed(),
            (size, initial) => items.shuffle_stream(size, seed).initial(initial).boxed(),
        }
    }
}
