//! Makes training examples of nnet3 of the matrices that tables have for a key.
//!
//! Matches Kaldi's `nnet3-get-egs-simple`.

use anyhow::{anyhow, bail, ensure};
use bstr::{BString, ByteSlice};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_egs::{IoMatrix, NnetExample, NnetIo};
use kaldi_io::Rspecifier;
use kaldi_io::log::warning;
use kaldi_matrix::GeneralMatrix;
use kaldi_table::{SequentialReader, TableWriter, Tables};
use kaldi_value::is_token;

const USAGE: &str = "\
Makes a training example of nnet3 for each key of the first table: what all tables have for this key, under the names before
the rspecifiers. Utterances are not cut.

Usage: nnet3-get-egs-simple [options] <name>=<rspecifier> [<name>=<rspecifier> ...] <egs-wspecifier>
 e.g.: nnet3-get-egs-simple input=scp:images.scp 'output=ark,o:ali-to-post ark:labels.txt ark:- | post-to-smat --dim=10 ark:- \\
           ark:- |' ark:1.egs
See also: nnet3-get-egs, nnet3-merge-egs, post-to-smat
";

#[derive(clap::Args)]
struct Options {
    #[arg(required = true)]
    sources: Vec<Arg>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_get_egs_simple))
    .whole("the names of its tables have names before them");

fn nnet3_get_egs_simple(opts: Options) -> anyhow::Result<Tally> {
    let sources: Vec<(BString, BString)> = opts.sources.iter().map(split).collect::<anyhow::Result<_>>()?;
    let mut sources = sources.into_iter();
    let Some((first, source)) = sources.next() else { bail!("expected at least one name=rspecifier") };
    let (names, tables): (Vec<BString>, Vec<BString>) = sources.unzip();
    let target = TableWriter::create(&opts.target)?;
    let source = SequentialReader::<GeneralMatrix>::open(&source)?;
    let others = Tables::<GeneralMatrix>::open(tables)?;

    let written = source.par_map_with_into(others, target, move |entry, found| {
        let key = entry.key();
        let io = |name: &BString, matrix: GeneralMatrix| match IoMatrix::from(matrix) {
            matrix if matrix.num_rows() == 0 => Err(format!("the matrix of \"{name}\" has no rows")),
            matrix => Ok(NnetIo::new(name.clone(), 0, 1, matrix)),
        };
        let mut example = NnetExample { io: vec![io(&first, entry.read()?)?] };
        for (name, (_, matrix)) in names.iter().zip(found.iter()) {
            let Some(matrix) = matrix else {
                warning!("Could not find input for key {key} for io-name={name}");
                return Ok(None);
            };
            example.io.push(io(name, matrix.clone())?);
        }
        Ok(Some(entry.record(&example)))
    })?;
    let counts = written.counts();
    if counts.skipped > 0 {
        warning!("{} utterances had errors and could not be processed.", counts.skipped);
    }
    written.finish()?;
    Ok(counts.into())
}

/// Splits `name=rspecifier` at the first `=`.
fn split(argument: &Arg) -> anyhow::Result<(BString, BString)> {
    let expected = || anyhow!("expected a name, \"=\" and an rspecifier, got {:?}", argument.as_bstr());
    let (name, rspecifier) = argument.split_once_str("=").ok_or_else(expected)?;
    ensure!(is_token(name), expected());
    if Rspecifier::parse(rspecifier.as_bstr()).is_none() {
        bail!(expected());
    }
    Ok((name.into(), rspecifier.into()))
}
