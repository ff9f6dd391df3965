//! Statistics of all utterances.

use std::sync::Arc;

use crate::{GmmFlags, GmmStats, Mixture, accumulate};
use bstr::{BStr, BString};
use kaldi_io::log::{log, warning};
use kaldi_matrix::{Matrix, Vector};
use kaldi_reader::{Reader, ReaderExt, Step, from_fn, par_map};
use kaldi_table::{Error, RandomAccessReader, Result, Rows, SequentialReader};
use kaldi_value::number::general;

use crate::tables::Totals;
use crate::tables::acoustic::of_utterance;
use crate::tables::lists::{Lists, Weights, fitting_lists, fitting_weights, open_lists};

/// Utterances become statistics of their own until they have so many frames. It is the same for any number of threads, and
/// so are the sums.
const FRAMES_PER_GROUP: usize = 4096;

/// How many bytes of features wait for the threads.
const IN_FLIGHT: usize = 4 << 20;

/// The tables of statistics.
#[derive(Clone, Copy, Debug)]
pub struct AccumulateTables<'a> {
    /// Features, for posteriors.
    pub feats: &'a BStr,
    /// Other features of the same frames, for the sums.
    pub other_feats: Option<&'a BStr>,
    /// Lists of the Gaussians that count in each frame; without them all count.
    pub lists: Option<&'a BStr>,
    /// The weights of the frames; without them each counts as one.
    pub weights: Option<&'a BStr>,
}

/// An utterance with all that belongs to it.
struct Utterance {
    name: BString,
    feats: Matrix<f32>,
    other_feats: Option<Arc<Matrix<f32>>>,
    lists: Option<Arc<Vec<Vec<i32>>>>,
    weights: Option<Arc<Vector<f32>>>,
}

/// Utterances that become statistics together.
struct Group {
    utterances: Vec<Utterance>,
    /// The number of utterances that were skipped.
    failed: u64,
}

/// Reads utterances and what belongs to them, and groups them.
struct Groups {
    rows: Rows<Matrix<f32>>,
    other_feats: Option<RandomAccessReader<Matrix<f32>>>,
    lists: Lists,
    weights: Weights,
    /// What went wrong after the utterances that were delivered last.
    fault: Option<Error>,
}

impl Groups {
    fn open(tables: &AccumulateTables<'_>) -> Result<Self> {
        Ok(Self {
            rows: SequentialReader::<Matrix<f32>>::open(tables.feats)?.values(),
            other_feats: tables.other_feats.map(RandomAccessReader::open).transpose()?,
            lists: open_lists(tables.lists)?,
            weights: tables.weights.map(RandomAccessReader::open).transpose()?,
            fault: None,
        })
    }

    fn next(&mut self) -> Result<Option<Group>> {
        let mut group = Group { utterances: Vec::new(), failed: 0 };
        let mut num_frames = 0;
        while num_frames < FRAMES_PER_GROUP && self.fault.is_none() {
            match self.add_next(&mut group) {
                Ok(Some(more)) => num_frames += more,
                Ok(None) => break,
                Err(error) => self.fault = Some(error),
            }
        }
        if !group.utterances.is_empty() || group.failed > 0 {
            return Ok(Some(group));
        }
        self.fault.take().map_or(Ok(None), Err)
    }

    /// Adds the next utterance and returns the number of its frames; `None` at the end.
    fn add_next(&mut self, group: &mut Group) -> Result<Option<usize>> {
        let Some((name, feats)) = self.rows.next()? else {
            self.finish()?;
            return Ok(None);
        };
        let num_frames = feats.num_rows();
        match self.complete(name, feats)? {
            Some(utterance) => group.utterances.push(utterance),
            None => group.failed += 1,
        }
        Ok(Some(num_frames))
    }

