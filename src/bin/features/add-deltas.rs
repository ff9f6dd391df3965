//! Appends derivatives over time (deltas) to features.
//!
//! Matches Kaldi's `add-deltas`; options out of their range are an error even if there are no features.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::{DeltaOptions, Deltas};
use kaldi_io::log::warning;
use kaldi_matrix::{BinaryRows, Matrix};
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Appends the derivatives over time (deltas) to features, usually MFCC or PLP. By default these are derivatives of first
and second order, so that 13 columns become 39.

Usage: add-deltas [options] <in-rspecifier> <out-wspecifier>
 e.g.: add-deltas scp:feats.scp ark:-
See also: add-deltas-sdc, splice-feats, apply-cmvn
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    deltas: DeltaOptions,
    /// Use only the first columns of the features, this many; 0 means all
    #[arg(long, default_value_t = 0)]
    truncate: u32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(add_deltas)).by_entry(0);

fn add_deltas(opts: Options) -> anyhow::Result<Tally> {
    let deltas = Deltas::new(&opts.deltas)?.truncating(opts.truncate);
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        // Bytes need not be decoded before.
        if let Some(bytes) = entry.bytes()
            && let Some(rows) = BinaryRows::find::<f32>(bytes)
            && rows.size() != (0, 0)
        {
            let feats = deltas.compute_rows(&rows, bytes)?;
            return Ok(Some(entry.into_record(feats)));
        }
        let (feats, key) = (entry.read()?, entry.key());
        if feats.is_empty() {
            warning!("Empty feature matrix for key {key}");
            return Ok(None);
        }
        let feats = deltas.compute(&feats)?;
        Ok(Some(entry.into_record(feats)))
    })?;
    Ok(Tally::from(written.finish()?).always_ok())
}
