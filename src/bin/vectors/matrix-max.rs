//! Takes the largest elements of the matrices of each group.
//!
//! Matches Kaldi's `matrix-max`: as in Kaldi, numbers below zero become zero.

use std::sync::Arc;

use anyhow::bail;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, TableWriter};
use kaldi_value::Keys;

const USAGE: &str = "\
Takes the maximum of several matrices, element by element, for example to combine the posteriors of several systems. A map
like spk2utt says which matrices belong together; they are cut to the rows of the shortest. Elements below zero become zero.

Usage: matrix-max [options] <spk2utt-rspecifier> <matrix-rspecifier> <matrix-wspecifier>
 e.g.: matrix-max ark:data/spk2utt scp:exp/output.scp ark:exp/outputs_max.ark
See also: matrix-sum
";

#[derive(clap::Args)]
struct Options {
    /// Has no effect: the wspecifier determines the form of the output
    #[arg(long)]
    binary: bool,
    spk2utt: MapName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(matrix_max)).by_entry(0);

fn matrix_max(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.binary;
    let Options { binary: _, spk2utt, source, target } = opts;
    let mut matrices = RandomAccessReader::<Matrix<f32>>::open(&source)?;
    let groups = SequentialReader::<Keys>::open(&spk2utt)?.values();
    let mut target = TableWriter::create(&target)?;

    let (mut done, mut failed, mut utts_done, mut utts_missing) = (0, 0, 0, 0);
    let ended = groups.drain(|spk, utts| {
        if utts.is_empty() {
            warning!("Speaker {spk} has no utterances. Not processing further.");
            return Ok(());
        }
        let mut found: Vec<(_, Arc<Matrix<f32>>)> = Vec::new();
        for utt in utts.iter() {
            match matrices.get(utt)? {
                Some(matrix) => found.push((utt, matrix)),
                None => {
                    warning!("No matrix present in input for utterance {utt}");
                    utts_missing += 1;
                }
            }
        }
        let Some(num_rows) = found.iter().map(|(_, matrix)| matrix.num_rows()).min() else {
            warning!("Not producing output for speaker {spk} since no utterances had matrices");
            failed += 1;
            return Ok(());
        };
        let num_cols = found[0].1.num_cols();
        let mut max = Matrix::<f32>::new(num_rows, num_cols);
        for (utt, matrix) in &found {
            if matrix.num_cols() != num_cols {
                bail!("{spk}: expected {num_cols} columns, as {} has, got {} of {utt}", found[0].0, matrix.num_cols());
            }
            if matrix.num_rows() > num_rows {
                warning!("Cropping rows of matrix {utt} from {} to {num_rows}", matrix.num_rows());
            }
            max.raise_to(&matrix.range(0..num_rows, 0..num_cols))?;
        }
        target.write(&spk, &max)?;
        done += 1;
        utts_done += found.len();
        anyhow::Ok(())
    })?;
    log!(
        "Computed max for {done} speakers ({failed} with no utterances), consisting of {utts_done} utterances \
         ({utts_missing} absent from input)."
    );
    ended.finish()?;
    matrices.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}
