//! The discrete Fourier transform of eight real signals at once.
//!
//! `X[k] = sum over n of x[n] * exp(-2 pi i k n / length)`, without a factor, for any even length. The signals are
//! treated as complex ones of half the length, and transformed in place: by factors of 4 as far as possible, then 2,
//! then odd primes (Cooley and Tukey). This needs the input in another order. That costs nothing, since the signals are
//! copied sample by sample anyway: see [`RealFft::place`].

use std::f64::consts::TAU;

use kaldi_simd::Simd;

/// A complex number in each lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Complex<V> {
    pub(crate) re: V,
    pub(crate) im: V,
}

impl<V: Simd> Complex<V> {
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { re: self.re + other.re, im: self.im + other.im }
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { re: self.re - other.re, im: self.im - other.im }
    }

    /// The square of the absolute value.
    #[inline(always)]
    pub(crate) fn power(self) -> V {
        self.re * self.re + self.im * self.im
    }

    /// The product with one number for all lanes.
    #[inline(always)]
    fn turned(self, by: Turn) -> Self {
        let Turn { re, im } = by;
        Self { re: self.re * re - self.im * im, im: self.re * im + self.im * re }
    }

    /// The product with `-i`.
    #[inline(always)]
    fn turned_back(self) -> Self {
        Self { re: self.im, im: -self.re }
    }
}

/// A complex number on the unit circle.
#[derive(Clone, Copy, Debug, Default)]
struct Turn {
    re: f32,
    im: f32,
}

impl Turn {
    /// `exp(-2 pi i part / whole)`.
    fn of(part: usize, whole: usize) -> Self {
        let angle = -TAU * part as f64 / whole as f64;
        Self { re: angle.cos() as f32, im: angle.sin() as f32 }
    }
}

/// One factor of the length: turns transforms of `width` points into transforms of `radix * width` points.
#[derive(Clone, Debug)]
struct Stage {
    radix: usize,
    width: usize,
    /// For each of the `width` points, the turns for all joined transforms but the first.
    turns: Vec<Turn>,
    /// The `radix`-th roots of one.
    roots: Vec<Turn>,
}

/// The transform of one length.
#[derive(Clone, Debug)]
pub(crate) struct RealFft {
    /// Half the length.
    half: usize,
    stages: Vec<Stage>,
    /// The places of the pairs of samples.
    places: Vec<u32>,
    /// The turns that join the spectra of even and odd samples.
    turns: Vec<Turn>,
}

impl RealFft {
    /// Prepares the transform of an even `length` below 2^32.
    pub(crate) fn new(length: usize) -> Self {
        let half = length / 2;
        let radices = factors(half);
        let mut width = 1;
        let mut stages = Vec::with_capacity(radices.len());
        for radix in radices {
            let turns = (0..width).flat_map(|at| (1..radix).map(move |nth| Turn::of(at * nth, radix * width)));
            let roots = (0..radix).map(|nth| Turn::of(nth, radix)).collect();
            stages.push(Stage { radix, width, turns: turns.collect(), roots });
            width *= radix;
        }
        let place = |pair| {
            let (mut rest, mut size, mut place) = (pair, half, 0);
            for stage in stages.iter().rev() {
                size /= stage.radix;
                place += rest % stage.radix * size;
                rest /= stage.radix;
            }
            place as u32
        };
        let places = (0..half).map(place).collect();
        let turns = (0..=half / 2).map(|at| Turn::of(at, length)).collect();
        Self { half, stages, places, turns }
    }

    /// The number of samples.
    pub(crate) fn length(&self) -> usize {
        2 * self.half
    }

    /// The length of the array for a transform: the signal, and room after it.
    pub(crate) fn work_length(&self) -> usize {
        self.half + self.stages.iter().map(|stage| stage.radix).max().unwrap_or(0)
    }

    /// The places of every two samples of the signal, which become the real and the imaginary part.
    #[inline(always)]
    pub(crate) fn places(&self) -> &[u32] {
        &self.places
    }

    /// Transforms the signal as if it were complex. It is at the start of an array of [`RealFft::work_length`].
    /// [`RealFft::ends`] and [`RealFft::pair`] then return its spectrum.
    #[inline(always)]
    pub(crate) fn transform<V: Simd>(&self, work: &mut [Complex<V>]) {
        let (signal, room) = work.split_at_mut(self.half);
        for stage in &self.stages {
            match stage.radix {
                2 => stage.join_2(signal),
                4 => stage.join_4(signal),
                _ => stage.join_any(signal, &mut room[..stage.radix]),
            }
        }
    }

