//! Numbers of a model.

/// The logarithm to base 10 that a column has: digits with at most one point and an exponent, or a word for what is infinite or
/// no number. `None` if it is none, or if it is too large.
pub(super) fn parse_log10(column: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(column.trim_ascii()).ok()?;
    let number: f32 = text.parse().ok()?;
    let is_too_large = number.is_infinite() && text.bytes().any(|byte| byte.is_ascii_digit());
    if is_too_large { None } else { Some(number) }
}

/// The negative natural logarithm: the product is made with double precision.
pub(super) fn weight(log10: f32) -> f32 {
    -((f64::from(log10) * std::f64::consts::LN_10) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_streams_of_cpp_read_is_read() {
        for (text, number) in [
            ("-99", -99.0),
            ("+.5", 0.5),
            ("5.", 5.0),
            ("1e-2", 0.01),
            ("00.5\r", 0.5),
            ("1e-50", 0.0),
            ("-inf", f32::NEG_INFINITY),
            ("Infinity", f32::INFINITY),
        ] {
            assert_eq!(parse_log10(text.as_bytes()), Some(number), "{text}");
        }
        assert!(parse_log10(b"NaN").is_some_and(f32::is_nan));
        for text in ["", "x", "0x1", "1,5", "1e", "-", ".", "1e39", "--1", "infi", "1 2", "1e5e5"] {
            assert_eq!(parse_log10(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn no_back_off_is_a_negative_zero() {
        assert_eq!(weight(0.0).to_bits(), 0x8000_0000);
        assert_eq!(weight(-0.0).to_bits(), 0);
        assert_eq!(weight(-99.0), 227.955_92);
    }
}
