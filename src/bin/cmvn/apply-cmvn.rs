//! Normalizes the means and, if wanted, the variances of features.
//!
//! Matches Kaldi's `apply-cmvn`; bad statistics are only found if there are features to normalize.

use std::sync::Arc;

use anyhow::bail;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_feat::{CmvnStats, Dims, VARIANCE_FLOOR};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{GeneralMatrix, Matrix};
use kaldi_table::{FileOrTable, Record, SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Applies cepstral mean and, with --norm-vars, variance normalization to features. If the statistics come from a file,
they are the same for all; if they come from a table, they are looked up by utterance, or by speaker with --utt2spk.

Usage: apply-cmvn [options] (<stats-rspecifier>|<stats-rxfilename>) <feats-rspecifier> <feats-wspecifier>
 e.g.: apply-cmvn --utt2spk=ark:utt2spk scp:cmvn.scp scp:feats.scp ark:-
       apply-cmvn --norm-vars=true global_cmvn.mat scp:feats.scp ark:-
See also: compute-cmvn-stats, modify-cmvn-stats, matrix-sum, apply-cmvn-sliding, apply-cmvn-online
";

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of the map from utterances to speakers
    #[arg(long, default_value = "")]
    utt2spk: MapName,
    /// Make variances one
    #[arg(long)]
    norm_vars: bool,
    /// Make means zero; without this, features are copied unchanged
    #[arg(long, default_value_t = true)]
    norm_means: bool,
    /// Dimensions that are not normalized, for example 13:14:15
    #[arg(long)]
    skip_dims: Option<Dims>,
    /// Undo normalization: give features of mean zero and variance one the means and variances of the statistics
    #[arg(long)]
    reverse: bool,
    stats: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(apply_cmvn)).by_entry(1);

fn apply_cmvn(opts: Options) -> anyhow::Result<Tally> {
    if !opts.norm_means {
        if opts.norm_vars {
            bail!("--norm-vars does not go with --norm-means=false: variances cannot be normalized without means");
        }
        return copy(&opts);
    }
    if !opts.utt2spk.is_empty() && !is_specifier(&opts.stats) {
        bail!("--utt2spk does not go with statistics in a file: {} is no table (did you forget ark:?)", opts.stats);
    }
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();
    let stats = FileOrTable::<Matrix<f64>>::open(&opts.stats, Some(&opts.utt2spk))?;
    let Options { norm_vars, reverse, skip_dims, .. } = opts;

    let written = source.par_map_with_into(stats, target, move |entry, stats: Option<Arc<Matrix<f64>>>| {
        let utt = entry.key();
        let mut feats = entry.read()?;
        let Some(stats) = stats else {
            warning!("No normalization statistics available for key {utt}, producing no output");
            return Ok(None);
        };
        let floored = CmvnStats::from_matrix(stats.as_ref().clone()).and_then(|mut stats| {
            if let Some(skip_dims) = &skip_dims {
                stats.fake(skip_dims)?;
            }
            if reverse { stats.apply_reverse(norm_vars, &mut feats) } else { stats.apply(norm_vars, &mut feats) }
        });
        for flooring in floored? {
            let (dim, from, to) = (flooring.dim, general(flooring.variance), general(VARIANCE_FLOOR));
            warning!("Flooring cepstral variance from {from} to {to} (dimension {dim}, utterance {utt})");
        }
        Ok(Some(Record::from_value(utt, feats, format)))
    })?;
    let what = if norm_vars { "mean and variance" } else { "mean" };
    log!("Applied cepstral {what} normalization to {} utterances, errors on {}", written.done(), written.skipped());
    Ok(written.finish()?.into())
}

/// Copies features, compressed ones unchanged; the statistics are not even opened.
fn copy(opts: &Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<GeneralMatrix>::open(&opts.source)?;
    let target = TableWriter::create(&opts.target)?;
    let written = source.leave_in_files().par_map_into(target, move |entry| Ok(entry.copied()?))?;
    log!("Copied {} utterances.", written.done());
    Ok(written.finish()?.into())
}
