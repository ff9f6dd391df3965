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
//! both neighbours are removed; then again with neighbours that are farther away. As long as the intersections of the
//! others are in order, they are those of the envelope. A frame keeps the ranges of its envelope for the way back.

use kaldi_simd::{Lanes, MAX_WIDTH, Simd, WIDTH};

/// A sum with this has no bits for fractions: a number from 0 to 2^22 is rounded to an integer in the lowest bits.
/// Casts are slower, since they have to handle numbers that do not fit.
const ROUND: f32 = 12_582_912.0;

/// How far apart the parabolas are that are compared, time after time. Most of those that are not on the envelope are next to
/// where it changes from one valley of the costs to another, and far neighbours find several of them at once. That pays in wide
/// registers only.
const DISTANCES: [&[usize]; 2] = [&[1], &[8, 3]];

/// Where the parabolas start: as many infinite ones are before them as the largest distance.
const FIRST: usize = 8;

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
    /// The states from 0 on, and room for the last lanes.
    states: Vec<f32>,
}

/// The costs of the best ways to all states of a frame, the lowest of which is 0.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    /// With an infinite one before the first and some after the last.
    before: Vec<f32>,
    next: Vec<f32>,
    /// The parabolas that may be on the envelope, between two infinite ones: the states of their apexes, and their lowest
    /// values.
    apexes: Vec<f32>,
    costs: Vec<f32>,
    /// The first state for which each of them is lower than the one before it, plus `ROUND`.
    cuts: Vec<f32>,
}

impl Transitions {
    /// Prepares transitions between `num_states` states, from one to 65535.
    pub(super) fn new(num_states: usize, factor: f32) -> Self {
        // Without a cost, the next of equally good states is taken.
        let factor = factor.max(f32::MIN_POSITIVE);
        let cost = |distance: usize| (distance * distance) as f32 * factor;
        let changes = (1..num_states).rev().chain(0..num_states).map(cost).chain([0.0; WIDTH]).collect();
        let states = (0..num_states + 1 + MAX_WIDTH).map(|state| state as f32).collect();
        Self { num_states, factor, changes, states }
    }

    /// The costs before the first frame: zero.
    pub(super) fn start(&self) -> Forward {
        let mut before = vec![f32::INFINITY; self.num_states + 2 + MAX_WIDTH];
        before[1..=self.num_states].fill(0.0);
        let room = FIRST + self.num_states + 2 * MAX_WIDTH;
        let (apexes, costs) = (vec![-1.0; room], vec![f32::INFINITY; room]);
        Forward { next: before.clone(), cuts: vec![0.0; room], before, apexes, costs }
    }

    /// Advances to the next frame, whose states cost `local`, with room for the last lanes after them; appends the
    /// states from which the best ways come. The value of `zero` does not matter.
    #[inline(always)]
    fn advance<V: Simd>(&self, zero: V, forward: &mut Forward, local: &[f32], origins: &mut Vec<Origin>) {
        let num_parabolas = self.find_parabolas(zero, forward);
        let num_ranges = self.find_envelope(num_parabolas, forward);
        let envelope = forward.apexes[FIRST..][..num_ranges].iter().zip(&forward.cuts);
        let origin =
            |(apex, cut): (&f32, &f32)| Origin { start: integer(*cut) as u16, from: integer(apex + ROUND) as u16 };
        origins.extend(envelope.map(origin));
        self.change(forward, local, num_ranges);
        std::mem::swap(&mut forward.before, &mut forward.next);
        forward.subtract_lowest(self.num_states);
    }

