//! Finds everything that is wrong with tables of any type.
//!
//! Kaldi has `utils/validate_data_dir.sh` for data directories, which stops at the first fault.

use anyhow::{Result, ensure};
use bstr::{BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{
    Checks, Fault, Foreign, ForeignKind, ForeignPart, Missing, ModelSummary, Named, NamedKind, check, check_directory,
    check_marks, model_rest,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, printable, printable_json};
use serde_json::json;
use std::collections::VecDeque;
use std::path::Path;

const USAGE: &str = "\
Finds everything that is wrong with archives, script files, single values and data directories of any type, and writes a
line for each fault: <table>: <key or line>: <fault>. The exit status is 0 without faults and 1 with faults.

Usage: table-check [options] <table> [<table> ...]
 e.g.: table-check --quick raw_mfcc.*.ark feats.scp
       table-check --no-text data/train
       table-check --data=data/train words.ctm
Values must be complete, readable, of one type and finite; nothing may follow the value or the model of a file; matrices must have the same number of columns; keys must be
sorted and unique. Lines of a script file must lead to values, and not to those of another key of this script file, unless two
lines lead to the same value. The files of a data
directory must agree: everything that utils/validate_data_dir.sh finds is found, values are checked, and the lengths of
sound, features, alignments (ali.scp, ali.*.gz), segments and words (ctm, *.ctm) are compared; commands in wav.scp are not run. Times of CTM, RTTM and STM must be
in order and not overlap, within the recordings of --data. Files of NumPy and safetensors, shards and lists must be complete; their numbers are not looked at. In other
folders, each file that is known is checked, except texts.
With --json: {\"table\": \"feats.scp\", \"place\": \"utt1\", \"fault\": \"...\"}
See also: table-info, table-diff, check-shards, ark-to-scp (with --salvage)
";

#[derive(clap::Args)]
struct Options {
    /// Read only headers: numbers that are not finite and damage between headers are not found
    #[arg(long)]
    quick: bool,
    /// Write a line with a JSON object for each fault
    #[arg(long)]
    json: bool,
    /// A data directory need not have wav.scp
    #[arg(long)]
    no_wav: bool,
    /// A data directory need not have feats.scp
    #[arg(long)]
    no_feats: bool,
    /// A data directory need not have text
    #[arg(long)]
    no_text: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    /// A data directory whose recordings or utterances CTM, RTTM and STM have to be of; by default the folder of the file, if it is one
    #[arg(long)]
    data: Option<String>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_check))
    .whole("it describes the whole table; run it on the joined table");

fn table_check(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let checks = Checks { quick: opts.quick, value_type: opts.value_type, ..Checks::default() };
    let missing = Missing { wav: opts.no_wav, feats: opts.no_feats, text: opts.no_text };
    let (mut entries, mut faults, mut failed) = (0, 0, None);
    let mut tables: VecDeque<BString> = opts.tables.iter().map(|table| table.as_bstr().to_owned()).collect();
    let mut num_tables = 0;
    while let Some(table) = tables.pop_front() {
        let (table, kind) = (table.as_bstr(), ForeignKind::find(table.as_bstr())?);
        if kind == Some(ForeignKind::Folder) {
            let Foreign { parts, fault, .. } = Foreign::read(table, ForeignKind::Folder, usize::MAX, false);
            ensure!(fault.is_none(), "{table}: {}", fault.unwrap_or_default());
            let files = parts.into_iter().filter(ForeignPart::is_to_be_checked);
            files.rev().for_each(|file| tables.push_front(format!("{table}/{}", file.name).into()));
            continue;
        }
        num_tables += 1;
        let mut report = |fault: Fault| {
            faults += 1;
            let line = match opts.json {
                true => {
                    let json = json!({ "table": fault.table, "place": fault.place, "fault": fault.message });
                    printable_json(&json.to_string())
                }
                false => printable(fault.to_string().as_bytes()),
            };
            if let Err(error) = output.write_all((line + "\n").as_bytes()) {
                failed.get_or_insert(error);
            }
        };
        if let Some(ForeignKind::TimeMarks(kind)) = kind {
            entries += check_marks(table, kind, opts.data.as_deref().map(Path::new), &mut report)?;
        } else if let Some(kind) = kind {
            let foreign = Foreign::read(table, kind, 0, !opts.quick);
            entries += foreign.count;
            match foreign.command(table) {
                Some(command) if kind.has_utterances() => {
                    log!("{table} is {}; this makes a data directory of it: {command}", kind.phrase());
                }
                Some(command) if !command.starts_with("table-import") => {
                    log!("{table} has sound; this makes a data directory of it: {command}");
                }
                _ => {}
            }
            if let Some(message) = foreign.fault {
                report(Fault { table: table.to_string(), place: String::new(), message });
            }
        } else {
            let named = Named::find(table)?;
            if let Some(advice) = named.advice() {
                warning!("{advice}");
            }
            entries += match named.kind {
                NamedKind::Directory => check_directory(named.rxfilename.to_path()?, checks, missing, &mut report)?,
                NamedKind::Model(model_type) => {
                    let name = named.rxfilename.as_ref();
                    let read = ModelSummary::read(name, model_type).and_then(|_| model_rest(name, model_type));
                    let (count, fault) = match read {
                        Ok(fault) => (1, fault),
                        Err(error) => (0, Some(error.to_string())),
                    };
                    if let Some(message) = fault {
                        report(Fault { table: table.to_string(), place: String::new(), message });
                    }
                    count
                }
                _ => check(&table.to_string(), named, checks, &mut report)?,
            };
        }
        if let Some(error) = failed {
            return Err(error.into());
        }
    }
    log!("Checked {entries} entries of {num_tables} tables, found {faults} faults.");
    output.finish()?;
    Ok(Tally::new(entries, faults).ok_if(faults == 0))
}
