//! Keeps the chosen columns of every feature matrix, like `cut -f` for features.
//!
//! Matches Kaldi's `select-feats`, except that `10-3` means 10 down to 3 (Kaldi reads 1 to 3), and that a selection
//! must be a list of numbers and ranges (Kaldi reads anything else as 0).

use std::str::FromStr;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::warning;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Keeps chosen columns of feature matrices, in the order given: numbers from 0 and ranges, which may run backwards.

Usage: select-feats [options] <selection> <in-rspecifier> <out-wspecifier>
 e.g.: select-feats 0,24-22,3-12 scp:feats.scp ark,scp:feat-red.ark,feat-red.scp
See also: copy-feats, subset-feats, paste-feats
";

#[derive(clap::Args)]
struct Options {
    selection: Selection,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(select_feats)).by_entry(1);

fn select_feats(opts: Options) -> anyhow::Result<Tally> {
    let mut source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let Some(first) = source.peek()? else {
        warning!("Empty archive provided.");
        return Ok(Tally::default().always_ok());
    };
    let dim = first.read_with(Matrix::<f32>::read_size)?.1;
    let last = opts.selection.last();
    if last >= dim {
        bail!("{}: selected column {last} of features with {dim} columns (the first is 0)", first.key());
    }
    let columns = opts.selection.columns();
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let feats = entry.read()?;
        let dim = feats.num_cols();
        if last >= dim {
            return Err(format!("selected column {last} of features with {dim} columns").into());
        }
        Ok(entry.record(&feats.select_columns(&columns)))
    })?;
    let done = written.done();
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}

/// Columns by number, and ranges of them.
#[derive(Clone, Debug)]
struct Selection {
    /// First and last column of each range, both included; the first may be the larger one.
    ranges: Vec<(usize, usize)>,
}

impl Selection {
    /// The highest column.
    fn last(&self) -> usize {
        self.ranges.iter().map(|&(first, last)| first.max(last)).max().unwrap_or(0)
    }

    fn columns(&self) -> Vec<usize> {
        let mut columns = Vec::new();
        for &(first, last) in &self.ranges {
            if first <= last {
                columns.extend(first..=last);
            } else {
                columns.extend((last..=first).rev());
            }
        }
        columns
    }
}

impl FromStr for Selection {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |word: &str| word.trim_ascii().parse::<usize>().ok();
        let range = |item: &str| {
            let bounds = match item.split_once('-') {
                Some((first, last)) => number(first).zip(number(last)),
                None => number(item).map(|column| (column, column)),
            };
            bounds.ok_or_else(|| format!("expected numbers and ranges such as 0,24-22,3-12, got \"{item}\""))
        };
        // A comma may follow the last one.
        let items = text.strip_suffix(',').unwrap_or(text);
        Ok(Self { ranges: items.split(',').map(range).collect::<Result<_, _>>()? })
    }
}
