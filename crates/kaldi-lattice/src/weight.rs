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

    /// Whether this one is better: of smaller cost, else a shorter string, else a larger one.
    pub(crate) fn is_better_than(&self, other: &Self) -> bool {
        let by_length = || self.ids.len().cmp(&other.ids.len());
        let by_string = || other.ids.cmp(&self.ids);
        self.cost.compare(other.cost).then_with(by_length).then_with(by_string) == Ordering::Less
    }
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
