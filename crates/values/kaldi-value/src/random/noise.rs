//! Counter-based Gaussian noise: number n depends on the seed and n only.

#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, WIDTH, dispatch, ln, sin_cos_of_turn};

/// Numbers that are made at once: four of each of [`WIDTH`] blocks.
const GROUP: usize = 4 * WIDTH;

/// White noise with a name: an endless row of normally distributed numbers with a mean of zero and a variance of one.
///
/// A number depends on the seed, the name and its place in the row, by the generator Philox4x32-10 (Salmon, Moraes,
/// Dror and Shaw: Parallel random numbers, as easy as 1, 2, 3; 2011) and the method of Box and Muller. So noise is the
/// same in whatever order, in whatever pieces and on however many threads it is made. No number is farther from zero
/// than 6.7.
///
/// ```
/// let noise = kaldi_value::random::Noise::new(0, b"utt1");
/// let mut wave = [100.0; 200];
/// noise.add(0.5, 0, &mut wave);
/// assert!(wave.iter().all(|sample| *sample != 100.0 && (96.0..104.0).contains(sample)));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Noise {
    key: [u32; 2],
    seed: u32,
}

impl Noise {
    /// The noise with this name; each seed gives another one.
    pub fn new(seed: u32, name: &[u8]) -> Self {
        // FNV-1a, the two halves of which are the generator's key.
        let hash = name.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self { key: [hash as u32, (hash >> 32) as u32], seed }
    }

    /// Adds the noise from its `first` number on, times `deviation`, to `numbers`.
    pub fn add(&self, deviation: f32, first: u64, numbers: &mut [f32]) {
        dispatch(Addition { noise: self, deviation, first, numbers });
    }

    /// Makes the noise of `GROUPS` groups at once, in `LANES` lanes: `WIDTH` for each group.
    #[inline(always)]
    fn add_groups<const GROUPS: usize, const LANES: usize>(&self, deviation: f32, first: u64, numbers: &mut [f32]) {
        let (mut group, skipped) = (first / GROUP as u64, (first % GROUP as u64) as usize);
        let mut rest = numbers;
        if skipped > 0 {
            let (part, after) = rest.split_at_mut(rest.len().min(GROUP - skipped));
            self.add_part(deviation, group, skipped, part);
            (group, rest) = (group + 1, after);
        }
        let mut several = rest.chunks_exact_mut(GROUPS * GROUP);
        for numbers in &mut several {
            let noise = self.groups::<LANES>(group);
            for nth in 0..GROUPS {
                for (numbers, noise) in numbers[nth * GROUP..][..GROUP].chunks_exact_mut(WIDTH).zip(&noise) {
                    for (number, noise) in numbers.iter_mut().zip(&noise[nth * WIDTH..][..WIDTH]) {
                        *number += noise * deviation;
                    }
                }
            }
            group += GROUPS as u64;
        }
        for numbers in several.into_remainder().chunks_mut(GROUP) {
            self.add_part(deviation, group, 0, numbers);
            group += 1;
        }
    }

    /// Adds some numbers of a group.
    #[inline(always)]
    fn add_part(&self, deviation: f32, group: u64, skipped: usize, numbers: &mut [f32]) {
        let noise = self.groups::<WIDTH>(group);
        for (number, noise) in numbers.iter_mut().zip(&noise.as_flattened()[skipped..]) {
            *number += deviation * noise;
        }
    }

    /// The numbers of some groups from `group` on, [`WIDTH`] numbers of each after another: the first, second, third and
    /// fourth numbers of all blocks.
    #[inline(always)]
    fn groups<const LANES: usize>(&self, group: u64) -> [[f32; LANES]; 4] {
        let block = group.wrapping_mul(WIDTH as u64);
        let [mut lows, mut highs] = [[0; LANES]; 2];
        for lane in 0..LANES {
            let block = block.wrapping_add(lane as u64);
            (lows[lane], highs[lane]) = (block as u32, (block >> 32) as u32);
        }
        let [a, b, c, d] = philox(lows, highs, [self.seed, 0], self.key);
        let [[first, second], [third, fourth]] = [normal(a, b), normal(c, d)];
        [first, second, third, fourth]
    }
}

/// Noise on its way to numbers.
struct Addition<'a> {
    noise: &'a Noise,
    deviation: f32,
    first: u64,
    numbers: &'a mut [f32],
}

impl Kernel for Addition<'_> {
    type Output = ();

    // The generator multiplies eight numbers of 64 bits side by side.
    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        self.noise.add_groups::<1, WIDTH>(self.deviation, self.first, self.numbers);
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn compute_with_avx512(self, _zero: WideLanes) {
        self.noise.add_groups::<2, { 2 * WIDTH }>(self.deviation, self.first, self.numbers);
    }
}

