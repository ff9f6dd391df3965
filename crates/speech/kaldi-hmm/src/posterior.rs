//! Posteriors of transition-ids, converted to pdfs and to phones, and weighted by phone.

use std::collections::BTreeMap;

use kaldi_value::Posterior;

use crate::hash_order::HashOrderedSums;
use crate::transition_model::{TransitionFacts, TransitionModel};
use crate::{Error, Result};

impl TransitionModel {
    fn facts_at(&self, frame: usize, transition_id: i32) -> Result<&TransitionFacts> {
        self.facts(transition_id).map_err(|source| Error::TransitionId { frame, source })
    }

    /// Sums the weights of each pdf (Kaldi's `ConvertPosteriorToPdfs`). Sums of 0 are left out; the others come in the order
    /// of [`HashOrderedSums`], which is Kaldi's.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn pdf_posterior(&self, posterior: &Posterior) -> Result<Posterior> {
        let mut sums = HashOrderedSums::default();
        let mut convert = |(frame, entries): (usize, &Vec<(i32, f32)>)| {
            if let [(id, weight)] = entries[..] {
                let pdf = self.facts_at(frame, id)?.pdf;
                return Ok(if weight == 0.0 { Vec::new() } else { vec![(pdf, weight)] });
            }
            sums.clear(false);
            for &(id, weight) in entries {
                *sums.sum_mut(self.facts_at(frame, id)?.pdf) += weight;
            }
            Ok(sums.iter().filter(|&(_, sum)| sum != 0.0).collect())
        };
        posterior.0.iter().enumerate().map(&mut convert).collect::<Result<_>>().map(Posterior)
    }

    /// Sums the weights of each phone (Kaldi's `ConvertPosteriorToPhones`). Sums of 0 are left out; phones ascend.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn phone_posterior(&self, posterior: &Posterior) -> Result<Posterior> {
        let convert = |(frame, entries): (usize, &Vec<(i32, f32)>)| {
            let mut sums = BTreeMap::new();
            for &(id, weight) in entries {
                let phone = self.facts_at(frame, id)?.phone;
                sums.entry(phone).and_modify(|sum| *sum += weight).or_insert(weight);
            }
            Ok(sums.into_iter().filter(|&(_, sum)| sum != 0.0).collect())
        };
        posterior.0.iter().enumerate().map(convert).collect::<Result<_>>().map(Posterior)
    }
}

/// How probable each phone is if a pdf is known, from counts of transition-ids.
#[derive(Clone, Debug)]
pub struct PhonesOfPdfs(Vec<Vec<(i32, f32)>>);

impl PhonesOfPdfs {
    /// Takes the counts of transition-ids, with an element for 0, which is none. The phones of a pdf without counts are as
    /// probable as each other.
    ///
    /// # Errors
    /// If there is not one count for each transition-id.
    pub fn new(model: &TransitionModel, counts: &[f32]) -> Result<Self> {
        let expected = model.num_transition_ids() + 1;
        if counts.len() != expected {
            return Err(Error::Counts { of: "transition-ids, and a 0 before them", expected, got: counts.len() });
        }
        let mut phones = vec![HashOrderedSums::default(); model.num_pdfs()];
        for (facts, count) in model.all_facts().iter().zip(&counts[1..]) {
            *phones[facts.pdf as usize].sum_mut(facts.phone) += count;
        }
        let probable = |sums: &HashOrderedSums| {
            let total = sums.iter().fold(0.0, |total, (_, sum)| total + sum);
            let alike = 1.0 / sums.len() as f32;
            sums.iter().map(|(phone, sum)| (phone, if total == 0.0 { alike } else { sum / total })).collect()
        };
        Ok(Self(phones.iter().map(probable).collect()))
    }

    /// Distributes the weights of pdfs to their phones. They come in the order of [`HashOrderedSums`], which is Kaldi's.
    ///
    /// # Errors
    /// If a number is not a pdf.
    pub fn phone_posterior(&self, posterior: &Posterior) -> Result<Posterior> {
        let mut sums = HashOrderedSums::default();
        let mut convert = |(frame, entries): (usize, &Vec<(i32, f32)>)| {
            sums.clear(true);
            for &(pdf, weight) in entries {
                let phones = usize::try_from(pdf).ok().and_then(|pdf| self.0.get(pdf));
                let phones = phones.ok_or(Error::Pdf { frame, got: pdf, num_pdfs: self.0.len() })?;
                for &(phone, probability) in phones {
                    if probability != 0.0 {
                        *sums.sum_mut(phone) += weight * probability;
                    }
                }
            }
            Ok(sums.iter().collect())
        };
        posterior.0.iter().enumerate().map(&mut convert).collect::<Result<_>>().map(Posterior)
    }
}

