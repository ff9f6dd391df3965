//! Joins token datasets.
//!
//! Kaldi has no such program.

use anyhow::{Result, ensure};
use bstr::ByteSlice;
use indexed_dataset::{Dialect, IndexedDataset, Prefix, TokenType, merge};
use kaldi_cli::{Arg, InputName, Tally, unless_forced};
use kaldi_io::Lines;
use kaldi_io::log::log;

const USAGE: &str = "\
Joins token datasets in the order given: sequences, documents and modes. Every index is compared with itself and with
its tokens before any token is copied, so a damaged part cannot shift the others. The files appear when both are
complete. A dataset that is there already is replaced with --force only.

Usage: indexed-merge [options] <out-prefix> [<prefix> ...]
 e.g.: indexed-merge train part-0 part-1 part-2
       indexed-merge --prefixes=parts.list --dtype=uint16 train
See also: indexed-split, indexed-check, indexed-info, concat-ark
";

#[derive(clap::Args)]
struct Options {
    /// Rxfilename of prefixes, one a line, which come before those of the command line
    #[arg(long = "prefixes", alias = "from")]
    from: Option<InputName>,
    /// Write this type, such as int32; by default all must have the same. A token that does not fit is an error
    #[arg(long, value_parser = kaldi_cli::one_of(&TokenType::NAMES))]
    dtype: Option<TokenType>,
    /// Dialect of the new dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the inputs, or megatron
    /// if they differ
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    out_prefix: Arg,
    prefixes: Vec<Arg>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_merge))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_merge(opts: Options) -> Result<Tally> {
    let target = Prefix::new(opts.out_prefix.as_path());
    unless_forced(match target.has_files() {
        true => Err(format!("{target}, the first argument, is the dataset to write, and it is there already")),
        false => Ok(()),
    })?;
    let mut prefixes = Vec::new();
    if let Some(from) = &opts.from {
        let mut lines = Lines::open(from)?;
        while let Some(line) = lines.next_line()? {
            let name = line.trim_ascii();
            if !name.is_empty() {
                prefixes.push(Prefix::new(name.to_path()?));
            }
        }
    }
    prefixes.extend(opts.prefixes.iter().map(|prefix| Prefix::new(prefix.as_path())));
    ensure!(!prefixes.is_empty(), "expected datasets to merge into {target}, got none");
    let inputs = prefixes.iter().map(IndexedDataset::open).collect::<Result<Vec<_>, _>>()?;
    let counts = merge(&target, &inputs, opts.dtype, opts.dialect)?;
    log!(
        "Merged {} datasets of {} documents, {} sequences and {} tokens into {target}",
        inputs.len(),
        counts.documents,
        counts.sequences,
        counts.tokens
    );
    Ok(Tally::new(inputs.len() as u64, 0))
}
