//! Appends vectors with the same key from several tables to each other.
//!
//! Matches Kaldi's `paste-vectors`.

use std::process::ExitCode;
use std::sync::Arc;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Appends to each vector of the first table the vectors with the same key from the other tables. Keys that are not in all
tables are left out.

Usage: paste-vectors [options] <vector-rspecifier1> <vector-rspecifier2> [<vector-rspecifier3> ...] <vector-wspecifier>
 e.g.: paste-vectors ark:ivectors.ark ark:xvectors.ark ark:both.ark
See also: paste-feats, append-vector-to-feats, copy-vector
";

#[derive(clap::Parser)]
struct Options {
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

fn main() -> ExitCode {
    kaldi_cli::run(USAGE, paste_vectors)
}

fn paste_vectors(opts: Options) -> anyhow::Result<Tally> {
    if !is_specifier(&opts.first) {
        bail!("expected tables, got {}; files of vectors are not pasted", opts.first);
    }
    let first = SequentialReader::<Vector<f32>>::open(&opts.first)?;
    let lookup: Vec<RandomAccessReader<Vector<f32>>> =
        opts.others.iter().map(RandomAccessReader::open).collect::<Result<_, _>>()?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = first.par_map_with_into(lookup, target, move |entry, found: Vec<Option<Arc<Vector<f32>>>>| {
        let key = entry.key();
        let mut pasted = entry.read()?.into_vec();
        for (other, name) in found.iter().zip(&opts.others) {
            let Some(other) = other else {
                warning!("Missing utt {key} from input {name}");
                return Ok(None);
            };
            pasted.extend_from_slice(other.as_slice());
        }
        if i32::try_from(pasted.len()).is_err() {
            return Err(format!("{key}: a vector of {} elements is too long", pasted.len()).into());
        }
        Ok(Some(Record::from_value(key, Vector::from_vec(pasted), format)))
    })?;
    log!("Done {} utts, errors on {}", written.done(), written.skipped());
    Ok(Tally::from(written.finish()?).error_if_none())
}
