use super::*;
use crate::number::random::draws;

fn text(value: f64) -> String {
    let mut out = Vec::new();
    write_f64(&mut out, value);
    String::from_utf8(out).unwrap()
}

fn text32(value: f32) -> String {
    let mut out = Vec::new();
    write_f32(&mut out, value);
    // As on processors without AVX2.
    let mut plain = Vec::new();
    write_floats(&mut plain, &[value], |_, _, _| false);
    assert_eq!(plain, [&out[..], b" "].concat());
    String::from_utf8(out).unwrap()
}

#[test]
fn numbers_have_seven_digits_and_no_trailing_zeros() {
    for (value, expected) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (1.0, "1"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (1e-4, "0.0001"),
        (1e-5, "1e-05"),
        (0.00012345678, "0.0001234568"),
        (9.9999995e-5, "9.999999e-05"),
        (9.99999951e-5, "0.0001"),
        (1234567.0, "1234567"),
        (1234567.5, "1234568"),
        (1234566.5, "1234566"),
        (9999999.0, "9999999"),
        (9999999.5, "1e+07"),
        (12345675.0, "1.234568e+07"),
        (12345665.0, "1.234566e+07"),
        (1e20, "1e+20"),
        (1e100, "1e+100"),
        (-1.5e-300, "-1.5e-300"),
        (f64::MAX, "1.797693e+308"),
        (5e-324, "4.940656e-324"),
        (f64::INFINITY, "inf"),
        (-f64::INFINITY, "-inf"),
        (f64::NAN, "nan"),
        (-f64::NAN, "-nan"),
    ] {
        assert_eq!(text(value), expected);
    }
    for (value, expected) in [
        (0.1, "0.1"),
        (f32::MAX, "3.402823e+38"),
        (f32::MIN_POSITIVE, "1.175494e-38"),
        (1e-45, "1.401298e-45"),
        (-1e-40, "-9.999946e-41"),
        (-f32::NAN, "-nan"),
        (-0.0, "-0"),
    ] {
        assert_eq!(text32(value), expected);
    }
}

/// `%.7g` by its definition, on the standard library's digits.
fn general(value: f64) -> String {
    if !value.is_finite() {
        let sign = if value.is_sign_negative() { "-" } else { "" };
        return format!("{sign}{}", if value.is_nan() { "nan" } else { "inf" });
    }
    let scientific = format!("{value:.6e}");
    let (digits, exponent) = scientific.split_once('e').unwrap();
    let exponent: i32 = exponent.parse().unwrap();
    let strip = |text: &str| text.trim_end_matches('0').trim_end_matches('.').to_owned();
    if (-4..7).contains(&exponent) {
        // Already rounded to seven digits, so that rounding to as many decimals again changes nothing.
        let rounded: f64 = scientific.parse().unwrap();
        let decimals = (6 - exponent) as usize;
        return if decimals == 0 { format!("{rounded:.0}") } else { strip(&format!("{rounded:.decimals$}")) };
    }
    format!("{}e{}{:02}", strip(digits), if exponent < 0 { '-' } else { '+' }, exponent.abs())
}

fn check32(value: f32) {
    let expected = general(f64::from(value));
    assert!(text32(value) == expected, "{value:e}: {} is not {expected}", text32(value));
}

fn check64(value: f64) {
    let expected = general(value);
    assert!(text(value) == expected, "{value:e}: {} is not {expected}", text(value));
}

/// Calls `check` with the numbers of nearby bits, and their negatives.
fn around64(value: f64) {
    for step in -3..=3 {
        let near = f64::from_bits(value.to_bits().wrapping_add_signed(step));
        check64(near);
        check64(-near);
    }
}

fn around32(value: f32) {
    for step in -3..=3 {
        let near = f32::from_bits(value.to_bits().wrapping_add_signed(step));
        check32(near);
        check32(-near);
        check64(f64::from(near));
    }
}

#[test]
fn powers_and_what_rounds_to_them_are_exact() {
    for exponent in -330..=310 {
        for digits in ["1", "9.999999", "9.9999995", "9.9999994999999", "1.0000005", "5", "2.5"] {
            let text = format!("{digits}e{exponent}");
            around64(text.parse().unwrap());
            around32(text.parse().unwrap());
        }
    }
    for exponent in -1074..1024 {
        around64(2_f64.powi(exponent));
        around32(2_f32.powi(exponent));
    }
    for &(next, _) in &BINARY_EXPONENTS {
        around32(f32::from_bits(next));
    }
}

#[test]
fn ties_go_to_the_even_digit() {
    // A number of seven digits and a half, times powers of two and five that leave it exact.
    let mut random = draws();
    for _ in 0..3_000 {
        let half = (random.bits() % 9_000_000 + 1_000_000) as f64 + 0.5;
        for tie in [half, half * 10.0, half * 1e5, half / 8.0, half / 64.0] {
            around64(tie);
            around32(tie as f32);
        }
    }
    assert_eq!((text(1234565e1), text32(16777215.0)), ("1.234565e+07".into(), "1.677722e+07".into()));
}

