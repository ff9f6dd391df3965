//! Frames of several utterances for statistics.

use bstr::{BStr, BString};
use kaldi_matrix::Matrix;
use kaldi_table::Result;

use crate::mixture::check_feats;
use crate::tables::acoustic::of_utterance;
use crate::tables::speakers::{AnyError, of_any};
use crate::{AcousticModel, AcousticStats, Error, PdfFrame};

/// How many numbers wait until they are added: 4 MB, little in tests. The frames of an utterance have many pdfs, few frames each.
const MOST: usize = if cfg!(test) { 1 << 10 } else { 1 << 20 };

/// Statistics of a model, and frames that wait until there are many: those of one pdf are added together.
#[derive(Debug)]
pub struct WaitingFrames<'a> {
    model: &'a AcousticModel,
    stats: AcousticStats,
    /// The frames, one after the other, and their pdfs.
    values: Vec<f32>,
    frames: Vec<PdfFrame>,
    /// The utterances of the frames, and where each starts.
    utterances: Vec<(usize, BString)>,
    log_like: f64,
}

impl<'a> WaitingFrames<'a> {
    /// Starts with statistics to which frames shall be added.
    pub fn new(model: &'a AcousticModel, stats: AcousticStats) -> Self {
        Self { model, stats, values: Vec::new(), frames: Vec::new(), utterances: Vec::new(), log_like: 0.0 }
    }

    /// Adds the frames of an utterance, each with its transition-id.
    ///
    /// # Errors
    /// If the features have another dimension, a transition-id does not exist, or a frame has no likelihood: with the name of
    /// the utterance, which may be one before. Of several faults it is the first.
    ///
    /// # Panics
    /// If there are fewer transition-ids than frames.
    pub fn add(&mut self, utt: &BStr, feats: &Matrix<f32>, alignment: &[i32]) -> Result<()> {
        self.utterances.push((self.frames.len(), utt.to_owned()));
        if let Err(error) = self.push(feats, alignment) {
            self.flush()?;
            return Err(of_any(utt, error));
        }
        if self.values.len() < MOST { Ok(()) } else { self.flush() }
    }

    fn push(&mut self, feats: &Matrix<f32>, alignment: &[i32]) -> Result<(), AnyError> {
        check_feats(feats, self.model.pdfs.dim())?;
        for (values, &id) in feats.rows().zip(&alignment[..feats.num_rows()]) {
            let pdf = self.model.transitions.pdf(id)?;
            self.stats.count_transition(id, 1.0)?;
            self.frames.push(PdfFrame { frame: self.frames.len(), pdf, weight: 1.0 });
            self.values.extend_from_slice(values);
        }
        Ok(())
    }

    /// Adds what waits.
    fn flush(&mut self) -> Result<()> {
        let feats = Matrix::from_vec(self.frames.len(), self.model.pdfs.dim(), std::mem::take(&mut self.values));
        let likes =
            self.stats.add_frames(&self.model.pdfs, (&feats, &feats), &self.frames).map_err(|(place, error)| {
                let of_place = self.utterances.partition_point(|(start, _)| *start <= place) - 1;
                let (start, utt) = &self.utterances[of_place];
                let is_likelihood = matches!(error, Error::Likelihood { .. });
                of_utterance(
                    utt.as_ref(),
                    if is_likelihood { Error::Likelihood { frame: place - start } } else { error },
                )
            })?;
        self.log_like = likes.into_iter().fold(self.log_like, |sum, like| sum + f64::from(like));
        self.frames.clear();
        self.utterances.clear();
        self.values = feats.into_vec();
        self.values.clear();
        Ok(())
    }

    /// Adds what waits, and returns the statistics and the sum of the log likelihoods of all frames.
    ///
    /// # Errors
    /// If a frame has no likelihood.
    pub fn finish(mut self) -> Result<(AcousticStats, f64)> {
        self.flush()?;
        Ok((self.stats, self.log_like))
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Cursor, Value};

    use super::*;
    use crate::GmmFlags;

    /// One phone with one state, and one Gaussian with a mean of 2 and a variance of 0.25.
    const MODEL: &str = "\
<TransitionModel> <Topology> <TopologyEntry> <ForPhones> 1 </ForPhones> <State> 0 <PdfClass> 0 <Transition> 0 0.5 \
<Transition> 1 0.5 </State> <State> 1 </State> </TopologyEntry> </Topology> <Triples> 1\n1 0 0\n</Triples> <LogProbs> \
[ 0 -0.5 -1 ]\n</LogProbs> </TransitionModel> <DIMENSION> 1 <NUMPDFS> 1 <DiagGMM> <WEIGHTS> [ 1 ]\n<MEANS_INVVARS> [\n  8 ]\n\
<INV_VARS> [\n  4 ]\n</DiagGMM> ";

    fn model() -> AcousticModel {
        AcousticModel::read(&mut Cursor::new(MODEL.as_bytes())).unwrap()
    }

    fn feats(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    #[test]
    fn frames_are_added_when_there_are_many_and_at_the_end() {
        let model = model();
        let stats = AcousticStats::new(&model, 1, GmmFlags::ALL);
        let mut waiting = WaitingFrames::new(&model, stats);
        let half = vec![2.0; MOST / 2];
        let alignment = vec![1; MOST / 2];
        waiting.add("a".into(), &feats(&half), &alignment).unwrap();
        assert_eq!(waiting.stats.totals().1, 0.0);
        waiting.add("b".into(), &feats(&half), &alignment).unwrap();
        assert_eq!(waiting.stats.totals().1, MOST as f64);
        waiting.add("c".into(), &feats(&[3.0, 1.0]), &[2, 1]).unwrap();
        let (stats, log_like) = waiting.finish().unwrap();
        assert_eq!(stats.pdfs()[0].means().as_slice(), [2.0 * MOST as f64 + 4.0]);
        assert_eq!(stats.transitions(), [0.0, MOST as f64 + 1.0, 1.0]);
        assert_eq!(stats.totals(), (log_like, MOST as f64 + 2.0));
    }

    #[test]
    fn the_first_fault_is_told_with_its_utterance() {
        let model = model();
        let message = |utterances: &[(&str, &[f32], &[i32])]| {
            let mut waiting = WaitingFrames::new(&model, AcousticStats::new(&model, 1, GmmFlags::ALL));
            let mut add = |&(utt, values, ids): &(&str, &[f32], &[i32])| waiting.add(utt.into(), &feats(values), ids);
            utterances.iter().try_for_each(&mut add).and_then(|()| waiting.finish().map(drop)).unwrap_err().to_string()
        };
        let nan: (&str, &[f32], &[i32]) = ("b", &[1.0, f32::NAN], &[1, 1]);
        let of_nan = "b: no Gaussian has a likelihood that is a number in frame 1";
        assert_eq!(message(&[("a", &[1.0], &[1]), nan, ("c", &[1.0], &[1])]), of_nan);
        assert_eq!(message(&[nan, ("c", &[1.0], &[3])]), of_nan);
        let unknown = message(&[("a", &[1.0], &[3]), nan]);
        assert!(unknown.starts_with("a: ") && unknown.ends_with("got 3"), "{unknown}");
        let mut waiting = WaitingFrames::new(&model, AcousticStats::new(&model, 1, GmmFlags::ALL));
        let wide = waiting.add("a".into(), &Matrix::new(1, 2), &[1]).unwrap_err().to_string();
        assert_eq!(wide, "a: expected features with 1 columns, got 2");
    }
}
