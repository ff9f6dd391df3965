//! Applies one linear or affine transform to vectors.
//!
//! Matches Kaldi's `transform-vec`; sums are in another order, so the last digits may differ.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Record, SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Applies a transform to vectors, such as i-vectors. It is linear if it has as many columns as the vectors have elements,
and affine if it has one more, its offset.

Usage: transform-vec [options] <transform-rxfilename> <vector-rspecifier> <vector-wspecifier>
 e.g.: transform-vec pca.mat ark:ivectors.ark ark:-
See also: transform-feats, est-pca
";

#[derive(clap::Args)]
struct Options {
    transform: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(transform_vec)).by_entry(1);

fn transform_vec(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Vector<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();
    let transform: Matrix<f32> = read_file(&opts.transform)?;

    let written = source.par_map_into(target, move |entry| {
        let (key, vector) = (entry.key(), entry.read()?);
        let Ok(transformed) = vector.transformed(&transform) else {
            let (dim, columns) = (vector.dim(), transform.num_cols());
            let message = format!(
                "Dimension mismatch: input vector has dimension {dim} and transform has {columns} columns; \
                 expected {dim} or {} columns",
                dim + 1
            );
            return Err(message.into());
        };
        Ok(Record::from_value(key, transformed, format))
    })?;
    let done = written.done();
    log!("Applied transform to {done} vectors.");
    written.finish()?;
    Ok(Tally::new(done, 0))
}
