//! Count, extremes, mean and standard deviation.

use kaldi_simd::{DoubleLanes, Kernel, Lanes, WIDTH, dispatch};

/// So many numbers are checked together for being finite.
const CHUNK: usize = 8 * WIDTH;

/// Numbers beyond this, and those below its inverse, are scaled before they are squared.
const LARGE: f64 = 1e120;

/// The exponent of two of that scaling.
const SCALING: i32 = 600;

/// Statistics of some numbers. Everything except the counts `nan` and `inf` is over finite numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Finite numbers.
    pub count: u64,
    /// The smallest; infinity if there are no numbers.
    pub min: f64,
    /// The largest; minus infinity if there are no numbers.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// The standard deviation: the square root of the mean squared distance from the mean.
    pub stddev: f64,
    /// How many are not a number.
    pub nan: u64,
    /// Infinities.
    pub inf: u64,
}

impl Default for Moments {
    fn default() -> Self {
        Self { count: 0, min: f64::INFINITY, max: f64::NEG_INFINITY, mean: 0.0, stddev: 0.0, nan: 0, inf: 0 }
    }
}

impl Moments {
    /// The moments of numbers in single precision. Sums are in double precision.
    pub fn of(values: &[f32]) -> Self {
        let mut sums = MomentSums::default();
        sums.add(values);
        sums.moments()
    }

    /// The moments of numbers in double precision.
    pub fn of_doubles(values: impl Iterator<Item = f64> + Clone) -> Self {
        let finite = values.clone().filter(|value| value.is_finite());
        let (min, max) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), it| (min.min(it), max.max(it)));
        let largest = if min <= max { max.max(-min) } else { 0.0 };
        // The squares must be in the range of doubles, too.
        let power = match largest {
            0.0 => 0,
            largest if largest > LARGE => -SCALING,
            largest if largest < LARGE.recip() => SCALING,
            _ => 0,
        };
        let mut sums = MomentSums::default();
        values.for_each(|value| sums.add_one(value * 2.0_f64.powi(power)));
        let mut moments = sums.moments();
        for number in [&mut moments.mean, &mut moments.stddev] {
            *number *= 2.0_f64.powi(-power);
        }
        Self { min, max, ..moments }
    }

    /// Adds other numbers. The last digits of the result depend on the order of the parts.
    pub fn merge(&mut self, other: &Self) {
        let count = self.count + other.count;
        if other.count > 0 {
            let share = other.count as f64 / count as f64;
            let shares = ((1.0 - share).sqrt(), share.sqrt());
            // Half of the distance is finite, whatever the means are.
            let distance = other.mean / 2.0 - self.mean / 2.0;
            let deviation = (self.stddev * shares.0).hypot(other.stddev * shares.1);
            self.stddev = deviation.hypot(2.0 * shares.0 * shares.1 * distance);
            self.mean += 2.0 * share.min(0.5) * distance;
            self.mean += 2.0 * (share - share.min(0.5)) * distance;
        }
        self.count = count;
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.nan += other.nan;
        self.inf += other.inf;
    }

    /// The moments of each column of a matrix of single precision, row after row. A rest that is no row is left out.
    pub fn of_columns(values: &[f32], columns: usize) -> Vec<Self> {
        let mut column = Vec::with_capacity(values.len() / columns.max(1));
        let of = |at: usize| {
            column.clear();
            column.extend(values.chunks_exact(columns).map(|row| row[at]));
            Self::of(&column)
        };
        (0..columns).map(of).collect()
    }

    /// Adds the moments of the columns of another matrix, which may have more columns or fewer.
    pub fn merge_columns(columns: &mut Vec<Self>, others: &[Self]) {
        columns.resize(columns.len().max(others.len()), Self::default());
        columns.iter_mut().zip(others).for_each(|(column, other)| column.merge(other));
    }

    /// Whether there are numbers, and all are the same.
    pub fn is_constant(&self) -> bool {
        self.count > 0 && self.min == self.max && self.nan + self.inf == 0
    }
}

