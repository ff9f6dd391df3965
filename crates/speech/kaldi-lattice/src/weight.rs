//! Costs with strings, as compact lattices add and compare them.

use std::cmp::Ordering;

use crate::cost::Cost;

/// A cost with transition-ids.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Weight {
    pub(crate) cost: Cost,
    pub(crate) ids: Vec<i32>,
}

impl Weight {
    /// This weight and then another one.
    pub(crate) fn then(&self, cost: Cost, ids: &[i32]) -> Self {
        Self { cost: self.cost.then(cost), ids: [&self.ids, ids].concat() }
    }

    /// Whether this one is better than another one, as [`compare_weights`] says.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        compare_weights((self.cost, &self.ids), (other.cost, &other.ids)).is_lt()
    }
}

/// Compares costs with strings: less is what is better, the smaller cost, else the shorter string, else the larger one.
pub(crate) fn compare_weights((cost, ids): (Cost, &[i32]), (other_cost, other_ids): (Cost, &[i32])) -> Ordering {
    let by_length = || ids.len().cmp(&other_ids.len());
    let by_string = || other_ids.cmp(ids);
    cost.compare(other_cost).then_with(by_length).then_with(by_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_are_decided_by_strings() {
        let weight = |graph, ids: &[i32]| Weight { cost: Cost::new(graph, 0.0), ids: ids.to_vec() };
        assert!(weight(1.0, &[9, 9]).is_better_than(&weight(2.0, &[])));
        assert!(weight(1.0, &[1]).is_better_than(&weight(1.0, &[2, 3])));
        assert!(weight(1.0, &[3, 1]).is_better_than(&weight(1.0, &[2, 9])));
        assert!(!weight(1.0, &[3]).is_better_than(&weight(1.0, &[3])));
    }
}
