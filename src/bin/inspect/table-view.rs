//! Shows data directories and tables in a browser.
//!
//! Kaldi has no such program.

use std::time::Duration;

use anyhow::{Result, bail, ensure};
use bstr::{BString, ByteSlice};
use kaldi_cli::{InputName, Tally};
use kaldi_table::count_delivered;
use kaldi_view::{ViewOptions, ViewServer};

const USAGE: &str = "\
Shows data directories and tables in a browser: a list of all utterances with search, and for each utterance its sound, spectrogram,
features, alignments and posteriors on one time axis. It prints one line, the address for a browser on this computer, and runs until
it is interrupted (Ctrl-C). Only lists are read before an utterance is opened; then its command in wav.scp runs. Whoever knows the
address can read what it shows, and nobody can change anything. From another computer, forward the port: ssh -L 8000:localhost:8000.

Usage: table-view [options] <directory or table> [<directory or table> ...]
 e.g.: table-view data/train
       table-view --port=8000 data/test scp:exp/other/feats.scp
Of a directory, wav.scp, segments, text, utt2spk, utt2dur, utt2num_frames, feats.scp, vad.scp, ali.scp or ali.*.gz, lat.*.gz, ctm and
*.ctm are shown.
See also: table-report, table-head, feats-to-png
";

#[derive(clap::Args)]
struct Options {
    /// Port on the loopback address (0 takes one that is free)
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// One more name by which a browser may call this computer
    #[arg(long)]
    allow_host: Option<String>,
    /// Seconds from one frame of the features to the next one; found from the durations by default
    #[arg(long)]
    frame_shift: Option<f64>,
    /// Measures and findings, lines of JSON as table-report --write-utterances writes them; the page can also measure
    #[arg(long)]
    measures: Option<InputName>,
    /// Names of labels: lines of a name and its number, as in phones.txt
    #[arg(long)]
    symbols: Option<InputName>,
    /// Megabytes of values that are kept or read at a time; a value that needs more is an error
    #[arg(long, default_value_t = 256)]
    memory: usize,
    /// Seconds that the command of a value may take
    #[arg(long, default_value_t = 60.0)]
    timeout: f64,
    #[arg(required = true)]
    tables: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(table_view))
    .whole("it shows the whole table; give it the joined table");

fn table_view(opts: Options) -> Result<Tally> {
    let shift = opts.frame_shift.filter(|shift| !(*shift > 0.0 && shift.is_finite()));
    ensure!(shift.is_none(), "expected a positive --frame-shift, got {}", shift.unwrap_or(0.0));
    let timeout = Duration::try_from_secs_f64(opts.timeout).ok().filter(|timeout| !timeout.is_zero());
    let Some(timeout) = timeout else { bail!("expected a positive --timeout, got {}", opts.timeout) };
    let mut options = ViewOptions::default();
    options.timeout = timeout;
    (options.port, options.host, options.frame_shift) = (opts.port, opts.allow_host, opts.frame_shift);
    options.measures = opts.measures.map(|name| name.as_bstr().to_owned());
    options.symbols = opts.symbols.map(|name| name.as_bstr().to_owned());
    options.memory = opts.memory.saturating_mul(1 << 20);
    let names: Vec<BString> = opts.tables.iter().map(|table| table.as_bstr().to_owned()).collect();
    let server = ViewServer::open(&names, &options)?;
    kaldi_io::print(format!("{}\n", server.address()))?;
    // Its lists were read; whether somebody looks at a value does not matter.
    count_delivered();
    server.serve()?;
    Ok(Tally::new(1, 0))
}
