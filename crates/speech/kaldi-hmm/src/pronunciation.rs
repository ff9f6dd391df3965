//! How well phones are pronounced.

use std::collections::{BTreeMap, BTreeSet};

use kaldi_matrix::Matrix;

use crate::alignment::PhoneSplit;
use crate::phones::PhoneMap;
use crate::transition_model::TransitionModel;
use crate::{Error, Result};

/// Scores the pronunciation of phones by the probabilities that a network gives to pdfs (Kaldi's `compute-gop`).
///
/// The probability of a phone in a frame is the sum of those of its pdfs; its score over some frames is the average
/// logarithm. The goodness of a pronunciation is the score of the phone that should be spoken minus that of the phone with
/// the highest score: 0 is the best.
#[derive(Clone, Debug)]
pub struct PronunciationScorer {
    /// The phones that share each pdf, after mapping.
    phones_of_pdf: Vec<Vec<i32>>,
    phone_map: Option<PhoneMap>,
    /// Phones that do not count.
    skipped: BTreeSet<i32>,
    num_phones: usize,
}

/// A phone that was spoken.
#[derive(Clone, Debug, PartialEq)]
pub struct PhonePronunciation {
    /// The phone that should be spoken, after mapping.
    pub phone: i32,
    /// The goodness: 0 or less.
    pub goodness: f32,
    /// The phone, the score of each phone from 0 on, and the score of this phone minus that of each phone.
    pub features: Vec<f32>,
}

/// The score of phones that do not count.
const SKIPPED_SCORE: f32 = -10.0;

impl PronunciationScorer {
    /// Takes the phones of each pdf from `model`. With a map, scores are those of the phones that it leads to.
    ///
    /// # Errors
    /// If a phone of the model is not in the map, or a phone of `skipped` does not exist.
    pub fn new(model: &TransitionModel, phone_map: Option<PhoneMap>, skipped: &[i32]) -> Result<Self> {
        let mut phones_of_pdf = vec![BTreeSet::new(); model.num_pdfs()];
        let mut mapped = BTreeMap::new();
        for facts in model.all_facts() {
            let phone = match (mapped.get(&facts.phone), &phone_map) {
                (Some(&phone), _) => phone,
                (None, Some(map)) => *mapped.entry(facts.phone).or_insert(map.get(facts.phone)?),
                (None, None) => facts.phone,
            };
            phones_of_pdf[facts.pdf as usize].insert(phone);
        }
        let num_phones = phones_of_pdf.iter().flatten().max().map_or(0, |&phone| phone as usize + 1);
        let exists = |phone: &&i32| usize::try_from(**phone).is_ok_and(|phone| phone < num_phones);
        if let Some(&got) = skipped.iter().find(|phone| !exists(phone)) {
            let message = format!("expected phones from 0 to {} to be skipped, got {got}", num_phones - 1);
            return Err(Error::Pronunciation { message });
        }
        let phones_of_pdf = phones_of_pdf.into_iter().map(|phones| phones.into_iter().collect()).collect();
        Ok(Self { phones_of_pdf, phone_map, skipped: skipped.iter().copied().collect(), num_phones })
    }

    /// Scores the phones of an utterance, in order.
    ///
    /// `probabilities` has a row for each frame and a column for each pdf. `phones` is the phone that each frame should
    /// have, and `split` says where one ends. Frames beyond those of the probabilities do not count.
    ///
    /// # Errors
    /// If there are no frames, fewer frames in `split`, more columns than pdfs, a negative probability, or a phone that
    /// does not exist.
    pub fn score(
        &self,
        phones: &[i32],
        split: &PhoneSplit,
        probabilities: &Matrix<f32>,
    ) -> Result<Vec<PhonePronunciation>> {
        let num_frames = phones.len().min(probabilities.num_rows());
        let aligned = split.segments.last().map_or(0, |last| last.frames.end);
        if num_frames == 0 || aligned < num_frames {
            let message =
                format!("expected 1 frame or more, and as many in both alignments, got {num_frames} and {aligned}");
            return Err(Error::Pronunciation { message });
        }
        let scores = self.frame_scores(probabilities)?;
        let mut pronunciations = Vec::new();
        for segment in split.segments.iter().filter(|segment| segment.frames.start < num_frames) {
            let frames = segment.frames.start..segment.frames.end.min(num_frames);
            let phone = phones[frames.end - 1];
            let phone = self.phone_map.as_ref().map_or(Ok(phone), |map| map.get(phone))?;
            if !usize::try_from(phone).is_ok_and(|phone| phone < self.num_phones) {
                return Err(Error::Phone { got: phone });
            }
            let mut sums = vec![0.0_f32; self.num_phones];
            for frame in frames.clone() {
                sums.iter_mut().zip(scores.row(frame)).for_each(|(sum, score)| *sum += score);
            }
            if !self.skipped.contains(&phone) {
                pronunciations.push(pronunciation(phone, sums, frames.len()));
            }
        }
        Ok(pronunciations)
    }

