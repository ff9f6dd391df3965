//! Prints the first entries of tables of any type.
//!
//! Kaldi has no such program: there, one needs the program that copies the type.

use anyhow::{Result, bail, ensure};
use kaldi_any::ValueType;
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{
    Entries, Foreign, ForeignKind, Named, NamedKind, cut_lines, cut_rows, model_text, show, show_dot, show_json,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, Session};
use kaldi_reader::Reader;
use kaldi_value::SymbolTable;

const USAGE: &str = "\
Prints the first entries of archives, script files and single values of any type as text, in the form of the tool that
copies the type. A waveform is described in a line. On a terminal, lines are cut to its width, and the middle of long values is left
out.

Usage: table-head [options] <table> [<table> ...]
 e.g.: table-head -n 2 feats.scp
       gunzip -c ali.1.gz | table-head ark:-
       table-head --json --n=1 raw_mfcc.1.ark
       table-head --dot --symbols=words.txt --n=1 lat.ark | dot -Tsvg > lat.svg
With --json: {\"table\": \"raw_mfcc.1.ark\", \"key\": \"utt1\", \"type\": \"matrix\", \"value\": [[1.5, 2], [3, 4]]}
<table> is an rspecifier or the name of an archive, a script file or a value. Of files of NumPy, safetensors, Parquet and Arrow, names,
types and sizes of arrays are printed; of lists and shards, lines and samples; of folders, files.
See also: table-get, table-info, table-keys
";

/// Lines of an entry that are shown on a terminal.
const ROWS: usize = 20;

#[derive(clap::Args)]
struct Options {
    /// Number of entries of each table, or of lines of a model
    #[arg(long, default_value_t = 10)]
    n: u64,
    /// Write lattices and FSTs as pictures in the language of Graphviz
    #[arg(long)]
    dot: bool,
    /// Symbol table of words for --dot: lines of a word and its number
    #[arg(long)]
    symbols: Option<InputName>,
    /// Lines of each entry that are shown, the first and the last ones; on a terminal 20 by default, otherwise all
    #[arg(long)]
    rows: Option<usize>,
    /// Do not cut lines and entries on a terminal
    #[arg(long)]
    full: bool,
    /// Write a line with a JSON object for each entry
    #[arg(long)]
    json: bool,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_head)).whole("the first entries of the whole table count");

fn table_head(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let width = kaldi_cli::terminal_width().filter(|_| !opts.full && !opts.json && !opts.dot);
    let rows = opts.rows.or(width.map(|_| ROWS)).filter(|_| !opts.dot && !opts.json);
    ensure!(opts.dot || opts.symbols.is_none(), "expected --symbols with --dot only");
    ensure!(!opts.dot || !opts.json, "expected --dot or --json, got both");
    let symbols = opts.symbols.as_deref().map(SymbolTable::read).transpose()?.unwrap_or_default();
    let mut done = 0;
    for table in &opts.tables {
        if let Some(kind) = ForeignKind::find(table)? {
            let foreign = Foreign::read(table, kind, usize::try_from(opts.n)?, false);
            for part in &foreign.parts {
                let text = if opts.json { serde_json::to_string(part)? } else { part.to_string() } + "\n";
                output.write_all(&width.map_or(text.clone().into(), |width| cut_lines(text.as_bytes(), width)))?;
            }
            ensure!(foreign.fault.is_none(), "{table}: {}", foreign.fault.unwrap_or_default());
            done += foreign.parts.len() as u64;
            if let Some(command) = foreign.command(table) {
                let made = if command.starts_with("table-import") { "table" } else { "data directory" };
                log!("this makes a {made} of it: {command}");
            }
            continue;
        }
        let named = Named::find(table)?;
        if let Some(advice) = named.advice() {
            warning!("{advice}");
        }
        if let NamedKind::Model(model_type) = named.kind {
            ensure!(!opts.json, "{table} is a model: table-info --json shows its sizes");
            let text = model_text(named.rxfilename.as_ref(), model_type)?;
            for line in text.split_inclusive(|&byte| byte == b'\n').take(opts.n as usize) {
                output.write_all(&width.map_or(line.to_vec(), |width| cut_lines(line, width)))?;
            }
            done += 1;
            continue;
        }
        let mut entries = Entries::of(named, opts.value_type)?;
        for _ in 0..opts.n {
            let Some(entry) = entries.next_readable()? else { break };
            let value_type = entries.value_type();
            let mut text = Vec::new();
            if opts.dot {
                let Some(form) = value_type.graph_form() else {
                    bail!("{table}: expected lattices or FSTs with --dot, got values of the type {value_type}");
                };
                show_dot(&entry, form, &symbols, &mut text)?;
            } else if opts.json {
                show_json(table, &entry, value_type, &mut text)?;
            } else {
                show(&entry, value_type, &mut text)?;
            }
            if let Some(rows) = rows {
                text = cut_rows(text, rows);
            }
            output.write_all(&width.map_or(text.clone(), |width| cut_lines(&text, width)))?;
            done += 1;
        }
        // The command may need some time to end.
        output.flush()?;
        entries.finish()?;
    }
    output.finish()?;
    Ok(Tally::new(done, 0).ok_if(Session::current().entries_left_out() == 0))
}
