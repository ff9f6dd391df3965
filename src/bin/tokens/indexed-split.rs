//! Cuts token datasets into parts, and joins or cuts numbered `.bin` files.
//!
//! Kaldi has no such program.

use std::ops::Range;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use bstr::{BString, ByteSlice};
use indexed_dataset::{Dialect, IndexedDataset, Prefix, cut_bin, join_bin_parts};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::Lines;
use kaldi_log::log;

const USAGE: &str = "\
Cuts a token dataset into datasets of neighbouring documents (--parts of them, or as small as --max-bytes), or takes the
documents of a list out of it. In <out-pattern>, %d is the number of the part, counted from 0 (%03d adds leading zeros).
With --cut-bin, only the file of tokens is cut, into <out-prefix>-00000-of-00020.bin and so on, like Pythia's, and with
--join such files become one.

Usage: indexed-split [options] (--parts=<n>|--max-bytes=<n>|--documents=<list>) <prefix> <out-pattern>
  or:  indexed-split [options] (--cut-bin=<n>|--join) <prefix> <out-prefix>
 e.g.: indexed-split --parts=4 train split/train-%d
       indexed-split --documents=chosen.list train chosen-%d
       indexed-split --join pile_0.87_deduped_text_document pile
See also: indexed-merge, indexed-info
";

#[derive(clap::Parser)]
struct Options {
    /// Parts with the same number of documents, or one more in the first ones
    #[arg(long)]
    parts: Option<u64>,
    /// Parts of at most this many bytes of tokens; a document that has more is a part of its own
    #[arg(long)]
    max_bytes: Option<u64>,
    /// Rxfilename of numbers of documents, counted from 0, or ranges such as 10:20, one per line: one part of these, in
    /// this order
    #[arg(long)]
    documents: Option<InputName>,
    /// Cut only the file of tokens, into this many numbered files
    #[arg(long)]
    cut_bin: Option<u64>,
    /// Join the numbered files of tokens
    #[arg(long)]
    join: bool,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long)]
    dialect: Option<Dialect>,
    prefix: Arg,
    out_pattern: Arg,
}

pub(crate) const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(indexed_split));

pub(crate) fn main() -> ExitCode {
    TOOL.run()
}

fn indexed_split(opts: Options) -> Result<Tally> {
    let given =
        [opts.parts.is_some(), opts.max_bytes.is_some(), opts.documents.is_some(), opts.cut_bin.is_some(), opts.join];
    let count = given.iter().filter(|is_given| **is_given).count();
    ensure!(count == 1, "expected one of --parts, --max-bytes, --documents, --cut-bin and --join, got {count}");
    let (prefix, target) = (Prefix::new(opts.prefix.as_path()), Prefix::new(opts.out_pattern.as_path()));
    if opts.join {
        let count = join_bin_parts(&prefix, &target)?;
        log!("Joined {count} files of tokens to {target}");
        return Ok(Tally::new(count, 0));
    }
    let dataset = IndexedDataset::open_as(&prefix, opts.dialect)?;
    if let Some(count) = opts.cut_bin {
        ensure!((1..=99_999).contains(&count), "expected --cut-bin to be from 1 to 99999, got {count}");
        cut_bin(&dataset, &target, count)?;
        log!("Cut the tokens of {prefix} into {count} files");
        return Ok(Tally::new(count, 0));
    }
    let pattern = Pattern::parse(&opts.out_pattern)?;
    if let Some(list) = &opts.documents {
        let documents = documents(list)?;
        let target = pattern.name(0);
        let count: u64 = documents.iter().map(|range| range.end - range.start).sum();
        dataset.split(&[(target.clone(), documents)])?;
        log!("Wrote {count} documents of {prefix} to {target}");
        return Ok(Tally::new(1, 0));
    }
    let parts: Vec<_> = match (opts.parts, opts.max_bytes) {
        (Some(0), _) => bail!("expected --parts to be 1 or more, got 0"),
        (Some(parts), _) => dataset.even_parts(parts).collect(),
        (_, max_bytes) => dataset.parts_by_size(max_bytes.unwrap_or(u64::MAX))?,
    };
    ensure!(
        pattern.has_number || parts.len() == 1,
        "expected %d in the names of several parts, got {}",
        opts.out_pattern
    );
    let named = parts.into_iter().enumerate().map(|(number, documents)| (pattern.name(number), vec![documents]));
    let parts: Vec<_> = named.collect();
    dataset.split(&parts)?;
    log!("Cut {prefix} into {} parts", parts.len());
    Ok(Tally::new(parts.len() as u64, 0).always_ok())
}

/// A name with a place for a number.
struct Pattern {
    start: BString,
    width: usize,
    end: BString,
    has_number: bool,
}

impl Pattern {
    fn parse(text: &Arg) -> Result<Self> {
        let Some((start, rest)) = text.split_once_str("%") else {
            return Ok(Self {
                start: BString::from(text.as_bytes()),
                width: 0,
                end: BString::default(),
                has_number: false,
            });
        };
        let wrong = || format!("expected one %d, such as part-%d or part-%03d, got {text}");
        let (width, end) = rest.split_once_str("d").with_context(wrong)?;
        let is_width = width.is_empty() || (width[0] == b'0' && width.len() == 2 && width[1].is_ascii_digit());
        ensure!(is_width && !end.contains(&b'%'), wrong());
        let width = width.last().map_or(0, |digit| usize::from(digit - b'0'));
        Ok(Self { start: start.into(), width, end: end.into(), has_number: true })
    }

    fn name(&self, number: usize) -> Prefix {
        let number = if self.has_number { format!("{number:0width$}", width = self.width) } else { String::new() };
        let name = [self.start.as_bytes(), number.as_bytes(), self.end.as_bytes()].concat();
        Prefix::new(BString::from(name).to_path_lossy())
    }
}

/// Reads numbers of documents and ranges of them; adjacent ones become one range.
fn documents(list: &InputName) -> Result<Vec<Range<u64>>> {
    let mut lines = Lines::open(list)?;
    let mut documents: Vec<Range<u64>> = Vec::new();
    while let Some(line) = lines.next_line()? {
        let text = line.trim_ascii().to_str_lossy().into_owned();
        if text.is_empty() {
            continue;
        }
        let range = match text.split_once(':') {
            Some((start, end)) => start.parse().ok().zip(end.parse().ok()).map(|(start, end)| start..end),
            None => text.parse::<u64>().ok().and_then(|number| Some(number..number.checked_add(1)?)),
        };
        let wrong =
            || format!("{}:{}: expected a document such as 17 or 10:20, found {text:?}", lines.name(), lines.number());
        let range = range.filter(|range| range.start <= range.end).with_context(wrong)?;
        match documents.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ => documents.push(range),
        }
    }
    Ok(documents)
}