#[test]
fn any_bits_are_written_like_percent_g() {
    let mut random = draws();
    for _ in 0..100_000 {
        let bits = random.bits();
        check32(f32::from_bits(bits as u32));
        check64(f64::from_bits(bits));
        // An exponent of everyday numbers, and the few digits that they often have.
        let usual = f64::from_bits(bits % (40 << 52) + (1000 << 52));
        check64(usual);
        check32(usual as f32);
        check64((bits % 100_000) as f64 / 1000.0);
        check32((bits % 100_000) as f32 / 1000.0);
    }
}

#[test]
fn integers_are_written_in_decimal() {
    let mut random = draws();
    let mut out = Vec::new();
    let mut check = |value: i64| {
        out.clear();
        write_integer(&mut out, value);
        assert_eq!(std::str::from_utf8(&out), Ok(value.to_string().as_str()));
    };
    for value in -20_000..20_000 {
        check(value);
    }
    for power in (0..19).map(|exponent| 10_i64.pow(exponent)) {
        for value in [power - 1, power, power + 1, -power + 1, -power, -power - 1] {
            check(value);
        }
    }
    for value in [i64::MIN, i64::MAX] {
        check(value);
    }
    for _ in 0..50_000 {
        check(random.bits() as i64 >> (random.bits() % 64));
    }
}

#[test]
fn rows_are_their_numbers_with_spaces() {
    let mut random = draws();
    for length in [0, 1, 40, GROUP - 1, GROUP, GROUP + 1, 50 * GROUP + 3] {
        // The longest numbers among others.
        let bits: Vec<u64> = (0..length).map(|_| random.bits() | random.bits()).collect();
        let singles: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits as u32)).collect();
        let doubles: Vec<f64> = bits.iter().map(|&bits| f64::from_bits(bits)).chain([-f64::MAX; 70]).collect();
        let integers: Vec<i32> = bits.iter().map(|&bits| bits as i32).chain(0..10_000).chain(9990..10_030).collect();
        let mut out = Vec::new();
        write_f32_row(&mut out, &singles);
        write_f64_row(&mut out, &doubles);
        write_i32_row(&mut out, &integers);
        let mut expected = Vec::new();
        for &value in &singles {
            write_f32(&mut expected, value);
            expected.push(b' ');
        }
        for &value in &doubles {
            write_f64(&mut expected, value);
            expected.push(b' ');
        }
        for &value in &integers {
            write_integer(&mut expected, i64::from(value));
            expected.push(b' ');
        }
        assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(&expected));
    }
}

#[test]
fn rows_of_usual_numbers_have_others_among_them() {
    let mut random = draws();
    for _ in 0..3_000 {
        let mut numbers: Vec<f32> = (0..random.bits() % 50)
            .map(|_| (random.bits() as i32 >> (random.bits() % 32)) as f32 / 10_f32.powi(random.bits() as i32 & 7))
            .collect();
        if let Some(number) = numbers.get_mut(random.bits() as usize % 50) {
            *number = f32::from_bits(random.bits() as u32);
        }
        let mut out = Vec::new();
        write_f32_row(&mut out, &numbers);
        let expected: String = numbers.iter().map(|&number| general(f64::from(number)) + " ").collect();
        assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(&expected));
    }
}

#[test]
fn rows_of_short_integers_have_others_among_them() {
    let mut random = draws();
    for _ in 0..3_000 {
        let integers: Vec<i32> = (0..random.bits() % 150)
            .map(|_| {
                let bits = random.bits();
                if bits.is_multiple_of(32) {
                    bits as i32 >> (bits >> 59)
                } else {
                    (bits >> 32) as i32 & 0x3fff >> (bits % 14)
                }
            })
            .map(|integer| if integer < 20_000 { integer % 10_000 } else { integer })
            .collect();
        let expected: String = integers.iter().map(|integer| format!("{integer} ")).collect();
        let mut out = Vec::new();
        write_i32_row(&mut out, &integers);
        assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(&expected));
        // As on processors with AVX2 alone.
        #[cfg(target_arch = "x86_64")]
        if kaldi_simd::has_avx2() {
            let mut out = Vec::new();
            let mut room = room_after(&mut out, integers.len());
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions.
            unsafe {
                short::put(&mut room, &integers)
            };
            let length = room.at;
            out.truncate(length);
            assert_eq!(bstr::BStr::new(&out), bstr::BStr::new(&expected));
        }
    }
}

#[test]
fn rows_have_a_space_after_each_number() {
    let mut out = b" [ ".to_vec();
    write_f32_row(&mut out, &[1.0, -2.5]);
    write_f64_row(&mut out, &[1e-5]);
    write_i32_row(&mut out, &[0, -7, i32::MIN, i32::MAX]);
    assert_eq!(out, b" [ 1 -2.5 1e-05 0 -7 -2147483648 2147483647 ");
}
