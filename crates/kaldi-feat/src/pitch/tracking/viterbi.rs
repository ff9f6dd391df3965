//! The most likely course of the pitch.
//!
//! A state is a lag. It costs something to be in a state, and to change from state `j` to state `i` costs
//! `factor * (i - j)^2`. So for each frame and each state `i` this is wanted, and which `j` it comes from:
//!
//! ```text
//! min over j of before[j] + factor * (i - j)^2
//! ```
//!
//! Under the minimum lies the lower envelope of parabolas that differ in their apexes only: each is the lowest on one range of
//! states, and further right those with further right apexes are. That makes one pass over the apexes from left to right,
//! with a stack of those that are on the envelope so far (as for the distance transform of Felzenszwalb and Huttenlocher,
//! 2012). Where each parabola cuts that of its neighbour is computed for all at once. Those that are nowhere lower than both
//! neighbours need not be looked at further; and as long as the cuts lie one behind the other, they are those of the
//! envelope. A frame keeps the ranges of its envelope for the way back.

use kaldi_lanes::{Lanes, WIDTH};

/// Sums with this have no bits for fractions: a number from 0 to 2^22 is rounded to a whole one, which stands in the lowest
/// bits. Casts are slower, since they have to look out for numbers that do not fit.
const ROUND: f32 = 12_582_912.0;
/// The same for double precision.
const ROUND_F64: f64 = 6_755_399_441_055_744.0;

/// The states from `start` to that of the next range come from the state `from`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) start: u16,
    pub(super) from: u16,
}

/// The costs of changes from state to state.
#[derive(Clone, Debug)]
pub(super) struct Transitions {
    num_states: usize,
    factor: f32,
    /// What it costs to change by `1 - num_states`, by one more ..., by `num_states - 1`; room for the last lanes.
    changes: Vec<f32>,
    /// `factor * (2 * j - 1)`: by how much more a change from `j` costs than one from `j - 1`, to the state 0.
    steps: Vec<f32>,
    /// `factor * j^2`: the value at the state 0 of the parabola at `j`.
    heights: Vec<f64>,
    /// `1 / (2 * factor * distance)`.
    inverses: Vec<f64>,
}

/// The costs of the best ways to all states of a frame, the lowest of which is 0.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    /// With an infinite one before the first and some behind the last.
    before: Vec<f32>,
    next: Vec<f32>,
    /// The first state for which each parabola is lower than that before it.
    cuts: Vec<i32>,
    /// Whether each parabola is somewhere lower than both neighbours.
    marks: Vec<u8>,
}

impl Transitions {
    /// Prepares transitions between `num_states` states, from one to 65535.
    pub(super) fn new(num_states: usize, factor: f32) -> Self {
        // Without a cost, the next of equally good states is taken.
        let factor = factor.max(f32::MIN_POSITIVE);
        let cost = |distance: usize| (distance * distance) as f32 * factor;
        let changes = (1..num_states).rev().chain(0..num_states).map(cost).chain([0.0; WIDTH]).collect();
        let steps = (0..=num_states).map(|state| (2.0 * state as f32 - 1.0) * factor).collect();
        let heights = (0..num_states).map(|state| f64::from(factor) * (state * state) as f64).collect();
        let inverses = (0..num_states).map(|distance| 0.5 / (f64::from(factor) * distance as f64)).collect();
        Self { num_states, factor, changes, steps, heights, inverses }
    }

    /// The costs before the first frame: nothing.
    pub(super) fn start(&self) -> Forward {
        let mut before = vec![0.0; self.num_states + 2 + WIDTH];
        before[0] = f32::INFINITY;
        before[self.num_states + 1..].fill(f32::INFINITY);
        Forward {
            next: before.clone(),
            before,
            cuts: vec![0; self.num_states + 1],
            marks: vec![0; self.num_states.next_multiple_of(8)],
        }
    }

    /// Goes on to the next frame, whose states cost `local`, with room for the last lanes behind them; appends where the
    /// states come from.
    #[inline(always)]
    fn advance(&self, forward: &mut Forward, local: &[f32], origins: &mut Vec<Origin>) {
        let begin = origins.len();
        origins.resize(begin + self.num_states, Origin::default());
        self.find_cuts(forward);
        let num_origins = self.find_envelope(forward, &mut origins[begin..]);
        origins.truncate(begin + num_origins);
        self.change(forward, local, &origins[begin..]);
        std::mem::swap(&mut forward.before, &mut forward.next);
        forward.subtract_lowest(self.num_states);
    }

