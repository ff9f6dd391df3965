//! Functions without branches, to be applied to many numbers side by side.
//!
//! They follow the single-precision functions of the Cephes library (Moshier): the argument is brought into a small range
//! by its exponent or quadrant, where a polynomial is right to the last digit or two.

/// Smallest mantissa, the square root of one half: what is left of it is centred at 1.
const SQRT_HALF: u32 = 0x3f35_04f3;

const LN_2_HIGH: f32 = 0.693_359_4;
const LN_2_LOW: f32 = -2.121_944_4e-4;

/// The natural logarithm of a positive normal number, within 2 units of its last digit. Infinity and NaN stay as they
/// are. Anything else (0, negative and subnormal numbers) gives no sensible result.
#[inline(always)]
pub fn ln(number: f32) -> f32 {
    let above = number.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = (above as i32 >> 23) as f32;
    let rest = f32::from_bits((above & 0x007f_ffff) + SQRT_HALF) - 1.0;
    let polynomial = polynomial(
        rest,
        [
            7.037_683_6e-2,
            -1.151_461e-1,
            1.167_699_9e-1,
            -1.242_014_1e-1,
            1.424_932_3e-1,
            -1.666_805_8e-1,
            2.000_071_5e-1,
            -2.499_999_4e-1,
            3.333_333e-1,
        ],
    );
    let square = rest * rest;
    let small = polynomial * rest * square + exponent * LN_2_LOW - 0.5 * square;
    let result = small + rest + exponent * LN_2_HIGH;
    if number < f32::INFINITY { result } else { number }
}

/// The exponential function, within 2 units of the last digit: 0 below -87, infinity above 88.3. NaN stays NaN.
#[inline(always)]
pub fn exp(number: f32) -> f32 {
    // Adding and subtracting rounds to the nearest integer.
    const ROUND: f32 = 12_582_912.0;
    // Comparisons that are false for NaN.
    let low = if number < -87.0 { -87.0 } else { number };
    let bounded = if low > 88.3 { 88.3 } else { low };
    let exponent = (bounded * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let rest = bounded - exponent * LN_2_HIGH - exponent * LN_2_LOW;
    let polynomial =
        polynomial(rest, [1.987_569_1e-4, 1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5]);
    let scale = f32::from_bits((((exponent + ROUND).to_bits() as i32) << 23).wrapping_add(127 << 23) as u32);
    let result = (polynomial * rest * rest + rest + 1.0) * scale;
    let result = if number > 88.3 { f32::INFINITY } else { result };
    let result = if number < -87.0 { 0.0 } else { result };
    if number.is_nan() { number } else { result }
}

/// Sine and cosine of a part of a full turn: 2^31 is half a turn, and so is -2^31.
#[inline(always)]
pub fn sin_cos_of_turn(turn: i32) -> (f32, f32) {
    let quadrant = turn.wrapping_add(1 << 29) >> 30;
    let rest = turn.wrapping_sub(quadrant << 30) as f32 * (std::f32::consts::FRAC_PI_2 / (1 << 30) as f32);
    let square = rest * rest;
    let sin = polynomial(square, [-1.951_529_6e-4, 8.332_161e-3, -1.666_665_5e-1]) * square * rest + rest;
    let cos =
        polynomial(square, [2.443_315_7e-5, -1.388_731_6e-3, 4.166_664_6e-2]) * square * square - 0.5 * square + 1.0;
    let odd = quadrant & 1 != 0;
    let (sin, cos) = if odd { (cos, sin) } else { (sin, cos) };
    let negative = |sign: i32, number: f32| f32::from_bits(number.to_bits() ^ ((sign as u32 & 2) << 30));
    (negative(quadrant, sin), negative(quadrant + 1, cos))
}

/// A polynomial, the coefficient of the highest power first.
#[inline(always)]
fn polynomial<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    for coefficient in &coefficients[1..] {
        sum = sum * x + coefficient;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance from the exact value, in units of the last digit.
    fn off(got: f32, exact: f64) -> f64 {
        let rounded = exact as f32;
        let digit = f64::from(f32::from_bits(rounded.abs().to_bits() + 1)) - f64::from(rounded.abs());
        (f64::from(got) - exact).abs() / digit
    }

    #[test]
    fn logarithms_are_right_to_the_last_digits() {
        for step in 0..200_000_u32 {
            let number = f32::from_bits(f32::MIN_POSITIVE.to_bits() + step * 10_650);
            assert!(number.is_finite());
            let exact = f64::from(number).ln();
            // Near 1 the logarithm itself is small.
            assert!(off(ln(number), exact) < 2.0 || (f64::from(ln(number)) - exact).abs() < 1e-9, "{number}");
        }
        assert_eq!(ln(1.0), 0.0);
        assert_eq!(ln(f32::EPSILON), f32::EPSILON.ln());
    }

    #[test]
    fn logarithms_leave_what_has_none() {
        assert_eq!(ln(f32::INFINITY), f32::INFINITY);
        assert!(ln(f32::NAN).is_nan());
    }

    #[test]
    fn exponentials_are_right_to_the_last_digits() {
        for step in -86_000..88_000 {
            let number = step as f32 * 1e-3;
            assert!(off(exp(number), f64::from(number).exp()) < 2.0, "{number} {}", exp(number));
        }
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn exponentials_of_what_is_too_large_or_no_number() {
        assert_eq!([exp(-200.0), exp(f32::NEG_INFINITY)], [0.0, 0.0]);
        assert_eq!([exp(100.0), exp(f32::INFINITY)], [f32::INFINITY; 2]);
        assert!(exp(f32::NAN).is_nan());
    }

    #[test]
    fn sines_and_cosines_are_those_of_the_angle() {
        for step in 0..100_000_u32 {
            let turn = (step * 42_949) as i32;
            let angle = f64::from(turn) / f64::from(1_u32 << 31) * std::f64::consts::PI;
            let (sin, cos) = sin_cos_of_turn(turn);
            assert!(
                (f64::from(sin) - angle.sin()).abs() < 2e-7 && (f64::from(cos) - angle.cos()).abs() < 2e-7,
                "{turn}"
            );
        }
        assert_eq!(sin_cos_of_turn(0), (0.0, 1.0));
        assert_eq!(sin_cos_of_turn(i32::MIN).1, -1.0);
        assert_eq!(sin_cos_of_turn(1 << 30).0, 1.0);
    }
}