/// Ten rounds of the generator on counters that differ in their first two words.
#[inline(always)]
fn philox<const LANES: usize>(
    firsts: [u32; LANES],
    seconds: [u32; LANES],
    [third, fourth]: [u32; 2],
    key: [u32; 2],
) -> [[u32; LANES]; 4] {
    let mut out = [[0; LANES]; 4];
    // With the lanes outside and the rounds inside, compilers put the lanes side by side; the other way they do not.
    for lane in 0..LANES {
        let [mut a, mut b, mut c, mut d] = [firsts[lane], seconds[lane], third, fourth].map(u64::from);
        let [mut first, mut second] = key;
        for _ in 0..10 {
            // A word is the lower half of its 64 bits, so no bits have to be moved before the multiplication.
            let (left, right) = ((a & 0xffff_ffff) * 0xd251_1f53, (c & 0xffff_ffff) * 0xcd9e_8d57);
            (a, b) = ((right >> 32) ^ b ^ u64::from(first), right);
            (c, d) = ((left >> 32) ^ d ^ u64::from(second), left);
            first = first.wrapping_add(0x9e37_79b9);
            second = second.wrapping_add(0xbb67_ae85);
        }
        [out[0][lane], out[1][lane], out[2][lane], out[3][lane]] = [a as u32, b as u32, c as u32, d as u32];
    }
    out
}

