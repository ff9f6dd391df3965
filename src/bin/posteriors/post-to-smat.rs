//! Converts posteriors to sparse matrices.
//!
//! Matches Kaldi's `post-to-smat`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::SparseMatrix;
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::Posterior;

const USAGE: &str = "\
Converts posteriors to sparse matrices: a row for each frame, with the weights in the columns of the indexes. Weights of
equal indexes are added up, and zeros left out.

Usage: post-to-smat --dim=<dim> [options] <posteriors-rspecifier> <sparse-matrix-wspecifier>
 e.g.: ali-to-post scp:ali.scp ark:- | post-to-smat --dim=1038 ark:- ark:1.smat
See also: ali-to-post, post-to-feats
";

#[derive(clap::Args)]
struct Options {
    /// The number of columns, greater than every index (must be given)
    #[arg(long, default_value_t = -1)]
    dim: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(post_to_smat)).by_entry(0);

fn post_to_smat(opts: Options) -> anyhow::Result<Tally> {
    if opts.dim <= 0 {
        bail!("expected --dim to be given and above 0, got {}", opts.dim);
    }
    let source = SequentialReader::<Posterior>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;

    let written = source.par_map_into(target, move |entry| {
        let mut matrix = SparseMatrix::<f32>::new(opts.dim as usize);
        for frame in entry.read()?.0 {
            matrix.push_row(&frame).map_err(|error| format!("{error}, see --dim"))?;
        }
        Ok(entry.record(&matrix))
    })?;
    let done = written.done();
    log!("Done converting {done} posteriors into sparse matrices.");
    written.finish()?;
    Ok(Tally::new(done, 0).always_ok())
}
