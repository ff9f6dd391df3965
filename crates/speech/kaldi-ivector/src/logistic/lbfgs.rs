//! Minimization with limited memory (L-BFGS).

use std::collections::VecDeque;

/// The number of steps that are remembered.
const MEMORY: usize = 10;

/// The share of the expected decrease that a step has to bring (Armijo's rule).
const SUFFICIENT: f64 = 1.0e-4;

/// The share of the slope that may be left after a step (Wolfe's second condition).
const SLOPE: f64 = 0.9;

/// The factor by which the length of a step changes at first.
const STRETCH: f64 = 2.0;

/// After this many changes of a step's length, the method starts again. (Each counts twice, as in Kaldi.)
const PATIENCE: u32 = 50;

/// A change of a point, or of values, that is only rounding.
const ROUNDING: f64 = 1.0e-8;

/// Minimizes a function with the method of Broyden, Fletcher, Goldfarb and Shanno in limited memory: algorithm 7.5 of
/// Nocedal and Wright, "Numerical Optimization" (2nd edition), with a line search that doubles and halves steps.
///
/// The caller computes the function: it passes value and gradient at [`Lbfgs::proposal`] to [`Lbfgs::step`], again and
/// again. Follows Kaldi's `OptimizeLbfgs` decision by decision, in double precision.
#[derive(Clone, Debug)]
pub(super) struct Lbfgs {
    /// The last point that was accepted, with its value and gradient.
    point: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    /// The point at which the function is needed next.
    proposal: Vec<f64>,
    steps: VecDeque<Step>,
    /// The diagonal of the inverse of the curvature at the start, which is the same in all directions.
    scale: f64,
    search: Option<Search>,
    best_value: f64,
    best: Vec<f64>,
}

/// A step that was accepted.
#[derive(Clone, Debug)]
struct Step {
    change: Vec<f64>,
    gradient_change: Vec<f64>,
    /// The inverse of the product of both.
    rho: f64,
}

/// A search for the right length of a step.
#[derive(Clone, Copy, Debug)]
struct Search {
    stretch: f64,
    num_changes: u32,
    last_failure: Option<Failure>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    TooFar,
    NotFarEnough,
}

impl Lbfgs {
    pub(super) fn new(start: Vec<f64>) -> Self {
        Self {
            value: f64::INFINITY,
            gradient: vec![0.0; start.len()],
            proposal: start.clone(),
            steps: VecDeque::new(),
            scale: 1.0,
            search: None,
            best_value: f64::INFINITY,
            best: start.clone(),
            point: start,
        }
    }

    /// The point at which the function is needed next.
    pub(super) fn proposal(&self) -> &[f64] {
        &self.proposal
    }

    /// The point with the smallest value so far.
    pub(super) fn best(&self) -> &[f64] {
        &self.best
    }

    /// Takes the function's value and gradient at the proposal, and makes another proposal.
    pub(super) fn step(&mut self, value: f64, gradient: Vec<f64>) {
        if value < self.best_value {
            self.best_value = value;
            self.best.clone_from(&self.proposal);
        }
        match self.search {
            None => self.start_from(self.proposal.clone(), value, gradient),
            Some(search) => self.search_on(search, value, gradient),
        }
    }

    /// Accepts a point and proposes the next one.
    fn start_from(&mut self, point: Vec<f64>, value: f64, gradient: Vec<f64>) {
        let mut direction = gradient.clone();
        let mut factors = Vec::with_capacity(self.steps.len());
        for step in self.steps.iter().rev() {
            let factor = step.rho * dot(&step.change, &direction);
            add(&mut direction, -factor, &step.gradient_change);
            factors.push(factor);
        }
        direction.iter_mut().for_each(|element| *element *= self.scale);
        for (step, factor) in self.steps.iter().zip(factors.into_iter().rev()) {
            let rest = factor - step.rho * dot(&step.gradient_change, &direction);
            add(&mut direction, rest, &step.change);
        }
        self.proposal.clone_from(&point);
        add(&mut self.proposal, -1.0, &direction);
        (self.point, self.value, self.gradient) = (point, value, gradient);
        self.search = Some(Search { stretch: STRETCH, num_changes: 0, last_failure: None });
    }

