//! Writes features as HTK files, one for each utterance.
//!
//! Matches Kaldi's `copy-feats-to-htk`, except that a file that cannot be written and a header that cannot hold its values
//! are errors, and that keys whose files would be outside of the folder are skipped.

use anyhow::Context;
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::{HtkFeatures, Matrix};
use kaldi_table::{Record, SequentialReader, TableWriter};
use kaldi_value::Format;

const USAGE: &str = "\
Writes every feature matrix as an HTK parameter file <output-dir>/<utterance>.<output-ext>.

Usage: copy-feats-to-htk [options] <feature-rspecifier>
 e.g.: copy-feats-to-htk --output-dir=htk-feats --output-ext=fea scp:feats.scp
See also: copy-feats (with --htk-in), copy-feats-to-sphinx
";

#[derive(clap::Args)]
struct Options {
    /// Extension of the files
    #[arg(long, default_value = "fea")]
    output_ext: Arg,
    /// Folder of the files, made if it is missing
    #[arg(long, default_value = "./")]
    output_dir: Arg,
    /// Frame shift in units of 100 ns (HTK's sampPeriod)
    #[arg(long, default_value_t = 100_000)]
    sample_period: i32,
    /// Code of the sample kind (HTK's parmKind): 6 MFCC, 7 FBANK, 9 USER, 11 PLP ...
    #[arg(long, default_value_t = 9)]
    sample_kind: i32,
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_feats_to_htk)).by_entry(0);

fn copy_feats_to_htk(opts: Options) -> anyhow::Result<Tally> {
    let Options { sample_period, sample_kind, .. } = opts;
    let kind = u16::try_from(sample_kind);
    let kind = kind.with_context(|| format!("expected --sample-kind to be from 0 to 65535, got {sample_kind}"))?;
    let target = TableWriter::<HtkFeatures>::create_folder(&opts.output_dir, &opts.output_ext)?;

    let written = SequentialReader::<Matrix<f32>>::open(&opts.source)?.par_map_into(target, move |entry| {
        let feats = HtkFeatures::new(entry.read()?, sample_period, kind);
        let feats = feats?;
        Ok(Record::new(entry.key(), &feats, Format::Binary))
    })?;
    let done = written.done();
    log!("{done} HTK feature files generated in the directory: {}", opts.output_dir);
    let counts = written.finish()?;
    Ok(Tally::from(counts).ok_if(counts.done > 0 && counts.skipped == 0))
}