/// Sums of distances from the first finite number, so that little precision is lost if all are far from zero.
#[derive(Debug)]
pub struct MomentSums {
    shift: Option<f64>,
    /// Sums of whole chunks. They are separate from single numbers: otherwise the compiler would split the registers.
    lanes: Side,
    single: Moments,
}

/// Sums and extremes, side by side.
#[derive(Clone, Copy, Debug)]
struct Side {
    count: u64,
    sums: DoubleLanes,
    squares: DoubleLanes,
    min: Lanes,
    max: Lanes,
}

impl Default for MomentSums {
    fn default() -> Self {
        let (sums, squares) = (DoubleLanes::default(), DoubleLanes::default());
        let (min, max) = (Lanes::splat(f32::INFINITY), Lanes::splat(f32::NEG_INFINITY));
        Self { shift: None, lanes: Side { count: 0, sums, squares, min, max }, single: Moments::default() }
    }
}

/// Numbers that are being added.
struct Addition<'a, V, R, E> {
    sums: &'a mut MomentSums,
    values: &'a [V],
    read: R,
    each: E,
}

impl<V: Copy, R: Fn(V) -> f32 + Copy, E: FnMut(&[V], bool)> Kernel for Addition<'_, V, R, E> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        self.sums.add_chunks(self.values, self.read, self.each);
    }
}

impl MomentSums {
    /// Adds numbers. If all parts but the last have lengths that are multiples of 64, the sums are the same as those of
    /// the whole.
    pub fn add(&mut self, values: &[f32]) {
        self.add_with(values, |value| value, |_, _| {});
    }

    /// Adds the numbers that `read` makes of `values`. `each` gets the same values, up to 64 at a time, and whether all of them
    /// are zero or normal numbers: not denormal, infinite or NaN. What it does takes less time so than after the sums, since
    /// a processor does both at the same time.
    pub fn add_with<V: Copy>(&mut self, values: &[V], read: impl Fn(V) -> f32 + Copy, each: impl FnMut(&[V], bool)) {
        dispatch(Addition { sums: self, values, read, each });
    }

    #[inline(always)]
    fn add_chunks<V: Copy>(&mut self, values: &[V], read: impl Fn(V) -> f32 + Copy, mut each: impl FnMut(&[V], bool)) {
        let (mut chunks, rest) = values.as_chunks::<CHUNK>();
        loop {
            if let Some(shift) = self.shift {
                chunks = self.add_finite(chunks, shift, read, &mut each);
            }
            let [first, others @ ..] = chunks else { break };
            self.add_single(first, read, &mut each);
            chunks = others;
        }
        self.add_single(rest, read, &mut each);
    }

    /// Adds a chunk, or less, number by number.
    #[inline(always)]
    fn add_single<V: Copy>(&mut self, values: &[V], read: impl Fn(V) -> f32, each: &mut impl FnMut(&[V], bool)) {
        values.iter().for_each(|&value| self.add_one(read(value).into()));
        each(values, false);
    }