    /// Looks up what belongs to an utterance; `None` if it is missing or does not fit.
    fn complete(&mut self, name: BString, feats: Matrix<f32>) -> Result<Option<Utterance>> {
        let num_frames = feats.num_rows();
        let mut other_feats = None;
        if let Some(table) = &mut self.other_feats {
            other_feats = table.get(&name)?;
            match &other_feats {
                None => {
                    warning!("For utterance {name}, second features not present.");
                    return Ok(None);
                }
                Some(other) if other.num_rows() != num_frames => {
                    let got = other.num_rows();
                    warning!("For utterance {name}, second features have {got} frames instead of {num_frames}.");
                    return Ok(None);
                }
                Some(_) => {}
            }
        }
        let weights = self.weights.as_mut().map(|table| table.get(&name)).transpose()?;
        let Some(weights) = fitting_weights(name.as_ref(), num_frames, weights) else { return Ok(None) };
        let lists = self.lists.as_mut().map(|table| table.get(&name)).transpose()?;
        let Some(lists) = fitting_lists(name.as_ref(), num_frames, lists) else { return Ok(None) };
        Ok(Some(Utterance { name, feats, other_feats, lists, weights }))
    }

    fn finish(&mut self) -> Result<()> {
        self.other_feats.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
        self.lists.as_mut().map_or(Ok(()), RandomAccessReader::finish)?;
        self.weights.as_mut().map_or(Ok(()), RandomAccessReader::finish)
    }
}

/// The statistics of all utterances of a table for the estimation of a mixture; `None` if the dimension of other features
/// is not known because there are none.
///
/// # Errors
/// If a table fails, features have another dimension, a list is empty or names Gaussians that do not exist, or a frame has
/// no likelihood.
pub fn accumulate_tables<G: Mixture + Send + Sync + 'static>(
    gmm: G,
    flags: GmmFlags,
    num_threads: fn() -> usize,
    tables: &AccumulateTables<'_>,
) -> Result<(Option<G::Stats>, Totals)>
where
    G::Stats: Send + 'static,
{
    let mut groups = Groups::open(tables)?;
    let mut sum = tables.other_feats.is_none().then(|| G::Stats::new(gmm.num_gauss(), gmm.dim(), flags));
    let weigh = |group: &Group| {
        group.utterances.iter().map(|utterance| size_of_val(utterance.feats.as_slice())).sum::<usize>() + 1
    };
    let reader = from_fn(move |step| match step {
        Step::Next => groups.next(),
        Step::Restart => Ok(None),
    });
    let work = move |group: Group| add_group(&gmm, flags, &group).map(|done| (done, group.failed));
    let mut totals = Totals::default();
    let mut fault = None;
    for result in par_map(reader, num_threads, work).in_flight(IN_FLIGHT, weigh).iter() {
        // A command that failed after its last entry is reported when everything is said.
        let (parts, failed) = match result {
            Err(error @ Error::Io(kaldi_io::Error::Status { .. })) => {
                fault = Some(error);
                break;
            }
            result => result?,
        };
        totals.failed += failed;
        let Some((stats, part)) = parts else { continue };
        totals.done += part.done;
        totals.log_like += part.log_like;
        totals.frames += part.frames;
        match &mut sum {
            Some(sum) => sum.add(stats).map_err(|error| of_utterance(tables.feats, error))?,
            None => sum = Some(stats),
        }
    }
    log!("Done {} files; {} with errors.", totals.done, totals.failed);
    log!(
        "Overall likelihood per frame = {} over {} (weighted) frames.",
        general(totals.average()),
        general(totals.frames)
    );
    fault.map_or(Ok((sum, totals)), Err)
}

/// The statistics of a group, if any utterance was done, and what they are about.
#[allow(clippy::type_complexity)]
fn add_group<G: Mixture>(gmm: &G, flags: GmmFlags, group: &Group) -> Result<Option<(G::Stats, Totals)>> {
    let (mut stats, mut totals) = (None, Totals::default());
    for Utterance { name, feats, other_feats, lists, weights } in &group.utterances {
        let stats_feats = other_feats.as_deref().unwrap_or(feats);
        let dim = if other_feats.is_some() { stats_feats.num_cols() } else { gmm.dim() };
        let stats = stats.get_or_insert_with(|| G::Stats::new(gmm.num_gauss(), dim, flags));
        let lists = lists.as_ref().map(|lists| lists.as_slice());
        let weights = weights.as_ref().map(|weights| weights.as_slice());
        let done = accumulate(gmm, feats, (stats, stats_feats), lists, weights);
        let (log_like, frames) = done.map_err(|error| of_utterance(name.as_ref(), error))?;
        totals.add(log_like, frames);
    }
    Ok(stats.map(|stats| (stats, totals)))
}
