//! Applies an fMPE transform to features.
//!
//! Matches Kaldi's `fmpe-apply-transform`, except that selected Gaussians have their own likelihoods in every order:
//! Kaldi treats them as a range of Gaussians if the distance of the last number from the first is that of a range.

use std::sync::Arc;

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::Fmpe;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, SequentialReader, TableWriter, read_file};

const USAGE: &str = "\
Applies an fMPE transform to features, given the Gaussians that were selected for each frame.

Usage: fmpe-apply-transform [options] <fmpe-object> <feat-rspecifier> <gselect-rspecifier> <feat-wspecifier>
 e.g.: fmpe-apply-transform 1.fmpe scp:feats.scp ark:gselect.ark ark:-
See also: fmpe-init, copy-gselect, transform-feats
";

#[derive(clap::Args)]
struct Options {
    /// Add the features to the offsets that the transform computes; without it, only the offsets are written
    #[arg(long, default_value_t = true)]
    add_to_features: bool,
    fmpe: InputName,
    feats: InputName,
    gselect: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fmpe_apply_transform)).by_entry(1);

fn fmpe_apply_transform(opts: Options) -> anyhow::Result<Tally> {
    let fmpe: Fmpe = read_file(&opts.fmpe)?;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.feats)?;
    let gselect = RandomAccessReader::<Vec<Vec<i32>>>::open(&opts.gselect)?;
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let written = source.par_map_with_into(gselect, target, move |entry, selected: Option<Arc<Vec<Vec<i32>>>>| {
        let (feats, key) = (entry.read()?, entry.key());
        let Some(selected) = selected else {
            warning!("No gselect information for key {key}");
            return Ok(None);
        };
        if selected.len() != feats.num_rows() {
            warning!("gselect information has wrong size: {} for {} frames of {key}", selected.len(), feats.num_rows());
            return Ok(None);
        }
        let mut out = fmpe.offsets(&feats, &selected)?;
        if opts.add_to_features {
            out.add_scaled(1.0, &feats)?;
        }
        Ok(Some(Record::from_value(key, out, format)))
    })?;
    log!("Done {} utterances, {} had errors.", written.done(), written.skipped());
    Ok(written.finish()?.into())
}
