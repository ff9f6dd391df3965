//! Sums the rows of each matrix of a table.
//!
//! Matches Kaldi's `matrix-sum-rows`: sums are in double precision.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{Record, SequentialReader, TableWriter};

const USAGE: &str = "\
Sums the rows of each matrix, which gives a vector for each.

Usage: matrix-sum-rows [options] <matrix-rspecifier> <vector-wspecifier>
 e.g.: matrix-sum-rows ark:- ark:- | vector-sum ark:- sum.vec
See also: matrix-sum, vector-sum
";

#[derive(clap::Args)]
struct Options {
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(matrix_sum_rows)).by_entry(0);

fn matrix_sum_rows(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let rows = source.par_map(move |entry| {
        let matrix = entry.read()?;
        let sums = matrix.column_sums().to_precision::<f32>();
        Ok((Record::from_value(entry.key(), sums, format), matrix.num_rows()))
    });
    let (mut done, mut num_rows) = (0, 0);
    let ended = rows.drain(|_, (record, rows)| {
        target.put(record)?;
        done += 1;
        num_rows += rows;
        anyhow::Ok(())
    })?;
    log!("Summed rows {done} matrices, {num_rows} rows in total.");
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, 0))
}
