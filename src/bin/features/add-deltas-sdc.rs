//! Appends shifted deltas to features.
//!
//! Matches Kaldi's `add-deltas-sdc`; options out of their range are an error even if there are no features.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::{Deltas, ShiftedDeltaOptions};
use kaldi_io::log::warning;
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter};

const USAGE: &str = "\
Appends shifted delta cepstra to features, usually MFCC or PLP, for language and speaker recognition: blocks of
derivatives over time, for the frame itself and for later and later frames. By default 7 columns become 56.

Usage: add-deltas-sdc [options] <in-rspecifier> <out-wspecifier>
 e.g.: add-deltas-sdc --truncate=7 scp:feats.scp ark:-
See also: add-deltas, splice-feats, apply-cmvn-sliding
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    deltas: ShiftedDeltaOptions,
    /// Use only the first columns of the features, this many; 0 means all
    #[arg(long, default_value_t = 0)]
    truncate: u32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(add_deltas_sdc)).by_entry(0);

fn add_deltas_sdc(opts: Options) -> anyhow::Result<Tally> {
    let deltas = Deltas::shifted(&opts.deltas)?.truncating(opts.truncate);
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
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
