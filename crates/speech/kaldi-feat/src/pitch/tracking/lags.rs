//! The lags, that is periods, among which the tracker chooses.

use crate::pitch::PitchExtractionOptions;
use kaldi_simd::{MAX_WIDTH, Simd, WIDTH};
use kaldi_wave::Interpolator;

use crate::{Error, Result};

/// Lags are counted in 16 bits; one value means none.
const MAX_LAGS: usize = u16::MAX as usize;

/// The lags among which the tracker chooses, in geometric progression, and how their correlations are computed from
/// those at whole numbers of samples.
#[derive(Clone, Debug)]
pub(super) struct Lags {
    /// In seconds.
    seconds: Vec<f32>,
    /// The shortest and the longest lag, in samples, at which correlations are measured.
    measured: (usize, usize),
    interpolator: Interpolator,
    /// For lanes of `WIDTH` and of `MAX_WIDTH`.
    groups: [Groups; 2],
    /// The factor of the correlation at each lag; longer lags count less.
    discounts: Vec<f32>,
}

/// All lags in groups, one for each lane.
#[derive(Clone, Debug)]
struct Groups {
    groups: Vec<Group>,
    /// The weights of all groups: each tap has one weight for each lag of the group.
    weights: Vec<f32>,
}

/// Neighbouring lags, whose values depend on the same measured values.
#[derive(Clone, Copy, Debug)]
struct Group {
    /// The first measured value that has a weight.
    first: usize,
    num_taps: usize,
}

impl Lags {
    pub(super) fn new(options: &PitchExtractionOptions) -> Result<Self> {
        let rate = options.resample_frequency;
        let margin = options.upsample_filter_width as f64 / (2.0 * f64::from(rate));
        let first = (f64::from(rate) * (1.0 / f64::from(options.max_f0) - margin)).ceil();
        let last = (f64::from(rate) * (1.0 / f64::from(options.min_f0) + margin)).floor();
        if first < 0.0 {
            let expected = "so low that half of `upsample_filter_width` fits into its period, in samples";
            return Err(Error::option("max_f0", expected, options.max_f0));
        }
        if last >= MAX_LAGS as f64 {
            let expected = "so high that its period has less than 65535 samples";
            return Err(Error::option("min_f0", expected, options.min_f0));
        }
        let seconds = progression(options)?;
        let (first, last) = (first as usize, last as usize);
        let offset = -(first as f32) / rate;
        let times: Vec<f32> = seconds.iter().map(|lag| lag + offset).collect();
        let num_measured = (last + 1).saturating_sub(first);
        let width = options.upsample_filter_width as u32;
        let interpolator = Interpolator::new(num_measured, rate, (f64::from(rate) * 0.5) as f32, &times, width);
        let interpolator = interpolator.map_err(Error::Resample)?;
        let groups = [WIDTH, MAX_WIDTH].map(|width| grouped(&interpolator, width));
        let discounts = seconds.iter().map(|lag| options.soft_min_f0 * lag).collect();
        Ok(Self { seconds, measured: (first, last), interpolator, groups, discounts })
    }

    pub(super) fn len(&self) -> usize {
        self.seconds.len()
    }

    /// The shortest and the longest lag, in samples, at which correlations are measured.
    pub(super) fn measured(&self) -> (usize, usize) {
        self.measured
    }

    pub(super) fn num_measured(&self) -> usize {
        self.interpolator.num_samples()
    }

    /// The pitch in Hz whose period is the lag with this index.
    pub(super) fn pitch(&self, index: usize) -> f32 {
        (1.0 / f64::from(self.seconds[index])) as f32
    }

    /// The correlation at the lag with this index, from the measured ones.
    pub(super) fn value(&self, measured: &[f32], index: usize) -> f32 {
        self.interpolator.value(measured, index)
    }

    /// Computes the cost of each lag from measured correlations (equation 5 of the paper): 1 minus the correlation,
    /// which counts less the longer the lag is.
    ///
    /// Anything may follow in `measured`; `costs` must have room for the last whole group. The value of `zero` does not matter.
    #[inline(always)]
    pub(super) fn costs<V: Simd>(&self, zero: V, measured: &[f32], scale: f32, costs: &mut [f32]) {
        let Groups { groups, weights } = &self.groups[usize::from(V::WIDTH != WIDTH)];
        let mut weights = weights.as_slice();
        for (group, out) in groups.iter().zip(costs.chunks_exact_mut(V::WIDTH)) {
            let (these, rest) = weights.split_at(group.num_taps * V::WIDTH);
            weights = rest;
            let mut sums = zero.splat(0.0);
            let values = &measured[group.first..][..group.num_taps];
            for (weights, value) in these.chunks_exact(V::WIDTH).zip(values) {
                sums += zero.read(weights) * *value;
            }
            (sums * scale).write(out);
        }
        for (cost, discount) in costs.iter_mut().zip(&self.discounts) {
            let correlation = *cost;
            *cost = discount * correlation + (1.0 - correlation);
        }
    }
}

