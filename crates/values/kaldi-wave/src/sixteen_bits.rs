//! Samples on their way to 16 bits.

use kaldi_simd::Kernel;

/// Samples at this and above are clipped when they are written.
pub(crate) const ABOVE: f32 = i16::MAX as f32 + 1.0;

/// Samples at this and below are clipped when they are written.
pub(crate) const BELOW: f32 = i16::MIN as f32 - 1.0;

/// The most samples that are counted at a time, in 32 bits.
pub(crate) const PART: usize = 1 << 30;

/// Rounds samples; see [`crate::Wave::round`].
pub(crate) struct Round<'a>(pub(crate) &'a mut [f32]);

impl Kernel for Round<'_> {
    type Output = u32;

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> u32 {
        let mut num_clipped = 0;
        for sample in self.0 {
            num_clipped += u32::from((*sample >= ABOVE - 0.5) | (*sample <= BELOW + 0.5));
            *sample = sample.clamp(i16::MIN.into(), i16::MAX.into()).round();
        }
        num_clipped
    }
}

/// Counts samples that are special.
pub(crate) struct Count<'a, F>(pub(crate) &'a [f32], pub(crate) F);

impl<F: Fn(f32) -> bool> Kernel for Count<'_, F> {
    type Output = u32;

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> u32 {
        self.0.iter().fold(0, |count, &sample| count + u32::from(self.1(sample)))
    }
}

/// Stores samples as 16-bit integers: fractions are dropped, and what is too large is clipped.
pub(crate) struct Store<'a> {
    pub(crate) samples: &'a [f32],
    pub(crate) places: &'a mut [[u8; 2]],
}

impl Kernel for Store<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        for (place, &sample) in self.places.iter_mut().zip(self.samples) {
            *place = to_whole(sample).to_le_bytes();
        }
    }
}

/// The same as `sample as i16`, of which compilers make no vector code: without the fraction, as near as 16 bits allow, or 0 if
/// it is no number.
#[inline(always)]
pub(crate) fn to_whole(sample: f32) -> u16 {
    /// Floats of this size have no fractions, and their lowest bits are those of the whole number added to this.
    const WHOLE: f32 = 12_582_912.0;
    let number = if sample.is_nan() { 0.0 } else { sample };
    let number = if number > i16::MIN.into() { number } else { i16::MIN.into() };
    let number = if number < i16::MAX.into() { number } else { i16::MAX.into() };
    let nearest = (number + WHOLE) - WHOLE;
    let away_from_zero = if nearest.abs() > number.abs() { 1.0_f32.copysign(number) } else { 0.0 };
    (nearest - away_from_zero + WHOLE).to_bits() as u16
}

#[cfg(test)]
mod tests {
    use kaldi_simd::dispatch;

    use super::*;

    #[test]
    fn samples_become_whole_numbers_as_rust_converts_them() {
        let near = |whole: f32| [-0.75, -0.5, -0.25, -0.004, 0.0, 0.004, 0.25, 0.5, 0.75].map(|part| whole + part);
        let special =
            [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN, 1e-45, -1e-45];
        let samples: Vec<f32> = (-33_000..=33_000).flat_map(|whole| near(whole as f32)).chain(special).collect();
        let mut places = vec![[0; 2]; samples.len()];
        dispatch(Store { samples: &samples, places: &mut places });
        for (sample, place) in samples.iter().zip(places) {
            assert_eq!(i16::from_le_bytes(place), *sample as i16, "{sample}");
        }
    }
}
