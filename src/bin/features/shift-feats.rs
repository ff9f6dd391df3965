//! Shifts features in time.
//!
//! Matches Kaldi's `shift-feats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::frames;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;

const USAGE: &str = "\
Shifts features in time and keeps the number of frames: the first frame is repeated if they come later, the last one if
they come earlier.

Usage: shift-feats [options] <feature-rspecifier> <feature-wspecifier>
  or:  shift-feats [options] <feats-rxfilename> <feats-wxfilename>
 e.g.: shift-feats --shift=-1 scp:feats.scp ark:shifted.ark
       shift-feats --shift=1 foo.mat bar.mat
See also: copy-feats, subsample-feats, splice-feats, paste-feats, extract-feature-segments
";

#[derive(clap::Args)]
struct Options {
    /// Number of frames by which the features come later; negative for earlier
    #[arg(long, default_value_t = 0)]
    shift: i32,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(shift_feats)).by_entry(0);

fn shift_feats(opts: Options) -> anyhow::Result<Tally> {
    let tables = are_tables(&opts.source, &opts.target)?;
    let source = SequentialReader::<Matrix<f32>>::open_table_or_file(&opts.source)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;
    let (format, shift) = (target.format(), opts.shift);

    let written = source.par_map_into(target, move |entry| {
        let (feats, key) = (entry.read()?, entry.key());
        if feats.is_empty() {
            if !tables {
                return Err("Empty input matrix".into());
            }
            warning!("Empty matrix for key {key}");
            return Ok(None);
        }
        Ok(Some(Record::from_value(key, frames::shift(&feats, shift), format)))
    })?;
    if tables {
        log!("Shifted {} features by {shift} frames; {} with errors.", written.done(), written.skipped());
    }
    Ok(written.finish()?.into())
}
