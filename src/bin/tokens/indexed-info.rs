//! Shows what is in token datasets.
//!
//! Kaldi has no such program.

use anyhow::Result;
use bstr::ByteSlice;
use indexed_dataset::{DatasetSummary, Dialect, Error, IndexedDataset, Prefix, count_bin_parts, format_of_file};
use kaldi_cli::{Arg, Tally};
use kaldi_io::Output;
use serde::Serialize;

const USAGE: &str = "\
Shows what is in token datasets, by their indices: the programs that write such files, the type of the tokens, and how
many sequences, documents and tokens there are. Other formats with the same file names are named in errors. Tokens are
not read: indexed-check finds faults.

Usage: indexed-info [options] <prefix> [<prefix> ...]
 e.g.: indexed-info train
       indexed-info --json train valid.idx
See also: indexed-check, indexed-get
";

#[derive(clap::Args)]
struct Options {
    /// Write a line with a JSON object for each dataset
    #[arg(long)]
    json: bool,
    /// Dialect of the datasets: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    #[arg(required = true)]
    prefixes: Vec<Arg>,
}

/// The fields, in this order.
#[derive(Serialize)]
struct Info {
    prefix: String,
    dialect: &'static str,
    dtype: &'static str,
    sequences: u64,
    documents: u64,
    tokens: u64,
    min: u64,
    mean: f64,
    max: u64,
    empty_sequences: u64,
    empty_documents: u64,
    modes: bool,
    idx_bytes: u64,
    bin_bytes: u64,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(indexed_info)).whole("a token dataset is no table, and cannot be cut");

fn indexed_info(opts: Options) -> Result<Tally> {
    let mut output = Output::create(b"-".as_bstr(), false)?;
    for (at, prefix) in opts.prefixes.iter().enumerate() {
        let info = info(prefix, opts.dialect)?;
        let text = if opts.json { serde_json::to_string(&info)? } else { text(&info)? };
        let gap = if at > 0 && !opts.json { "\n" } else { "" };
        output.write_all(format!("{gap}{text}\n").as_bytes())?;
    }
    output.finish()?;
    Ok(Tally::new(opts.prefixes.len() as u64, 0))
}

fn info(name: &Arg, dialect: Option<Dialect>) -> Result<Info> {
    let prefix = Prefix::new(name.as_path());
    // The first tokens of a .bin may look like anything.
    let is_bin = name.as_path() == prefix.bin();
    if !is_bin && let Some(format) = format_of_file(name.as_path())? {
        return Err(Error::Foreign { path: name.as_path().to_owned(), format }.into());
    }
    let dataset = match IndexedDataset::open_as(&prefix, dialect) {
        Err(Error::Open { path, .. })
            if path == prefix.bin() && matches!(count_bin_parts(&prefix), Ok(Some(_)) | Err(Error::Request(_))) =>
        {
            anyhow::bail!("{prefix}: the .bin is in numbered parts, which indexed-split --join joins");
        }
        dataset => dataset?,
    };
    let DatasetSummary {
        sequences,
        documents,
        tokens,
        min,
        max,
        empty_sequences,
        empty_documents,
        idx_bytes,
        bin_bytes,
        ..
    } = dataset.summary()?;
    Ok(Info {
        prefix: prefix.to_string(),
        dialect: dataset.dialect().name(),
        dtype: dataset.token_type().name(),
        sequences,
        documents,
        tokens,
        min,
        mean: if sequences == 0 { 0.0 } else { tokens as f64 / sequences as f64 },
        max,
        empty_sequences,
        empty_documents,
        modes: dataset.has_modes(),
        idx_bytes,
        bin_bytes,
    })
}

/// The same names and values, one per line.
fn text(info: &Info) -> Result<String> {
    let serde_json::Value::Object(fields) = serde_json::to_value(info)? else { return Ok(String::new()) };
    let names = [
        "prefix",
        "dialect",
        "dtype",
        "sequences",
        "documents",
        "tokens",
        "min",
        "mean",
        "max",
        "empty_sequences",
        "empty_documents",
        "modes",
        "idx_bytes",
        "bin_bytes",
    ];
    let line = |name: &&str| match &fields[*name] {
        serde_json::Value::String(text) => format!("{name} {text}"),
        other => format!("{name} {other}"),
    };
    Ok(names.iter().map(line).collect::<Vec<_>>().join("\n"))
}
