//! Alignments of one model, converted to another.

mod lengths;
mod random_path;

use kaldi_value::random::Random;

use crate::phones::PhoneMap;
use crate::transition_model::{TransitionFacts, TransitionModel, TransitionTuple};
use crate::tree::ContextDependency;
use crate::{Error, Result};

/// More phones than this in the context of a tree are damage.
const WIDEST_CONTEXT: i32 = 1000;

/// How alignments are converted.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConversionOptions {
    /// The new phone of each old phone; without it they are the same.
    pub phone_map: Option<PhoneMap>,
    /// Whether self-loops shall come after the other transition of their state.
    pub reorder: bool,
    /// How many old frames a new one stands for; at least 1.
    pub frame_subsampling_factor: usize,
    /// Whether the new alignment has as many frames as the old one in spite of the factor.
    pub repeat_frames: bool,
}

impl Default for ConversionOptions {
    fn default() -> Self {
        Self { phone_map: None, reorder: true, frame_subsampling_factor: 1, repeat_frames: false }
    }
}

/// Converts alignments from one model to another (Kaldi's `ConvertAlignment`).
///
/// Where a phone keeps its states and its length, each frame keeps its transition, with the pdfs of the new tree. Other
/// phones get a random path of the right length through their states.
#[derive(Clone, Debug)]
pub struct AlignmentConverter {
    old: TransitionModel,
    new: TransitionModel,
    tree: ContextDependency,
    options: ConversionOptions,
    has_same_topology: bool,
}

/// What became of an alignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// The new alignment.
    Done(Vec<i32>),
    /// The old alignment is cut: it does not consist of whole phones.
    Incomplete,
    /// The phones need more frames than there are.
    TooFewFrames,
}

/// An old phone, with what it shall become.
struct Phone<'a> {
    old_ids: &'a [i32],
    old_facts: &'a [TransitionFacts],
    /// The new phones around it and itself; 0 before the first and after the last phone.
    window: Vec<i32>,
    new_length: usize,
    is_reordered: bool,
}

impl AlignmentConverter {
    /// Prepares the conversion from `old` to `new`, whose tree is `tree`.
    ///
    /// # Errors
    /// If the context of the tree makes no sense.
    pub fn new(
        old: TransitionModel,
        new: TransitionModel,
        tree: ContextDependency,
        options: ConversionOptions,
    ) -> Result<Self> {
        let (width, central) = (tree.context_width(), tree.central_position());
        if !(1..=WIDEST_CONTEXT).contains(&width) || !(0..width).contains(&central) {
            let message = format!("expected a tree whose central position is in its context, got {central} of {width}");
            return Err(Error::Tree { message });
        }
        let has_same_topology = old.topology() == new.topology();
        Ok(Self { old, new, tree, options, has_same_topology })
    }

    /// Whether the topologies of the models are equal. If not, phones may get random paths.
    pub fn has_same_topology(&self) -> bool {
        self.has_same_topology
    }

    /// Converts an alignment. Random paths are drawn from `random`.
    ///
    /// # Errors
    /// If the alignment does not belong to the old model, or a phone, a pdf or a transition-state is not in the new one.
    pub fn convert(&self, alignment: &[i32], random: &mut Random) -> Result<Conversion> {
        let factor = self.options.frame_subsampling_factor;
        if !self.options.repeat_frames || factor == 1 {
            return self.convert_shifted(alignment, factor - 1, random);
        }
        // What starts later is earlier in the interleaved alignment.
        let mut shifted = Vec::with_capacity(factor);
        for shift in (0..factor).rev() {
            match self.convert_shifted(alignment, shift, random)? {
                Conversion::Done(ids) => shifted.push(ids.into_iter()),
                failed => return Ok(failed),
            }
        }
        let mut interleaved = Vec::with_capacity(alignment.len());
        while interleaved.len() < alignment.len() {
            interleaved.extend(shifted.iter_mut().filter_map(Iterator::next));
        }
        Ok(Conversion::Done(interleaved))
    }