/// The lags from the period of --max-f0 to that of --min-f0, each longer by --delta-pitch than the one before.
fn progression(options: &PitchExtractionOptions) -> Result<Vec<f32>> {
    let ratio = 1.0 + f64::from(options.delta_pitch);
    let (mut lag, longest) = ((1.0 / f64::from(options.max_f0)) as f32, (1.0 / f64::from(options.min_f0)) as f32);
    let mut lags = Vec::new();
    while lag <= longest {
        if lags.len() == MAX_LAGS {
            let expected = "so large that there are at most 65535 lags from `max_f0` to `min_f0`";
            return Err(Error::option("delta_pitch", expected, options.delta_pitch));
        }
        lags.push(lag);
        lag = (f64::from(lag) * ratio) as f32;
    }
    Ok(lags)
}

/// Arranges the weights of neighbouring lags in `width` lanes.
fn grouped(interpolator: &Interpolator, width: usize) -> Groups {
    let points: Vec<_> = interpolator.points().collect();
    let (mut groups, mut all) = (Vec::new(), Vec::new());
    for points in points.chunks(width) {
        let first = points.iter().map(|(first, _)| *first).min().unwrap_or(0);
        let end = points.iter().map(|(first, weights)| first + weights.len()).max().unwrap_or(first);
        let mut taps = vec![0.0; (end - first) * width];
        for (lane, (begin, weights)) in points.iter().enumerate() {
            for (tap, weight) in taps.chunks_exact_mut(width).skip(begin - first).zip(*weights) {
                tap[lane] = *weight;
            }
        }
        groups.push(Group { first, num_taps: end - first });
        all.extend(taps);
    }
    Groups { groups, weights: all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_simd::Lanes;

    #[test]
    fn lags_are_those_of_kaldi() {
        let lags = Lags::new(&PitchExtractionOptions::default()).unwrap();
        // Periods of 2.5 ms to 20 ms: a progression with the ratio 1.005. Half a filter of five zeros more on both
        // sides.
        assert_eq!((lags.len(), lags.measured(), lags.num_measured()), (417, (8, 82), 75));
        assert_eq!(lags.pitch(0), 400.0);
        assert!((lags.pitch(416) - 50.23).abs() < 0.01, "{}", lags.pitch(416));
    }

    #[test]
    fn costs_are_those_of_interpolated_correlations() {
        let options = PitchExtractionOptions { soft_min_f0: 20.0, ..Default::default() };
        let lags = Lags::new(&options).unwrap();
        let measured: Vec<f32> = (8..=82).map(|lag| (lag as f32 * 0.21).cos()).collect();
        let mut costs = vec![0.0; lags.len().next_multiple_of(WIDTH)];
        lags.costs(Lanes::ZERO, &measured, 0.5, &mut costs);
        for (index, cost) in costs[..lags.len()].iter().enumerate() {
            let (seconds, correlation) = (1.0 / lags.pitch(index), lags.value(&measured, index));
            assert!((correlation - (seconds * 4000.0 * 0.21).cos()).abs() < 0.06, "{index}: {correlation}");
            assert!((cost - (1.0 - 0.5 * correlation * (1.0 - 20.0 * seconds))).abs() < 1e-5, "{index}: {cost}");
        }
    }

    #[test]
    fn lags_that_cannot_be_are_refused() {
        let message = |options| Lags::new(&options).unwrap_err().to_string();
        let default = PitchExtractionOptions::default;
        assert!(
            message(PitchExtractionOptions { delta_pitch: 1e-6, ..default() }).starts_with("expected `delta_pitch`")
        );
        assert!(
            message(PitchExtractionOptions { delta_pitch: 1e-9, ..default() }).starts_with("expected `delta_pitch`")
        );
        assert!(message(PitchExtractionOptions { max_f0: 4000.0, ..default() }).starts_with("expected `max_f0`"));
        assert!(message(PitchExtractionOptions { min_f0: 1e-3, ..default() }).starts_with("expected `min_f0`"));
    }
}