/// Makes two normally distributed numbers from two random words, in all lanes (the method of Box and Muller).
#[inline(always)]
fn normal<const LANES: usize>(radius: [u32; LANES], turn: [u32; LANES]) -> [[f32; LANES]; 2] {
    // From 2^-32 to 1; smaller numbers are finer.
    let uniform = |word: u32| (word >> 1) as i32 as f32 * 2.0_f32.powi(-31) + 2.0_f32.powi(-32);
    let [mut cosines, mut sines] = [[0.0; LANES]; 2];
    for lane in 0..LANES {
        let radius = (-2.0 * ln(uniform(radius[lane]))).max(0.0).sqrt();
        let (sin, cos) = sin_cos_of_turn(turn[lane] as i32);
        (cosines[lane], sines[lane]) = (radius * cos, radius * sin);
    }
    [cosines, sines]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(seed: u32, name: &str, count: usize) -> Vec<f32> {
        let mut numbers = vec![0.0; count];
        Noise::new(seed, name.as_bytes()).add(1.0, 0, &mut numbers);
        numbers
    }

    /// The mean product of two rows, which is normally distributed with a deviation of 1 / sqrt(length) if nothing is
    /// wrong.
    fn correlation(left: &[f32], right: &[f32]) -> f64 {
        let products = left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum::<f64>() / left.len().min(right.len()) as f64
    }

    /// The test vectors that the authors of the generator publish.
    #[test]
    fn words_are_those_of_the_published_generator() {
        let of = |counter: [u32; 4], key| {
            philox([counter[0]; WIDTH], [counter[1]; WIDTH], [counter[2], counter[3]], key).map(|words| words[5])
        };
        assert_eq!(of([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(of([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let pi = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        assert_eq!(of(pi, [0xa409_3822, 0x299f_31d0]), [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]);
    }

    #[test]
    fn numbers_follow_from_their_places() {
        let whole = noise(3, "utt", 1000);
        for (first, count) in [(0, 1000), (1, 31), (5, 3), (31, 2), (32, 64), (33, 967), (999, 1)] {
            let mut part = vec![0.0; count];
            Noise::new(3, b"utt").add(1.0, first, &mut part);
            assert_eq!(part, whole[first as usize..][..count], "{first}");
        }
        let far = 1 << 40;
        let (mut left, mut right) = ([0.0; 64], [0.0; 32]);
        Noise::new(3, b"utt").add(1.0, far, &mut left);
        Noise::new(3, b"utt").add(1.0, far + 32, &mut right);
        assert_eq!(left[32..], right);
        assert!(left[..32] != whole[..32]);
    }

    #[test]
    fn the_registers_do_not_matter() {
        let mut plain = vec![0.0; 1000];
        Noise::new(3, b"utt").add_groups::<1, WIDTH>(1.0, 7, &mut plain);
        let mut chosen = vec![0.0; 1000];
        Noise::new(3, b"utt").add(1.0, 7, &mut chosen);
        assert_eq!(plain, chosen);
    }

    #[test]
    fn it_is_added_in_proportion() {
        let unit = noise(0, "a", 100);
        let mut wave = vec![10.0; 100];
        Noise::new(0, b"a").add(0.25, 0, &mut wave);
        assert!(wave.iter().zip(&unit).all(|(sample, noise)| *sample == 10.0 + 0.25 * noise));
    }

    #[test]
    fn moments_are_those_of_the_normal_distribution() {
        let count = 1_000_000;
        let numbers = noise(0, "utt1", count);
        let moment = |power| numbers.iter().map(|number| f64::from(*number).powi(power)).sum::<f64>() / count as f64;
        // Deviations of the estimates of the moments 1 to 6: sqrt((E x^2p - (E x^p)^2) / count).
        for (power, expected, variance) in
            [(1, 0.0, 1.0), (2, 1.0, 2.0), (3, 0.0, 15.0), (4, 3.0, 96.0), (5, 0.0, 945.0), (6, 15.0, 10_170.0)]
        {
            let deviation = f64::sqrt(variance / count as f64);
            assert!((moment(power) - expected).abs() < 4.0 * deviation, "{power}: {}", moment(power));
        }
    }

    #[test]
    fn tails_are_those_of_the_normal_distribution() {
        let count = 1_000_000;
        let numbers = noise(7, "tails", count);
        // The chance to be that far from zero, on both sides together.
        for (bound, chance) in [
            (0.5, 0.617_075),
            (1.0, 0.317_311),
            (2.0, 0.045_500_3),
            (3.0, 2.699_8e-3),
            (4.0, 6.334e-5),
            (5.0, 5.733e-7),
        ] {
            let expected: f64 = chance * count as f64;
            for sign in [1.0, -1.0] {
                let beyond = numbers.iter().filter(|number| sign * **number > bound).count() as f64;
                assert!((beyond - expected / 2.0).abs() < 4.0 * (expected / 2.0).sqrt() + 2.0, "{bound}: {beyond}");
            }
        }
        assert!(numbers.iter().all(|number| number.abs() < 6.7));
    }

    /// Kolmogorov and Smirnov: the greatest distance between the shares below and the distribution's.
    #[test]
    fn numbers_are_distributed_normally_everywhere() {
        let count = 100_000;
        let mut numbers = noise(1, "everywhere", count);
        numbers.sort_by(f32::total_cmp);
        // The integral of the density by Simpson's rule, from one number to the next.
        let density = |x: f64| (-0.5 * x * x).exp() / std::f64::consts::TAU.sqrt();
        let (mut below, mut last, mut distance) = (0.0, -8.0, 0.0_f64);
        for (place, number) in numbers.iter().map(|number| f64::from(*number)).enumerate() {
            below += (number - last) / 6.0 * (density(last) + 4.0 * density((last + number) / 2.0) + density(number));
            last = number;
            distance = distance.max((below - place as f64 / count as f64).abs());
        }
        assert!(distance < 1.95 / (count as f64).sqrt(), "{distance}");
    }

    #[test]
    fn numbers_are_not_correlated() {
        let count = 200_000;
        let numbers = noise(0, "utt1", count);
        let squares: Vec<f32> = numbers.iter().map(|number| (number * number - 1.0) / 2.0_f32.sqrt()).collect();
        let bound = 4.5 / (count as f64).sqrt();
        // Lags up to the frame shift cover neighbours, lanes, and the pairs of one angle.
        for lag in 1..=160 {
            for row in [&numbers, &squares] {
                let found = correlation(row, &row[lag..]);
                assert!(found.abs() < bound, "{lag}: {found}");
            }
        }
    }

    #[test]
    fn names_and_seeds_have_noise_of_their_own() {
        let count = 100_000;
        let first = noise(0, "utt1", count);
        assert_eq!(first, noise(0, "utt1", count));
        for other in
            [noise(0, "utt2", count), noise(1, "utt1", count), noise(0, "", count), noise(u32::MAX, "utt1", count)]
        {
            assert!(correlation(&first, &other).abs() < 4.5 / (count as f64).sqrt());
        }
    }

    #[test]
    fn names_that_differ_little_have_noise_of_their_own() {
        let firsts: Vec<f32> = (0..20_000).map(|name| noise(0, &format!("utt{name}"), 1)[0]).collect();
        assert!(correlation(&firsts, &firsts[1..]).abs() < 0.03);
        assert!((correlation(&firsts, &firsts) - 1.0).abs() < 0.05);
        let mut bits: Vec<u32> = firsts.iter().map(|number| number.to_bits()).collect();
        bits.sort_unstable();
        bits.dedup();
        assert!(bits.len() > 19_900);
    }
}
