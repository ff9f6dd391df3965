//! Appends vectors with the same key from several tables to each other.
//!
//! Matches Kaldi's `paste-vectors`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, Tables};

const USAGE: &str = "\
Appends to each vector of the first table the vectors with the same key from the other tables. Keys that are not in all
tables are left out.

Usage: paste-vectors [options] <vector-rspecifier1> <vector-rspecifier2> [<vector-rspecifier3> ...] <vector-wspecifier>
 e.g.: paste-vectors ark:ivectors.ark ark:xvectors.ark ark:both.ark
See also: paste-feats, append-vector-to-feats, copy-vector
";

#[derive(clap::Args)]
struct Options {
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(paste_vectors)).by_entry(0);

fn paste_vectors(opts: Options) -> anyhow::Result<Tally> {
    if !is_specifier(&opts.first) {
        bail!("expected tables, got {}; files of vectors are not pasted", opts.first);
    }
    let first = SequentialReader::<Vector<f32>>::open(&opts.first)?;
    let others = Tables::<Vector<f32>>::open(&opts.others)?;
    let target = TableWriter::create(&opts.target)?;

    let written = first.par_map_with_into(others, target, move |entry, found| {
        let (mut pasted, key) = (entry.read()?.into_vec(), entry.key());
        match found.all() {
            Ok(others) => others.into_iter().for_each(|other| pasted.extend_from_slice(other.as_slice())),
            Err(name) => {
                warning!("Missing utt {key} from input {name}");
                return Ok(None);
            }
        }
        if i32::try_from(pasted.len()).is_err() {
            return Err(format!("a vector of {} elements is too long", pasted.len()).into());
        }
        Ok(Some(entry.into_record(Vector::from_vec(pasted))))
    })?;
    log!("Done {} utts, errors on {}", written.done(), written.skipped());
    Ok(Tally::from(written.finish()?).error_if_none())
}
