//! Lists the keys of tables of any type.
//!
//! Kaldi has no such program: recipes cut script files.

use anyhow::Result;
use bstr::{BStr, ByteSlice};
use kaldi_any::{Header, ValueType};
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{Entries, Named, NamedKind, read_header};
use kaldi_io::log::warning;
use kaldi_io::{Output, Session};
use kaldi_table::{RawEntry, ScriptLines};
use serde::Serialize;

const USAGE: &str = "\
Lists the keys of archives and script files of any type, one per line, and if wanted, separated by tabs, in this order:
the places of the values, their bytes, their sizes. Values are not read.

Usage: table-keys [options] <table> [<table> ...]
 e.g.: table-keys feats.scp > utts
       table-keys --offsets --sizes --dims raw_mfcc.1.ark
With --json: {\"table\": \"raw_mfcc.1.ark\", \"key\": \"utt1\", \"offset\": 5, \"size\": 1471, \"dims\": [28, 13]}
<table> is an rspecifier or the name of an archive or a script file.
See also: table-info, table-get, ark-to-scp
";

#[derive(clap::Args)]
struct Options {
    /// Write a line with a JSON object for each key
    #[arg(long)]
    json: bool,
    /// Add the offset of the value in its file, as in script files
    #[arg(long)]
    offsets: bool,
    /// Add the number of bytes of the value
    #[arg(long)]
    sizes: bool,
    /// Add rows and columns of matrices (28x13) or channels and samples of waveforms, the length of vectors and lists
    /// (28); - for single numbers and words
    #[arg(long)]
    dims: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

/// The contents of a line.
#[derive(Serialize)]
struct Line {
    table: String,
    key: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dims: Option<Vec<u64>>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_keys))
    .whole("it prints lines; sh -c 'table-keys TABLE > FILE' runs in pieces with --split and --out");

fn table_keys(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let mut done = 0;
    for table in &opts.tables {
        let named = Named::find(table)?;
        if let Some(advice) = named.advice() {
            warning!("{advice}");
        }
        if named.kind == NamedKind::Script && !(opts.offsets || opts.sizes || opts.dims) {
            let mut lines = ScriptLines::open(named.rxfilename.as_bstr())?;
            while let Some(line) = lines.next_line()? {
                output.write_all(&opts.line(table, line.key.as_bstr(), None)?)?;
                done += 1;
            }
            continue;
        }
        let mut entries = Entries::of(named, opts.value_type)?;
        entries.begin();
        if entries.is_ready() && entries.value_type() == ValueType::Unknown {
            warning!("{table}: the values are of none of the types that are known: see table-info");
        }
        while let Some(entry) = entries.next_readable()? {
            let header = if opts.dims { read_header(&entry, entries.value_type())? } else { Header::default() };
            output.write_all(&opts.line(table, entry.key(), Some((&entry, header)))?)?;
            done += 1;
        }
    }
    output.finish()?;
    Ok(Tally::new(done, 0).ok_if(Session::current().entries_left_out() == 0))
}

impl Options {
    fn line(&self, table: &BStr, key: &BStr, entry: Option<(&RawEntry, Header)>) -> Result<Vec<u8>> {
        let offset = entry.as_ref().filter(|_| self.offsets).map(|(entry, _)| entry.offset());
        let size = entry.as_ref().filter(|_| self.sizes).map(|(entry, _)| entry.size());
        let dims = entry.filter(|_| self.dims).map(|(_, header)| [header.rows, header.columns]);
        let dims: Option<Vec<u64>> = dims.map(|dims| dims.into_iter().flatten().collect());
        if self.json {
            let line = Line { table: table.to_string(), key: key.to_string(), offset, size, dims };
            return Ok((kaldi_io::printable_json(&serde_json::to_string(&line)?) + "\n").into_bytes());
        }
        let dims = dims.map(|dims| match dims.as_slice() {
            [] => "-".to_owned(),
            dims => dims.iter().map(u64::to_string).collect::<Vec<_>>().join("x"),
        });
        let mut line = kaldi_io::quote_name(key).to_vec();
        for column in
            [offset.map(|offset| offset.to_string()), size.map(|size| size.to_string()), dims].iter().flatten()
        {
            line.push(b'\t');
            line.extend_from_slice(column.as_bytes());
        }
        line.push(b'\n');
        Ok(line)
    }
}
