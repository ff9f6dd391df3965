//! Statistics of whole models: of transitions, and of the mixtures of all pdfs.

use kaldi_hmm::TransitionModel;
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, Posterior};

use crate::accum_diag::FrameBlocks;
use crate::mixture::check_feats;
use crate::{AccumDiagGmm, AcousticModel, AmDiagGmm, DiagGmm, Error, GmmFlags, GmmStats, PdfFrame, PdfStats, Result};

/// Statistics for a model of Gaussian mixtures, as `gmm-acc-stats` writes them: how often each transition-id occurs, and the
/// statistics of each pdf (Kaldi's `AccumAmDiagGmm`).
#[derive(Clone, Debug, PartialEq)]
pub struct AcousticStats {
    /// The count of each transition-id; element 0 is unused.
    transitions: Vec<f64>,
    pdfs: PdfStats,
}

impl AcousticStats {
    /// Starts statistics of zeros for a model; the frames to add may have another dimension than those of the model.
    pub fn new(model: &AcousticModel, dim: usize, flags: GmmFlags) -> Self {
        let transitions = vec![0.0; model.transitions.num_transition_ids() + 1];
        Self { transitions, pdfs: PdfStats::new(&model.pdfs, dim, flags) }
    }

    /// The count of each transition-id; element 0 is unused.
    pub fn transitions(&self) -> &[f64] {
        &self.transitions
    }

    /// The statistics of each pdf.
    pub fn pdfs(&self) -> &[AccumDiagGmm] {
        self.pdfs.pdfs()
    }

    /// The statistics of all pdfs, without those of transitions.
    pub fn pdf_stats(&self) -> &PdfStats {
        &self.pdfs
    }

    /// The statistics of all pdfs, to be changed.
    pub fn pdf_stats_mut(&mut self) -> &mut PdfStats {
        &mut self.pdfs
    }

    /// The sum of the log likelihoods of the frames, each times its weight, and the sum of the weights.
    pub fn totals(&self) -> (f64, f64) {
        (self.pdfs.log_like, self.pdfs.frames)
    }

    /// Counts a transition-id.
    ///
    /// # Errors
    /// If the model does not have it.
    pub fn count_transition(&mut self, transition_id: i32, weight: f64) -> Result<()> {
        let largest = self.transitions.len() - 1;
        let place = usize::try_from(transition_id).ok().filter(|&id| (1..=largest).contains(&id));
        let place = place.ok_or(Error::TransitionId { got: transition_id, largest })?;
        self.transitions[place] += weight;
        Ok(())
    }

    /// Adds frames with weights for pdfs of the model, and returns the log likelihood of each. The features for the sums may be
    /// others than those for the likelihoods, frame by frame.
    ///
    /// The sums are those of one frame after the other, but frames of one pdf are computed together, so that many at once take
    /// less time.
    ///
    /// # Errors
    /// As [`AmDiagGmm::posteriors`]; then no frame is added.
    ///
    /// # Panics
    /// If the two kinds of features differ in their number of frames, or the statistics are of another model.
    pub fn add_frames(
        &mut self,
        model: &AmDiagGmm,
        (feats, sum_feats): (&Matrix<f32>, &Matrix<f32>),
        frames: &[PdfFrame],
    ) -> std::result::Result<Vec<f32>, (usize, Error)> {
        if frames.is_empty() {
            return Ok(Vec::new());
        }
        assert_eq!((feats.num_rows(), self.pdfs().len()), (sum_feats.num_rows(), model.num_pdfs()));
        check_feats(sum_feats, self.pdfs()[0].dim()).map_err(|error| (0, error))?;
        let found = model.posteriors(feats, frames)?;
        let mut memory = FrameBlocks::default();
        for (pdf, places) in found.by_pdf() {
            for places in places.chunks(FrameBlocks::MOST) {
                let added: Vec<_> =
                    places.iter().map(|&place| (sum_feats.row(frames[place].frame), found.of(place))).collect();
                self.pdfs.pdfs[pdf].add_together(&added, &mut memory);
            }
        }
        for (frame, log_like) in frames.iter().zip(found.log_likelihoods()) {
            self.pdfs.log_like += f64::from(log_like * frame.weight);
            self.pdfs.frames += f64::from(frame.weight);
        }
        Ok(found.into_log_likelihoods())
    }

    /// Adds the frames of an utterance with the weights of their pdfs and of their transition-ids. Returns the sum of the log
    /// likelihoods, each times its weight, and the sum of the weights of the pdfs.
    ///
    /// # Errors
    /// As [`AcousticStats::add_frames`], and if there is no such transition-id.
    ///
    /// # Panics
    /// As [`AcousticStats::add_frames`].
    pub fn add_posterior(
        &mut self,
        model: &AmDiagGmm,
        feats: (&Matrix<f32>, &Matrix<f32>),
        (pdfs, ids): (&Posterior, &Posterior),
    ) -> Result<(f64, f64)> {
        let frames = PdfFrame::all_of(pdfs);
        let likes = self.add_frames(model, feats, &frames).map_err(|(_, error)| error)?;
        for &(id, weight) in ids.0.iter().flatten() {
            self.count_transition(id, weight.into())?;
        }
        let weighted = frames.iter().zip(likes);
        Ok(weighted.fold((0.0, 0.0), |(log_like, total), (frame, like)| {
            (log_like + f64::from(like * frame.weight), total + f64::from(frame.weight))
        }))
    }

