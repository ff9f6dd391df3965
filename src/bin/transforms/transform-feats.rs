//! Applies linear or affine transforms to features: one for all, or one for each utterance or speaker.
//!
//! Matches Kaldi's `transform-feats`; sums are in another order, so the last digits may differ.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_matrix::{BinaryRows, LogDetCache, Matrix};
use kaldi_table::{Entry, FileOrTable, Record, SequentialReader, TableWriter};
use kaldi_value::number::general;

const USAGE: &str = "\
Applies transforms (LDA, MLLT, fMLLR ...) to features. A transform is linear if it has as many columns as the features,
and affine if it has one more, its offset. If it comes from a file, it is the same for all; if it comes from a table, it
is looked up by utterance, or by speaker with --utt2spk.

Usage: transform-feats [options] (<transform-rspecifier>|<transform-rxfilename>) <feats-rspecifier> <feats-wspecifier>
 e.g.: transform-feats final.mat ark:- ark:-
       transform-feats --utt2spk=ark:utt2spk ark:trans.1 ark:- ark:-
See also: apply-transform, transform-vec, compose-transforms, copy-feats
";

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of the map from utterances to speakers
    #[arg(long, default_value = "")]
    utt2spk: MapName,
    transform: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(transform_feats)).by_entry(1);

fn transform_feats(opts: Options) -> anyhow::Result<Tally> {
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let mut target = TableWriter::create(&opts.target)?;
    let format = target.format();
    let transforms = FileOrTable::<Matrix<f32>>::open(&opts.transform, Some(&opts.utt2spk))?;

    let log_dets = LogDetCache::default();
    let rows = source.par_map_with(transforms, move |entry, transform| {
        let utt = entry.key();
        let Some(transform) = transform else {
            warning!("No fMLLR transform available for utterance {utt}, producing no output for this utterance");
            return Ok(None);
        };
        let feats = Features::of(entry)?;
        let (frames, dim) = feats.size();
        if frames == 0 || transform.num_rows() == 0 {
            let (rows, cols) = transform.size();
            let error = format!("cannot transform {frames}x{dim} features with a {rows}x{cols} matrix: one is empty");
            return Err(error.into());
        }
        let Ok(transformed) = feats.transformed(&transform) else {
            let (rows, cols) = transform.size();
            let advice = match cols == dim + 2 {
                true => " [perhaps it comes from compose-transforms, and you forgot the --b-is-affine option?]",
                false => "",
            };
            warning!(
                "Transform matrix for utterance {utt} has bad dimension {rows}x{cols} versus feat dim {dim}{advice}"
            );
            return Ok(None);
        };
        let kind = DimChange::of(transform.num_rows(), dim);
        let mut log_det = None;
        if kind != DimChange::Increasing {
            let value = log_dets.get(&transform, dim);
            if value.is_finite() {
                log_det = Some(value);
            } else {
                warning!("Matrix has bad logdet {} (transform of utterance {utt})", general(value));
            }
        }
        let record = Record::from_value(utt, transformed, format);
        Ok(Some((record, kind, frames, log_det)))
    });
    let mut tally = Tally::default();
    let (mut first_kind, mut num_frames, mut sum) = (None, 0, 0.0);
    let ended = rows.drain(|_, row| {
        let Some((record, kind, frames, log_det)) = row else {
            tally.failed += 1;
            return Ok(());
        };
        target.put(record)?;
        tally.done += 1;
        first_kind.get_or_insert(kind);
        if let Some(log_det) = log_det {
            num_frames += frames;
            sum += frames as f64 * log_det;
        }
        anyhow::Ok(())
    })?;
    if let Some(kind @ (DimChange::Square | DimChange::Reducing)) = first_kind {
        let pseudo = if kind == DimChange::Reducing { "[pseudo-]" } else { "" };
        let average = general(sum / num_frames as f64);
        log!("Overall average {pseudo}logdet is {average} over {num_frames} frames.");
    }
    log!("Applied transform to {} utterances; {} had errors.", tally.done, tally.failed);
    ended.finish()?;
    target.finish()?;
    Ok(tally)
}

/// The features of an entry: their bytes, if these can be transformed as they are.
enum Features<'a> {
    Bytes(BinaryRows, &'a [u8]),
    Matrix(Matrix<f32>),
}

impl<'a> Features<'a> {
    fn of(entry: &Entry<'a, Matrix<f32>>) -> kaldi_table::Result<Self> {
        let bytes = entry.bytes().and_then(|bytes| Some(Self::Bytes(BinaryRows::find::<f32>(bytes)?, bytes)));
        bytes.map_or_else(|| entry.read().map(Self::Matrix), Ok)
    }

    fn size(&self) -> (usize, usize) {
        match self {
            Self::Bytes(rows, _) => rows.size(),
            Self::Matrix(feats) => feats.size(),
        }
    }

    fn transformed(&self, transform: &Matrix<f32>) -> kaldi_matrix::Result<Matrix<f32>> {
        match self {
            Self::Bytes(rows, bytes) => rows.transformed(bytes, transform),
            Self::Matrix(feats) => feats.transformed(transform),
        }
    }
}

/// The effect of a transform on the dimension, which determines the meaning of its determinant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DimChange {
    Square,
    /// The change of volume is the root of the determinant of the transform times its transpose: it is good for
    /// comparing such transforms, since the dropped dimensions add the same to all.
    Reducing,
    /// There is no useful determinant.
    Increasing,
}

impl DimChange {
    fn of(rows: usize, dim: usize) -> Self {
        match rows.cmp(&dim) {
            std::cmp::Ordering::Equal => Self::Square,
            std::cmp::Ordering::Less => Self::Reducing,
            std::cmp::Ordering::Greater => Self::Increasing,
        }
    }
}
