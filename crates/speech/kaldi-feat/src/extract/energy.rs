//! The energy of frames.

use kaldi_simd::Simd;

use super::EnergyOptions;
use super::analysis::Energy;

/// The conversion of energies to their logarithms.
#[derive(Clone, Copy, Debug)]
pub(super) struct LogEnergy {
    pub(super) kind: Energy,
    /// The least energy; lesser ones count as this.
    least: f32,
    /// The floor of the logarithm, if there is one.
    floor: Option<f32>,
}

impl LogEnergy {
    pub(super) fn new(options: &EnergyOptions) -> Self {
        let kind = if options.raw_energy { Energy::Raw } else { Energy::Windowed };
        let floor = (options.energy_floor > 0.0).then(|| options.energy_floor.ln());
        Self { kind, least: f32::EPSILON, floor }
    }

    /// With another least energy after windowing.
    pub(super) fn with_least_windowed(self, least: f32) -> Self {
        Self { least: if self.kind == Energy::Windowed { least } else { self.least }, ..self }
    }

    #[inline(always)]
    pub(super) fn of<V: Simd>(&self, energy: V) -> V {
        let log = energy.floored(self.least).ln();
        match self.floor {
            Some(floor) => log.floored(floor),
            None => log,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_simd::Lanes;

    fn log(options: &EnergyOptions, energy: f32) -> f32 {
        LogEnergy::new(options).of(Lanes::splat(energy)).0[0]
    }

    #[test]
    fn energies_have_a_floor_before_and_one_behind_the_logarithm() {
        let mut options = EnergyOptions::default();
        assert_eq!(log(&options, 0.0), f32::EPSILON.ln());
        assert!((log(&options, 1000.0) - 6.907_755).abs() < 1e-6);
        options.energy_floor = 2.5;
        assert_eq!(log(&options, 1.0), 2.5_f32.ln());
        assert!((log(&options, 3.0) - 3.0_f32.ln()).abs() < 1e-6);
    }

    #[test]
    fn the_least_energy_behind_the_window_may_differ() {
        for (raw_energy, expected) in [(true, f32::EPSILON), (false, f32::MIN_POSITIVE)] {
            let options = EnergyOptions { raw_energy, ..Default::default() };
            let log = LogEnergy::new(&options).with_least_windowed(f32::MIN_POSITIVE);
            assert!((log.of(Lanes::ZERO).0[0] - expected.ln()).abs() < 1e-5);
        }
    }
}
