//! Rounding and extremes, in loops that vectorize.

/// The nearest integer (the even one if there are two), and how much the number is greater; the number is between 0 and
/// 2^22.
#[inline(always)]
pub(super) fn round(number: f32) -> (u32, f32) {
    /// 2^23: the lowest bits of sums with it are integers.
    const SHIFT: f32 = 8_388_608.0;
    let shifted = number + SHIFT;
    (shifted.to_bits() & 0x7f_ffff, number - (shifted - SHIFT))
}

/// The least and the greatest value, and whether there are NaNs: the first value hides all others if it is one, and
/// later ones are overlooked. There must be a value.
#[inline(always)]
pub(super) fn extremes(values: &[f32]) -> (f32, f32, bool) {
    const LANES: usize = 16;
    let (mut min, mut max, mut nans) = ([values[0]; LANES], [values[0]; LANES], [0; LANES]);
    let (blocks, rest) = values.as_chunks::<LANES>();
    for block in blocks {
        for lane in 0..LANES {
            min[lane] = if block[lane] < min[lane] { block[lane] } else { min[lane] };
            max[lane] = if block[lane] > max[lane] { block[lane] } else { max[lane] };
            nans[lane] |= u32::from(block[lane].is_nan());
        }
    }
    let (mut least, mut greatest) = (min[0], max[0]);
    for &value in min.iter().chain(rest) {
        least = if value < least { value } else { least };
    }
    for &value in max.iter().chain(rest) {
        greatest = if value > greatest { value } else { greatest };
    }
    (least, greatest, nans != [0; LANES] || rest.iter().any(|value| value.is_nan()))
}
