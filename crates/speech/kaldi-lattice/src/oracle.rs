//! The path that is nearest to a reference.

use std::collections::{HashMap, VecDeque};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::value::CompactLattice;
use crate::work_list::Seed;

/// The path with the fewest errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Oracle {
    /// Its words.
    pub words: Vec<i32>,
    /// Words that the reference does not have.
    pub insertions: usize,
    /// Words of the reference that the path does not have.
    pub deletions: usize,
    /// Words in place of others.
    pub substitutions: usize,
}

impl Oracle {
    /// The number of errors.
    pub fn errors(&self) -> usize {
        self.insertions + self.deletions + self.substitutions
    }
}

/// How a path got to a state with a part of the reference.
#[derive(Clone, Copy)]
enum Step {
    Start,
    /// A word of the reference is left out.
    Deletion,
    /// An arc from this state, by its index among all arcs; whether it took a word of the reference.
    Arc {
        source: u32,
        arc: u32,
        takes: bool,
    },
}

/// Places that are looked at, at most: two gigabytes.
const MOST_PLACES: usize = 1 << 25;

/// For each state with a part of the reference that was reached, the fewest errors, and the last step.
type Places = HashMap<usize, (u32, Step), Seed>;

impl CompactLattice {
    /// The path with the fewest errors against `reference`; what `is_wildcard` names counts as nothing in both. `None` if
    /// there is no path. Cycles are allowed; costs do not count.
    ///
    /// # Errors
    /// If very many words differ, which would take too much memory.
    pub fn oracle(&self, reference: &[i32], is_wildcard: impl Fn(i32) -> bool) -> Result<Option<Oracle>> {
        let counts = |word: i32| word != 0 && !is_wildcard(word);
        let reference: Vec<i32> = reference.iter().copied().filter(|&word| counts(word)).collect();
        let width = reference.len() + 1;
        let Some(start) = self.start() else { return Ok(None) };
        // Only the places that are reached: all states times all words may be very many.
        let mut places: Places = Places::with_hasher(Seed::new());
        // What costs nothing goes to the front, what costs an error to the back, so that the first is the best.
        let mut queue = VecDeque::from([(start as usize * width, 0)]);
        places.insert(start as usize * width, (0, Step::Start));
        while let Some((place, cost)) = queue.pop_front() {
            if places.len() > MOST_PLACES {
                return Err(Error::Memory {
                    needed: (self.num_states() * width * size_of::<(usize, u32, Step)>()) as u64,
                });
            }
            if places.get(&place).is_some_and(|&(errors, _)| cost > errors) {
                continue;
            }
            let (state, position) = ((place / width) as u32, place % width);
            if position + 1 == width && self.is_final(state) && !self.final_cost(state).is_infinite() {
                return Ok(Some(self.trace(&reference, &places, place, counts)));
            }
            let mut reach = |place: usize, added: u32, step: Step| {
                let known = places.entry(place).or_insert((u32::MAX, step));
                if cost + added < known.0 {
                    *known = (cost + added, step);
                    if added == 0 { queue.push_front((place, cost)) } else { queue.push_back((place, cost + added)) }
                }
            };
            let expected = reference.get(position);
            let first = self.first_arc(state);
            for (index, arc) in self.arcs(state).iter().enumerate() {
                let step = |takes| Step::Arc { source: state, arc: (first + index) as u32, takes };
                let next = arc.next as usize * width + position;
                if let Some(&expected) = expected
                    && counts(arc.input)
                {
                    reach(next + 1, u32::from(expected != arc.input), step(true));
                }
                reach(next, u32::from(counts(arc.input)), step(false));
            }
            if expected.is_some() {
                reach(place + 1, 1, Step::Deletion);
            }
        }
        Ok(None)
    }

