//! The most probable course of the pitch.
//!
//! A state is a lag. Each state has a cost, and a change from state `j` to state `i` costs `factor * (i - j)^2`. For
//! each frame and each state `i` the search needs this minimum, and its `j`:
//!
//! ```text
//! min over j of before[j] + factor * (i - j)^2
//! ```
//!
//! The minimum is the lower envelope of parabolas that differ only in their apexes. Each parabola is the lowest on one
//! range of states, and the order of the ranges is that of the apexes. So one pass over the apexes from left to right
//! is enough, with a stack of those that are on the envelope so far (like the distance transform of Felzenszwalb and
//! Huttenlocher, 2012). Before that, most parabolas that are not on the envelope are removed, many at a time: the
//! intersections of each parabola with its neighbours are computed in parallel, and those that are nowhere lower than
//! both neighbours are removed; then once more with their new neighbours. As long as the intersections of the others
//! are in order, they are those of the envelope. A frame keeps the ranges of its envelope for the way back.

use kaldi_lanes::{Lanes, WIDTH};

/// A sum with this has no bits for fractions: a number from 0 to 2^22 is rounded to an integer in the lowest bits.
/// Casts are slower, since they have to handle numbers that do not fit.
const ROUND: f32 = 12_582_912.0;

/// The states from `start` to the `start` of the next range come from the state `from`.
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
    /// The costs of changes by `1 - num_states`, by one more ..., by `num_states - 1`, and room for the last lanes.
    changes: Vec<f32>,
}

/// The parabola of a state.
#[derive(Clone, Copy, Debug)]
struct Parabola {
    /// The state of its apex.
    apex: i32,
    /// Its lowest value.
    cost: f32,
}

/// The costs of the best ways to all states of a frame, the lowest of which is 0.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    /// With an infinite one before the first and some after the last.
    before: Vec<f32>,
    next: Vec<f32>,
    /// The parabolas that may be on the envelope, between two infinite ones.
    parabolas: Vec<Parabola>,
    /// The first state for which each of them is lower than the one before it.
    cuts: Vec<i32>,
}

impl Transitions {
    /// Prepares transitions between `num_states` states, from one to 65535.
    pub(super) fn new(num_states: usize, factor: f32) -> Self {
        // Without a cost, the next of equally good states is taken.
        let factor = factor.max(f32::MIN_POSITIVE);
        let cost = |distance: usize| (distance * distance) as f32 * factor;
        let changes = (1..num_states).rev().chain(0..num_states).map(cost).chain([0.0; WIDTH]).collect();
        Self { num_states, factor, changes }
    }

    /// The costs before the first frame: zero.
    pub(super) fn start(&self) -> Forward {
        let mut before = vec![0.0; self.num_states + 2 + WIDTH];
        before[0] = f32::INFINITY;
        before[self.num_states + 1..].fill(f32::INFINITY);
        let parabolas = vec![Parabola { apex: -1, cost: f32::INFINITY }; self.num_states + 2];
        Forward { next: before.clone(), before, parabolas, cuts: vec![0; self.num_states + 1] }
    }

    /// Advances to the next frame, whose states cost `local`, with room for the last lanes after them; appends the
    /// states from which the best ways come.
    #[inline(always)]
    fn advance(&self, forward: &mut Forward, local: &[f32], origins: &mut Vec<Origin>) {
        let begin = origins.len();
        let num_parabolas = self.find_parabolas(forward);
        self.append_envelope(num_parabolas, forward, origins);
        self.change(forward, local, &origins[begin..]);
        std::mem::swap(&mut forward.before, &mut forward.next);
        forward.subtract_lowest(self.num_states);
    }

    /// Finds the parabolas that may be on the lower envelope, and returns their number. They are stored after the first
    /// one; each has the first state for which it is lower than the one before it.
    #[inline(always)]
    fn find_parabolas(&self, forward: &mut Forward) -> usize {
        let Forward { before, parabolas, cuts, .. } = forward;
        let (limit, inverse) = (self.num_states as f32, 0.5 / self.factor);
        for (state, ((cut, left), right)) in cuts.iter_mut().zip(before.iter()).zip(&before[1..]).enumerate() {
            *cut = bounded((right - left) * inverse + state as i32 as f32, limit);
        }
        // Without branches, which would be mispredicted.
        let mut len = 0;
        for (state, (cost, cuts)) in before[1..].iter().zip(cuts.windows(2)).enumerate() {
            parabolas[len + 1] = Parabola { apex: state as i32, cost: *cost };
            len += usize::from(cuts[0] < cuts[1]);
        }
        self.find_cuts(len, parabolas, cuts);
        let all = len;
        len = 0;
        for (at, cuts) in cuts[..=all].windows(2).enumerate() {
            parabolas[len + 1] = parabolas[at + 1];
            len += usize::from(cuts[0] < cuts[1]);
        }
        self.find_cuts(len, parabolas, cuts);
        len
    }

