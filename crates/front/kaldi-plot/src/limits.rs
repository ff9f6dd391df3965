//! The values at the ends of a colour map.

/// The number of values that are sampled to find the common range.
const MOST_LOOKED_AT: usize = 1 << 20;
/// The share of the values at each end that may be outliers.
const TAIL: f64 = 0.005;
/// How far a value has to be from the rest to be an outlier, as a part of the range of the rest.
const FAR: f64 = 0.5;

/// A range of values, and whether there are values beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) some_below: bool,
    pub(crate) some_above: bool,
}

impl Limits {
    /// Finds limits for `values`: `low` and `high` if they are given, otherwise the least and the greatest value.
    ///
    /// Extremes that are far away from all but half a percent of the values are left out, since the rest would be of
    /// one colour. NaN and infinities do not count.
    pub(crate) fn of(values: &[f32], low: Option<f64>, high: Option<f64>) -> Self {
        let finite = || values.iter().filter(|value| value.is_finite());
        let (least, most) = finite()
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), &value| (least.min(value), most.max(value)));
        let (least, most) = if least <= most { (f64::from(least), f64::from(most)) } else { (0.0, 0.0) };
        let (mut from, mut to) = common(values).unwrap_or((least, most));
        let margin = FAR * (to - from);
        if margin == 0.0 || from - least <= margin {
            from = least;
        }
        if margin == 0.0 || most - to <= margin {
            to = most;
        }
        let (mut from, mut to) = (low.unwrap_or(from), high.unwrap_or(to));
        if from >= to {
            // All values are the same, or beyond the given limit.
            let half = if from == 0.0 { 1.0 } else { from.abs().max(to.abs()) * 0.05 };
            match (low, high) {
                (Some(_), None) => to = from + 2.0 * half,
                (None, Some(_)) => from = to - 2.0 * half,
                _ => (from, to) = (from - half, to + half),
            }
        }
        Self { low: from, high: to, some_below: least < from, some_above: most > to }
    }

    /// Finds limits that are equally far from zero on both sides, for colours that have zero in their middle.
    pub(crate) fn around_zero(values: &[f32]) -> Self {
        let Self { low, high, .. } = Self::of(values, None, None);
        let reach = low.abs().max(high.abs());
        Self::of(values, Some(-reach), Some(reach))
    }

    /// The position of a value between the lower and the upper limit: from 0 to 1 for values within them.
    pub(crate) fn part(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }
}

/// The range of all values but the tails, estimated from a sample.
fn common(values: &[f32]) -> Option<(f64, f64)> {
    let step = values.len().div_ceil(MOST_LOOKED_AT).max(1);
    let mut sample: Vec<f32> = values.iter().step_by(step).copied().filter(|value| value.is_finite()).collect();
    let last = sample.len().checked_sub(1)?;
    let tail = (TAIL * last as f64).round() as usize;
    let (_, &mut low, _) = sample.select_nth_unstable_by(tail, f32::total_cmp);
    let (_, &mut high, _) = sample.select_nth_unstable_by(last - tail, f32::total_cmp);
    Some((low.into(), high.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(values: &[f32]) -> (f64, f64, bool, bool) {
        let Limits { low, high, some_below, some_above } = Limits::of(values, None, None);
        (low, high, some_below, some_above)
    }

    fn ramp() -> Vec<f32> {
        (0..1000).map(|at| at as f32).collect()
    }

    #[test]
    fn all_values_are_within_where_none_is_far_away() {
        assert_eq!(limits(&ramp()), (0.0, 999.0, false, false));
        assert_eq!(limits(&[3.0, -4.0]), (-4.0, 3.0, false, false));
    }

    #[test]
    fn outliers_are_left_out() {
        let mut values = ramp();
        values[500] = 1e9;
        assert_eq!(limits(&values), (0.0, 995.0, false, true));
        values[300] = -1e9;
        let (low, high, below, above) = limits(&values);
        assert!((low - 3.0).abs() < 3.0 && (high - 995.0).abs() < 3.0 && below && above, "{low} {high}");
        // Many of them are no outliers.
        values[..20].fill(1e9);
        assert_eq!(Limits::of(&values, None, None).high, 1e9);
    }

    #[test]
    fn what_is_not_finite_does_not_count() {
        assert_eq!(limits(&[f32::NAN, 1.0, f32::INFINITY, 2.0, f32::NEG_INFINITY]), (1.0, 2.0, false, false));
        assert_eq!(limits(&[f32::NAN]), (-1.0, 1.0, false, false));
        assert_eq!(limits(&[]), (-1.0, 1.0, false, false));
    }

    #[test]
    fn a_constant_is_in_the_middle() {
        assert_eq!(limits(&[0.0; 9]), (-1.0, 1.0, false, false));
        assert_eq!(limits(&[-20.0; 9]), (-21.0, -19.0, false, false));
    }

    #[test]
    fn what_is_rare_is_shown_where_all_else_is_the_same() {
        let mut values = vec![0.0; 1000];
        values[7] = 1.0;
        assert_eq!(limits(&values), (0.0, 1.0, false, false));
    }

    #[test]
    fn zero_can_be_in_the_middle() {
        let limits = Limits::around_zero(&[-2.0, 1.0, 5.0]);
        assert_eq!(limits, Limits { low: -5.0, high: 5.0, some_below: false, some_above: false });
        let mut values = ramp();
        values[9] = -1e9;
        let limits = Limits::around_zero(&values);
        assert_eq!((limits.low, limits.high, limits.some_below, limits.some_above), (-999.0, 999.0, true, false));
    }

    #[test]
    fn limits_that_are_given_hold() {
        let limits = Limits::of(&ramp(), Some(-5.0), Some(500.0));
        assert_eq!(limits, Limits { low: -5.0, high: 500.0, some_below: false, some_above: true });
        assert_eq!(limits.part(247.5), 0.5);
        let limits = Limits::of(&ramp(), Some(2000.0), None);
        assert!(limits.low == 2000.0 && limits.high > 2000.0 && limits.some_below && !limits.some_above);
        let limits = Limits::of(&ramp(), None, Some(-10.0));
        assert!(limits.high == -10.0 && limits.low < -10.0 && limits.some_above);
    }

    #[test]
    fn a_part_of_many_values_tells_what_is_common() {
        let mut values = vec![0.0; 3 * MOST_LOOKED_AT];
        values.iter_mut().enumerate().for_each(|(at, value)| *value = (at % 1000) as f32);
        values[1] = -1e20;
        let limits = Limits::of(&values, None, None);
        assert!(limits.low.abs() < 10.0 && limits.high == 999.0 && limits.some_below);
    }
}
