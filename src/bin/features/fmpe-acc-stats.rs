//! Computes statistics of fMPE from derivatives of the features.
//!
//! Matches Kaldi's `fmpe-acc-stats`.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::{Fmpe, FmpeStats};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Computes statistics for the training of an fMPE transform from derivatives of an objective function by the features. Indirect
derivatives may stand in columns to the right of the direct ones.

Usage: fmpe-acc-stats [options] <fmpe-in> <feats-rspecifier> <derivatives-rspecifier> <gselect-rspecifier> <stats-wxfilename>
 e.g.: fmpe-acc-stats 1.fmpe scp:feats.scp ark:deriv.ark ark:gselect.ark 1.fmpe_stats
See also: gmm-fmpe-acc-stats, fmpe-sum-accs, fmpe-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    fmpe: InputName,
    feats: InputName,
    derivatives: InputName,
    gselect: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fmpe_acc_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "fmpe-sum-accs OUT IN"))]);

fn fmpe_acc_stats(opts: Options) -> anyhow::Result<Tally> {
    let fmpe: Fmpe = read_file(&opts.fmpe)?;
    let mut derivatives = RandomAccessReader::<Matrix<f32>>::open(&opts.derivatives)?;
    let gselect = RandomAccessReader::<Vec<Vec<i32>>>::open(&opts.gselect)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let rows = source.par_map_with(gselect, |entry, selected: Option<Arc<Vec<Vec<i32>>>>| {
        let (key, feats) = (entry.key(), entry.read()?);
        let Some(selected) = selected else {
            warning!("No gselect information for key {key}");
            return Ok(None);
        };
        if selected.len() != feats.num_rows() {
            warning!("gselect information has wrong size: {} for {} frames of {key}", selected.len(), feats.num_rows());
            return Ok(None);
        }
        Ok(Some((feats, selected)))
    });
    let (mut stats, mut tally) = (FmpeStats::new(&fmpe), Tally::default());
    let ended = rows.drain(|key, found| -> kaldi_table::Result<()> {
        let Some((feats, selected)) = found else {
            tally.failed += 1;
            return Ok(());
        };
        let Some(by_feats) = derivatives.get(&key)? else {
            warning!("No gradient information for key {key}");
            tally.failed += 1;
            return Ok(());
        };
        let dim = feats.num_cols();
        let has_indirect = by_feats.num_cols() == 2 * dim && dim > 0;
        let part = |start| by_feats.range(0..by_feats.num_rows(), start..start + dim);
        let (direct, indirect) = match has_indirect {
            true => (part(0), Some(part(dim))),
            false => ((*by_feats).clone(), None),
        };
        let added = fmpe.add_derivatives(&feats, &selected, (&direct, indirect.as_ref()), &mut stats);
        added.map_err(|error| kaldi_gmm::tables::of_utterance(key.as_ref(), error))?;
        tally.done += 1;
        Ok(())
    })?;
    ended.finish()?;
    derivatives.finish()?;
    log!(" Done {} utterances, {} had errors.", tally.done, tally.failed);
    write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
    Ok(tally)
}
