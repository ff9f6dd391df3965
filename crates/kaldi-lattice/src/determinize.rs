//! One path for each sequence of words: the best one.

use std::collections::BTreeMap;

use crate::cost::Cost;
use crate::error::Result;
use crate::graph::{Arc, Graph};
use crate::growing::Growing;
use crate::value::CompactLattice;
use crate::weight::Weight;

/// Costs that differ by less count as the same where two sets of states are compared: a part of this.
const RESOLUTION: f32 = 1024.0;

/// States that are reached by the same words, with what is left of the weight of the way to each.
type Subset = Vec<(u32, Weight)>;

/// A subset with rounded costs.
type Key = Vec<(u32, i64, i64, Vec<i32>)>;

fn key_of(subset: &Subset) -> Key {
    let round = |cost: f32| (cost * RESOLUTION).round() as i64;
    let key = |(state, weight): &(u32, Weight)| {
        (*state, round(weight.cost.graph), round(weight.cost.acoustic), weight.ids.clone())
    };
    subset.iter().map(key).collect()
}

impl CompactLattice {
    /// The lattice with one path for each sequence of words, the best one; its transition-ids go with it. Arcs without a
    /// word are removed.
    ///
    /// # Errors
    /// If there is a cycle.
    pub fn determinized(&self) -> Result<Self> {
        let graph = self.without_epsilons()?;
        let Some(start) = graph.start() else { return Ok(Self::default()) };
        let subset = vec![(start, Weight::default())];
        let mut work = Determinizer { graph: &graph, growing: Growing::from(key_of(&subset), |_| subset) };
        while let Some((subset, from)) = work.growing.next() {
            work.expand(&subset, from);
        }
        let mut lattice = work.growing.builder.finish();
        lattice.connect();
        lattice.sort_if_needed();
        Ok(Self(lattice))
    }
}

struct Determinizer<'a> {
    graph: &'a Graph,
    growing: Growing<Key, Subset>,
}

impl Determinizer<'_> {
    fn expand(&mut self, subset: &Subset, from: u32) {
        let mut last: Option<Weight> = None;
        let mut words: BTreeMap<i32, BTreeMap<u32, Weight>> = BTreeMap::new();
        for (state, weight) in subset {
            if self.graph.is_final(*state) {
                let end = weight.then(self.graph.final_cost(*state), self.graph.final_string(*state));
                if last.as_ref().is_none_or(|last| end.is_better_than(last)) {
                    last = Some(end);
                }
            }
            for arc in self.graph.arcs(*state) {
                let next = weight.then(arc.cost, self.graph.string(arc.string));
                let reached = words.entry(arc.input).or_default();
                match reached.get_mut(&arc.next) {
                    Some(known) if !next.is_better_than(known) => {}
                    _ => {
                        reached.insert(arc.next, next);
                    }
                }
            }
        }
        if let Some(weight) = last {
            let string = self.growing.builder.add_string(&weight.ids);
            self.growing.builder.set_final(from, weight.cost, string);
        }
        for (word, reached) in words {
            let (shared, rest) = divide(reached.into_iter().collect());
            let next = self.growing.number(key_of(&rest), |_| rest);
            let string = self.growing.builder.add_string(&shared.ids);
            self.growing.builder.add_arc(from, Arc::word(word, shared.cost, string, next));
        }
    }
}

/// What all weights share, the best cost and the start of the strings, and what is left of them.
fn divide(mut subset: Subset) -> (Weight, Subset) {
    let Some((_, first)) = subset.first() else { return (Weight::default(), subset) };
    let mut shared = first.clone();
    for (_, weight) in &subset {
        if weight.cost.compare(shared.cost).is_lt() {
            shared.cost = weight.cost;
        }
        let same = shared.ids.iter().zip(&weight.ids).take_while(|(one, other)| one == other).count();
        shared.ids.truncate(same);
    }
    let Weight { cost, ref ids } = shared;
    for (_, weight) in &mut subset {
        weight.cost = if cost == Cost::INFINITE { Cost::ONE } else { weight.cost.after(cost) };
        weight.ids.drain(..ids.len());
    }
    (shared, subset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::compact;

    #[test]
    fn the_best_path_of_each_sequence_stays() {
        let lattice = compact("0 1 5 1,0,3\n0 2 5 2,0,4_4\n1 3 6 5,0,3\n2 3 6 1,0,4\n2 3 7 0,0,8\n3\n");
        let single = lattice.determinized().unwrap();
        assert!(single.is_deterministic());
        assert_eq!(single.cost_of(&[5, 6], &[4, 4, 4]), Ok(Some(Cost::new(3.0, 0.0))));
        assert_eq!(single.cost_of(&[5, 6], &[3, 3]), Ok(None));
        assert_eq!(single.cost_of(&[5, 7], &[4, 4, 8]), Ok(Some(Cost::new(2.0, 0.0))));
        assert_eq!(single.best_paths(9).unwrap().len(), 2);
    }
}
