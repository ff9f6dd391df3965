//! Finds what is wrong with token datasets, and repairs their indices.
//!
//! Kaldi has no such program.

use anyhow::{Result, ensure};
use bstr::ByteSlice;
use indexed_dataset::{Checked, Dialect, Prefix, check};
use kaldi_cli::{Arg, Tally};
use kaldi_io::Output;
use kaldi_io::log::{log, warning};
use serde::Serialize;

const USAGE: &str = "\
Compares everything in the index of a token dataset with itself and with the length of the file of tokens, and prints
each fault with its file, field and position, and with the expected and the actual value; the first ten of each array.
Exits with 1 if there are faults, and with 0 if there are none or --repair has repaired all.

Usage: indexed-check [options] <prefix> [<prefix> ...]
 e.g.: indexed-check train valid
       indexed-check --vocab-size=32000 train
       indexed-check --repair=mended damaged
See also: indexed-info, indexed-merge
";

#[derive(clap::Args)]
struct Options {
    /// Write the dataset under this prefix with an index whose pointers, documents and type code are computed again;
    /// tokens are copied unchanged
    #[arg(long)]
    repair: Option<Arg>,
    /// Read all tokens: each must be at least 0 and less than this
    #[arg(long)]
    vocab_size: Option<u64>,
    /// Write a line with a JSON object for each dataset
    #[arg(long)]
    json: bool,
    /// Dialect of the datasets: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    #[arg(required = true)]
    prefixes: Vec<Arg>,
}

/// The report on a dataset.
#[derive(Serialize)]
struct Report {
    prefix: String,
    sound: bool,
    dialect: Option<&'static str>,
    dtype: Option<&'static str>,
    sequences: u64,
    documents: u64,
    tokens: u64,
    num_faults: u64,
    faults: Vec<DatasetFault>,
    repaired: Option<String>,
}

#[derive(Serialize)]
struct DatasetFault {
    file: String,
    field: &'static str,
    position: Option<u64>,
    expected: String,
    found: String,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_check))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_check(opts: Options) -> Result<Tally> {
    ensure!(opts.repair.is_none() || opts.prefixes.len() == 1, "expected one dataset for --repair, got several");
    let mut output = Output::create(b"-".as_bstr(), false)?;
    let mut tally = Tally::default();
    for prefix in &opts.prefixes {
        let prefix = Prefix::new(prefix.as_path());
        let checked = check(&prefix, opts.dialect, opts.vocab_size)?;
        let new = opts.repair.as_ref().map(|new| Prefix::new(new.as_path()));
        let new = new.filter(|_| checked.is_repairable());
        if let Some(new) = &new {
            kaldi_cli::unless_forced(new.refuse_others())?;
            checked.repair(new)?;
        } else if opts.repair.is_some() {
            warning!("{prefix}: the sizes and the tokens do not fit together, which a new index cannot repair");
        }
        if checked.is_sound() || new.is_some() {
            tally.done += 1;
        } else {
            tally.failed += 1;
        }
        let report = report(&prefix, &checked, new.as_ref());
        let text = if opts.json { serde_json::to_string(&report)? + "\n" } else { lines(&report, &checked) };
        output.write_all(text.as_bytes())?;
        if let Some(fault) = checked.faults.first() {
            warning!("{prefix}: {} faults, the first one: {fault}", checked.num_faults);
        }
        if let Some(new) = &new {
            log!("Wrote {prefix} with a new index to {new}");
        }
    }
    output.finish()?;
    Ok(tally.ok_if(tally.failed == 0))
}

fn report(prefix: &Prefix, checked: &Checked, new: Option<&Prefix>) -> Report {
    let fault = |fault: &indexed_dataset::DatasetFault| DatasetFault {
        file: fault.file.to_string_lossy().into_owned(),
        field: fault.field,
        position: fault.position,
        expected: fault.expected.clone(),
        found: fault.found.clone(),
    };
    Report {
        prefix: prefix.to_string(),
        sound: checked.is_sound(),
        dialect: checked.kind.map(|(dialect, _)| dialect.name()),
        dtype: checked.kind.map(|(_, token_type)| token_type.name()),
        sequences: checked.sequences,
        documents: checked.documents,
        tokens: checked.tokens,
        num_faults: checked.num_faults,
        faults: checked.faults.iter().map(fault).collect(),
        repaired: new.map(Prefix::to_string),
    }
}

/// A line for each fault, or one that says that there is none.
fn lines(report: &Report, checked: &Checked) -> String {
    if checked.is_sound() {
        let Report { prefix, sequences, documents, tokens, .. } = report;
        return format!("{prefix}: sound, {sequences} sequences, {documents} documents, {tokens} tokens\n");
    }
    let mut text: String = checked.faults.iter().map(|fault| format!("{fault}\n")).collect();
    let untold = checked.num_faults - checked.faults.len() as u64;
    if untold > 0 {
        text += &format!("{}: and {untold} more faults\n", report.prefix);
    }
    text
}
