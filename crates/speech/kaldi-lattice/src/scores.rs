//! Times of states, forward and backward scores, pruning.

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph, Span};
use crate::value::{CompactLattice, Lattice};

/// The logarithm of the sum of two numbers given by their logarithms.
pub(crate) fn log_add(one: f64, other: f64) -> f64 {
    let (greater, less) = if one < other { (other, one) } else { (one, other) };
    let difference = less - greater;
    if difference >= SMALLEST_DIFFERENCE { greater + difference.exp().ln_1p() } else { greater }
}

/// Below this the smaller number does not change the sum: the logarithm of the distance from 1 to the next double.
const SMALLEST_DIFFERENCE: f64 = -36.043_653_389_117_15;

/// How many frames come before each state; `None` if it cannot be reached.
pub(crate) type Times = Vec<Option<usize>>;

/// Forward and backward scores of the states of a graph, as logarithms: of the sums over paths, or of the best one.
#[derive(Clone, Debug)]
pub struct Scores {
    /// From the start to each state.
    pub forward: Vec<f64>,
    /// From each state to the end, with final costs.
    pub backward: Vec<f64>,
    /// Of all paths.
    pub total: f64,
}

/// The posterior probabilities of transition-ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatticePosteriors {
    /// For each frame, transition-ids with their probabilities, ascending.
    pub frames: Vec<Vec<(i32, f32)>>,
    /// The logarithm of the total probability.
    pub log_prob: f64,
    /// The expected acoustic log-likelihood.
    pub acoustic: f64,
}

impl Graph {
    /// The times of states of a sorted graph, if an arc takes as many frames as `frames` says.
    pub(crate) fn times_with(&self, frames: impl Fn(&Arc) -> usize) -> Result<Times> {
        let mut times: Times = vec![None; self.num_states()];
        if let Some(start) = self.start() {
            times[start as usize] = Some(0);
        }
        for state in self.states() {
            let Some(time) = times[state as usize] else { continue };
            for arc in self.arcs(state) {
                let other = time + frames(arc);
                match times[arc.next as usize] {
                    None => times[arc.next as usize] = Some(other),
                    Some(first) if first != other => {
                        return Err(Error::TimesDiffer { state: arc.next, first, other });
                    }
                    Some(_) => {}
                }
            }
        }
        Ok(times)
    }

    /// Forward and backward scores of a sorted graph: of all paths together, or of the best one.
    pub fn scores(&self, best_only: bool) -> Scores {
        let add = |one: f64, other: f64| if best_only { one.max(other) } else { log_add(one, other) };
        self.scores_by(add, Cost::total, Cost::total)
    }

    /// Scores of all paths together as the model programs compute them that add both costs of a final state, or of an arc
    /// too, in single precision.
    pub(crate) fn scores_rounded(&self, arcs_too: bool) -> Scores {
        let rounded = |cost: Cost| -f64::from(cost.log_prob());
        self.scores_by(log_add, if arcs_too { rounded } else { Cost::total }, rounded)
    }

    fn scores_by(
        &self,
        add: impl Fn(f64, f64) -> f64,
        of_arc: impl Fn(Cost) -> f64,
        of_final: impl Fn(Cost) -> f64,
    ) -> Scores {
        let mut forward = vec![f64::NEG_INFINITY; self.num_states()];
        let mut backward = forward.clone();
        let mut total = f64::NEG_INFINITY;
        if let Some(start) = self.start() {
            forward[start as usize] = 0.0;
        }
        for state in self.states() {
            let score = forward[state as usize];
            for arc in self.arcs(state) {
                let next = &mut forward[arc.next as usize];
                *next = add(*next, score - of_arc(arc.cost));
            }
            if self.is_final(state) {
                total = add(total, score - of_final(self.final_cost(state)));
            }
        }
        for state in self.states().rev() {
            let mut score = -of_final(self.final_cost(state));
            for arc in self.arcs(state) {
                score = add(score, backward[arc.next as usize] - of_arc(arc.cost));
            }
            backward[state as usize] = score;
        }
        Scores { forward, backward, total }
    }

