//! One path for each sequence of words: the best one.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use crate::cost::Cost;
use crate::error::{Error, Result};
use crate::graph::{Arc, Graph};
use crate::value::CompactLattice;
use crate::weight::Weight;
use crate::work_list::WorkList;

/// Costs that differ by less count as the same where two sets of states are compared: a part of this.
const RESOLUTION: f32 = 1024.0;

/// States that are reached by the same words, with what is left of the weight of the way to each. Two of them are the same if
/// the rounded costs are.
struct Subset(Vec<(u32, Weight)>);

impl Subset {
    fn rounded(&self) -> impl Iterator<Item = (u32, i64, i64, &[i32])> {
        let round = |cost: f32| (cost * RESOLUTION).round() as i64;
        self.0
            .iter()
            .map(move |(state, Weight { cost, ids })| (*state, round(cost.graph), round(cost.acoustic), &ids[..]))
    }
}

impl PartialEq for Subset {
    fn eq(&self, other: &Self) -> bool {
        self.rounded().eq(other.rounded())
    }
}

impl Eq for Subset {}

impl Hash for Subset {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.rounded().for_each(|member| member.hash(hasher));
    }
}

impl CompactLattice {
    /// The lattice with one path for each sequence of words, the best one; its transition-ids go with it. Arcs without a
    /// word are removed.
    ///
    /// # Errors
    /// If there is a cycle, a cost is no number, or there would be too many transition-ids.
    pub fn determinized(&self) -> Result<Self> {
        let graph = self.0.clone().without_epsilons()?;
        let Some(start) = graph.start() else { return Ok(Self::default()) };
        let mut list = WorkList::starting_with(Subset(vec![(start, Weight::default())]));
        let mut num_ids = 0;
        while let Some((subset, from)) = list.next() {
            num_ids += subset.0.iter().map(|(_, weight)| weight.ids.len() as u64).sum::<u64>();
            Error::check_ids(num_ids, graph.ids.len())?;
            expand(&graph, &subset, from, &mut list);
        }
        let mut lattice = list.finish();
        lattice.connect();
        lattice.sort_if_needed();
        Ok(Self(lattice))
    }
}

/// Gives a state an arc for each word.
fn expand(graph: &Graph, subset: &Subset, from: u32, list: &mut WorkList<Subset>) {
    let mut last: Option<Weight> = None;
    let mut words: BTreeMap<i32, BTreeMap<u32, Weight>> = BTreeMap::new();
    for (state, weight) in &subset.0 {
        if graph.is_final(*state) {
            let end = weight.then(graph.final_cost(*state), graph.final_string(*state));
            if last.as_ref().is_none_or(|last| end.is_better_than(last)) {
                last = Some(end);
            }
        }
        for arc in graph.arcs(*state) {
            let next = weight.then(arc.cost, graph.string(arc.string));
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
        let string = list.builder.add_string(&weight.ids);
        list.builder.set_final(from, weight.cost, string);
    }
    for (word, reached) in words {
        let (shared, rest) = divide(reached.into_iter().collect());
        let next = list.number(Subset(rest));
        let string = list.builder.add_string(&shared.ids);
        list.builder.add_arc(from, Arc::word(word, shared.cost, string, next));
    }
}

/// What all weights share, the best cost and the start of the strings, and what is left of them.
fn divide(mut subset: Vec<(u32, Weight)>) -> (Weight, Vec<(u32, Weight)>) {
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
