//! From a table of waveforms to one of features.

use std::sync::Arc;

use crate::extract::Extractor;
use bstr::BStr;
use kaldi_io::log::{Pace, log, vlog, warning};
use kaldi_io::{Session, Wspecifier};
use kaldi_matrix::{HtkFeatures, Matrix};
use kaldi_table::{Entry, Record, SequentialReader, TableWriter, WorkError};
use kaldi_value::Value;
use kaldi_wave::Wave;

use crate::tables::recording::{channel, duration, extract_samples};
use crate::tables::warps::Warps;
use crate::tables::{Error, ExtractOptions, FeatureForm, Result, WarpOptions};

/// What is in HTK files besides features.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtkHeader {
    /// The frame shift in units of 100 ns.
    pub sample_period: i32,
    /// HTK's parmKind.
    pub sample_kind: u16,
}

/// How many utterances an extraction has had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractCounts {
    /// Utterances whose features were written.
    pub done: u64,
    /// Utterances that were skipped with a warning.
    pub failed: u64,
}

/// Computes features of every waveform of the table `source` and writes them to the table `target`, in Kaldi's form or
/// under an HTK header.
///
/// Utterances that are too short, lack the channel or the warp factor, or cannot be computed are skipped with a warning;
/// they are counted.
///
/// # Errors
/// If options make no sense, or a table fails.
pub fn extract<E: Extractor + Send + Sync + 'static>(
    extractor: E,
    htk: HtkHeader,
    options: &ExtractOptions,
    warps: &WarpOptions,
    [source, target]: [&BStr; 2],
) -> Result<ExtractCounts> {
    let warps = Warps::open(warps)?;
    let extractor = Arc::new(extractor);
    match options.output_format {
        FeatureForm::Kaldi => extract_as(extractor, options, warps, [source, target], Ok),
        FeatureForm::Htk if is_text(target) => Err(Error::HtkText),
        FeatureForm::Htk => extract_as(extractor, options, warps, [source, target], move |feats| {
            Ok(HtkFeatures::new(feats, htk.sample_period, htk.sample_kind)?)
        }),
    }
}

/// Whether a table is to be written as text; false if it is not a table.
fn is_text(wspecifier: &BStr) -> bool {
    Wspecifier::parse(wspecifier).is_some_and(|wspecifier| !wspecifier.options.binary)
}

/// What is written of one utterance, and its duration in seconds.
type Extracted<T> = (Record<T>, f32);

/// With more threads than this, each of them reads the files that it works on. That takes 2 % longer, but if one thread reads at a
/// time, ten are the most that work.
const READ_IN_TURN: usize = 8;

fn extract_as<E: Extractor + Send + Sync + 'static, T: Value>(
    extractor: Arc<E>,
    options: &ExtractOptions,
    warps: Warps,
    [source, target]: [&BStr; 2],
    wrap: impl Fn(Matrix<f32>) -> Result<T, WorkError> + Send + Sync + 'static,
) -> Result<ExtractCounts> {
    let mut source = SequentialReader::<Wave>::open(source)?;
    if Session::current().num_threads() > READ_IN_TURN {
        source = source.leave_in_files();
    }
    let mut target = TableWriter::<T>::create(target)?;
    let format = target.format();
    let durations = options.write_utt2dur.as_ref();
    let mut durations = durations.map(TableWriter::<f64>::create).transpose()?;

    let work_options = options.clone();
    let rows = source.par_map_with(warps, move |entry, warp| {
        let extracted = features(&*extractor, entry, warp, &work_options)?;
        let record = |(feats, duration)| -> Result<Extracted<T>, WorkError> {
            let value = wrap(feats)?;
            Ok((Record::from_value(entry.key(), value, format), duration))
        };
        extracted.map(record).transpose()
    });
    let mut counts = ExtractCounts::default();
    let mut pace = Pace::new();
    let ended = rows.drain(|utt, extracted| -> Result<()> {
        let Some((record, duration)) = extracted else {
            counts.failed += 1;
            return Ok(());
        };
        target.put(record)?;
        if let Some(durations) = &mut durations {
            durations.write(&utt, &duration.into())?;
        }
        counts.done += 1;
        let utterances = counts.done + counts.failed;
        if is_reported(utterances) && pace.is_due() {
            log!("Processed {utterances} utterances");
        }
        vlog!(2, "Processed features for key {utt}");
        Ok(())
    })?;
    let left_out = Session::current().entries_left_out();
    log!("Done {} out of {} utterances.", counts.done, counts.done + counts.failed + left_out);
    ended.finish()?;
    target.finish()?;
    durations.map_or(Ok(()), TableWriter::finish)?;
    Ok(counts)
}

/// Whether a line says that so many utterances were processed: every ten of the first hundred, every hundred of the first
/// thousand, and then every thousand.
fn is_reported(utterances: u64) -> bool {
    let step = match utterances {
        0..100 => 10,
        100..1000 => 100,
        _ => 1000,
    };
    utterances > 0 && utterances.is_multiple_of(step)
}

/// Computes the features of one utterance and its duration in seconds, or warns that there are none.
fn features(
    extractor: &impl Extractor,
    entry: &Entry<'_, Wave>,
    warp: Option<f32>,
    options: &ExtractOptions,
) -> Result<Option<(Matrix<f32>, f32)>, WorkError> {
    let (wave, utt) = (entry.read()?, entry.key());
    let (rate, duration) = (wave.sample_rate(), duration(&wave));
    let Some(samples) = channel(wave, utt, options) else { return Ok(None) };
    let Some(warp) = warp else {
        warning!("No vtln-map entry for utterance-id (or speaker-id) {utt}");
        return Ok(None);
    };
    match extract_samples(extractor, samples, rate, utt, warp, options.subtract_mean) {
        Ok(feats) => Ok(Some((feats, duration))),
        Err(error) => {
            warning!("Failed to compute features for utterance {utt}: {error}");
            Ok(None)
        }
    }
}