    /// Finds the parabolas that may be on the lower envelope, and returns their number. They are stored after the first
    /// one; each has the first state for which it is lower than the one before it.
    #[inline(always)]
    fn find_parabolas<V: Simd>(&self, zero: V, forward: &mut Forward) -> usize {
        let Forward { before, apexes, costs, cuts, .. } = forward;
        let (limit, inverse) = (self.num_states as f32, 0.5 / self.factor);
        // The lanes after the last state get the limit, since these costs are infinite.
        let neighbours = before.chunks_exact(V::WIDTH).zip(before[1..].chunks_exact(V::WIDTH));
        let states = self.states.chunks_exact(V::WIDTH);
        for (cuts, ((left, right), states)) in cuts.chunks_exact_mut(V::WIDTH).zip(neighbours.zip(states)) {
            let rise = (zero.read(right) - zero.read(left)) * inverse;
            (rise + zero.read(states)).map(|number| bounded(number, limit)).write(cuts);
        }
        let (mut len, mut begin) = (0, 0);
        while begin < self.num_states {
            let parabolas = [zero.read(&self.states[begin..]), zero.read(&before[1 + begin..])];
            let both = [zero.read(&cuts[begin..]), zero.read(&cuts[begin + 1..])];
            len += V::write_if_less(parabolas, both, [&mut apexes[FIRST + len..], &mut costs[FIRST + len..]]);
            begin += V::WIDTH;
        }
        for distance in DISTANCES[usize::from(V::WIDTH == MAX_WIDTH)] {
            len = self.remove(zero, len, *distance, forward);
        }
        self.find_cuts(zero, len, 1, forward);
        len
    }

    /// Removes those of `len` parabolas that are nowhere lower than both that are `distance` before and after it, and returns
    /// the number of the others.
    #[inline(always)]
    fn remove<V: Simd>(&self, zero: V, len: usize, distance: usize, forward: &mut Forward) -> usize {
        self.find_cuts(zero, len, distance, forward);
        let Forward { apexes, costs, cuts, .. } = forward;
        let (mut left, mut begin) = (0, 0);
        while begin < len {
            let parabolas = [zero.read(&apexes[FIRST + begin..]), zero.read(&costs[FIRST + begin..])];
            let both = [zero.read(&cuts[begin..]), zero.read(&cuts[begin + distance..])];
            left += V::write_if_less(parabolas, both, [&mut apexes[FIRST + left..], &mut costs[FIRST + left..]]);
            begin += V::WIDTH;
        }
        left
    }

    /// Finds the state from which on each of these parabolas, and the next ones up to `distance`, is lower than the one
    /// that is `distance` before it. The lanes after the last one get the limit.
    #[inline(always)]
    fn find_cuts<V: Simd>(&self, zero: V, len: usize, distance: usize, forward: &mut Forward) {
        let Forward { apexes, costs, cuts, .. } = forward;
        let (limit, inverse) = (self.num_states as f32, 0.5 / self.factor);
        zero.splat(limit).write(&mut apexes[FIRST + len..]);
        // As many as the lanes that come after the last one, with the distance.
        costs[FIRST + len..][..MAX_WIDTH].fill(f32::INFINITY);
        let mut begin = 0;
        while begin < len + distance {
            let (left, right) = (zero.read(&apexes[FIRST - distance + begin..]), zero.read(&apexes[FIRST + begin..]));
            let rise = zero.read(&costs[FIRST + begin..]) - zero.read(&costs[FIRST - distance + begin..]);
            let cut = rise * inverse / (right - left) + ((left + right) * 0.5 + zero.splat(0.5));
            cut.map(|number| bounded(number, limit)).write(&mut cuts[begin..]);
            begin += V::WIDTH;
        }
    }

    /// The first state, from 0 to the number of states, for which the right one of two parabolas is lower than the left
    /// one, plus `ROUND`; of each the state of the apex and the lowest value. The error of single precision here is smaller
    /// than the rounding of the costs themselves.
    #[inline(always)]
    fn cut(&self, left: (f32, f32), right: (f32, f32)) -> f32 {
        let rise = (right.1 - left.1) * (0.5 / self.factor) / (right.0 - left.0);
        bounded(rise + ((left.0 + right.0) * 0.5 + 0.5), self.num_states as f32)
    }

    /// Finds the lower envelope of `len` parabolas, and returns the number of its ranges. Their parabolas are stored after the
    /// first one, each with the first state of its range; after these comes the end of the last range.
    #[inline(always)]
    fn find_envelope(&self, len: usize, forward: &mut Forward) -> usize {
        let Forward { before, apexes, costs, cuts, .. } = forward;
        let limit = self.num_states as f32 + ROUND;
        let mut num_ranges = 0;
        // Whether the parabola before this one is the last of the envelope.
        let mut is_next = true;
        let mut last_cut = 0.0;
        for at in 0..len {
            let (apex, cost, mut cut) = (apexes[FIRST + at], costs[FIRST + at], cuts[at]);
            if !is_next || cut <= last_cut {
                cut = ROUND;
                while num_ranges > 0 {
                    cut = self.cut((apexes[FIRST + num_ranges - 1], costs[FIRST + num_ranges - 1]), (apex, cost));
                    if cut > cuts[num_ranges - 1] {
                        break;
                    }
                    num_ranges -= 1;
                    cut = ROUND;
                }
            }
            is_next = cut < limit;
            if is_next {
                (apexes[FIRST + num_ranges], costs[FIRST + num_ranges], cuts[num_ranges]) = (apex, cost, cut);
                num_ranges += 1;
                last_cut = cut;
            }
        }
        if num_ranges == 0 {
            // The costs are NaN.
            (apexes[FIRST], costs[FIRST], cuts[0]) = (0.0, before[1], ROUND);
            num_ranges = 1;
        }
        cuts[num_ranges] = limit;
        num_ranges
    }

