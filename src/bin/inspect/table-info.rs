//! Tells what is in tables of any type.
//!
//! Kaldi has no such program: there, one has to know which of a dozen programs reads a file.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::process::ExitCode;

use anyhow::Result;
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{DirectorySummary, Kind, Named, Summary};
use kaldi_io::Output;
use kaldi_scan::{ValueType, join_names};
use serde::Serialize;
use serde_json::Value;

const USAGE: &str = "\
Tells what is in archives, script files, single values and data directories: the type of the values, how many there are,
their sizes, whether keys are sorted. What a file is, is found by looking into it. Only keys and headers are read.

Usage: table-info [options] <table> [<table> ...]
 e.g.: table-info raw_mfcc.1.ark feats.scp
       table-info data/train
       gunzip -c ali.1.gz | table-info --json ark:-
<table> is an rspecifier, the name of an archive, a script file or a value such as final.mat, or a data directory (a folder
with wav.scp, feats.scp, utt2spk or text). The exit status is 1 where a table has a fault, which is told; table-check finds all
faults.
See also: table-keys, table-head, table-check, table-stats
";

#[derive(clap::Parser)]
struct Options {
    /// Write a JSON object a line for each table
    #[arg(long)]
    json: bool,
    /// Seconds from one frame to the next, to tell hours by
    #[arg(long, default_value_t = 0.01)]
    frame_shift: f64,
    /// Type of the values where it should not be found by looking; see ark-to-scp
    #[arg(long = "type")]
    value_type: Option<&'static ValueType>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, table_info)
}

fn table_info(opts: Options) -> Result<Tally> {
    let mut output = Output::create("-".into(), false)?;
    let mut tally = Tally::default();
    for (at, table) in opts.tables.iter().enumerate() {
        let named = Named::find(table)?;
        let info = match named.kind {
            Kind::Directory => directory(table, DirectorySummary::read(named.rxfilename.to_path()?, opts.frame_shift)?),
            _ => describe(table, Summary::read(named, opts.value_type)?, opts.frame_shift),
        };
        let gap = if at > 0 { "\n" } else { "" };
        let text = if opts.json { serde_json::to_string(&info)? + "\n" } else { format!("{gap}{}", text(&info)?) };
        output.write_all(text.as_bytes())?;
        if info.fault.is_none() { tally.done += 1 } else { tally.failed += 1 }
    }
    output.finish()?;
    Ok(tally.ok_if(tally.failed == 0))
}

/// The least and the most of something.
#[derive(Serialize)]
struct Span<T> {
    min: T,
    max: T,
}

/// What is told of a table, in this order; what does not apply is left out.
#[derive(Default, Serialize)]
struct Info {
    table: String,
    kind: &'static str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    value_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    or: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    precision: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entries: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    utterances: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    speakers: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    recordings: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    columns: Option<Span<u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frames: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hours_from: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sample_rate: Option<Span<f32>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vocabulary: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sorted: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duplicates: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    archives: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    commands: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    files: Option<BTreeMap<&'static str, u64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<String>,
}

fn describe(name: &BStr, summary: Summary, frame_shift: f64) -> Info {
    let span = |range: RangeInclusive<u64>| Span { min: *range.start(), max: *range.end() };
    let (frames, is_script) = (summary.frames(), summary.kind == Kind::Script);
    let is_table = summary.kind != Kind::Value;
    let seconds = summary.seconds.or(frames.map(|frames| frames as f64 * frame_shift));
    // Any text is words, which is worth no word.
    let is_other = |it: &&'static ValueType| Some(*it) != summary.value_type && !it.name().starts_with("token");
    let others = summary.candidates.into_iter().filter(is_other).collect::<Vec<_>>();
    Info {
        table: name.to_string(),
        kind: summary.kind.name(),
        value_type: summary.value_type.map(ValueType::name),
        or: (!others.is_empty()).then(|| join_names(&others)),
        precision: summary.precision.map(|(least, most)| if least == most { least.name() } else { "mixed" }),
        format: match (summary.binary, summary.text) {
            (0, 0) => None,
            (_, 0) => Some("binary"),
            (0, _) => Some("text"),
            _ => Some("mixed"),
        },
        compressed: summary.value_type.filter(|it| it.name() == "matrix").map(|_| summary.compressed > 0),
        entries: Some(summary.entries),
        bytes: Some(summary.bytes),
        rows: summary.rows.map(span),
        columns: summary.columns.map(span),
        frames,
        hours: seconds.map(hours),
        sample_rate: summary.sample_rates.map(|(min, max)| Span { min, max }),
        sorted: is_table.then_some(summary.is_sorted),
        duplicates: is_table.then_some(summary.duplicates),
        archives: is_script.then_some(summary.archives),
        missing: is_script.then_some(summary.missing),
        commands: Some(summary.commands).filter(|&commands| commands > 0),
        fault: summary.fault.map(|fault| fault.to_string()),
        ..Info::default()
    }
}

fn directory(name: &BStr, summary: DirectorySummary) -> Info {
    Info {
        table: name.to_string(),
        kind: Kind::Directory.name(),
        utterances: Some(summary.utterances),
        speakers: summary.speakers,
        recordings: summary.recordings,
        columns: summary.columns.map(|(min, max)| Span { min, max }),
        frames: summary.frames,
        hours: summary.seconds.map(|(seconds, _)| hours(seconds)),
        hours_from: summary.seconds.map(|(_, file)| file),
        words: summary.words,
        vocabulary: summary.vocabulary,
        files: Some(summary.files.into_iter().collect()),
        ..Info::default()
    }
}

/// Hours, rounded to a millisecond or so.
fn hours(seconds: f64) -> f64 {
    (seconds / 3600.0 * 1e7).round() / 1e7
}

/// The fields, one a line.
fn text(info: &Info) -> Result<String> {
    let object = serde_json::to_value(info)?;
    let names = [
        "kind",
        "type",
        "or",
        "precision",
        "format",
        "compressed",
        "entries",
        "utterances",
        "speakers",
        "recordings",
        "bytes",
        "rows",
        "columns",
        "frames",
        "hours",
        "hours_from",
        "sample_rate",
        "words",
        "vocabulary",
        "sorted",
        "duplicates",
        "archives",
        "missing",
        "commands",
        "files",
        "fault",
    ];
    let fields = names.iter().map(|name| (name, &object[*name])).filter(|(_, value)| !value.is_null());
    let lines: String = fields.map(|(name, value)| format!("  {name:<12} {}\n", show(value))).collect();
    Ok(format!("{}\n{lines}", info.table))
}

/// Names of a list that are shown.
const SHOWN: usize = 3;

fn show(value: &Value) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match value {
        Value::Bool(value) => if *value { "yes" } else { "no" }.to_owned(),
        Value::Array(names) if names.is_empty() => "none".to_owned(),
        Value::Array(names) => {
            let shown: Vec<_> = names.iter().take(SHOWN).map(plain).collect();
            let rest = names.len() - shown.len();
            format!("{}{}", shown.join(" "), if rest > 0 { format!(" and {rest} more") } else { String::new() })
        }
        Value::Object(fields) => match (fields.get("min"), fields.get("max")) {
            (Some(min), Some(max)) if min == max => plain(min),
            (Some(min), Some(max)) => format!("{} to {}", plain(min), plain(max)),
            _ => fields.iter().map(|(name, value)| format!("{name} {}", plain(value))).collect::<Vec<_>>().join(", "),
        },
        _ => plain(value),
    }
}
