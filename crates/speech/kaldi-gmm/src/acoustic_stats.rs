//! Statistics of whole models: of transitions, and of the mixtures of all pdfs.

use kaldi_hmm::TransitionModel;
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, Frame, Value, frame_by_parsing};

use crate::{
    AccumDiagGmm, AcousticModel, AmDiagGmm, DiagGmm, Error, GmmFlags, GmmStats, Mixture, PdfStats, Result, softmax,
};

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

    /// Adds a frame with a weight for a pdf of the model, and returns its log likelihood. The features for the sums may be
    /// others than those for the likelihood.
    ///
    /// # Errors
    /// If there is no such pdf, the features have another dimension, or the frame has no likelihood.
    pub fn add_frame(
        &mut self,
        model: &AmDiagGmm,
        pdf: i32,
        weight: f32,
        (values, sum_values): (&[f32], &[f32]),
    ) -> Result<f32> {
        let (mut posteriors, log_like) = pdf_posteriors(model, pdf, values)?;
        posteriors.iter_mut().for_each(|posterior| *posterior *= weight);
        let frame = Matrix::from_vec(1, sum_values.len(), sum_values.to_vec());
        let shares = vec![posteriors.into_iter().enumerate().collect()];
        let stats = self.pdfs.pdfs.get_mut(pdf as usize).ok_or(Error::Pdf { got: pdf, num_pdfs: model.num_pdfs() })?;
        stats.add_weighted(&frame, &shares)?;
        self.pdfs.log_like += f64::from(log_like * weight);
        self.pdfs.frames += f64::from(weight);
        Ok(log_like)
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

/// The posteriors of the Gaussians of a pdf for a frame, and the log likelihood of the frame.
///
/// # Errors
/// If there is no such pdf, the frame has another dimension, or no likelihood.
pub fn pdf_posteriors(model: &AmDiagGmm, pdf: i32, values: &[f32]) -> Result<(Vec<f32>, f32)> {
    let gmm = model.existing(pdf)?;
    if values.len() != gmm.dim() {
        return Err(Error::FeatsDim { expected: gmm.dim(), got: values.len() });
    }
    let all: Vec<usize> = (0..gmm.num_gauss()).collect();
    let mut posteriors = gmm.log_likelihoods_of(values, &all);
    let log_like = softmax(&mut posteriors);
    if !log_like.is_finite() {
        return Err(Error::Likelihood { frame: 0 });
    }
    Ok((posteriors, log_like))
}

impl AmDiagGmm {
    /// The mixtures of some pdfs with the posteriors of their Gaussians for a frame, times the weights of the pdfs.
    ///
    /// # Errors
    /// As [`pdf_posteriors`].
    pub fn weighted_posteriors(&self, values: &[f32], pdfs: &[(i32, f32)]) -> Result<Vec<(&DiagGmm, Vec<f32>)>> {
        let weighted = |&(pdf, weight): &(i32, f32)| {
            let (mut posteriors, _) = pdf_posteriors(self, pdf, values)?;
            posteriors.iter_mut().for_each(|posterior| *posterior *= weight);
            Ok((self.existing(pdf)?, posteriors))
        };
        pdfs.iter().map(weighted).collect()
    }

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

impl Value for AcousticStats {
    const NAME: &'static str = "statistics of a model of Gaussian mixtures";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_by_parsing::<Self>(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        let start = cursor.offset();
        let transitions = Vector::<f64>::read_part(cursor)?.into_vec();
        if transitions.is_empty() {
            return Err(ParseError::new(start, "expected counts of transition-ids, got an empty vector"));
        }
        Ok(Self { transitions, pdfs: PdfStats::read_part(cursor)? })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
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
