//! Statistics for trees from features and alignments.

use kaldi_matrix::Matrix;

use super::{Event, GaussStats, PDF_CLASS, TreeError, TreeStats, TreeStatsSum};
use crate::{PhoneMap, Result, TransitionModel, UnknownTransitionId};

/// How statistics for trees are accumulated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TreeStatsOptions {
    /// The number of phones in a window.
    pub context_width: i32,
    /// The position of the phone itself in the window, from 0.
    pub central_position: i32,
    /// Phones whose context does not count, ascending: their events have no other phones. After [`Self::phone_map`].
    pub ci_phones: Vec<i32>,
    /// The new phone of each phone of the model; without it they are the same.
    pub phone_map: Option<PhoneMap>,
    /// Variances below this count as this.
    pub var_floor: f32,
}

impl Default for TreeStatsOptions {
    fn default() -> Self {
        Self { context_width: 3, central_position: 1, ci_phones: Vec::new(), phone_map: None, var_floor: 0.01 }
    }
}

/// Statistics for trees that grow by utterances.
#[derive(Clone, Debug)]
pub struct TreeStatsAccumulator {
    options: TreeStatsOptions,
    sum: TreeStatsSum,
    dim: Option<usize>,
}

impl TreeStatsAccumulator {
    /// The most phones in a window.
    const WIDEST: i32 = 1000;

    /// Starts without statistics.
    ///
    /// # Errors
    /// If the position of the phone is not in the window, or the window is very wide.
    pub fn new(options: TreeStatsOptions) -> Result<Self, TreeError> {
        let (width, position) = (options.context_width, options.central_position);
        if !(0..width).contains(&position) || width > Self::WIDEST {
            let message = format!(
                "expected `context_width` up to {} and `central_position` below it, got `context_width = {width}` and \
                 `central_position = {position}`",
                Self::WIDEST
            );
            return Err(TreeError::Options(message));
        }
        Ok(Self { options, sum: TreeStatsSum::default(), dim: None })
    }

    /// Adds the features of an utterance (frames × dim), of which there are as many as the alignment has frames. Returns
    /// false, and adds nothing, if the alignment does not consist of whole phones.
    ///
    /// # Errors
    /// If the alignment is not of the model, a phone has no new phone, or the dimension is not that of other utterances.
    pub fn add(&mut self, model: &TransitionModel, alignment: &[i32], feats: &Matrix<f32>) -> Result<bool> {
        let split = model.split_to_phones(alignment)?;
        if !split.is_whole {
            return Ok(false);
        }
        let map = |phone: i32| self.options.phone_map.as_ref().map_or(Ok(phone), |map| map.get(phone));
        let phones = split.segments.iter().map(|segment| map(segment.phone)).collect::<Result<Vec<i32>>>()?;
        if alignment.is_empty() {
            // Features without frames have no dimension.
            return Ok(true);
        }
        let dim = *self.dim.get_or_insert(feats.num_cols());
        if dim != feats.num_cols() {
            return Err(TreeError::FeatsDim { expected: dim, got: feats.num_cols() }.into());
        }
        let var_floor = f64::from(self.options.var_floor);
        let class = |(frame, &id): (usize, &i32)| {
            model.pdf_class(id).map_err(|source| crate::Error::TransitionId { frame, source })
        };
        let classes = alignment.iter().enumerate().map(class).collect::<Result<Vec<_>>>()?;
        let mut rows = feats.rows();
        for (number, segment) in split.segments.iter().enumerate() {
            let window = self.window(&phones, number);
            for run in classes[segment.frames.clone()].chunk_by(|one, two| one == two) {
                let event = Event::new([&[(PDF_CLASS, run[0].unwrap_or(-1))], &window[..]].concat());
                let stats = self.sum.entry(event, || GaussStats::new(dim, var_floor));
                rows.by_ref().take(run.len()).for_each(|row| stats.add_frame(row));
            }
        }
        Ok(true)
    }

    /// The keys and values of the phones around one of them.
    fn window(&self, phones: &[i32], number: usize) -> Vec<(i32, i32)> {
        let central = self.options.central_position;
        let is_alone = self.options.ci_phones.binary_search(&phones[number]).is_ok();
        let positions = (0..self.options.context_width).filter(|&position| !is_alone || position == central);
        let phone = |position: i32| {
            let at = number as i64 + i64::from(position) - i64::from(central);
            usize::try_from(at).ok().and_then(|at| phones.get(at)).copied().unwrap_or(0)
        };
        positions.map(|position| (position, phone(position))).collect()
    }

    /// The statistics, in the order of their events.
    pub fn into_stats(self) -> TreeStats {
        self.sum.into_stats()
    }
}

impl TransitionModel {
    /// The pdf class of a transition-id: that of the self-loop of its state, or that of the other transitions; `None` if
    /// the state has no frames.
    ///
    /// # Errors
    /// If the model does not have the transition-id.
    pub fn pdf_class(&self, transition_id: i32) -> Result<Option<i32>, UnknownTransitionId> {
        let facts = self.facts(transition_id)?;
        let state = self.tuple(facts).state as usize;
        let classes = self.topology().states(facts.phone).and_then(|states| states.get(state)?.pdf_classes);
        Ok(classes.map(|classes| if facts.is_self_loop { classes.self_loop } else { classes.forward }))
    }
}
