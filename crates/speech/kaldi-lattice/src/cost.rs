//! Costs of lattices: pairs of negative logarithms.

use std::cmp::Ordering;

/// A graph cost and an acoustic cost, each the negative logarithm of a probability.
///
/// The graph cost has the language model, the transitions and the pronunciations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// The cost of the language model, the transitions and the pronunciations.
    pub graph: f32,
    /// The cost of the acoustic model.
    pub acoustic: f32,
}

impl Cost {
    /// The cost of nothing: zero twice.
    pub const ONE: Self = Self { graph: 0.0, acoustic: 0.0 };

    /// The cost of what is impossible: a state with it is not final.
    pub const INFINITE: Self = Self { graph: f32::INFINITY, acoustic: f32::INFINITY };

    /// A cost of both parts.
    pub fn new(graph: f32, acoustic: f32) -> Self {
        Self { graph, acoustic }
    }

    /// The cost of one after the other.
    pub fn then(self, next: Self) -> Self {
        Self { graph: self.graph + next.graph, acoustic: self.acoustic + next.acoustic }
    }

    /// What is left of the cost if `first` is taken off its front. What is impossible stays so, and what is no number
    /// becomes so.
    pub fn after(self, first: Self) -> Self {
        let rest = Self { graph: self.graph - first.graph, acoustic: self.acoustic - first.acoustic };
        if rest.is_finite() { rest } else { Self::INFINITE }
    }

    /// The sum of both parts.
    pub fn total(self) -> f64 {
        f64::from(self.graph) + f64::from(self.acoustic)
    }

    /// The logarithm of the probability, as single precision has it.
    pub fn log_prob(self) -> f32 {
        -(self.graph + self.acoustic)
    }

    /// Whether both parts are infinite.
    pub fn is_infinite(self) -> bool {
        self == Self::INFINITE
    }

    /// Whether both parts are numbers.
    pub fn is_finite(self) -> bool {
        self.graph.is_finite() && self.acoustic.is_finite()
    }

    /// Whether a path with this cost can be compared with others: neither part is NaN or minus infinity.
    pub fn is_comparable(self) -> bool {
        self.graph > f32::NEG_INFINITY && self.acoustic > f32::NEG_INFINITY
    }

    /// Whether no path with this cost can be taken: a part is infinite.
    pub fn is_impossible(self) -> bool {
        self.graph == f32::INFINITY || self.acoustic == f32::INFINITY
    }

    /// Compares as weights are compared: the smaller total in single precision is less, then the smaller graph cost.
    pub fn compare(self, other: Self) -> Ordering {
        let totals = (self.graph + self.acoustic).partial_cmp(&(other.graph + other.acoustic));
        let order = totals.unwrap_or(Ordering::Equal);
        order.then(self.graph.partial_cmp(&other.graph).unwrap_or(Ordering::Equal))
    }

    /// The product with a matrix of scales, computed in double precision. An infinite graph cost makes all infinite.
    pub fn scaled(self, scale: &Scale) -> Self {
        if self.graph == f32::INFINITY {
            return Self::INFINITE;
        }
        let (graph, acoustic) = (f64::from(self.graph), f64::from(self.acoustic));
        Self {
            graph: (scale.graph * graph + scale.acoustic_to_graph * acoustic) as f32,
            acoustic: (scale.graph_to_acoustic * graph + scale.acoustic * acoustic) as f32,
        }
    }
}

/// What costs are multiplied by: a matrix of two rows and columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// From graph costs to graph costs.
    pub graph: f64,
    /// From acoustic costs to acoustic costs.
    pub acoustic: f64,
    /// From acoustic costs to graph costs.
    pub acoustic_to_graph: f64,
    /// From graph costs to acoustic costs.
    pub graph_to_acoustic: f64,
}

impl Default for Scale {
    fn default() -> Self {
        Self::new(1.0, 1.0)
    }
}

impl Scale {
    /// Scales both costs for themselves.
    pub fn new(graph: f64, acoustic: f64) -> Self {
        Self { graph, acoustic, acoustic_to_graph: 0.0, graph_to_acoustic: 0.0 }
    }

    /// The scale that takes this one back, if it has no mixed terms.
    pub fn inverse(&self) -> Self {
        Self::new(1.0 / self.graph, 1.0 / self.acoustic)
    }

    /// Whether nothing changes.
    pub fn is_one(&self) -> bool {
        *self == Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_a_matrix() {
        let scale = Scale { graph: 2.0, acoustic: 0.5, acoustic_to_graph: 1.0, graph_to_acoustic: 0.25 };
        assert_eq!(Cost::new(4.0, 8.0).scaled(&scale), Cost::new(16.0, 5.0));
        assert_eq!(Cost::new(f32::INFINITY, 8.0).scaled(&scale), Cost::INFINITE);
        assert!(Cost::new(1.0, f32::INFINITY).scaled(&Scale::new(1.0, 1.0)).graph.is_nan());
    }

    #[test]
    fn the_smaller_total_is_less_then_the_smaller_graph_cost() {
        assert_eq!(Cost::new(1.0, 2.0).compare(Cost::new(1.5, 1.0)), Ordering::Greater);
        assert_eq!(Cost::new(1.0, 2.0).compare(Cost::new(2.0, 1.0)), Ordering::Less);
        assert_eq!(Cost::INFINITE.compare(Cost::INFINITE), Ordering::Equal);
    }

    #[test]
    fn what_was_impossible_stays_so() {
        assert_eq!(Cost::INFINITE.after(Cost::new(1.0, 2.0)), Cost::INFINITE);
        assert_eq!(Cost::INFINITE.after(Cost::INFINITE), Cost::INFINITE);
        assert_eq!(Cost::new(1.0, f32::NEG_INFINITY).after(Cost::ONE), Cost::INFINITE);
        assert_eq!(Cost::new(3.0, 5.0).after(Cost::new(1.0, 2.0)), Cost::new(2.0, 3.0));
    }
}
