//! Exponentials of many numbers, right to the last digit but for rare halves.

use crate::{Kernel, WIDTH, dispatch};

/// Parts of an octave: a number is split into 1/32 of octaves, and a rest for the polynomial.
const PARTS: u64 = 32;

/// The powers of two with exponents of 0/32 to 31/32, as the bits of doubles. So that the number of octaves and parts can be
/// added at once, the part itself is taken off where it is added.
#[rustfmt::skip]
const POWERS: [u64; PARTS as usize] = [
    0x3ff0_0000_0000_0000, 0x3fef_d9b0_d315_8574, 0x3fef_b558_6cf9_890f, 0x3fef_9301_d012_5b51,
    0x3fef_72b8_3c7d_517b, 0x3fef_5487_3168_b9aa, 0x3fef_387a_6e75_6238, 0x3fef_1e9d_f51f_dee1,
    0x3fef_06fe_0a31_b715, 0x3fee_f1a7_373a_a9cb, 0x3fee_dea6_4c12_3422, 0x3fee_ce08_6061_892d,
    0x3fee_bfda_d536_2a27, 0x3fee_b42b_569d_4f82, 0x3fee_ab07_dd48_5429, 0x3fee_a47e_b03a_5585,
    0x3fee_a09e_667f_3bcd, 0x3fee_9f75_e8ec_5f74, 0x3fee_a114_73eb_0187, 0x3fee_a589_994c_ce13,
    0x3fee_ace5_422a_a0db, 0x3fee_b737_b0cd_c5e5, 0x3fee_c491_82a3_f090, 0x3fee_d503_b23e_255d,
    0x3fee_e89f_995a_d3ad, 0x3fee_ff76_f2fb_5e47, 0x3fef_199b_dd85_529c, 0x3fef_3720_dcef_9069,
    0x3fef_5818_dcfb_a487, 0x3fef_7c97_337b_9b5f, 0x3fef_a4af_a2a4_90da, 0x3fef_d076_5b6e_4540,
];

/// Adding and subtracting it rounds to the nearest integer, whose lowest bits are those of the sum.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// From the highest power of the rest, in parts of an octave, down: all but the 1 at the end.
const COEFFICIENTS: [f64; 3] = [1.6938359250920212e-06, 0.00023459809789509004, 0.021660849396613134];

/// Replaces each number by its exponential.
///
/// In double precision, with a table and a polynomial of third degree: the algorithm of `expf` in ARM's optimized routines (Nagy),
/// which the C library of GNU has, too, so that results have its bits. They are within 0.502 units of the last digit. Numbers
/// below -104 give 0, those above 88.8 infinity; NaN stays NaN.
pub fn exp_all(numbers: &mut [f32]) {
    dispatch(Exponentials(numbers));
}

struct Exponentials<'a>(&'a mut [f32]);

impl Kernel for Exponentials<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        let (blocks, rest) = self.0.as_chunks_mut::<WIDTH>();
        for block in blocks {
            exp_block(block);
        }
        if !rest.is_empty() {
            let mut last = [0.0; WIDTH];
            last[..rest.len()].copy_from_slice(rest);
            exp_block(&mut last);
            rest.copy_from_slice(&last[..rest.len()]);
        }
    }

    /// Where each fused product is a call of a function, that of the C library is faster.
    #[inline(always)]
    fn compute_without_fused(self) {
        self.0.iter_mut().for_each(|number| *number = number.exp());
    }
}

/// The exponentials of eight numbers, step by step for all, so that each step is one instruction for several of them.
#[inline(always)]
fn exp_block(numbers: &mut [f32; WIDTH]) {
    const PARTS_IN_ONE: f64 = std::f64::consts::LOG2_E * PARTS as f64;
    let (mut rests, mut powers) = ([0.0; WIDTH], [0; WIDTH]);
    for lane in 0..WIDTH {
        // Comparisons that are false for NaN.
        let number = if numbers[lane] < -110.0 { -110.0 } else { numbers[lane] };
        let number = f64::from(if number > 100.0 { 100.0 } else { number });
        let rounded = PARTS_IN_ONE.mul_add(number, ROUND);
        rests[lane] = PARTS_IN_ONE.mul_add(number, ROUND - rounded);
        powers[lane] = rounded.to_bits();
    }
    for lane in 0..WIDTH {
        let power = POWERS[(powers[lane] % PARTS) as usize].wrapping_add(powers[lane] << 47);
        let rest = rests[lane];
        let high = COEFFICIENTS[0].mul_add(rest, COEFFICIENTS[1]);
        let low = COEFFICIENTS[2].mul_add(rest, 1.0);
        numbers[lane] = (high.mul_add(rest * rest, low) * f64::from_bits(power)) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_those_of_the_exact_value_but_for_halves() {
        // Every 997th number from -105 to 0, and from 0 to 90.
        for bits in
            (0..105_f32.to_bits()).step_by(997).map(|bits| bits | 1 << 31).chain((0..90_f32.to_bits()).step_by(997))
        {
            let number = f32::from_bits(bits);
            let mut got = [number];
            exp_all(&mut got);
            let exact = f64::from(number).exp();
            let nearest = exact as f32;
            let is_half = |other: f32| ((f64::from(got[0]) + f64::from(other)) / 2.0 - exact).abs() < 1e-8 * exact;
            assert!(got[0] == nearest || is_half(nearest), "{number}: {} for {exact}", got[0]);
        }
    }

    #[test]
    fn numbers_of_any_count_and_size_have_exponentials() {
        for count in 0..20 {
            let mut numbers: Vec<f32> = (0..count).map(|index| -(index as f32)).collect();
            exp_all(&mut numbers);
            assert!(numbers.iter().enumerate().all(|(index, exp)| (exp - (-(index as f32)).exp()).abs() <= 1e-7 * exp));
        }
        let mut numbers = [f32::NEG_INFINITY, -1e30, -104.0, -103.0, -0.0, 0.0, 88.0, 89.0, 1e30, f32::INFINITY];
        exp_all(&mut numbers);
        assert_eq!(numbers[..6], [0.0, 0.0, 0.0, f32::from_bits(1), 1.0, 1.0]);
        assert!(numbers[6].is_finite() && numbers[7..].iter().all(|exp| *exp == f32::INFINITY));
        let mut number = [f32::NAN; 9];
        exp_all(&mut number);
        assert!(number.iter().all(|exp| exp.is_nan()));
    }

    #[test]
    fn powers_are_those_of_two() {
        for (part, bits) in POWERS.iter().enumerate() {
            let power = f64::from_bits(bits.wrapping_add((part as u64) << 47));
            assert!((power - (part as f64 / PARTS as f64).exp2()).abs() < 4e-16, "{part}");
        }
    }
}