    /// Adds the chunks before the first one with numbers that are not finite. Returns that one and what follows.
    #[inline(always)]
    fn add_finite<'a, V: Copy>(
        &mut self,
        chunks: &'a [[V; CHUNK]],
        shift: f64,
        read: impl Fn(V) -> f32,
        each: &mut impl FnMut(&[V], bool),
    ) -> &'a [[V; CHUNK]] {
        // In registers.
        let mut lanes = self.lanes;
        let mut left = chunks;
        while let [chunk, others @ ..] = left {
            let (are_finite, are_normal) = look_at(chunk, &read);
            if !are_finite {
                break;
            }
            // Before the sums: the compiler would read the numbers for these early, and keep them in memory.
            each(chunk, are_normal);
            for eight in chunk.as_chunks::<WIDTH>().0 {
                let values = Lanes(eight.map(&read));
                (lanes.min, lanes.max) = (lanes.min.min(values), lanes.max.max(values));
                let distances = DoubleLanes::from(values) - shift;
                lanes.sums += distances;
                lanes.squares += distances * distances;
            }
            left = others;
        }
        lanes.count += (CHUNK * (chunks.len() - left.len())) as u64;
        self.lanes = lanes;
        left
    }

    /// Here, `mean` and `stddev` are sums of distances and of their squares.
    fn add_one(&mut self, value: f64) {
        let single = &mut self.single;
        if !value.is_finite() {
            single.nan += u64::from(value.is_nan());
            single.inf += u64::from(value.is_infinite());
            return;
        }
        let distance = value - *self.shift.get_or_insert(value);
        single.count += 1;
        single.mean += distance;
        single.stddev += distance * distance;
        single.min = single.min.min(value);
        single.max = single.max.max(value);
    }

    /// The moments of the numbers so far.
    #[inline(never)]
    pub fn moments(&self) -> Moments {
        let Self { shift, lanes, single } = self;
        let total = |lanes: &DoubleLanes, single: f64| lanes.0.iter().sum::<f64>() + single;
        let count = lanes.count + single.count;
        let mean = total(&lanes.sums, single.mean) / count.max(1) as f64;
        Moments {
            count,
            min: lanes.min.0.iter().fold(single.min, |min, &value| min.min(value.into())),
            max: lanes.max.0.iter().fold(single.max, |max, &value| max.max(value.into())),
            mean: shift.map_or(0.0, |shift| shift + mean),
            stddev: (total(&lanes.squares, single.stddev) / count.max(1) as f64 - mean * mean).max(0.0).sqrt(),
            nan: single.nan,
            inf: single.inf,
        }
    }
}

/// Numbers that are tested together: these are in the fastest cache.
const BLOCK: usize = 1 << 10;

/// Returns whether none of these little-endian numbers is infinite or NaN.
pub fn are_finite(numbers: &[[u8; 4]]) -> bool {
    dispatch(FiniteTest(numbers))
}

/// Numbers that are being tested.
struct FiniteTest<'a>(&'a [[u8; 4]]);

impl Kernel for FiniteTest<'_> {
    type Output = bool;

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> bool {
        let exponent = f32::INFINITY.to_bits();
        // One more than the largest exponent sets the sign. A loop without an exit works on many numbers at a time.
        let raised = |&number: &[u8; 4]| (u32::from_le_bytes(number) & exponent) + f32::MIN_POSITIVE.to_bits();
        self.0.chunks(BLOCK).all(|block| block.iter().fold(0, |found, number| found | raised(number)) >> 31 == 0)
    }
}

