//! Prints the numbers of rows and columns of matrices.
//!
//! Matches Kaldi's `matrix-dim`.

use kaldi_cli::{InputName, Tally};
use kaldi_io::log::warning;
use kaldi_io::{Output, is_specifier};
use kaldi_matrix::Matrix;
use kaldi_table::SequentialReader;

const USAGE: &str = "\
Prints the numbers of rows and columns of a matrix, with a tab between them; for a table a line for each matrix, which
starts with the key and a tab.

Usage: matrix-dim [options] <matrix-rxfilename>|<matrix-rspecifier>
 e.g.: matrix-dim final.mat | cut -f 2
       matrix-dim scp:feats.scp
See also: feat-to-len, feat-to-dim, copy-matrix
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(matrix_dim))
    .whole("it prints lines; sh -c 'matrix-dim TABLE > FILE' runs in pieces with --split and --out");

fn matrix_dim(opts: Options) -> anyhow::Result<Tally> {
    let is_table = is_specifier(&opts.source);
    let source = SequentialReader::<Matrix<f32>>::open_table_or_file(&opts.source)?.skim();
    let mut stdout = Output::stdout()?;

    let rows = source.par_map(|entry| Ok(entry.read_with(Matrix::<f32>::read_size)?));
    let mut done = 0;
    let ended = rows.drain(|key, (num_rows, num_cols)| {
        let name = if is_table { [&**key, b"\t"].concat() } else { Vec::new() };
        stdout.write_all(&[&name, format!("{num_rows}\t{num_cols}\n").as_bytes()].concat())?;
        done += 1;
        anyhow::Ok(())
    })?;
    if done == 0 {
        warning!("No features read from rspecifier '{}'", opts.source);
    }
    ended.finish()?;
    stdout.finish()?;
    Ok(Tally::new(done, 0))
}
