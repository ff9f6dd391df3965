//! Joins features side by side, frame by frame.
//!
//! Matches Kaldi's `paste-feats`.

use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::frames;
use kaldi_io::is_specifier;
use kaldi_io::log::{log, vlog, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{SequentialReader, TableWriter, Tables, WorkError, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Joins features of about the same length side by side, frame by frame, like `paste` for text. Utterances whose lengths
differ by no more than --length-tolerance are cut to the shortest; the others are left out.

Usage: paste-feats <in-rspecifier1> <in-rspecifier2> [<in-rspecifier3> ...] <out-wspecifier>
  or:  paste-feats <in-rxfilename1> <in-rxfilename2> [<in-rxfilename3> ...] <out-wxfilename>
 e.g.: paste-feats ark:feats1.ark \"ark:select-feats 0-3 ark:feats2.ark ark:- |\" ark:feats-out.ark
       paste-feats foo.mat bar.mat baz.mat
See also: copy-feats, append-vector-to-feats, concat-feats, select-feats
";

#[derive(clap::Args)]
struct Options {
    /// The largest difference in frames between the lengths of an utterance
    #[arg(long, default_value_t = 0)]
    length_tolerance: i32,
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(paste_feats)).by_entry(0);

fn paste_feats(opts: Options) -> anyhow::Result<Tally> {
    if is_specifier(&opts.first) { paste_tables(opts) } else { paste_files(&opts) }
}

fn paste_tables(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.first)?;
    let others = Tables::<Matrix<f32>>::open(&opts.others)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_with_into(others, target, move |entry, found| {
        let (first, key) = (entry.read()?, entry.key());
        let mut all = vec![&first];
        match found.all() {
            Ok(others) => all.extend(others),
            Err(name) => {
                warning!("Missing utt {key} from input {name}");
                return Ok(None);
            }
        }
        Ok(paste(&all, opts.length_tolerance, key)?.map(|feats| entry.into_record(feats)))
    })?;
    log!("Done {} utts, errors on {}", written.done(), written.skipped());
    Ok(Tally::from(written.finish()?).error_if_none())
}

fn paste_files(opts: &Options) -> anyhow::Result<Tally> {
    let names = std::iter::once(&opts.first).chain(&opts.others);
    let all = names.map(read_file).collect::<Result<Vec<Matrix<f32>>, _>>()?;
    let all: Vec<_> = all.iter().collect();
    let pasted = paste(&all, opts.length_tolerance, BStr::new("")).map_err(anyhow::Error::from_boxed)?;
    let Some(feats) = pasted else { return Ok(Tally::new(0, 1)) };
    write_file(&opts.target, &feats, Format::from_binary(opts.binary))?;
    log!("Wrote appended features to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Pastes features if their lengths are close enough; `utt` is empty for files.
fn paste(all: &[&Matrix<f32>], tolerance: i32, utt: &BStr) -> Result<Option<Matrix<f32>>, WorkError> {
    let place = if utt.is_empty() { String::new() } else { format!(" for utt {utt}") };
    let (min, max) = frames::lengths(all);
    if min == 0 || (max - min) as i64 > i64::from(tolerance) {
        warning!("Length mismatch {max} vs. {min}{place} exceeds tolerance {tolerance}");
        return Ok(None);
    }
    if max > min {
        vlog!(2, "Length mismatch {max} vs. {min}{place} within tolerance {tolerance}");
    }
    Ok(Some(frames::paste(all)?))
}
