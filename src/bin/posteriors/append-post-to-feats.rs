//! Appends posteriors to features.
//!
//! Matches Kaldi's `append-post-to-feats`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{FileOrTable, SequentialReader, TableWriter, are_tables};
use kaldi_value::Format;
use kaldi_value::Posterior;

const USAGE: &str = "\
Appends posteriors to features: every frame gets --post-dim more columns, one for each index, with the weights that the
posteriors give to the indexes, and zeros elsewhere.

Usage: append-post-to-feats --post-dim=<dim> [options] <feats-rspecifier> <post-rspecifier> <feats-wspecifier>
  or:  append-post-to-feats --post-dim=<dim> [options] <feats-rxfilename> <post-rxfilename> <feats-wxfilename>
 e.g.: append-post-to-feats --post-dim=50 scp:feats.scp ark:1.post ark:output.ark
See also: post-to-feats, paste-feats, append-vector-to-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The dimension of the posteriors, greater than every index (must be given)
    #[arg(long, default_value_t = 0)]
    post_dim: i32,
    source: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(append_post_to_feats)).by_entry(0);

fn append_post_to_feats(opts: Options) -> anyhow::Result<Tally> {
    if opts.post_dim <= 0 {
        bail!("expected --post-dim to be given and above 0, got {}", opts.post_dim);
    }
    let tables = are_tables(&opts.source, &opts.target)?;
    are_tables(&opts.posteriors, &opts.target)?;
    let source = SequentialReader::<Matrix<f32>>::open_table_or_file(&opts.source)?;
    let posteriors = FileOrTable::<Posterior>::open(&opts.posteriors, None)?;
    let target = TableWriter::create_table_or_file(&opts.target, Format::from_binary(opts.binary))?;

    let written = source.par_map_with_into(posteriors, target, move |entry, found| {
        let Some(posterior) = found else {
            warning!("Could not read posteriors for utterance {}", entry.key());
            return Ok(None);
        };
        let appended = append(&entry.read()?, &posterior, opts.post_dim as usize)?;
        Ok(Some(entry.record(&appended)))
    })?;
    if tables {
        log!("Done {} utts, errors on {}", written.done(), written.skipped());
    }
    let tally = Tally::from(written.finish()?);
    if !tables {
        log!("Wrote appended features to {}", opts.target);
    }
    Ok(tally.error_if_none())
}

fn append(feats: &Matrix<f32>, posterior: &Posterior, post_dim: usize) -> Result<Matrix<f32>, String> {
    let (num_rows, num_cols) = feats.size();
    if num_rows != posterior.0.len() || num_rows == 0 {
        let num_frames = posterior.0.len();
        return Err(format!("Mismatch of length! features: {num_rows} posteriors: {num_frames}"));
    }
    let columns = Matrix::from_posterior(posterior, post_dim)
        .map_err(|error| format!("Out-of-bound Posterior element: {error}"))?;
    let mut appended = Matrix::new(num_rows, num_cols + post_dim);
    for ((to, feats), columns) in appended.rows_mut().zip(feats.rows()).zip(columns.rows()) {
        to[..num_cols].copy_from_slice(feats);
        to[num_cols..].copy_from_slice(columns);
    }
    Ok(appended)
}
