//! Numbers in log lines and messages.

/// Significant digits.
const PRECISION: i32 = 6;

/// Shows a number as C++ streams do by default (`%g`): six significant digits, as Kaldi's log lines have them.
pub fn general(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", value.abs()).to_lowercase();
    }
    let scientific = format!("{value:.*e}", PRECISION as usize - 1);
    let Some((digits, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if (-4..PRECISION).contains(&exponent) {
        trim(&format!("{value:.*}", (PRECISION - 1 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trim(digits), exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_look_as_cpp_streams_print_them() {
        for (value, expected) in [
            (1.0, "1"),
            (0.0, "0"),
            (-0.0, "-0"),
            (-0.5, "-0.5"),
            (0.97, "0.97"),
            (1e-10, "1e-10"),
            (0.00002, "2e-05"),
            (0.0001, "0.0001"),
            (1e10, "1e+10"),
            (-123456.7, "-123457"),
            (999999.7, "1e+06"),
            (16000.0, "16000"),
            (1.5e300, "1.5e+300"),
            (f64::from(0.99_f32), "0.99"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
            (-f64::NAN, "-nan"),
        ] {
            assert_eq!(general(value), expected);
        }
    }
}