    /// Converts with the ends of phones `shift` frames earlier, before one frame in some is kept.
    fn convert_shifted(&self, alignment: &[i32], shift: usize, random: &mut Random) -> Result<Conversion> {
        let (split, facts) = (self.old.split_to_phones(alignment)?, self.old.facts_of(alignment)?);
        if !split.is_whole {
            return Ok(Conversion::Incomplete);
        }
        let map = |phone| self.options.phone_map.as_ref().map_or(Ok(phone), |map| map.get(phone));
        let phones: Vec<i32> = split.segments.iter().map(|segment| map(segment.phone)).collect::<Result<_>>()?;
        let mut lengths: Vec<usize> = split.segments.iter().map(|segment| segment.frames.len()).collect();
        let factor = self.options.frame_subsampling_factor;
        if factor != 1 || !self.has_same_topology {
            let least = |&phone: &i32| self.new.topology().min_length(phone).ok_or(Error::Phone { got: phone });
            let least: Vec<usize> = phones.iter().map(least).collect::<Result<_>>()?;
            match lengths::subsampled(&lengths, &least, shift, factor) {
                Some(subsampled) => lengths = subsampled,
                None => return Ok(Conversion::TooFewFrames),
            }
        }
        let mut ids = Vec::with_capacity(lengths.iter().sum());
        for (index, segment) in split.segments.iter().enumerate() {
            ids.extend(self.convert_phone(
                &Phone {
                    old_ids: &alignment[segment.frames.clone()],
                    old_facts: &facts[segment.frames.clone()],
                    window: self.window(&phones, index),
                    new_length: lengths[index],
                    is_reordered: split.is_reordered,
                },
                random,
            )?);
        }
        Ok(Conversion::Done(ids))
    }

    fn window(&self, phones: &[i32], index: usize) -> Vec<i32> {
        let first = index as i64 - i64::from(self.tree.central_position());
        let phone_at = |at: i64| usize::try_from(at).ok().and_then(|at| phones.get(at)).copied().unwrap_or(0);
        (first..first + i64::from(self.tree.context_width())).map(phone_at).collect()
    }

    fn convert_phone(&self, phone: &Phone<'_>, random: &mut Random) -> Result<Vec<i32>> {
        let new_phone = phone.window[self.tree.central_position() as usize];
        let old_states = self.old.topology().states(phone.old_facts[0].phone);
        let is_same = old_states == self.new.topology().states(new_phone);
        if phone.old_ids.len() != phone.new_length || !is_same {
            let mut path = self.random_path(phone, new_phone, random)?;
            if self.options.reorder {
                self.new.change_order(&mut path);
            }
            return Ok(path);
        }
        let mut ids = Vec::with_capacity(phone.new_length);
        // The transition-state of the frame before, since most frames stay.
        let mut before = None;
        for (&old_id, facts) in phone.old_ids.iter().zip(phone.old_facts) {
            let transition_state = match before {
                Some((old, new)) if old == facts.transition_state => new,
                _ => self.transition_state(new_phone, self.old.tuple(facts).state, &phone.window)?,
            };
            before = Some((facts.transition_state, transition_state));
            let index = old_id as usize - self.old.ids_of(facts.transition_state as usize).start;
            ids.push((self.new.ids_of(transition_state).start + index) as i32);
        }
        if self.options.reorder != phone.is_reordered {
            self.new.change_order(&mut ids);
        }
        Ok(ids)
    }

    fn random_path(&self, phone: &Phone<'_>, new_phone: i32, random: &mut Random) -> Result<Vec<i32>> {
        let states = self.new.topology().states(new_phone).ok_or(Error::Phone { got: new_phone })?;
        let path = random_path::random_path(states, phone.new_length, random);
        let path = path.ok_or(Error::TooShort { phone: new_phone, length: phone.new_length })?;
        let id = |(state, index): (usize, usize)| {
            let transition_state = self.transition_state(new_phone, state as i32, &phone.window)?;
            Ok((self.new.ids_of(transition_state).start + index) as i32)
        };
        path.into_iter().map(id).collect()
    }

