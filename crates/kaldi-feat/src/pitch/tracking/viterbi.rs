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
//! 2012). Most apexes need not even be looked at: correlations are smooth, and where costs bend downwards the parabola
//! between its two neighbours is above one of them everywhere. A frame keeps the ranges of its envelope for the way back.

use super::lags::LANES;

/// The states from `start` to that of the next range come from the state `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) start: u16,
    pub(super) from: u16,
}

/// The costs of changes from state to state.
#[derive(Clone, Debug)]
pub(super) struct Transitions {
    num_states: usize,
    factor: f32,
    /// What it costs to change by `1 - num_states`, by one more ..., by `num_states - 1`.
    changes: Vec<f32>,
    /// `factor * (2 * j - 1)`: by how much more a change from `j` costs than one from `j - 1`, to the state 0.
    steps: Vec<f32>,
    /// `1 / (2 * factor * distance)`.
    inverses: Vec<f64>,
}

/// The costs of the best ways to all states of a frame, the lowest of which is 0.
#[derive(Clone, Debug)]
pub(super) struct Forward {
    /// With an infinite one before the first and behind the last.
    before: Vec<f32>,
    next: Vec<f32>,
    /// What of the costs before is kept for work on a frame.
    slopes: Vec<f32>,
    on_envelope: Vec<u8>,
    envelope: Vec<Apex>,
}

/// A parabola on the lower envelope.
#[derive(Clone, Copy, Debug)]
struct Apex {
    state: usize,
    /// The first state that it is the lowest for.
    start: usize,
    /// Its value at the state 0, where all parabolas cut differently.
    height: f64,
}

impl Transitions {
    /// Prepares transitions between `num_states` states, at least one.
    pub(super) fn new(num_states: usize, factor: f32) -> Self {
        // Without a cost, the next of equally good states is taken.
        let factor = factor.max(f32::MIN_POSITIVE);
        let cost = |distance: usize| (distance * distance) as f32 * factor;
        let changes = (1..num_states).rev().chain(0..num_states).map(cost).collect();
        let steps = (0..=num_states).map(|state| (2.0 * state as f32 - 1.0) * factor).collect();
        let inverses = (0..num_states).map(|distance| 0.5 / (f64::from(factor) * distance as f64)).collect();
        Self { num_states, factor, changes, steps, inverses }
    }

    /// The costs before the first frame: nothing.
    pub(super) fn start(&self) -> Forward {
        let mut before = vec![0.0; self.num_states + 2];
        (before[0], before[self.num_states + 1]) = (f32::INFINITY, f32::INFINITY);
        Forward {
            next: before.clone(),
            before,
            slopes: vec![0.0; self.num_states + 1],
            on_envelope: vec![0; self.num_states.next_multiple_of(8)],
            envelope: Vec::new(),
        }
    }

    /// Goes on to the next frame, whose states cost `local`, and appends where they come from.
    pub(super) fn advance(&self, forward: &mut Forward, local: &[f32], origins: &mut Vec<Origin>) {
        self.find_envelope(forward);
        let Forward { before, next, envelope, .. } = forward;
        let ends = envelope.iter().skip(1).map(|apex| apex.start).chain([self.num_states]);
        for (apex, end) in envelope.iter().zip(ends) {
            origins.push(Origin { start: apex.start as u16, from: apex.state as u16 });
            let cost = before[apex.state + 1];
            let changes = &self.changes[self.num_states - 1 - apex.state + apex.start..];
            let states = next[apex.start + 1..end + 1].iter_mut().zip(&local[apex.start..end]);
            for ((next, local), change) in states.zip(changes) {
                *next = change + cost + local;
            }
        }
        std::mem::swap(before, next);
        forward.subtract_lowest();
    }

    /// Finds the lower envelope of the parabolas over the states.
    fn find_envelope(&self, forward: &mut Forward) {
        self.find_candidates(forward);
        let Forward { before, on_envelope, envelope, .. } = forward;
        envelope.clear();
        let factor = f64::from(self.factor);
        let (words, _) = on_envelope.as_chunks::<8>();
        for (word, states) in words.iter().zip((0..).step_by(8)) {
            let mut bits = u64::from_le_bytes(*word);
            while bits != 0 {
                let state = states + bits.trailing_zeros() as usize / 8;
                bits &= bits - 1;
                let height = f64::from(before[state + 1]) + factor * (state * state) as f64;
                let start = loop {
                    let Some(last) = envelope.last() else { break 0 };
                    // From where on this one is lower than the last one.
                    let cut = (height - last.height) * self.inverses[state - last.state];
                    let start = if cut < 0.0 { 0 } else { cut.min(self.num_states as f64) as usize + 1 };
                    if start > last.start {
                        break start;
                    }
                    envelope.pop();
                };
                if start < self.num_states {
                    envelope.push(Apex { state, start, height });
                }
            }
        }
    }

    /// Marks the states whose parabola is somewhere lower than those of both neighbours.
    fn find_candidates(&self, forward: &mut Forward) {
        let Forward { before, slopes, on_envelope, .. } = forward;
        for (((slope, low), high), step) in slopes.iter_mut().zip(before.iter()).zip(&before[1..]).zip(&self.steps) {
            *slope = (high - low) + step;
        }
        // Twice the factor times the state from which on a parabola is lower than the one before; it must be one there is.
        let limit = 2.0 * self.factor * (self.num_states - 1) as f32;
        for ((mark, left), right) in on_envelope.iter_mut().zip(slopes.iter()).zip(&slopes[1..]) {
            *mark = u8::from((left <= right) & (*left <= limit) & (*right >= 0.0));
        }
    }
}

impl Forward {
    /// The state with the lowest cost, the first one of several.
    pub(super) fn best(&self) -> usize {
        let costs = &self.before[1..self.before.len() - 1];
        let better =
            |best: (usize, f32), (state, cost): (usize, &f32)| if *cost < best.1 { (state, *cost) } else { best };
        costs.iter().enumerate().fold((0, f32::INFINITY), better).0
    }

    fn subtract_lowest(&mut self) {
        let costs = &mut self.before[1..];
        let (groups, rest) = costs.as_chunks::<LANES>();
        let lower = |a: f32, b: f32| if b < a { b } else { a };
        let mut lowest = [f32::INFINITY; LANES];
        for group in groups {
            for lane in 0..LANES {
                lowest[lane] = lower(lowest[lane], group[lane]);
            }
        }
        let lowest = lowest.iter().chain(rest).copied().fold(f32::INFINITY, lower);
        costs.iter_mut().for_each(|cost| *cost -= lowest);
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

    /// Goes on to the next frame.
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
            origins.advance(&transitions, &mut forward, local);
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
        origins.advance(&transitions, &mut forward, &[3.0, 1.0, 1.0, 2.0]);
        origins.advance(&transitions, &mut forward, &[0.0; 4]);
        assert_eq!(origins.len(), 2);
        assert_eq!([0, 1, 2, 3].map(|state| origins.of(1, state)), [1, 1, 2, 2]);
    }

    #[test]
    fn of_equal_costs_the_first_and_the_nearest_count() {
        let transitions = Transitions::new(10, 0.1);
        let (mut forward, mut origins) = (transitions.start(), Origins::new());
        for frame in 0..3 {
            origins.advance(&transitions, &mut forward, &[1.0; 10]);
            assert_eq!(forward.best(), 0);
            for state in 0..10 {
                assert_eq!(origins.of(frame, state), state);
            }
        }
    }
}
