//! The best Gaussians of every frame.

use crate::Mixture;
use bstr::BStr;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{Record, Result, SequentialReader, TableWriter};
use kaldi_value::number::general;

use crate::tables::Totals;
use crate::tables::lists::{fitting_lists, open_lists};

/// The tables of a selection.
#[derive(Clone, Copy, Debug)]
pub struct SelectTables<'a> {
    /// Features.
    pub feats: &'a BStr,
    /// Lists of Gaussians from which the best are selected; without them all count.
    pub lists: Option<&'a BStr>,
    /// The selected Gaussians of each frame, the best first.
    pub target: &'a BStr,
    /// The sum of the log likelihoods of the frames of each utterance, as far as they come from selected Gaussians.
    pub likelihoods: Option<&'a BStr>,
}

/// How many utterances there are from one log line to the next.
const UTTS_PER_LOG: u64 = 10;

/// What is selected for an utterance.
struct Selected {
    record: Record<Vec<Vec<i32>>>,
    log_like: f64,
    num_frames: usize,
    /// The size of a list that is not longer than the selection, and so needs none.
    short_list: Option<usize>,
}

/// Selects the `n` best Gaussians of every frame; all, with a warning, if there are fewer.
///
/// Utterances without frames are skipped with a warning.
///
/// # Errors
/// If a table fails, features have another dimension, a list names Gaussians that do not exist, or no likelihood of a
/// frame is a number.
pub fn write_selection<G: Mixture + Send + Sync + 'static>(
    gmm: G,
    mut n: usize,
    tables: &SelectTables<'_>,
) -> Result<Totals> {
    if n > gmm.num_gauss() {
        warning!(
            "You asked for {n} Gaussians but GMM only has {}, returning this many. Note: this means the Gaussian \
             selection is pointless.",
            gmm.num_gauss()
        );
        n = gmm.num_gauss();
    }
    let source = SequentialReader::<Matrix<f32>>::open(tables.feats)?;
    let mut target = TableWriter::<Vec<Vec<i32>>>::create(tables.target)?;
    let lists = open_lists(tables.lists)?;
    let mut likelihoods = tables.likelihoods.map(TableWriter::<f32>::create).transpose()?;
    let format = target.format();

    let rows = source.par_map_with(lists, move |entry, lists| {
        let (utt, feats) = (entry.key(), entry.read()?);
        if feats.is_empty() {
            warning!("Empty features for utterance {utt}");
            return Ok(None);
        }
        let Some(lists) = fitting_lists(utt, feats.num_rows(), lists) else { return Ok(None) };
        let frames = match &lists {
            Some(lists) => gmm.select_among(&feats, lists, n)?,
            None => gmm.select(&feats, n)?,
        };
        let log_like = frames.iter().map(|frame| f64::from(frame.log_likelihood)).sum();
        let short_list = lists.and_then(|lists| lists.iter().map(Vec::len).find(|&length| length <= n));
        let selected = frames.into_iter().map(|frame| frame.gaussians).collect();
        let record = Record::from_value(utt, selected, format);
        Ok(Some(Selected { record, log_like, num_frames: feats.num_rows(), short_list }))
    });
    let (mut totals, mut has_warned) = (Totals::default(), false);
    let ended = rows.drain(|utt, selected| -> Result<()> {
        let Some(Selected { record, log_like, num_frames, short_list }) = selected else {
            totals.failed += 1;
            return Ok(());
        };
        if let Some(length) = short_list.filter(|_| !has_warned) {
            warning!(
                "Preselect size is less or equal to than final size, doing nothing: {length} < {n} [won't warn again]"
            );
            has_warned = true;
        }
        target.put(record)?;
        if totals.done % UTTS_PER_LOG == 0 {
            let average = general(log_like / num_frames as f64);
            log!("For {}'th file, average UBM likelihood over {num_frames} frames is {average}", totals.done);
        }
        if let Some(likelihoods) = &mut likelihoods {
            likelihoods.write(&utt, &(log_like as f32))?;
        }
        totals.add(log_like, num_frames as f64);
        Ok(())
    })?;
    log!(
        "Done {} files, {} with errors, average UBM log-likelihood is {} over {} frames.",
        totals.done,
        totals.failed,
        general(totals.average()),
        totals.frames
    );
    ended.finish()?;
    target.finish()?;
    likelihoods.map_or(Ok(()), TableWriter::finish)?;
    Ok(totals)
}