    /// Drops arcs and final costs that are on no path as good as the best one plus `beam`, and states that are on no path
    /// then.
    ///
    /// Costs are compared in double precision. What is not sorted topologically is sorted first.
    ///
    /// # Errors
    /// If there is a cycle, or a cost is no number: then the graph stays as it is. If there is no path; then it is empty.
    pub fn prune(&mut self, beam: f64) -> Result<()> {
        self.check_costs()?;
        let Some(start) = self.start() else { return Err(Error::NoPath) };
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let start = self.start().unwrap_or(start);
        let mut costs = vec![f64::INFINITY; self.num_states()];
        costs[start as usize] = 0.0;
        let mut best = f64::INFINITY;
        for state in self.states() {
            let cost = costs[state as usize];
            for arc in self.arcs(state) {
                let next = cost + arc.cost.total();
                if costs[arc.next as usize] > next {
                    costs[arc.next as usize] = next;
                }
            }
            let last = cost + self.final_cost(state).total();
            if last < best {
                best = last;
            }
        }
        let cutoff = best + beam;
        let mut kept = vec![true; self.num_arcs()];
        // From here on, states that were visited have their costs to the end.
        for state in self.states().rev() {
            let forward = costs[state as usize];
            let mut backward = self.final_cost(state).total();
            if backward + forward > cutoff && backward != f64::INFINITY {
                self.set_final(state, Cost::INFINITE, Span::EMPTY);
            }
            let first = self.first_arc(state);
            for (index, arc) in self.arcs(state).iter().enumerate() {
                let rest = arc.cost.total() + costs[arc.next as usize];
                if rest < backward {
                    backward = rest;
                }
                let is_beyond = forward + rest > cutoff;
                kept[first + index] = !is_beyond;
            }
            costs[state as usize] = backward;
        }
        let keep = self.states_on_paths(|index| kept[index]);
        self.reduced(&keep, |index| kept[index]);
        if self.num_states() > 0 { Ok(()) } else { Err(Error::NoPath) }
    }
}

impl Lattice {
    /// How many frames come before each state of a sorted lattice, and the number of frames of the longest path.
    ///
    /// # Errors
    /// If a state is reached after different numbers of frames.
    pub(crate) fn times(&self) -> Result<(Times, usize)> {
        let times = self.times_with(|arc| usize::from(arc.input != 0))?;
        let longest = times.iter().flatten().max().copied().unwrap_or(0);
        Ok((times, longest))
    }

    /// The posterior probabilities of the transition-ids in each frame. The lattice has to be sorted topologically.
    ///
    /// # Errors
    /// If a cost is no number, paths to a state or to the end have different numbers of frames, or there is no path.
    pub fn posteriors(&self) -> Result<LatticePosteriors> {
        self.check_costs()?;
        let (times, longest) = self.times()?;
        let mut ends = self.states().filter(|&state| self.is_final(state)).filter_map(|state| times[state as usize]);
        if let Some(other) = ends.find(|&time| time != longest) {
            return Err(Error::LengthsDiffer { longest, other });
        }
        let scores = self.scores_rounded(false);
        let Some(start) = self.start() else { return Err(Error::NoPath) };
        if scores.total == f64::NEG_INFINITY {
            return Err(Error::NoPath);
        }
        let mut posteriors = vec![Vec::new(); longest];
        let mut acoustic = 0.0_f64;
        for state in self.states().rev() {
            let Some(time) = times[state as usize] else { continue };
            let forward = scores.forward[state as usize];
            for arc in self.arcs(state) {
                let backward = scores.backward[arc.next as usize] - arc.cost.total();
                let posterior = (forward + backward - scores.total).exp();
                if arc.input != 0 {
                    posteriors[time].push((arc.input, posterior as f32));
                }
                if posterior > 0.0 {
                    acoustic -= posterior * f64::from(arc.cost.acoustic);
                }
            }
            if self.is_final(state) {
                let posterior = (forward - self.final_cost(state).total() - scores.total).exp();
                if posterior > 0.0 {
                    acoustic -= posterior * f64::from(self.final_cost(state).acoustic);
                }
            }
        }
        for frame in &mut posteriors {
            sum_equal_ids(frame);
        }
        Ok(LatticePosteriors { frames: posteriors, log_prob: scores.backward[start as usize], acoustic })
    }
}