/// Whether no number is infinite or NaN, and whether each is zero or at least as large as the smallest normal number.
#[inline(always)]
fn look_at<V: Copy>(values: &[V; CHUNK], read: impl Fn(V) -> f32) -> (bool, bool) {
    let (mut largest, mut smallest) = (0, u32::MAX);
    for &value in values {
        let magnitude = read(value).to_bits() & 0x7fff_ffff;
        largest = largest.max(magnitude);
        // Zero becomes the largest integer.
        smallest = smallest.min(magnitude.wrapping_sub(1));
    }
    (largest < f32::INFINITY.to_bits(), smallest >= f32::MIN_POSITIVE.to_bits() - 1)
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
        assert!(near(moments.mean, 1_000_000.5) && near(moments.stddev, 0.5), "{moments:?}");
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
            assert!(near(other.mean, whole.mean) && near(other.stddev, whole.stddev), "{other:?} {whole:?}");
        }
    }

    /// Parts whose lengths are multiples of 64 have the sums of the whole, bit by bit.
    #[test]
    fn blocks_have_the_sums_of_the_whole() {
        let mut values: Vec<f32> = (0..1000).map(|at| ((at * 7919) % 1009) as f32 / 7.0 - 40.0).collect();
        (values[0], values[70], values[300]) = (f32::NAN, f32::INFINITY, -1e30);
        let mut sums = MomentSums::default();
        values.chunks(256).for_each(|block| sums.add(block));
        let whole = Moments::of(&values);
        assert_eq!(sums.moments(), whole);
        assert_eq!((whole.count, whole.nan, whole.inf, whole.min), (998, 1, 1, f64::from(-1e30_f32)));
    }

    #[test]
    fn numbers_are_passed_on_while_they_are_added() {
        let mut values: Vec<f32> = (0..1000).map(|at| ((at * 7919) % 1009) as f32 / 7.0 - 40.0).collect();
        // The first chunk is added number by number; these are in the third, the fifth and the seventh.
        (values[130], values[131], values[300], values[400]) = (0.0, -0.0, f32::NEG_INFINITY, -1e-40);
        let bytes: Vec<[u8; 4]> = values.iter().map(|value| value.to_le_bytes()).collect();
        let (mut sums, mut found, mut flags) = (MomentSums::default(), Vec::new(), Vec::new());
        sums.add_with(&bytes, f32::from_le_bytes, |chunk, are_normal| {
            found.extend(chunk.iter().map(|&bytes| f32::from_le_bytes(bytes)));
            flags.push(are_normal);
        });
        assert_eq!(found, values);
        let usual: Vec<usize> = (0..flags.len()).filter(|&chunk| flags[chunk]).collect();
        assert_eq!((flags.len(), usual), (16, vec![1, 2, 3, 5, 7, 8, 9, 10, 11, 12, 13, 14]));
        assert_eq!(sums.moments(), Moments::of(&values));
    }

    #[test]
    fn one_number_that_is_not_finite_is_found_wherever_it_is() {
        let finite = [0.0, -0.0, 1.5, f32::MAX, f32::MIN, 1e-45, -f32::MIN_POSITIVE];
        let mut numbers: Vec<[u8; 4]> = (0..2100).map(|at| f32::to_le_bytes(finite[at % finite.len()])).collect();
        assert!(are_finite(&numbers) && are_finite(&[]));
        for at in [0, 1, 70, 1023, 1024, 2047, 2048, 2099] {
            let kept = numbers[at];
            for other in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)] {
                numbers[at] = other.to_le_bytes();
                assert!(!are_finite(&numbers), "{other} at {at}");
            }
            numbers[at] = kept;
        }
    }

    #[test]
    fn the_smallest_normal_number_is_normal() {
        let of = |value: f32| look_at(&[value; CHUNK], |value| value);
        for normal in [0.0, -0.0, f32::MIN_POSITIVE, -f32::MIN_POSITIVE, f32::MAX, f32::MIN] {
            assert_eq!(of(normal), (true, true), "{normal}");
        }
        let largest_denormal = f32::from_bits(f32::MIN_POSITIVE.to_bits() - 1);
        assert_eq!([of(largest_denormal), of(-1e-45)], [(true, false); 2]);
        assert!([f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY].into_iter().all(|value| !of(value).0));
    }

    #[test]
    fn all_finite_doubles_have_a_mean_and_a_deviation() {
        for scale in [1e300, 1e-300, 1e200, 1e-200, 1e100, 1e-320, 1.0] {
            let values = [1.0, 2.0, 4.0, 1.0].map(|value| value * scale);
            let whole = Moments::of_doubles(values.into_iter());
            let (mean, stddev) = (2.0 * scale, 1.5_f64.sqrt() * scale);
            let is_near = |found: f64, wanted: f64| (found - wanted).abs() <= wanted.abs() * 1e-3;
            assert!(is_near(whole.mean, mean) && is_near(whole.stddev, stddev), "{scale}: {whole:?}");
            let mut sum = Moments::of_doubles(values[..1].iter().copied());
            sum.merge(&Moments::of_doubles(values[1..].iter().copied()));
            assert!(is_near(sum.mean, mean) && is_near(sum.stddev, stddev), "{scale}: {sum:?}");
            let mixed = Moments::of_doubles([1e-250, 1e300].into_iter());
            assert_eq!((mixed.min, mixed.max), (1e-250, 1e300));
            assert_eq!((whole.min, whole.max, sum.min, sum.max), (values[0], values[2], values[0], values[2]));
        }
        let mut ends = Moments::of_doubles([f64::MAX].into_iter());
        ends.merge(&Moments::of_doubles([f64::MIN].into_iter()));
        for moments in [ends, Moments::of_doubles([f64::MAX, f64::MIN].into_iter())] {
            assert!(moments.mean.abs() < 1e293 && near(moments.stddev, f64::MAX), "{moments:?}");
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