    /// The logarithm of the probability of each phone in each frame.
    fn frame_scores(&self, probabilities: &Matrix<f32>) -> Result<Matrix<f32>> {
        let num_pdfs = self.phones_of_pdf.len();
        if probabilities.num_cols() > num_pdfs {
            let message =
                format!("expected probabilities of {num_pdfs} pdfs, got {} columns", probabilities.num_cols());
            return Err(Error::Pronunciation { message });
        }
        let mut scores = Matrix::<f32>::new(probabilities.num_rows(), self.num_phones);
        for ((frame, probabilities), scores) in probabilities.rows().enumerate().zip(scores.rows_mut()) {
            for (probability, phones) in probabilities.iter().zip(&self.phones_of_pdf) {
                phones.iter().for_each(|&phone| scores[phone as usize] += probability);
            }
            if let Some(got) = scores.iter().find(|sum| **sum < 0.0) {
                let got = kaldi_value::number::general(f64::from(*got));
                let message = format!("frame {frame}: expected a probability, got {got} for a phone");
                return Err(Error::Pronunciation { message });
            }
            scores.iter_mut().for_each(|score| *score = score.ln());
            self.skipped.iter().for_each(|&phone| scores[phone as usize] = SKIPPED_SCORE);
        }
        Ok(scores)
    }
}

fn pronunciation(phone: i32, mut sums: Vec<f32>, num_frames: usize) -> PhonePronunciation {
    let factor = (1.0 / num_frames as f64) as f32;
    sums.iter_mut().for_each(|sum| *sum *= factor);
    let own = sums[phone as usize];
    let best = sums.iter().fold(f32::NEG_INFINITY, |best, &score| best.max(score));
    let differences = sums.iter().map(|score| own - score);
    let features = [phone as f32].into_iter().chain(sums.iter().copied()).chain(differences).collect();
    PhonePronunciation { phone, goodness: own - best, features }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transition_model::tests::model;

    fn score(
        scorer: &PronunciationScorer,
        phones: &[i32],
        probabilities: &[[f32; 4]],
    ) -> Result<Vec<PhonePronunciation>> {
        let probabilities = Matrix::from_vec(probabilities.len(), 4, probabilities.concat());
        // Three frames of phone 1, one of phone 2.
        scorer.score(phones, &model().split_to_phones(&[2, 4, 6, 8]).unwrap(), &probabilities)
    }

    const HALF: [[f32; 4]; 4] = [[0.25, 0.125, 0.125, 0.5]; 4];
    const SURE: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

    #[test]
    fn the_best_phone_is_compared_with_the_one_that_should_be_spoken() {
        // Without a map, Kaldi aborts.
        let scorer = PronunciationScorer::new(&model(), None, &[0]).unwrap();
        let scores = score(&scorer, &[1, 1, 1, 1], &[HALF[0], HALF[0], HALF[0], [0.25, 0.0, 0.0, 0.75]]).unwrap();
        assert_eq!(scores.iter().map(|score| score.phone).collect::<Vec<_>>(), [1, 1]);
        assert_eq!(scores[0].goodness, 0.0);
        assert!((scores[1].goodness - (1.0_f32 / 3.0).ln()).abs() < 1e-6, "{scores:?}");
        let half = 0.5_f32.ln();
        let expected = [1.0, -10.0, half, half, half + 10.0, 0.0, 0.0];
        assert!(scores[0].features.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-5));
        assert_eq!(scores[0].features.len(), expected.len());
    }

    #[test]
    fn phones_may_be_mapped_and_skipped() {
        let map = PhoneMap::parse(b"1 3\n2 2\n").unwrap();
        let scorer = PronunciationScorer::new(&model(), Some(map.clone()), &[2]).unwrap();
        let scores = score(&scorer, &[1, 1, 1, 2], &HALF).unwrap();
        assert_eq!((scores.len(), scores[0].phone, scores[0].features.len()), (1, 3, 9));
        let error = PronunciationScorer::new(&model(), Some(map), &[4]).unwrap_err().to_string();
        assert_eq!(error, "expected phones from 0 to 3 to be skipped, got 4");
        assert!(PronunciationScorer::new(&model(), Some(PhoneMap::parse(b"1 3\n").unwrap()), &[]).is_err());
    }

    #[test]
    fn what_cannot_be_scored_is_an_error() {
        let scorer = PronunciationScorer::new(&model(), None, &[]).unwrap();
        let t =
            |phones: &[i32], probabilities: &[[f32; 4]]| score(&scorer, phones, probabilities).unwrap_err().to_string();
        let frames = "expected 1 frame or more, and as many in both alignments, got ";
        assert_eq!(t(&[], &HALF), format!("{frames}0 and 4"));
        assert_eq!(t(&[1; 5], &[HALF[0]; 5]), format!("{frames}5 and 4"));
        assert_eq!(t(&[7; 4], &HALF), "phone 7 is not in the topology");
        assert_eq!(t(&[1; 4], &[[-1.0, 0.0, 0.0, 0.0]; 4]), "frame 0: expected a probability, got -1 for a phone");
        assert_eq!(score(&scorer, &[1, 1, 1, 2], &[SURE; 4]).unwrap()[0].goodness, f32::NEG_INFINITY);
        let wide = Matrix::new(4, 5);
        let error = scorer.score(&[1; 4], &model().split_to_phones(&[2, 4, 6, 8]).unwrap(), &wide).unwrap_err();
        assert_eq!(error.to_string(), "expected probabilities of 4 pdfs, got 5 columns");
    }
}