/// Sorts by id and sums what has the same one; zeros are left out.
fn sum_equal_ids(frame: &mut Vec<(i32, f32)>) {
    frame.sort_by_key(|(id, _)| *id);
    frame.dedup_by(|next, first| {
        let is_same = next.0 == first.0;
        if is_same {
            first.1 += next.1;
        }
        is_same
    });
    frame.retain(|(_, weight)| *weight != 0.0);
}

impl CompactLattice {
    /// How many frames come before each state of a sorted lattice, the number of frames of the longest path, and that of
    /// a shorter one, if there is any.
    ///
    /// # Errors
    /// If a state is reached after different numbers of frames.
    pub(crate) fn times(&self) -> Result<(Times, usize, Option<usize>)> {
        let times = self.times_with(|arc| arc.string.len())?;
        let mut lengths = Vec::new();
        for state in self.states().filter(|&state| self.is_final(state)) {
            lengths.extend(times[state as usize].map(|time| time + self.final_span(state).len()));
        }
        let longest = lengths.iter().max().copied().unwrap_or(0);
        Ok((times, longest, lengths.into_iter().find(|&length| length != longest)))
    }

    /// For each arc that can be reached, its first frame, the arc, and its posterior probability. The lattice has to be
    /// sorted topologically.
    ///
    /// # Errors
    /// If a cost is no number, a state is reached after different numbers of frames, or there is no path.
    pub fn arc_posteriors(&self) -> Result<Vec<(usize, Arc, f64)>> {
        self.check_costs()?;
        let (times, ..) = self.times()?;
        let Some(start) = self.start() else { return Err(Error::NoPath) };
        let scores = self.scores_rounded(true);
        let total = scores.backward[start as usize];
        if total == f64::NEG_INFINITY {
            return Err(Error::NoPath);
        }
        let mut posteriors = Vec::new();
        for state in self.states() {
            let Some(time) = times[state as usize] else { continue };
            for arc in self.arcs(state) {
                let log_prob = scores.forward[state as usize] + scores.backward[arc.next as usize] - arc.cost.total();
                posteriors.push((time, *arc, (log_prob - total).min(0.0).exp()));
            }
        }
        Ok(posteriors)
    }

    /// How many arcs and final strings cross each frame; nothing if there is no final state. The lattice has to be sorted
    /// topologically.
    ///
    /// # Errors
    /// If a state is reached after different numbers of frames, or a path goes on after the last final state.
    pub fn depth_per_frame(&self) -> Result<Vec<i32>> {
        let (times, longest, _) = self.times()?;
        let mut depths = vec![0; longest];
        if depths.is_empty() {
            return Ok(depths);
        }
        for state in self.states() {
            let Some(time) = times[state as usize] else { continue };
            let spans = self.arcs(state).iter().map(|arc| arc.string);
            for span in spans.chain([self.final_span(state)]) {
                let end = time + span.len();
                let crossed = depths.get_mut(time..end).ok_or(Error::LengthsDiffer { longest: end, other: longest })?;
                crossed.iter_mut().for_each(|depth| *depth += 1);
            }
        }
        Ok(depths)
    }