    /// The spectrum of a transformed signal at frequency 0 and at half the sample rate, where it is real.
    #[inline(always)]
    pub(crate) fn ends<V: Simd>(&self, work: &[Complex<V>]) -> [Complex<V>; 2] {
        let Complex { re, im } = work[0];
        [re + im, re - im].map(|re| Complex { re, im: re.splat(0.0) })
    }

    /// The spectrum of a transformed signal at two frequencies between its ends: `at`, from 1 to [`RealFft::middle`],
    /// and the one at the same distance from the upper end.
    #[inline(always)]
    pub(crate) fn pair<V: Simd>(&self, work: &[Complex<V>], at: usize) -> [Complex<V>; 2] {
        let (left, right, turn) = (work[at], work[self.half - at], self.turns[at]);
        let even = Complex { re: (left.re + right.re) * 0.5, im: (left.im - right.im) * 0.5 };
        let odd = Complex { re: (left.im + right.im) * 0.5, im: (right.re - left.re) * 0.5 }.turned(turn);
        let Complex { re, im } = even.sub(odd);
        [even.add(odd), Complex { re, im: -im }]
    }

    /// The last frequency that is not above the other one of its pair.
    pub(crate) fn middle(&self) -> usize {
        self.half / 2
    }
}

/// The factors of a number in the order of the stages.
fn factors(number: usize) -> Vec<usize> {
    let (mut odd, mut twos) = (Vec::new(), Vec::new());
    let mut rest = number;
    for radix in [4, 2] {
        while rest.is_multiple_of(radix) {
            twos.push(radix);
            rest /= radix;
        }
    }
    let mut prime = 3;
    while rest > 1 {
        if prime * prime > rest {
            prime = rest;
        }
        while rest.is_multiple_of(prime) {
            odd.push(prime);
            rest /= prime;
        }
        prime += 2;
    }
    // The first stage has no turns.
    odd.extend(twos.into_iter().rev());
    odd
}

impl Stage {
    #[inline(always)]
    fn join_2<V: Simd>(&self, signal: &mut [Complex<V>]) {
        for block in signal.chunks_exact_mut(2 * self.width) {
            let (first, second) = block.split_at_mut(self.width);
            for ((first, second), turn) in first.iter_mut().zip(second).zip(&self.turns) {
                let (a, b) = (*first, second.turned(*turn));
                *first = a.add(b);
                *second = a.sub(b);
            }
        }
    }

    #[inline(always)]
    fn join_4<V: Simd>(&self, signal: &mut [Complex<V>]) {
        if self.width == 1 {
            for points in signal.as_chunks_mut().0 {
                *points = join_4(*points);
            }
            return;
        }
        let turns = self.turns.as_chunks::<3>().0;
        for block in signal.chunks_exact_mut(4 * self.width) {
            let (left, right) = block.split_at_mut(2 * self.width);
            let (first, second) = left.split_at_mut(self.width);
            let (third, fourth) = right.split_at_mut(self.width);
            let points = first.iter_mut().zip(second).zip(third.iter_mut().zip(fourth));
            for (((first, second), (third, fourth)), turns) in points.zip(turns) {
                let turned = [*first, second.turned(turns[0]), third.turned(turns[1]), fourth.turned(turns[2])];
                [*first, *second, *third, *fourth] = join_4(turned);
            }
        }
    }

    #[inline(always)]
    fn join_any<V: Simd>(&self, signal: &mut [Complex<V>], points: &mut [Complex<V>]) {
        let Self { radix, width, .. } = *self;
        for block in signal.chunks_exact_mut(radix * width) {
            for at in 0..width {
                points[0] = block[at];
                let turns = &self.turns[at * (radix - 1)..][..radix - 1];
                for (nth, turn) in turns.iter().enumerate() {
                    points[nth + 1] = block[at + (nth + 1) * width].turned(*turn);
                }
                for nth in 0..radix {
                    let mut sum = points[0];
                    let mut root = 0;
                    for point in &points[1..] {
                        root += nth;
                        root -= if root >= radix { radix } else { 0 };
                        sum = sum.add(point.turned(self.roots[root]));
                    }
                    block[at + nth * width] = sum;
                }
            }
        }
    }
}

