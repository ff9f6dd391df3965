//! Replaces the first rows of a full LDA transform by those of an LDA+MLLT transform.
//!
//! Matches Kaldi's `get-full-lda-mat`; nothing is written if the inverse is wanted and does not exist.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_matrix::Matrix;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Makes a square transform, for predictive SGMMs: the rows of an LDA+MLLT transform and, below them, the rows of the full
LDA transform (from est-lda --write-full-matrix) that LDA has rejected. Also writes its inverse, if that is wanted.

Usage: get-full-lda-mat [options] <lda-mllt-rxfilename> <full-lda-rxfilename> <full-lda-mllt-wxfilename> \
[<inverse-wxfilename>]
 e.g.: get-full-lda-mat final.mat full.mat full_lda_mllt.mat full_lda_mllt_inv.mat
See also: est-lda, est-mllt
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    lda_mllt: InputName,
    full_lda: InputName,
    target: OutputName,
    inverse: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(get_full_lda_mat));

fn get_full_lda_mat(opts: Options) -> anyhow::Result<Tally> {
    let lda_mllt: Matrix<f32> = read_file(&opts.lda_mllt)?;
    let mut full: Matrix<f32> = read_file(&opts.full_lda)?;
    let (num_rows, dim) = full.size();
    if num_rows != dim {
        bail!("{}: expected a square matrix, got {num_rows} by {dim}", opts.full_lda);
    }
    if lda_mllt.num_cols() != dim || lda_mllt.num_rows() > dim {
        let (num_rows, num_cols) = lda_mllt.size();
        bail!("{}: expected {dim} columns and not more rows, got {num_rows} by {num_cols}", opts.lda_mllt);
    }
    let first_rows = lda_mllt.as_slice();
    full.as_mut_slice()[..first_rows.len()].copy_from_slice(first_rows);

    let format = Format::from_binary(opts.binary);
    let inverse = opts.inverse.as_ref().map(|name| Ok::<_, kaldi_matrix::Error>((name, full.inverse()?)));
    let inverse = inverse.transpose().context("cannot invert the full transform")?;
    write_file(&opts.target, &full, format)?;
    if let Some((name, inverse)) = inverse {
        write_file(name, &inverse, format)?;
    }
    Ok(Tally::new(1, 0))
}
