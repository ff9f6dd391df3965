//! Cuts token datasets into parts, and joins or cuts numbered `.bin` files.
//!
//! Kaldi has no such program.

use anyhow::{Context, Result, bail, ensure};
use bstr::ByteSlice;
use indexed_dataset::{Dialect, IndexedDataset, Prefix, cut_bin, join_bin_parts};
use kaldi_cli::{Arg, InputName, Tally, unless_forced};
use kaldi_io::log::log;
use kaldi_io::{Lines, NamePattern};
use std::ops::Range;

const USAGE: &str = "\
Cuts a token dataset into datasets of neighbouring documents (--parts of them, or as small as --max-bytes), or takes the
documents of a list out of it. In <out-pattern>, %d is the number of the part, counted from 1 (%03d adds leading zeros).
With --cut-bin, only the file of tokens is cut, into <out-prefix>-00000-of-00020.bin and so on, like Pythia's, and with
--join-bin such files become one.

Usage: indexed-split [options] (--parts=<n>|--max-bytes=<n>|--documents=<list>) <prefix> <out-pattern>
  or:  indexed-split [options] (--cut-bin=<n>|--join-bin) <prefix> <out-prefix>
 e.g.: indexed-split --parts=4 train split/train-%d
       indexed-split --documents=chosen.list train chosen-%d
       indexed-split --join-bin pile_0.87_deduped_text_document pile
See also: indexed-merge, indexed-info
";

#[derive(clap::Args)]
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
    #[arg(long = "join-bin", alias = "join")]
    join: bool,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    prefix: Arg,
    out_pattern: Arg,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_split))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_split(opts: Options) -> Result<Tally> {
    let given =
        [opts.parts.is_some(), opts.max_bytes.is_some(), opts.documents.is_some(), opts.cut_bin.is_some(), opts.join];
    let count = given.iter().filter(|is_given| **is_given).count();
    ensure!(count == 1, "expected one of --parts, --max-bytes, --documents, --cut-bin and --join-bin, got {count}");
    let (prefix, target) = (Prefix::new(opts.prefix.as_path()), Prefix::new(opts.out_pattern.as_path()));
    if opts.join {
        unless_forced(target.refuse_others())?;
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
    let pattern = NamePattern::parse(&opts.out_pattern)?;
    let name = |number| Prefix::new(pattern.name(number).to_path_lossy());
    if let Some(list) = &opts.documents {
        let documents = documents(list)?;
        let target = name(1);
        unless_forced(target.refuse_others())?;
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
        pattern.has_number() || parts.len() == 1,
        "expected %d in the names of several parts, got {}",
        opts.out_pattern
    );
    let parts: Vec<_> = (1..).map(name).zip(parts.into_iter().map(|documents| vec![documents])).collect();
    unless_forced(parts.iter().try_for_each(|(target, _)| target.refuse_others()))?;
    dataset.split(&parts)?;
    log!("Cut {prefix} into {} parts", parts.len());
    Ok(Tally::new(parts.len() as u64, 0).always_ok())
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