    /// Finds where each parabola begins to be lower than that before it, and marks those that are somewhere lower than
    /// both neighbours. What is lost to single precision here costs less than the costs' own rounding.
    #[inline(always)]
    fn find_cuts(&self, forward: &mut Forward) {
        let Forward { before, cuts, marks, .. } = forward;
        let (inverse, limit) = (0.5 / self.factor, self.num_states as f32);
        for (((cut, low), high), step) in cuts.iter_mut().zip(before.iter()).zip(&before[1..]).zip(&self.steps) {
            let first = (high - low + step) * inverse + 0.5;
            let first = if first < limit { first } else { limit };
            let first = if first > 0.0 { first } else { 0.0 };
            *cut = (first + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32;
        }
        for ((mark, cut), next) in marks.iter_mut().zip(cuts.iter()).zip(&cuts[1..]) {
            *mark = u8::from(cut < next);
        }
    }

    /// Finds the lower envelope, and returns how many parabolas it has.
    #[inline(always)]
    fn find_envelope(&self, forward: &Forward, envelope: &mut [Origin]) -> usize {
        let Forward { before, cuts, marks, .. } = forward;
        let mut len = 0;
        let mut last = Origin::default();
        let (words, _) = marks.as_chunks::<8>();
        for (word, states) in words.iter().zip((0..).step_by(8)) {
            let mut bits = u64::from_le_bytes(*word);
            while bits != 0 {
                let state = states + bits.trailing_zeros() as usize / 8;
                bits &= bits - 1;
                let mut start = cuts[state] as usize;
                // A neighbour, or one behind a neighbour that is nowhere lower, between cuts in the same place.
                let gap = state - usize::from(last.from);
                let is_next = len > 0 && (gap == 1 || (gap == 2 && cuts[state - 1] == cuts[state]));
                if !is_next || start <= usize::from(last.start) {
                    loop {
                        if len == 0 {
                            start = 0;
                            break;
                        }
                        start = self.cut(before, envelope[len - 1].from.into(), state);
                        if start > usize::from(envelope[len - 1].start) {
                            break;
                        }
                        len -= 1;
                    }
                    if len > 0 {
                        last = envelope[len - 1];
                    }
                }
                if start < self.num_states {
                    last = Origin { start: start as u16, from: state as u16 };
                    envelope[len] = last;
                    len += 1;
                }
            }
        }
        if len == 0 {
            // Costs that are no numbers.
            envelope[0] = Origin::default();
            len = 1;
        }
        len
    }

    /// The first state for which the parabola of `right` is lower than that of `left`.
    fn cut(&self, before: &[f32], left: usize, right: usize) -> usize {
        let height = |state: usize| f64::from(before[state + 1]) + self.heights[state];
        let cut = (height(right) - height(left)) * self.inverses[right - left] + 0.5;
        let limit = self.num_states as f64;
        let cut = if cut < limit { cut } else { limit };
        let cut = if cut > 0.0 { cut } else { 0.0 };
        (cut + ROUND_F64).to_bits() as u32 as usize
    }

    /// Computes the costs of the next frame.
    #[inline(always)]
    fn change(&self, forward: &mut Forward, local: &[f32], envelope: &[Origin]) {
        let Forward { before, next, .. } = forward;
        let ends = envelope[1..].iter().map(|origin| usize::from(origin.start)).chain([self.num_states]);
        for (origin, end) in envelope.iter().zip(ends) {
            let (start, from) = (usize::from(origin.start), usize::from(origin.from));
            let cost = before[from + 1];
            let changes = &self.changes[self.num_states - 1 - from..];
            // What the last lanes put too much is overwritten by the next range.
            for state in (start..end).step_by(WIDTH) {
                if let Some(next) = next[state + 1..].first_chunk_mut() {
                    *next = (lanes(changes, state) + cost + lanes(local, state)).0;
                }
            }
        }
        next[self.num_states + 1..].fill(f32::INFINITY);
    }
}

/// The numbers from `at` on.
#[inline(always)]
fn lanes(numbers: &[f32], at: usize) -> Lanes {
    numbers[at..].first_chunk().map_or(Lanes::ZERO, |numbers| Lanes(*numbers))
}

impl Forward {
    /// The state with the lowest cost, the first one of several.
    pub(super) fn best(&self) -> usize {
        let better =
            |best: (usize, f32), (state, cost): (usize, &f32)| if *cost < best.1 { (state, *cost) } else { best };
        self.before[1..].iter().enumerate().fold((0, f32::INFINITY), better).0
    }

    #[inline(always)]
    fn subtract_lowest(&mut self, num_states: usize) {
        let (groups, _) = self.before[1..].as_chunks_mut::<WIDTH>();
        let groups = &mut groups[..num_states.div_ceil(WIDTH)];
        let lower = |a: f32, b: f32| if b < a { b } else { a };
        let mut lowest = Lanes::splat(f32::INFINITY);
        for group in groups.iter() {
            for (lowest, cost) in lowest.0.iter_mut().zip(group) {
                *lowest = lower(*lowest, *cost);
            }
        }
        let lowest = lowest.0.into_iter().fold(f32::INFINITY, lower);
        groups.as_flattened_mut().iter_mut().for_each(|cost| *cost -= lowest);
    }
}

/// Where the states of all frames come from.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    all: Vec<Origin>,
    /// Where those of each frame end.
    ends: Vec<usize>,
}