    /// The sum of the lengths of all strings, and the number of frames.
    ///
    /// # Errors
    /// As [`CompactLattice::depth_per_frame`].
    pub fn arc_frames(&self) -> Result<(usize, usize)> {
        let (_, longest, _) = self.times()?;
        let arcs: usize = self.all_arcs().iter().map(|arc| arc.string.len()).sum();
        let finals: usize = self.states().map(|state| self.final_span(state).len()).sum();
        Ok((arcs + finals, longest))
    }

    /// Keeps at most `most` arcs across each frame: those on the best paths. The lattice is sorted if needed.
    ///
    /// # Errors
    /// If there is a cycle, a cost is no number, or a state is reached after different numbers of frames.
    pub fn limit_depth(&mut self, most: usize) -> Result<()> {
        self.check_costs()?;
        if !self.sort_if_needed() {
            return Err(Error::Cycle);
        }
        let (times, ..) = self.times()?;
        let scores = self.scores(true);
        // The arcs by their last frame are never needed: only those that cross a frame.
        let mut frames: Vec<Vec<(f64, usize)>> = Vec::new();
        for state in self.states() {
            let Some(time) = times[state as usize] else { continue };
            let first = self.first_arc(state);
            for (index, arc) in self.arcs(state).iter().enumerate() {
                let score = scores.forward[state as usize] + scores.backward[arc.next as usize] - arc.cost.total();
                let end = time + arc.string.len();
                if frames.len() < end {
                    frames.resize(end, Vec::new());
                }
                frames[time..end].iter_mut().for_each(|frame| frame.push((score, first + index)));
            }
        }
        let mut kept = vec![true; self.num_arcs()];
        for frame in &mut frames {
            if frame.len() > most {
                frame.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
                frame[most..].iter().for_each(|&(_, index)| kept[index] = false);
            }
        }
        let keep = self.states_on_paths(|index| kept[index]);
        self.reduced(&keep, |index| kept[index]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{compact, plain};

    #[test]
    fn logarithms_are_added() {
        assert!((log_add(0.0, 0.0) - 2.0_f64.ln()).abs() < 1e-15);
        assert_eq!(log_add(f64::NEG_INFINITY, -3.0), -3.0);
        assert_eq!(log_add(f64::NEG_INFINITY, f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn pruning_keeps_what_costs_no_more_than_the_beam() {
        let mut lattice = compact("0 1 5 1,0,3\n0 2 6 2,0,4\n0 3 7 2.5,0,4\n1 4 8\n2 4 8\n3 4 8\n4\n");
        lattice.prune(1.0).unwrap();
        assert_eq!(lattice, compact("0 1 5 1,0,3\n0 2 6 2,0,4\n1 3 8\n2 3 8\n3\n"));
        lattice.prune(0.5).unwrap();
        assert_eq!(lattice, compact("0 1 5 1,0,3\n1 2 8\n2\n"));
    }

    #[test]
    fn what_cannot_be_pruned_is_left() {
        let mut cyclic = compact("0 1 5\n1 0 6\n1\n");
        let before = cyclic.clone();
        assert_eq!(cyclic.prune(1.0), Err(Error::Cycle));
        assert_eq!(cyclic, before);
        assert_eq!(compact("").prune(1.0), Err(Error::NoPath));
        assert_eq!(compact("0 1 5\n1 Infinity,Infinity,\n").prune(1.0), Err(Error::NoPath));
        let mut unsorted = compact("0 2 5 -inf,0,\n2 1 6\n1\n");
        let before = unsorted.clone();
        assert!(matches!(unsorted.prune(1.0), Err(Error::Cost { .. })));
        assert_eq!(unsorted, before);
    }

    #[test]
    fn posteriors_are_sums_over_paths() {
        let half = 2.0_f32.ln();
        let lattice = plain(&format!("0 1 3 8 {half},0\n0 1 4 8 {half},0\n1 2 5 0\n1 2 5 9 0,1\n2\n"));
        let LatticePosteriors { frames: posteriors, log_prob: total, acoustic } = lattice.posteriors().unwrap();
        assert_eq!(posteriors[0].iter().map(|(id, _)| *id).collect::<Vec<_>>(), [3, 4]);
        assert!((posteriors[0][0].1 - 0.5).abs() < 1e-6);
        assert_eq!((posteriors[1].len(), posteriors[1][0].1), (1, 1.0));
        let rest = 1.0 + (-1.0_f64).exp();
        assert!((total - rest.ln()).abs() < 1e-6);
        assert!((acoustic + (-1.0_f64).exp() / rest).abs() < 1e-6);
    }

    #[test]
    fn different_numbers_of_frames_are_an_error() {
        let lattice = plain("0 1 3 8\n1 2 4 0\n0 2 3 8\n2\n");
        assert_eq!(lattice.posteriors().unwrap_err(), Error::TimesDiffer { state: 2, first: 1, other: 2 });
        let lattice = plain("0 1 3 8\n1 2 4 0\n1\n2\n");
        assert_eq!(lattice.posteriors().unwrap_err(), Error::LengthsDiffer { longest: 2, other: 1 });
    }

    #[test]
    fn costs_that_are_no_numbers_have_no_posteriors() {
        for cost in ["nan,0", "0,nan", "-inf,0", "0,-inf", "-inf,inf"] {
            let mut lattice = compact(&format!("0 1 5 {cost},3\n0 1 6 3,0,3\n1\n"));
            assert!(matches!(lattice.arc_posteriors(), Err(Error::Cost { .. })), "{cost}");
            assert!(matches!(lattice.limit_depth(1), Err(Error::Cost { .. })), "{cost}");
            assert!(matches!(crate::to_plain(&lattice).posteriors(), Err(Error::Cost { .. })), "{cost}");
            let end = compact(&format!("0 1 5 0,0,3\n1 {cost},\n"));
            assert!(matches!(crate::to_plain(&end).posteriors(), Err(Error::Cost { .. })), "{cost}");
        }
        // What is impossible has no share.
        for cost in ["inf,0", "0,inf"] {
            let lattice = compact(&format!("0 1 5 {cost},3\n0 1 6 3,0,4\n1\n"));
            let shares: Vec<f64> = lattice.arc_posteriors().unwrap().iter().map(|(.., share)| *share).collect();
            assert_eq!(shares, [0.0, 1.0], "{cost}");
            assert_eq!(crate::to_plain(&lattice).posteriors().unwrap().frames, [[(4, 1.0)]], "{cost}");
        }
        for text in ["", "0 1 5 0,0,3\n1 Infinity,Infinity,\n", "0 1 5 inf,0,3\n1\n", "0 1 5 3e38,3e38,3\n1\n"] {
            assert_eq!(compact(text).arc_posteriors(), Err(Error::NoPath), "{text}");
        }
    }

    #[test]
    fn depths_count_arcs_across_frames() {
        let lattice = compact("0 1 5 1,0,3_3\n0 2 6 2,0,4\n2 1 7 0,0,4\n1 0,0,9\n");
        assert_eq!(lattice.depth_per_frame(), Ok(vec![2, 2, 1]));
        assert_eq!(lattice.arc_frames(), Ok((5, 3)));
        let endless = compact("0 1 5 1,0,3_3\n1 Infinity,Infinity,\n");
        assert_eq!(endless.depth_per_frame(), Ok(vec![]));
    }

    #[test]
    fn the_best_arcs_across_each_frame_stay() {
        let mut lattice = compact("0 1 5 1,0,3_3\n0 1 6 2,0,4_4\n0 1 7 0.5,0,4_4\n1\n");
        lattice.limit_depth(2).unwrap();
        assert_eq!(lattice, compact("0 1 5 1,0,3_3\n0 1 7 0.5,0,4_4\n1\n"));
        assert_eq!(compact("0 1 5\n1 0 6\n1\n").limit_depth(1), Err(Error::Cycle));
    }
}
