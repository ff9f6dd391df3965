//! Shows what is in tables of any type.
//!
//! Kaldi has no such program: there, one has to know which of a dozen programs reads a file.

use anyhow::Result;
use bstr::ByteSlice;
use kaldi_any::ValueType;
use kaldi_cli::{InputName, Tally};
use kaldi_inspect::{DirectorySummary, Foreign, ForeignKind, Info, ModelSummary, Named, NamedKind, Summary};
use kaldi_io::Output;
use kaldi_io::log::warning;

const USAGE: &str = "\
Shows what is in archives, script files, single values and data directories: the type of the values, their number and
sizes, whether keys are sorted. The kind of a file is found by looking into it. Only keys and headers are read.

Usage: table-info [options] <table> [<table> ...]
 e.g.: table-info raw_mfcc.1.ark feats.scp
       table-info data/train
       gunzip -c ali.1.gz | table-info --json ark:-
<table> is an rspecifier, the name of an archive, a script file or a value such as final.mat, or a data directory (a
folder with wav.scp, feats.scp, utt2spk or text). Of files of NumPy, safetensors, Parquet and Arrow, the arrays are shown and the
command that makes a table of them; of raw lists, manifests of NeMo, lists of shards and shards, how much is in them and the
command that makes a data directory of them; of CTM, RTTM and STM, recordings, speakers, words and hours; of other folders, what
their files are; of other files that are known, their kind and the command that reads them. If a table has a fault, it is shown, and the exit status is 1;
table-check finds all faults.
See also: table-keys, table-head, table-check, table-stats
";

/// Parts of a file that is no table, which are shown.
const SHOWN: usize = 20;

#[derive(clap::Args)]
struct Options {
    /// Write a line with a JSON object for each table
    #[arg(long)]
    json: bool,
    /// Seconds from one frame to the next, for computing hours
    #[arg(long, default_value_t = 0.01)]
    frame_shift: f64,
    /// Type of the values, if it should not be found by looking; see ark-to-scp
    #[arg(long = "type", value_parser = kaldi_cli::one_of(ValueType::NAMES))]
    value_type: Option<ValueType>,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_info))
    .whole("it describes the whole table; run it on the joined table");

fn table_info(opts: Options) -> Result<Tally> {
    let mut output = Output::stdout()?;
    let mut tally = Tally::default();
    for (at, table) in opts.tables.iter().enumerate() {
        let gap = if at > 0 { "\n" } else { "" };
        if let Some(kind) = ForeignKind::find(table)? {
            let foreign = Foreign::read(table, kind, if opts.json { usize::MAX } else { SHOWN }, false);
            let text = match opts.json {
                true => foreign.to_json(table),
                false => format!("{gap}{}", kaldi_cli::for_terminal(&foreign.to_text(table))),
            };
            output.write_all(text.as_bytes())?;
            if foreign.fault.is_none() {
                tally.done += 1
            } else {
                tally.failed += 1
            }
            continue;
        }
        let named = Named::find(table)?;
        if let Some(advice) = named.advice() {
            warning!("{advice}");
        }
        let info = match named.kind {
            NamedKind::Directory => {
                Info::of_directory(table, DirectorySummary::read(named.rxfilename.to_path()?, opts.frame_shift)?)
            }
            NamedKind::Model(model_type) => {
                Info::of_model(table, ModelSummary::read(named.rxfilename.as_ref(), model_type)?, named.is_binary)
            }
            _ => Info::of_table(table, Summary::read(named, opts.value_type)?, opts.frame_shift),
        };
        let text = if opts.json { info.to_json() } else { format!("{gap}{info}") };
        output.write_all(text.as_bytes())?;
        if info.is_sound() { tally.done += 1 } else { tally.failed += 1 }
    }
    output.finish()?;
    Ok(tally.ok_if(tally.failed == 0))
}
