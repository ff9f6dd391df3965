//! Computes statistics for the estimation of a model of Gaussian mixtures, from alignments.
//!
//! Matches Kaldi's `gmm-acc-stats-ali`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::WaitingFrames;
use kaldi_gmm::{AcousticModel, AcousticStats, GmmFlags};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Computes statistics of features for the estimation of a model of Gaussian mixtures, from alignments of transition-ids.

Usage: gmm-acc-stats-ali [options] <model-in> <feats-rspecifier> <ali-rspecifier> <stats-wxfilename>
 e.g.: gmm-acc-stats-ali 1.mdl scp:feats.scp 'ark:gunzip -c ali.1.gz |' 1.acc
See also: gmm-acc-stats, gmm-sum-accs, gmm-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    model: InputName,
    feats: InputName,
    alignments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_acc_stats_ali))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "gmm-sum-accs OUT IN"))]);

fn gmm_acc_stats_ali(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let mut waiting = WaitingFrames::new(&model, AcousticStats::new(&model, model.pdfs.dim(), GmmFlags::ALL));
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;
    let rows = source.par_map_with(alignments, |entry, alignment: Option<Arc<Vec<i32>>>| {
        let Some(alignment) = alignment else {
            warning!("No alignment for utterance {}", entry.key());
            return Ok(None);
        };
        let feats = entry.read()?;
        if alignment.len() != feats.num_rows() {
            let (got, expected) = (alignment.len(), feats.num_rows());
            warning!("Alignments of utterance {} has wrong size {got} vs. {expected}", entry.key());
            return Ok(None);
        }
        Ok(Some((feats, alignment)))
    });
    let (mut tally, mut frames) = (Tally::default(), 0);
    let ended = rows.drain(|utt, found| {
        let Some((feats, alignment)) = found else {
            tally.failed += 1;
            return Ok(());
        };
        waiting.add(utt.as_ref(), &feats, &alignment)?;
        tally.done += 1;
        frames += alignment.len();
        anyhow::Ok(())
    })?;
    let (stats, log_like) = waiting.finish()?;
    log!("Done {} files, {} with errors.", tally.done, tally.failed);
    let average = general(log_like / frames as f64);
    log!("Overall avg like per frame (Gaussian only) = {average} over {frames} frames.");
    ended.finish()?;
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    log!("Written accs.");
    Ok(tally)
}