    /// Adds other statistics.
    ///
    /// # Errors
    /// If they are of another model.
    pub fn add(&mut self, other: Self) -> Result<()> {
        for (expected, got) in
            [(self.transitions.len(), other.transitions.len()), (self.pdfs().len(), other.pdfs().len())]
        {
            if expected != got {
                return Err(Error::OtherStats { expected, got });
            }
        }
        self.transitions.iter_mut().zip(&other.transitions).for_each(|(sum, other)| *sum += other);
        self.pdfs.pdfs.iter_mut().zip(other.pdfs.pdfs).try_for_each(|(sum, other)| sum.add(other))?;
        self.pdfs.log_like += other.pdfs.log_like;
        self.pdfs.frames += other.pdfs.frames;
        Ok(())
    }
}

impl AmDiagGmm {
    /// The mixtures of some pdfs, with posteriors of their Gaussians that are known.
    ///
    /// # Errors
    /// If there is no such pdf.
    pub fn listed_posteriors<'a>(&'a self, pdfs: &'a [(i32, Vec<f32>)]) -> Result<Vec<(&'a DiagGmm, &'a [f32])>> {
        pdfs.iter().map(|(pdf, posteriors)| Ok((self.existing(*pdf)?, &posteriors[..]))).collect()
    }

    fn existing(&self, pdf: i32) -> Result<&DiagGmm> {
        self.pdf(pdf).ok_or(Error::Pdf { got: pdf, num_pdfs: self.num_pdfs() })
    }
}

impl KaldiObject for AcousticStats {
    const NAME: &'static str = "statistics of a model of Gaussian mixtures";

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.offset();
        let transitions = Vector::<f64>::read_part(cursor)?.into_vec();
        if transitions.is_empty() {
            return Err(ParseError::new(start, "expected counts of transition-ids, got an empty vector"));
        }
        Ok(Self { transitions, pdfs: PdfStats::read_part(cursor)? })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        Vector::from_vec(self.transitions.clone()).write_part(out, format);
        self.pdfs.write_part(out, format);
    }
}

/// The options of the estimation of transitions (Kaldi's `MleTransitionUpdateConfig`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MleTransitionOptions {
    /// No probability is smaller.
    pub floor: f32,
    /// A transition-state with fewer counts stays as it is.
    pub min_count: f32,
    /// Whether transition-states of the same pdf share their probabilities.
    pub share_for_pdfs: bool,
}

impl Default for MleTransitionOptions {
    fn default() -> Self {
        Self { floor: 0.01, min_count: 5.0, share_for_pdfs: false }
    }
}

/// What an estimation of transitions has changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TransitionChange {
    /// How much the log likelihood of all transitions has grown.
    pub objective_change: f64,
    /// The number of transitions.
    pub count: f64,
    /// Probabilities that were raised to the floor.
    pub num_floored: usize,
    /// Transition-states, or pdfs that share their probabilities, with too few counts.
    pub num_skipped: usize,
}

/// How often small probabilities are raised, and all of them divided by their sum.
const NUM_FLOORINGS: usize = 3;

/// Estimates the probabilities of transitions from counts of transition-ids; element 0 is unused.
///
/// # Errors
/// If the counts are those of another model, or transition-states that shall share probabilities have different numbers of
/// transitions.
pub fn estimate_transitions(
    model: &mut TransitionModel,
    counts: &[f64],
    options: &MleTransitionOptions,
) -> Result<TransitionChange> {
    if counts.len() != model.num_transition_ids() + 1 {
        return Err(Error::OtherStats { expected: model.num_transition_ids() + 1, got: counts.len() });
    }
    let mut change = TransitionChange::default();
    for states in sharing_states(model, options.share_for_pdfs) {
        let ids: Vec<Vec<usize>> = states.iter().map(|&state| model.ids_of(state).collect()).collect();
        let num_transitions = ids[0].len();
        if ids.iter().any(|ids| ids.len() != num_transitions) {
            return Err(Error::Sharing);
        }
        if num_transitions < 2 {
            continue;
        }
        let sums: Vec<f64> = (0..num_transitions).map(|at| ids.iter().map(|ids| counts[ids[at]]).sum()).collect();
        let total: f64 = sums.iter().sum();
        change.count += total;
        if total < f64::from(options.min_count) {
            change.num_skipped += 1;
            continue;
        }
        let mut probs: Vec<f32> = sums.iter().map(|sum| (sum / total) as f32).collect();
        for _ in 0..NUM_FLOORINGS {
            let sum: f32 = probs.iter().sum();
            probs.iter_mut().for_each(|prob| *prob = (*prob * (1.0 / sum)).max(options.floor));
        }
        for (at, (&prob, sum)) in probs.iter().zip(&sums).enumerate() {
            change.num_floored += usize::from(prob == options.floor);
            let old = model.log_probs()[ids[0][at]];
            change.objective_change += sum * f64::from(prob.ln() - old);
            for ids in &ids {
                let log_prob = prob.ln().min(0.0);
                if !log_prob.is_finite() {
                    return Err(Error::NoProbability { transition_id: ids[at] });
                }
                model.set_log_prob(ids[at], log_prob);
            }
        }
    }
    Ok(change)
}

/// The transition-states that share their probabilities: each alone, or those of each pdf.
fn sharing_states(model: &TransitionModel, share_for_pdfs: bool) -> Vec<Vec<usize>> {
    let states = 1..=model.num_transition_states();
    if !share_for_pdfs {
        return states.map(|state| vec![state]).collect();
    }
    let mut of_pdfs = std::collections::BTreeMap::<i32, std::collections::BTreeSet<usize>>::new();
    for (state, tuple) in states.zip(model.tuples()) {
        of_pdfs.entry(tuple.forward_pdf).or_default().insert(state);
        if !model.topology().is_hmm() {
            of_pdfs.entry(tuple.self_loop_pdf).or_default().insert(state);
        }
    }
    of_pdfs.into_values().map(|states| states.into_iter().collect()).collect()
}
