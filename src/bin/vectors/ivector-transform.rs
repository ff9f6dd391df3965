//! Transforms speaker vectors.
//!
//! Matches Kaldi's `ivector-transform`; sums are in double precision, so the last digits may differ.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_ivector::VectorMoments;
use kaldi_matrix::{Matrix, Vector};
use kaldi_table::{Record, SequentialReader, TableWriter, read_file};
use kaldi_value::number::general;

const USAGE: &str = "\
Multiplies speaker vectors with a matrix. It is linear if it has as many columns as the vectors have elements, and affine
if it has one more, its offset.

Usage: ivector-transform [options] <matrix-rxfilename> <ivector-rspecifier> <ivector-wspecifier>
 e.g.: ivector-transform transform.mat scp:ivectors.scp ark:-
See also: ivector-compute-lda, ivector-normalize-length, transform-vec
";

#[derive(clap::Args)]
struct Options {
    transform: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_transform)).by_entry(1);

fn ivector_transform(opts: Options) -> anyhow::Result<Tally> {
    let transform: Matrix<f32> = read_file(&opts.transform)?;
    let source = SequentialReader::<Vector<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let transformed = entry.read()?.transformed(&transform)?;
        Ok((Record::new(entry.key(), &transformed, format), transformed))
    });
    let mut moments = VectorMoments::default();
    let ended = rows.drain(|_, (record, transformed)| {
        target.put(record)?;
        moments.add(&transformed)?;
        anyhow::Ok(())
    })?;
    let done = moments.count();
    log!("Processed {done} iVectors.");
    if done > 0 {
        let mean_length = moments.mean().norm();
        let variance = moments.mean_square() - mean_length * mean_length;
        log!(
            "Norm of mean was {} (should be close to zero), length divided by sqrt(dim) was {} (should probably be close to \
             one)",
            general(mean_length),
            general((variance.max(0.0) / moments.sum().dim() as f64).sqrt())
        );
    }
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
