//! Takes a random sample of a table of any type.
//!
//! Kaldi's recipes run `utils/subset_scp.pl` on lists.

use anyhow::{Result, bail, ensure};
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feed::{ItemWriter, Items, TableItem};
use kaldi_inspect::copied_tables;
use kaldi_io::log::log;
use kaldi_reader::{Draws, Reader};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

const USAGE: &str = "\
Takes a random sample of an archive with values of any type, or of the lines of a list (for example a script file). The
choice depends on the keys and --seed: from tables with the same keys, the same ones are taken. The order does not
change. Values are copied unchanged.

Usage: table-sample [options] <table> <archive>
  or:  table-sample [options] <list> <list>
 e.g.: table-sample --n=100 feats.scp some.scp
       table-sample --fraction=0.1 --seed=3 feats.ark ark,scp:some.ark,some.scp
See also: table-shuffle, table-split, table-get, subset-feats
";

#[derive(clap::Args)]
struct Options {
    /// Number of entries; all if there are fewer
    #[arg(long)]
    n: Option<u64>,
    /// The probability that an entry is taken, from 0 to 1
    #[arg(long)]
    fraction: Option<f64>,
    /// Each seed makes another sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
    source: InputName,
    target: OutputName,
}

/// An entry with the number drawn for its key, and its place in the table.
struct Drawn {
    bits: u64,
    place: u64,
    item: TableItem,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(table_sample)).whole("a sample is one of the whole table");

fn table_sample(opts: Options) -> Result<Tally> {
    let (source, target) = copied_tables(&opts.source, &opts.target);
    let mut items = Items::open_for(source.as_ref(), target.as_ref())?;
    let draw = |key: &BStr| Draws::named(&[opts.seed], key).bits();
    let (mut read, mut done) = (0, 0);
    match (opts.n, opts.fraction) {
        (Some(n), None) => {
            let mut target = ItemWriter::create(target.as_ref(), &items)?;
            // The entries with the smallest numbers.
            let mut kept = BinaryHeap::new();
            while let Some(item) = items.next()? {
                kept.push(Drawn { bits: draw(item.key()), place: read, item });
                read += 1;
                if kept.len() as u64 > n {
                    kept.pop();
                }
            }
            let mut kept = kept.into_vec();
            kept.sort_by_key(|drawn| drawn.place);
            for Drawn { item, .. } in &kept {
                target.put(item)?;
                done += 1;
            }
            target.finish()?;
        }
        (None, Some(fraction)) => {
            ensure!((0.0..=1.0).contains(&fraction), "expected --fraction to be from 0 to 1, got {fraction}");
            let mut target = ItemWriter::create(target.as_ref(), &items)?;
            while let Some(item) = items.next()? {
                read += 1;
                // The upper 53 bits make a number from 0 to 1, which must be below the fraction.
                if ((draw(item.key()) >> 11) as f64) / ((1_u64 << 53) as f64) < fraction {
                    target.put(&item)?;
                    done += 1;
                }
            }
            target.finish()?;
        }
        _ => bail!("expected either --n or --fraction"),
    }
    log!("Took {done} of {read} entries");
    Ok(Tally::new(done, 0).always_ok())
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.bits, self.place).cmp(&(other.bits, other.place))
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Drawn {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Drawn {}