    /// Computes the costs of the next frame from the ranges of the envelope.
    #[inline(always)]
    fn change(&self, forward: &mut Forward, local: &[f32], num_ranges: usize) {
        let Forward { next, apexes, costs, cuts, .. } = forward;
        let changes = &self.changes[..2 * self.num_states - 1 + WIDTH];
        let parabolas = apexes[FIRST..].iter().zip(&costs[FIRST..]);
        for ((apex, cost), range) in parabolas.zip(cuts[..=num_ranges].windows(2)) {
            let (mut state, end, from) = (integer(range[0]), integer(range[1]), integer(apex + ROUND));
            let first = self.num_states - 1 - from;
            loop {
                // Extra values in the last lanes are overwritten by the next range.
                if let Some(change) = changes[first + state..].first_chunk()
                    && let Some(local) = local[state..].first_chunk()
                    && let Some(next) = next[state + 1..].first_chunk_mut()
                {
                    *next = (Lanes(*change) + *cost + Lanes(*local)).0;
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

/// A number rounded and limited to 0 to `limit`, which is below 2^22, plus `ROUND`; NaN gives the limit.
#[inline(always)]
fn bounded(number: f32, limit: f32) -> f32 {
    let number = if number < limit { number } else { limit };
    let number = if number > 0.0 { number } else { 0.0 };
    number + ROUND
}

/// The integer to which `ROUND` was added.
#[inline(always)]
fn integer(number: f32) -> usize {
    number.to_bits().wrapping_sub(ROUND.to_bits()) as usize
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
    pub(super) fn advance<V: Simd>(
        &mut self,
        zero: V,
        transitions: &Transitions,
        forward: &mut Forward,
        local: &[f32],
    ) {
        transitions.advance(zero, forward, local, &mut self.all);
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
        follows_with(Lanes::ZERO, factor, frames);
        #[cfg(target_arch = "x86_64")]
        kaldi_simd::WideLanes::zero().into_iter().for_each(|zero| follows_with(zero, factor, frames));
    }

    fn follows_with<V: Simd>(zero: V, factor: f32, frames: &[Vec<f32>]) {
        let num_states = frames[0].len();
        let transitions = Transitions::new(num_states, factor);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for (frame, local) in frames.iter().enumerate() {
            let before = forward.before[1..=num_states].to_vec();
            let (costs, from) = by_trial(&before, factor, local);
            origins.advance(zero, &transitions, &mut forward, &[local.as_slice(), &[0.0; WIDTH]].concat());
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
        let many = [(417, 2.5e-6), (417, 1e-3), (50, 0.1), (40, 1e-12), (32, 1e-4), (31, 0.1), (17, 1e-3), (16, 0.1)];
        for (num_states, factor) in
            many.into_iter().chain([(15, 0.1), (9, 0.01), (8, 1e-3), (7, 0.1), (2, 1.0), (1, 1.0)])
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
            origins.advance(Lanes::ZERO, &transitions, &mut forward, &[local.as_slice(), &[0.0; WIDTH]].concat());
        }
        assert_eq!(origins.len(), 2);
        assert_eq!([0, 1, 2, 3].map(|state| origins.of(1, state)), [1, 1, 2, 2]);
    }

    #[test]
    fn of_equal_costs_the_first_and_the_nearest_count() {
        let transitions = Transitions::new(10, 0.1);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for frame in 0..3 {
            origins.advance(Lanes::ZERO, &transitions, &mut forward, &[1.0; 10 + WIDTH]);
            assert_eq!(forward.best(), 0);
            for state in 0..10 {
                assert_eq!(origins.of(frame, state), state);
            }
        }
    }
}
