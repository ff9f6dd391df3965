//! Count, extremes, mean and standard deviation.

/// Numbers that are summed side by side.
const WIDTH: usize = 8;

/// What is known of some numbers. Everything but the counts of what is not finite is over finite numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Finite numbers.
    pub count: u64,
    /// The smallest; infinity where there are none.
    pub min: f64,
    /// The largest; minus infinity where there are none.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The sum of the squared distances from the mean.
    pub squares: f64,
    /// Numbers that are none.
    pub nan: u64,
    /// Infinities.
    pub inf: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, mean: 0.0, squares: 0.0, nan: 0, inf: 0 }
    }
}

impl Moments {
    /// Those of numbers in single precision. Sums are in double precision.
    pub fn of(values: &[f32]) -> Self {
        let Some(shift) = values.iter().copied().find(|value| value.is_finite()) else {
            return Self::default().with_strange(values);
        };
        let mut sums = Sums::new(shift.into());
        let (chunks, rest) = values.as_chunks::<{ 8 * WIDTH }>();
        let mut strange = Self::default();
        for chunk in chunks {
            if are_finite(chunk) {
                chunk.as_chunks().0.iter().for_each(|eight| sums.add_eight(eight));
                sums.count += chunk.len() as u64;
            } else {
                chunk.iter().filter(|value| value.is_finite()).for_each(|&value| sums.add(value.into()));
                strange = strange.with_strange(chunk);
            }
        }
        rest.iter().filter(|value| value.is_finite()).for_each(|&value| sums.add(value.into()));
        strange = strange.with_strange(rest);
        Self { nan: strange.nan, inf: strange.inf, ..sums.moments() }
    }

    /// Those of numbers in double precision.
    pub fn of_doubles(values: impl Iterator<Item = f64> + Clone) -> Self {
        let shift = values.clone().find(|value| value.is_finite()).unwrap_or(0.0);
        let mut sums = Sums::new(shift);
        let (mut nan, mut inf) = (0, 0);
        for value in values {
            match value {
                value if value.is_finite() => sums.add(value),
                value if value.is_nan() => nan += 1,
                _ => inf += 1,
            }
        }
        Self { nan, inf, ..sums.moments() }
    }

    fn with_strange(mut self, values: &[f32]) -> Self {
        self.nan += values.iter().filter(|value| value.is_nan()).count() as u64;
        self.inf += values.iter().filter(|value| value.is_infinite()).count() as u64;
        self
    }

    /// Those of both together. The result depends on the order of the parts in its last digits.
    pub fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count > 0 {
            let distance = other.mean - self.mean;
            let share = other.count as f64 / count as f64;
            self.squares += other.squares + distance * distance * self.count as f64 * share;
            self.mean += distance * share;
        }
        self.count = count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.nan += other.nan;
        self.inf += other.inf;
    }

    /// The standard deviation: the root of the mean squared distance from the mean.
    pub fn stddev(&self) -> f64 {
        (self.squares / self.count.max(1) as f64).sqrt()
    }

    /// Whether there are numbers, and all are the same.
    pub fn is_constant(&self) -> bool {
        self.count > 0 && self.min == self.max && self.nan + self.inf == 0
    }
}

/// Sums of distances from a number among those that are summed, so that little is lost where all are far from zero.
struct Sums {
    shift: f64,
    count: u64,
    sums: [f64; WIDTH],
    squares: [f64; WIDTH],
    min: [f64; WIDTH],
    max: [f64; WIDTH],
}

impl Sums {
    fn new(shift: f64) -> Self {
        let all = |value| [value; WIDTH];
        Self {
            shift,
            count: 0,
            sums: all(0.0),
            squares: all(0.0),
            min: all(f64::INFINITY),
            max: all(f64::NEG_INFINITY),
        }
    }

    #[inline(always)]
    fn add_eight(&mut self, values: &[f32; WIDTH]) {
        for (lane, &value) in values.iter().enumerate() {
            let value = f64::from(value);
            let distance = value - self.shift;
            self.sums[lane] += distance;
            self.squares[lane] += distance * distance;
            self.min[lane] = if value < self.min[lane] { value } else { self.min[lane] };
            self.max[lane] = if value > self.max[lane] { value } else { self.max[lane] };
        }
    }

    fn add(&mut self, value: f64) {
        let distance = value - self.shift;
        self.count += 1;
        self.sums[0] += distance;
        self.squares[0] += distance * distance;
        self.min[0] = self.min[0].min(value);
        self.max[0] = self.max[0].max(value);
    }

    fn moments(&self) -> Moments {
        let count = self.count.max(1) as f64;
        let mean = self.sums.iter().sum::<f64>() / count;
        Moments {
            count: self.count,
            min: self.min.iter().copied().fold(f64::INFINITY, f64::min),
            max: self.max.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            mean: if self.count == 0 { 0.0 } else { self.shift + mean },
            squares: (self.squares.iter().sum::<f64>() - mean * mean * count).max(0.0),
            nan: 0,
            inf: 0,
        }
    }
}

/// Whether no exponent is that of infinities and NaN.
#[inline(always)]
fn are_finite(values: &[f32]) -> bool {
    let largest = values.iter().fold(0, |largest, value| (value.to_bits() & 0x7fff_ffff).max(largest));
    largest < f32::INFINITY.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-12 * a.abs().max(b.abs())
    }

    #[test]
    fn large_numbers_close_to_each_other_keep_their_deviation() {
        let values: Vec<f32> = (0..1000).map(|at| 1e6 + (at % 2) as f32).collect();
        let moments = Moments::of(&values);
        assert!(near(moments.mean, 1_000_000.5) && near(moments.stddev(), 0.5), "{moments:?}");
        assert_eq!((moments.count, moments.min, moments.max), (1000, 1e6, 1e6 + 1.0));
    }

    #[test]
    fn parts_together_are_the_whole() {
        let mut values: Vec<f32> = (0..1003).map(|at| ((at * 7919) % 1009) as f32 / 7.0 - 40.0).collect();
        values[17] = f32::NAN;
        values[500] = f32::INFINITY;
        values[999] = f32::NEG_INFINITY;
        let whole = Moments::of(&values);
        assert_eq!((whole.count, whole.nan, whole.inf), (1000, 1, 2));
        let doubles = Moments::of_doubles(values.iter().copied().map(f64::from));
        let mut sum = Moments::default();
        values.chunks(100).for_each(|chunk| sum.merge(&Moments::of(chunk)));
        sum.merge(&Moments::default());
        for other in [doubles, sum] {
            assert_eq!((other.count, other.min, other.max, other.nan, other.inf), (1000, whole.min, whole.max, 1, 2));
            assert!(near(other.mean, whole.mean) && near(other.stddev(), whole.stddev()), "{other:?} {whole:?}");
        }
    }

    #[test]
    fn what_is_not_finite_is_only_counted() {
        let moments = Moments::of(&[f32::NAN, f32::INFINITY]);
        assert_eq!(moments, Moments { nan: 1, inf: 1, ..Moments::default() });
        assert!(Moments::of(&[2.0; 70]).is_constant() && !Moments::of(&[2.0, f32::NAN]).is_constant());
        assert!(!Moments::of(&[]).is_constant());
    }
}