    /// Finds the state from which on each of these parabolas is lower than the one before it.
    #[inline(always)]
    fn find_cuts(&self, len: usize, parabolas: &mut [Parabola], cuts: &mut [i32]) {
        parabolas[len + 1] = Parabola { apex: self.num_states as i32, cost: f32::INFINITY };
        let pairs = parabolas[..=len].iter().zip(&parabolas[1..]);
        for (cut, (left, right)) in cuts[..=len].iter_mut().zip(pairs) {
            *cut = self.cut(*left, *right);
        }
    }

    /// The first state, from 0 to the number of states, for which the right one of two parabolas is lower than the left
    /// one. The error of single precision here is smaller than the rounding of the costs themselves.
    #[inline(always)]
    fn cut(&self, left: Parabola, right: Parabola) -> i32 {
        let rise = (right.cost - left.cost) * (0.5 / self.factor) / (right.apex - left.apex) as f32;
        bounded(rise + (0.5 * (left.apex + right.apex) as f32 + 0.5), self.num_states as f32)
    }

    /// Appends the lower envelope of `len` parabolas.
    #[inline(always)]
    fn append_envelope(&self, len: usize, forward: &Forward, origins: &mut Vec<Origin>) {
        let Forward { before, parabolas, cuts, .. } = forward;
        let begin = origins.len();
        // Whether the parabola before this one is the last of the envelope.
        let mut is_next = true;
        let mut last_cut = -1;
        for (parabola, cut) in parabolas[1..=len].iter().zip(cuts) {
            let mut cut = *cut;
            if !is_next || cut <= last_cut {
                loop {
                    let Some(last) = origins[begin..].last() else {
                        cut = 0;
                        break;
                    };
                    let apex = i32::from(last.from);
                    cut = self.cut(Parabola { apex, cost: before[apex as usize + 1] }, *parabola);
                    if cut > i32::from(last.start) {
                        break;
                    }
                    origins.pop();
                }
            }
            is_next = (cut as usize) < self.num_states;
            if is_next {
                origins.push(Origin { start: cut as u16, from: parabola.apex as u16 });
                last_cut = cut;
            }
        }
        if origins.len() == begin {
            // The costs are NaN.
            origins.push(Origin::default());
        }
    }

    /// Computes the costs of the next frame.
    #[inline(always)]
    fn change(&self, forward: &mut Forward, local: &[f32], envelope: &[Origin]) {
        let Forward { before, next, .. } = forward;
        let changes = &self.changes[..2 * self.num_states - 1 + WIDTH];
        for (nth, origin) in envelope.iter().enumerate() {
            let end = envelope.get(nth + 1).map_or(self.num_states, |next| next.start.into());
            let (mut state, from) = (usize::from(origin.start), usize::from(origin.from));
            let (cost, first) = (before[from + 1], self.num_states - 1 - from);
            loop {
                // Extra values in the last lanes are overwritten by the next range.
                if let Some(change) = changes[first + state..].first_chunk()
                    && let Some(local) = local[state..].first_chunk()
                    && let Some(next) = next[state + 1..].first_chunk_mut()
                {
                    *next = (Lanes(*change) + cost + Lanes(*local)).0;
                }
                state += WIDTH;
                if state >= end {
                    break;
                }
            }
        }
        next[self.num_states + 1..].fill(f32::INFINITY);
    }
}

/// A number rounded and limited to 0 to `limit`, which is below 2^22; NaN gives the limit.
#[inline(always)]
fn bounded(number: f32, limit: f32) -> i32 {
    let number = if number < limit { number } else { limit };
    let number = if number > 0.0 { number } else { 0.0 };
    (number + ROUND).to_bits().wrapping_sub(ROUND.to_bits()) as i32
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

/// The states from which the best ways to the states of all frames come.
#[derive(Clone, Debug)]
pub(super) struct Origins {
    all: Vec<Origin>,
    /// The end of each frame in `origins`.
    ends: Vec<usize>,
}

impl Origins {
    pub(super) fn new() -> Self {
        Self { all: Vec::new(), ends: Vec::new() }
    }

    /// Advances to the next frame, whose states cost `local`, with room for [`WIDTH`] more after them.
    #[inline(always)]
    pub(super) fn advance(&mut self, transitions: &Transitions, forward: &mut Forward, local: &[f32]) {
        transitions.advance(forward, local, &mut self.all);
        self.ends.push(self.all.len());
    }

    /// The number of frames.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The state of the previous frame from which the best way to a state of this frame comes.
    pub(super) fn of(&self, frame: usize, state: usize) -> usize {
        let begin = if frame == 0 { 0 } else { self.ends[frame - 1] };
        let ranges = &self.all[begin..self.ends[frame]];
        let after = ranges.partition_point(|range| usize::from(range.start) <= state);
        ranges[after - 1].from.into()
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
                // If two ways have nearly the same cost, either may be taken.
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