/// Weights the posteriors of silence, or of any phones.
#[derive(Clone, Debug)]
pub struct SilenceWeight {
    /// Whether each transition-id, from 1, belongs to silence.
    is_silence: Vec<bool>,
    weight: f32,
}

impl SilenceWeight {
    /// Multiplies what `phones` have by `weight`.
    pub fn new(model: &TransitionModel, phones: &[i32], weight: f32) -> Self {
        let phones: std::collections::HashSet<i32> = phones.iter().copied().collect();
        let is_silence = model.all_facts().iter().map(|facts| phones.contains(&facts.phone)).collect();
        Self { is_silence, weight }
    }

    #[inline]
    fn is_silence(&self, frame: usize, transition_id: i32) -> Result<bool> {
        let index = (transition_id as usize).wrapping_sub(1);
        self.is_silence.get(index).copied().ok_or_else(|| {
            let largest = self.is_silence.len();
            Error::TransitionId { frame, source: crate::UnknownTransitionId { got: transition_id, largest } }
        })
    }

    /// Weights each entry by its phone (Kaldi's `WeightSilencePost`); a weight of 0 removes it.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn apply(&self, posterior: &mut Posterior) -> Result<()> {
        for (frame, entries) in posterior.0.iter_mut().enumerate() {
            let mut kept = 0;
            for at in 0..entries.len() {
                let (id, weight) = entries[at];
                if let Some(weight) = self.weigh(frame, id, weight)? {
                    entries[kept] = (id, weight);
                    kept += 1;
                }
            }
            entries.truncate(kept);
        }
        Ok(())
    }

    /// Does the same to the bytes of a binary value, without making the value. `None` if they have another form.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model.
    pub fn apply_to_bytes(&self, bytes: &[u8]) -> Option<Result<Vec<u8>>> {
        Posterior::reweigh_binary(bytes, |frame, id, weight| self.weigh(frame, id, weight))
    }

    /// The new weight of an entry; `None` if it is removed.
    #[inline]
    fn weigh(&self, frame: usize, id: i32, weight: f32) -> Result<Option<f32>> {
        Ok(match self.is_silence(frame, id)? {
            false => Some(weight),
            true => (self.weight != 0.0).then_some(weight * self.weight),
        })
    }

    /// Weights each frame by its part of silence (Kaldi's `WeightSilencePostDistributed`). A frame whose weights sum up to 0
    /// stays as it is, and one whose new weight is 0 becomes empty.
    ///
    /// # Errors
    /// If a number is not a transition-id of the model, or the weights of a frame's silence or of the rest are negative.
    pub fn apply_to_frames(&self, posterior: &mut Posterior) -> Result<()> {
        for (frame, entries) in posterior.0.iter_mut().enumerate() {
            let (mut silence, mut other) = (0.0_f32, 0.0_f32);
            for &(id, weight) in entries.iter() {
                *(if self.is_silence(frame, id)? { &mut silence } else { &mut other }) += weight;
            }
            // Also if one is not a number.
            if !(silence >= 0.0 && other >= 0.0) {
                return Err(Error::NegativeWeight { frame });
            }
            if silence + other == 0.0 {
                continue;
            }
            let factor = (silence * self.weight + other) / (silence + other);
            if factor == 0.0 {
                entries.clear();
            }
            entries.iter_mut().for_each(|(_, weight)| *weight *= factor);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Cursor, Format, Value};

    use super::*;
    use crate::transition_model::tests::model;

    fn posterior(frames: &[&[(i32, f32)]]) -> Posterior {
        Posterior(frames.iter().map(|frame| frame.to_vec()).collect())
    }

    #[test]
    fn weights_of_a_pdf_are_summed() {
        let summed =
            model().pdf_posterior(&posterior(&[&[(1, 0.5), (7, 1.0), (2, 0.25)], &[], &[(8, 1.0)], &[(1, 0.0)]]));
        assert_eq!(summed, Ok(posterior(&[&[(3, 1.0), (0, 0.75)], &[], &[(3, 1.0)], &[]])));
        let cancelled = model().pdf_posterior(&posterior(&[&[(1, 0.5), (2, -0.5), (3, 0.0), (5, 1.0)]]));
        assert_eq!(cancelled, Ok(posterior(&[&[(2, 1.0)]])));
    }

    #[test]
    fn weights_of_a_phone_are_summed() {
        let summed = model().phone_posterior(&posterior(&[&[(8, 0.5), (1, 1.0), (6, 0.25)], &[(1, 0.5), (2, -0.5)]]));
        assert_eq!(summed, Ok(posterior(&[&[(1, 1.25), (2, 0.5)], &[]])));
    }

    #[test]
    fn pdfs_are_distributed_to_their_phones() {
        let entries = vec![(
            vec![1, 2],
            vec![crate::topology::tests::state(0, &[(0, 0.5), (1, 0.5)]), crate::topology::tests::state(-1, &[])],
        )];
        let topology = crate::HmmTopology::from_entries(entries).unwrap();
        let tuple = crate::transition_model::tests::tuple;
        let model =
            TransitionModel::from_tuples(topology, vec![tuple(1, 0, 0), tuple(1, 0, 1), tuple(2, 0, 0)]).unwrap();
        // Ids 1 and 2 are of phone 1 and pdf 0, 3 and 4 of pdf 1, 5 and 6 of phone 2 and pdf 0.
        let phones = PhonesOfPdfs::new(&model, &[0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 1.0]).unwrap();
        let spread = phones.phone_posterior(&posterior(&[&[(0, 1.0), (1, 0.5)], &[]]));
        assert_eq!(spread, Ok(posterior(&[&[(1, 0.75), (2, 0.75)], &[]])));
        let error = phones.phone_posterior(&posterior(&[&[(2, 1.0)]])).unwrap_err().to_string();
        assert_eq!(error, "frame 0: pdf-id on input out of range, expected 0 to 1, got 2");
        assert!(PhonesOfPdfs::new(&model, &[0.0; 6]).is_err());
    }

    #[test]
    fn silence_is_weighted() {
        let t = |weight, expected: &[&[(i32, f32)]]| {
            let mut weighted = posterior(&[&[(7, 0.5), (1, 0.25), (8, 0.25)], &[(7, 1.0)]]);
            let bytes = weighted.to_bytes(Format::Binary);
            let silence = SilenceWeight::new(&model(), &[2, 9], weight);
            silence.apply(&mut weighted).unwrap();
            assert_eq!(weighted, posterior(expected));
            let changed = silence.apply_to_bytes(&bytes).unwrap().unwrap();
            assert_eq!(Posterior::read(&mut Cursor::new(&changed)), Ok(weighted));
        };
        t(0.5, &[&[(7, 0.25), (1, 0.25), (8, 0.125)], &[(7, 0.5)]]);
        t(0.0, &[&[(1, 0.25)], &[]]);
        t(-2.0, &[&[(7, -1.0), (1, 0.25), (8, -0.5)], &[(7, -2.0)]]);
    }

    #[test]
    fn frames_are_weighted_by_their_silence() {
        let t = |weight, expected: &[&[(i32, f32)]]| {
            let mut weighted = posterior(&[&[(7, 0.5), (1, 0.5)], &[(7, 2.0)], &[(1, 0.0)]]);
            SilenceWeight::new(&model(), &[2], weight).apply_to_frames(&mut weighted).unwrap();
            assert_eq!(weighted, posterior(expected));
        };
        t(0.5, &[&[(7, 0.375), (1, 0.375)], &[(7, 1.0)], &[(1, 0.0)]]);
        t(0.0, &[&[(7, 0.25), (1, 0.25)], &[], &[(1, 0.0)]]);
    }

    #[test]
    fn what_cannot_be_weighted_is_an_error() {
        let t = |id, weight| {
            let silence = SilenceWeight::new(&model(), &[2], 0.5);
            [SilenceWeight::apply, SilenceWeight::apply_to_frames].map(|apply| {
                apply(&silence, &mut posterior(&[&[], &[(id, weight)]])).map_err(|error| error.to_string())
            })
        };
        let unknown = Err("frame 1: expected a transition-id from 1 to 8, got 0".to_owned());
        assert_eq!(t(0, 1.0), [unknown.clone(), unknown]);
        let negative = Err("frame 1: expected weights that sum up to 0 or more, got a negative sum".to_owned());
        assert_eq!(t(1, -1.0), [Ok(()), negative.clone()]);
        assert_eq!(t(1, f32::NAN), [Ok(()), negative]);
    }
}