/// The transform of four points.
#[inline(always)]
fn join_4<V: Simd>([a, b, c, d]: [Complex<V>; 4]) -> [Complex<V>; 4] {
    let (even_sum, even_difference) = (a.add(c), a.sub(c));
    let (odd_sum, odd_difference) = (b.add(d), b.sub(d).turned_back());
    [
        even_sum.add(odd_sum),
        even_difference.add(odd_difference),
        even_sum.sub(odd_sum),
        even_difference.sub(odd_difference),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_simd::Lanes;

    /// Eight signals, none of which is a multiple of another.
    fn signal(length: usize) -> Vec<Lanes> {
        let value = |at: usize, lane: usize| ((at * 7919 + lane * 104_729 + at * at * 31) % 1009) as f32 / 504.0 - 1.0;
        (0..length).map(|at| Lanes(std::array::from_fn(|lane| value(at, lane)))).collect()
    }

    fn spectrum(signal: &[Lanes]) -> Vec<Complex<Lanes>> {
        let fft = RealFft::new(signal.len());
        let mut work = vec![Complex { re: Lanes::ZERO, im: Lanes::ZERO }; fft.work_length()];
        for (place, pair) in fft.places().iter().zip(signal.as_chunks().0) {
            let [re, im] = *pair;
            work[*place as usize] = Complex { re, im };
        }
        fft.transform(&mut work);
        let mut out = vec![None; signal.len() / 2 + 1];
        let last = signal.len() / 2;
        let pairs = (1..=fft.middle()).map(|at| fft.pair(&work, at));
        for (at, [low, high]) in std::iter::once(fft.ends(&work)).chain(pairs).enumerate() {
            out[at] = Some(low);
            out[last - at] = Some(high);
        }
        out.into_iter().map(Option::unwrap).collect()
    }

    #[test]
    fn spectra_are_those_of_the_definition() {
        for length in
            [2, 4, 6, 8, 10, 12, 16, 18, 22, 24, 30, 32, 50, 64, 98, 128, 160, 200, 202, 256, 344, 400, 512, 1024]
        {
            let signal = signal(length);
            for (at, found) in spectrum(&signal).into_iter().enumerate() {
                for lane in [0, 5] {
                    let (mut re, mut im) = (0.0, 0.0);
                    for (n, samples) in signal.iter().enumerate() {
                        let angle = -TAU * (at * n % length) as f64 / length as f64;
                        re += f64::from(samples.0[lane]) * angle.cos();
                        im += f64::from(samples.0[lane]) * angle.sin();
                    }
                    let off = (f64::from(found.re.0[lane]) - re).hypot(f64::from(found.im.0[lane]) - im);
                    assert!(off < 1e-6 * length as f64, "{length} {at} {lane}: {off}");
                }
            }
        }
    }

    /// Parseval: the energy of a signal is that of its spectrum.
    #[test]
    fn spectra_have_the_energy_of_their_signals() {
        for length in [2, 14, 400, 512, 2048, 44_100, 65_536] {
            let signal = signal(length);
            let spectrum = spectrum(&signal);
            for lane in 0..8 {
                let energy: f64 = signal.iter().map(|samples| f64::from(samples.0[lane]).powi(2)).sum();
                let power = |at: &Complex<Lanes>| f64::from(at.re.0[lane]).powi(2) + f64::from(at.im.0[lane]).powi(2);
                // All frequencies but the first and the last count twice.
                let all: f64 = 2.0 * spectrum.iter().map(power).sum::<f64>();
                let all = all - power(&spectrum[0]) - power(&spectrum[length / 2]);
                assert!((all / length as f64 / energy - 1.0).abs() < 1e-5, "{length}: {all} {energy}");
            }
        }
    }

    #[test]
    fn a_cosine_is_one_line() {
        let tone = |at: usize| Lanes::splat((TAU * 37.0 * at as f64 / 512.0).cos() as f32);
        let spectrum = spectrum(&(0..512).map(tone).collect::<Vec<_>>());
        for (at, value) in spectrum.iter().enumerate() {
            let expected = if at == 37 { 256.0 } else { 0.0 };
            assert!((value.re.0[3] - expected).abs() < 1e-3 && value.im.0[3].abs() < 1e-3, "{at}");
        }
    }

    #[test]
    fn factors_make_up_the_number() {
        assert!(factors(1).is_empty());
        assert_eq!(factors(256), [4, 4, 4, 4]);
        assert_eq!(factors(128), [2, 4, 4, 4]);
        assert_eq!(factors(200), [5, 5, 2, 4]);
        assert_eq!(factors(2 * 9973), [9973, 2]);
        for number in 1..2000 {
            assert_eq!(factors(number).iter().product::<usize>(), number);
        }
    }
}