    /// Accepts the proposal, or proposes another one in the same direction.
    fn search_on(&mut self, mut search: Search, value: f64, gradient: Vec<f64>) {
        let slope_before = dot(&self.proposal, &self.gradient) - dot(&self.point, &self.gradient);
        let slope = dot(&self.proposal, &gradient) - dot(&self.point, &gradient);
        let is_decrease = value <= self.value + SUFFICIENT * slope_before;
        if is_decrease && slope >= SLOPE * slope_before {
            match self.accept(&gradient) {
                true => self.start_from(self.proposal.clone(), value, gradient),
                false => self.restart(value, gradient),
            }
            return;
        }
        let failure = if is_decrease { Failure::NotFarEnough } else { Failure::TooFar };
        if search.last_failure.is_some_and(|last| last != failure) {
            search.stretch = search.stretch.sqrt();
        }
        search.num_changes += 1;
        if search.num_changes > PATIENCE {
            self.restart(value, gradient);
            return;
        }
        let scale = if failure == Failure::TooFar { 1.0 / search.stretch } else { search.stretch };
        let before = self.proposal.clone();
        self.proposal.iter_mut().for_each(|element| *element *= scale);
        add(&mut self.proposal, 1.0 - scale, &self.point);
        let mut change = self.proposal.clone();
        add(&mut change, -1.0, &before);
        let (length, change) = (norm(&self.proposal), norm(&change));
        let is_rounding = change <= ROUNDING * length && (self.value - value).abs() < ROUNDING * self.value.abs();
        if change == 0.0 || (failure == Failure::TooFar && is_rounding) {
            self.restart(value, gradient);
            return;
        }
        search.num_changes += 1;
        search.last_failure = Some(failure);
        self.search = Some(search);
    }

    /// Remembers the step to the proposal; returns whether the method can go on with it.
    fn accept(&mut self, gradient: &[f64]) -> bool {
        let (mut change, mut gradient_change) = (self.proposal.clone(), gradient.to_vec());
        add(&mut change, -1.0, &self.point);
        add(&mut gradient_change, -1.0, &self.gradient);
        let product = dot(&gradient_change, &change);
        if product <= 1.0e-20 || norm(&change) == 0.0 {
            return false;
        }
        let scale = product / dot(&gradient_change, &gradient_change);
        self.scale = if scale.is_finite() { scale } else { 1.0 };
        if self.steps.len() == MEMORY {
            self.steps.pop_front();
        }
        self.steps.push_back(Step { change, gradient_change, rho: 1.0 / product });
        true
    }

    /// Forgets all steps, and starts from the better one of the last point and the proposal.
    fn restart(&mut self, value: f64, gradient: Vec<f64>) {
        self.steps.clear();
        if value < self.value {
            self.start_from(self.proposal.clone(), value, gradient);
        } else {
            let (point, gradient) = (std::mem::take(&mut self.point), std::mem::take(&mut self.gradient));
            self.start_from(point, self.value, gradient);
        }
    }
}

fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}

/// Adds `factor` times `others`.
fn add(values: &mut [f64], factor: f64, others: &[f64]) {
    values.iter_mut().zip(others).for_each(|(value, other)| *value += factor * other);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Minimizes; returns the smallest value and where it is.
    fn minimize(start: &[f64], num_steps: usize, function: impl Fn(&[f64]) -> (f64, Vec<f64>)) -> (f64, Vec<f64>) {
        let mut lbfgs = Lbfgs::new(start.to_vec());
        for _ in 0..num_steps {
            let (value, gradient) = function(lbfgs.proposal());
            lbfgs.step(value, gradient);
        }
        (lbfgs.best_value, lbfgs.best)
    }

    /// Rosenbrock's banana.
    fn banana(x: &[f64]) -> (f64, Vec<f64>) {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        (a * a + 100.0 * b * b, vec![-2.0 * a - 400.0 * x[0] * b, 200.0 * b])
    }

    #[test]
    fn the_bottom_of_a_valley_is_found() {
        let (value, place) = minimize(&[-1.2, 1.0], 200, banana);
        assert!(value < 1e-20, "{value}");
        assert!(place.iter().all(|x| (x - 1.0).abs() < 1e-9), "{place:?}");
    }

    #[test]
    fn a_bowl_needs_few_steps() {
        let weights = [1.0, 10.0, 100.0, 3.0];
        let bowl = |x: &[f64]| {
            let value = x.iter().zip(weights).map(|(x, w)| 0.5 * w * (x - w) * (x - w)).sum();
            (value, x.iter().zip(weights).map(|(x, w)| w * (x - w)).collect())
        };
        let (value, place) = minimize(&[0.0; 4], 40, bowl);
        assert!(value < 1e-12, "{value} {place:?}");
    }

    #[test]
    fn the_best_point_is_kept_when_there_is_nothing_better() {
        let (value, place) = minimize(&[1.0, 1.0], 30, banana);
        assert_eq!((value, place), (0.0, vec![1.0, 1.0]));
        let (value, place) = minimize(&[3.0], 0, |_| unreachable!());
        assert_eq!((value, place), (f64::INFINITY, vec![3.0]));
        // NaN is never a better value.
        let (value, _) = minimize(&[3.0], 30, |x| (if x[0] > 2.0 { x[0] } else { f64::NAN }, vec![1.0]));
        assert!((2.0..=3.0).contains(&value), "{value}");
    }
}