    fn trace(&self, reference: &[i32], places: &Places, end: usize, counts: impl Fn(i32) -> bool) -> Oracle {
        let (mut oracle, mut place) = (Oracle::default(), end);
        let width = reference.len() + 1;
        while let Some(&(_, step)) = places.get(&place) {
            let position = place % width;
            match step {
                Step::Start => break,
                Step::Deletion => {
                    oracle.deletions += 1;
                    place -= 1;
                }
                Step::Arc { source, arc, takes } => {
                    let word = self.all_arcs()[arc as usize].input;
                    if counts(word) {
                        oracle.words.push(word);
                        oracle.insertions += usize::from(!takes);
                        oracle.substitutions += usize::from(takes && reference[position - 1] != word);
                    }
                    place = source as usize * width + position - usize::from(takes);
                }
            }
        }
        oracle.words.reverse();
        oracle
    }

    /// The best path of the lattice with exactly these words, where words that `is_wildcard` names may stand anywhere.
    /// `None` if there is none, or the lattice has a cycle.
    pub fn path_of_words(&self, words: &[i32], is_wildcard: impl Fn(i32) -> bool) -> Option<Self> {
        let mut hidden = self.0.clone();
        for state in hidden.states() {
            for arc in hidden.arcs_mut(state) {
                if is_wildcard(arc.input) {
                    arc.input = 0;
                }
            }
        }
        let composed = Graph::from_labels(words).compose(&hidden);
        let mut path = Self(composed).best_path().ok().flatten()?;
        for arc in &mut path.arcs {
            arc.input = arc.output;
        }
        Some(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    fn lattice() -> CompactLattice {
        compact("0 1 5 1,0,3\n0 1 6 2,0,4\n1 2 7 0,0,5\n1 2 0 0,0,6\n2 3 8 1,0,7\n3\n")
    }

    #[test]
    fn the_nearest_path_has_the_fewest_errors() {
        let oracle = |reference: &[i32]| lattice().oracle(reference, |_| false).unwrap().unwrap();
        assert_eq!(oracle(&[6, 8]), Oracle { words: vec![6, 8], ..Oracle::default() });
        assert_eq!(oracle(&[6, 7, 9]), Oracle { words: vec![6, 7, 8], substitutions: 1, ..Oracle::default() });
        assert_eq!(oracle(&[5, 9, 9, 8]).errors(), 2);
        assert_eq!(oracle(&[]).errors(), 2);
    }

    #[test]
    fn wildcards_count_as_nothing() {
        let oracle = lattice().oracle(&[7, 9, 8], |word| word == 9 || word == 5).unwrap().unwrap();
        assert_eq!((oracle.words, oracle.insertions), (vec![7, 8], 0));
        let path = lattice().path_of_words(&[7, 8], |word| word == 5).unwrap();
        assert_eq!(path.linear().unwrap().words, [5, 7, 8]);
        assert!(lattice().path_of_words(&[9], |_| false).is_none());
    }

    /// All states times all words would be 40 GB.
    #[test]
    fn a_long_reference_takes_memory_for_the_places_that_are_reached() {
        let count = 50_000;
        let text: String = (0..count).map(|state| format!("{state} {} {} 0,0,1\n", state + 1, 1 + state % 7)).collect();
        let lattice = compact(&(text + &format!("{count}\n")));
        let mut reference: Vec<i32> = (0..count).map(|word| 1 + word % 7).collect();
        reference[100] = 9;
        assert_eq!(lattice.oracle(&reference, |_| false).unwrap().unwrap().errors(), 1);
    }

    #[test]
    fn cycles_are_allowed() {
        let cyclic = compact("0 1 5\n1 0 6\n1\n");
        assert_eq!(cyclic.oracle(&[5, 6, 5], |_| false).unwrap().unwrap().errors(), 0);
        assert_eq!(compact("0 1 5\n1 Infinity,Infinity,\n").oracle(&[5], |_| false), Ok(None));
        assert_eq!(compact("").oracle(&[5], |_| false), Ok(None));
    }
}