    /// The transition-state of the new model for a state of a phone in its context.
    fn transition_state(&self, phone: i32, state: i32, window: &[i32]) -> Result<usize> {
        let states = self.new.topology().states(phone).ok_or(Error::Phone { got: phone })?;
        let classes = states.get(state as usize).and_then(|state| state.pdf_classes);
        let classes = classes.ok_or(Error::Phone { got: phone })?;
        let pdf = |pdf_class| {
            let pdf = self.tree.pdf(window, pdf_class);
            pdf.ok_or_else(|| Error::NoPdf { window: window.to_vec(), pdf_class })
        };
        let forward_pdf = pdf(classes.forward)?;
        let self_loop_pdf = if classes.self_loop == classes.forward { forward_pdf } else { pdf(classes.self_loop)? };
        let tuple = TransitionTuple { phone, state, forward_pdf, self_loop_pdf };
        self.new.transition_state(&tuple).ok_or(Error::NoTransitionState { tuple })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::HmmTopology;
    use crate::topology::tests::{state, three_states};
    use crate::tree::{EventMap, PDF_CLASS};

    /// Phones 1 and 2 have three states, phone 3 one; pdf = 3 · phone + class.
    fn tree() -> ContextDependency {
        let pdfs = |phone: i32| (0..3).map(|class| Some(EventMap::leaf(3 * phone + class))).collect();
        let maps = (0..4).map(|phone| Some(EventMap::table(PDF_CLASS, pdfs(phone)))).collect();
        ContextDependency::new(3, 1, EventMap::table(1, maps))
    }

    fn model(phones: Vec<i32>) -> TransitionModel {
        let one = vec![state(0, &[(0, 0.5), (1, 0.5)]), state(-1, &[])];
        let topology = HmmTopology::from_entries(vec![(phones, three_states()), (vec![3], one)]).unwrap();
        TransitionModel::from_tree(topology, &tree()).unwrap()
    }

    fn convert(options: ConversionOptions, alignment: &[i32]) -> Result<Conversion> {
        let converter = AlignmentConverter::new(model(vec![1, 2]), model(vec![1, 2]), tree(), options).unwrap();
        converter.convert(alignment, &mut Random::default())
    }

    fn options() -> ConversionOptions {
        ConversionOptions::default()
    }

    #[test]
    fn frames_keep_their_transitions() {
        let t = |reorder, alignment: &[i32], expected: &[i32]| {
            let options = ConversionOptions { reorder, ..options() };
            assert_eq!(convert(options, alignment), Ok(Conversion::Done(expected.to_vec())));
        };
        // Phone 1 has the ids 1 to 6, phone 2 those from 7 to 12, phone 3 13 and 14.
        let (plain, reordered) = ([1, 2, 4, 5, 6, 13, 14], [2, 1, 4, 6, 5, 14, 13]);
        t(false, &plain, &plain);
        t(true, &plain, &reordered);
        t(false, &reordered, &plain);
        t(true, &reordered, &reordered);
        t(true, &[], &[]);
    }

    #[test]
    fn phones_may_become_others() {
        let options = |text: &[u8]| ConversionOptions { phone_map: Some(PhoneMap::parse(text).unwrap()), ..options() };
        let mapped = convert(options(b"1 2\n3 3\n"), &[2, 1, 4, 6, 14]);
        assert_eq!(mapped, Ok(Conversion::Done(vec![8, 7, 10, 12, 14])));
        // Another topology: the path is new.
        let Ok(Conversion::Done(path)) = convert(options(b"1 3\n3 3\n"), &[2, 1, 4, 6, 14]) else { panic!() };
        assert_eq!(path, [14, 13, 13, 13, 14]);
        assert_eq!(convert(options(b"1 2\n"), &[14]), Err(Error::UnmappedPhone { got: 3 }));
    }

    #[test]
    fn frames_become_fewer() {
        let options = |repeat_frames| ConversionOptions { frame_subsampling_factor: 2, repeat_frames, ..options() };
        let alignment = [14, 13, 13, 13, 13, 2, 1, 4, 3, 6, 5];
        let Ok(Conversion::Done(half)) = convert(options(false), &alignment) else { panic!() };
        assert_eq!(half, [14, 13, 13, 2, 4, 6]);
        let Ok(Conversion::Done(repeated)) = convert(options(true), &alignment) else { panic!() };
        assert_eq!(repeated.len(), 11);
        assert_eq!(repeated[..2], [14, 14]);
        assert_eq!(convert(options(false), &[2, 4, 6]), Ok(Conversion::TooFewFrames));
    }

    #[test]
    fn cut_alignments_are_not_converted() {
        assert_eq!(convert(options(), &[2, 4]), Ok(Conversion::Incomplete));
    }

    #[test]
    fn a_tree_of_another_model_is_an_error() {
        let tree = ContextDependency::new(1, 0, EventMap::leaf(0));
        let converter = AlignmentConverter::new(model(vec![1, 2]), model(vec![1, 2]), tree, options()).unwrap();
        let error = converter.convert(&[14], &mut Random::default()).unwrap_err().to_string();
        let expected =
            "the model has no transition-state for phone 3, state 0, pdfs 0 and 0 (incompatible tree and model?)";
        assert_eq!(error, expected);
        let empty = ContextDependency::new(0, 0, EventMap::leaf(0));
        assert!(AlignmentConverter::new(model(vec![1, 2]), model(vec![1, 2]), empty, options()).is_err());
    }
}