impl Origins {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), ends: Vec::new() }
    }

    /// Goes on to the next frame, whose states cost `local`, with room for [`WIDTH`] more behind them.
    #[inline(always)]
    pub(super) fn advance(&mut self, transitions: &Transitions, forward: &mut Forward, local: &[f32]) {
        transitions.advance(forward, local, &mut self.all);
        self.ends.push(self.all.len());
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The state of the frame before that a state of this frame comes from.
    pub(super) fn of(&self, frame: usize, state: usize) -> usize {
        let begin = if frame == 0 { 0 } else { self.ends[frame - 1] };
        let ranges = &self.all[begin..self.ends[frame]];
        let behind = ranges.partition_point(|range| usize::from(range.start) <= state);
        ranges[behind - 1].from.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The costs and origins after one more frame, by trying every state.
    fn by_trial(before: &[f32], factor: f32, local: &[f32]) -> (Vec<f64>, Vec<usize>) {
        let best = |to: usize| {
            let costs = before.iter().enumerate().map(|(from, cost)| {
                let distance = from.abs_diff(to) as f64;
                (from, f64::from(*cost) + f64::from(factor) * distance * distance)
            });
            costs.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap()
        };
        let (from, costs): (Vec<_>, Vec<_>) = (0..before.len()).map(best).unzip();
        (costs.iter().zip(local).map(|(cost, local)| cost + f64::from(*local)).collect(), from)
    }

    fn numbers(seed: u32) -> impl Iterator<Item = f32> {
        let next = |word: &u32| Some(word.wrapping_mul(1_664_525).wrapping_add(1_013_904_223));
        std::iter::successors(Some(seed), next).map(|word| (word >> 8) as f32 / (1 << 24) as f32)
    }

    /// Follows `frames` and compares every step with a trial of all states.
    fn follows(factor: f32, frames: &[Vec<f32>]) {
        let num_states = frames[0].len();
        let transitions = Transitions::new(num_states, factor);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for (frame, local) in frames.iter().enumerate() {
            let before = forward.before[1..=num_states].to_vec();
            let (costs, from) = by_trial(&before, factor, local);
            origins.advance(&transitions, &mut forward, &[local.as_slice(), &[0.0; WIDTH]].concat());
            let lowest = costs.iter().copied().fold(f64::INFINITY, f64::min);
            for state in 0..num_states {
                let (got, expected) = (f64::from(forward.before[state + 1]), costs[state] - lowest);
                assert!((got - expected).abs() < 1e-5, "frame {frame}, state {state}: {got} {expected}");
                // Where two ways cost next to the same, either may be taken.
                let cost =
                    |from: usize| f64::from(before[from]) + f64::from(factor) * from.abs_diff(state).pow(2) as f64;
                let way = origins.of(frame, state);
                assert!((cost(way) - cost(from[state])).abs() < 1e-7, "frame {frame}, state {state}: from {way}");
            }
        }
    }

    #[test]
    fn the_best_way_is_found_whatever_the_costs_are() {
        for (num_states, factor) in [(417, 2.5e-6), (417, 1e-3), (50, 0.1), (9, 0.01), (2, 1.0), (1, 1.0), (40, 1e-12)]
        {
            let mut numbers = numbers(num_states as u32);
            let frames: Vec<Vec<f32>> = (0..8).map(|_| numbers.by_ref().take(num_states).collect()).collect();
            follows(factor, &frames);
            // Smooth ones, as correlations are.
            let wave = |frame: usize, state: usize| 1.0 + ((state * (frame + 3)) as f32 / 40.0).sin();
            let frames: Vec<Vec<f32>> =
                (0..8).map(|frame| (0..num_states).map(|state| wave(frame, state)).collect()).collect();
            follows(factor, &frames);
        }
    }

    #[test]
    fn without_penalty_everything_comes_from_the_next_of_the_best_states() {
        let transitions = Transitions::new(4, 0.0);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for local in [[3.0, 1.0, 1.0, 2.0], [0.0; 4]] {
            origins.advance(&transitions, &mut forward, &[local.as_slice(), &[0.0; WIDTH]].concat());
        }
        assert_eq!(origins.len(), 2);
        assert_eq!([0, 1, 2, 3].map(|state| origins.of(1, state)), [1, 1, 2, 2]);
    }

    #[test]
    fn of_equal_costs_the_first_and_the_nearest_count() {
        let transitions = Transitions::new(10, 0.1);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for frame in 0..3 {
            origins.advance(&transitions, &mut forward, &[1.0; 10 + WIDTH]);
            assert_eq!(forward.best(), 0);
            for state in 0..10 {
                assert_eq!(origins.of(frame, state), state);
            }
        }
    }
}
