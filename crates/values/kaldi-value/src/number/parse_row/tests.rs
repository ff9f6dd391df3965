use super::*;
use crate::number::random::draws;

fn row(text: &str) -> (Vec<f32>, Result<usize, RowError>) {
    let mut values = Vec::new();
    let consumed = parse_f32_row(text.as_bytes(), &mut values);
    (values, consumed)
}

#[test]
fn rows_end_where_no_number_follows() {
    for (text, expected, consumed) in [
        ("", &[][..], 0),
        ("  ", &[], 2),
        ("  1 2\t-3.5 \n4 5", &[1.0, 2.0, -3.5], 11),
        (" 1 2]", &[1.0, 2.0], 4),
        ("1;", &[1.0], 1),
        ("1-2 3", &[1.0], 1),
        ("1.5.5 2", &[1.5], 3),
        ("0x10", &[0.0], 1),
        ("1 x", &[1.0], 2),
        ("inf -inf]", &[f32::INFINITY, -f32::INFINITY], 8),
        ("1\r\n", &[1.0], 1),
    ] {
        assert_eq!(row(text), (expected.to_vec(), Ok(consumed)), "{text:?}");
    }
}

#[test]
fn a_bad_number_is_an_error_at_its_place() {
    for (text, expected, error, offset) in [
        ("1 2 -", &[1.0, 2.0][..], NumberError::Invalid, 4),
        ("1 1e39 2", &[1.0], NumberError::OutOfRange, 2),
        ("1 infx 2", &[1.0], NumberError::Invalid, 2),
        ("1 1e ", &[1.0], NumberError::Invalid, 2),
        ("\t.", &[], NumberError::Invalid, 1),
    ] {
        assert_eq!(row(text), (expected.to_vec(), Err(RowError { error, offset })), "{text:?}");
    }
}

/// What the documentation of [`parse_f32_row`] says, number by number.
fn row_by_numbers<T>(
    bytes: &[u8],
    parse: impl Fn(&[u8]) -> Result<(T, usize), NumberError>,
    starts: &[u8],
) -> (Vec<T>, Result<usize, RowError>) {
    let mut values = Vec::new();
    let mut at = 0;
    loop {
        match bytes.get(at) {
            Some(b' ' | b'\t') => at += 1,
            Some(byte) if starts.contains(byte) => match parse(&bytes[at..]) {
                Ok((value, length)) => {
                    values.push(value);
                    at += length;
                    if !matches!(bytes.get(at), Some(b' ' | b'\t')) {
                        return (values, Ok(at));
                    }
                }
                Err(error) => return (values, Err(RowError { error, offset: at })),
            },
            _ => return (values, Ok(at)),
        }
    }
}

fn check(text: &[u8]) {
    let floats = b"+-.0123456789iInN";
    let mut singles = Vec::new();
    let consumed = parse_f32_row(text, &mut singles);
    let (expected, expected_consumed) = row_by_numbers(text, parse_f32, floats);
    assert_eq!(consumed, expected_consumed, "{}", text.escape_ascii());
    assert!(singles.iter().map(|value| value.to_bits()).eq(expected.iter().map(|value| value.to_bits())));
    // As on processors without AVX2.
    let mut one_by_one = Vec::new();
    assert_eq!(parse_floats(text, &mut one_by_one, usize::MAX), consumed);
    assert!(singles.iter().map(|value| value.to_bits()).eq(one_by_one.iter().map(|value| value.to_bits())));

    #[cfg(target_arch = "x86_64")]
    check_avx2(text, (&singles, consumed));

    let mut doubles = Vec::new();
    let consumed = parse_f64_row(text, &mut doubles);
    let (expected, expected_consumed) = row_by_numbers(text, parse_f64, floats);
    assert_eq!(consumed, expected_consumed, "{}", text.escape_ascii());
    assert!(doubles.iter().map(|value| value.to_bits()).eq(expected.iter().map(|value| value.to_bits())));

    let mut integers = Vec::new();
    let consumed = parse_i32_row(text, &mut integers);
    let integer = |bytes: &[u8]| {
        let (value, length) = parse_integer(bytes)?;
        Ok((i32::try_from(value).map_err(|_| NumberError::OutOfRange)?, length))
    };
    let mut one_by_one = Vec::new();
    assert_eq!((parse_integers(text, &mut one_by_one, usize::MAX), &one_by_one), (consumed, &integers));
    assert_eq!((integers, consumed), row_by_numbers(text, integer, b"+-0123456789"), "{}", text.escape_ascii());
}

/// Checks what is read on processors with AVX2 alone.
#[cfg(target_arch = "x86_64")]
fn check_avx2(text: &[u8], (singles, consumed): (&[f32], Result<usize, RowError>)) {
    if !kaldi_simd::has_avx2() {
        return;
    }
    let mut values = Vec::new();
    assert_eq!(parse_by_groups(text, &mut values, floats::parse, parse_floats), consumed, "{}", text.escape_ascii());
    assert!(values.iter().map(|value| value.to_bits()).eq(singles.iter().map(|value| value.to_bits())));

    let (mut values, mut one_by_one) = (Vec::new(), Vec::new());
    let consumed = parse_integers(text, &mut one_by_one, usize::MAX);
    assert_eq!(
        parse_by_groups(text, &mut values, integers::parse, parse_integers),
        consumed,
        "{}",
        text.escape_ascii()
    );
    assert_eq!(values, one_by_one);
}

/// Words that are no usual numbers, at each place of a block.
#[test]
fn what_is_not_usual_is_found_wherever_it_stands() {
    let odd = [
        "-",
        ".",
        "-.",
        "5.",
        "-5.",
        "1.2.3",
        "0.0.12345678",
        "1-2",
        "--1",
        "1.-2",
        "1e5",
        "+1",
        "123456789",
        "16777217",
        "-16777216",
        "0.0000000001",
        "-0.00000000001",
        "1234567890123456",
        "12345678901234567",
        "00000000000000000001",
        "\u{1}",
        "]",
        "x",
        "1;2",
        "-0",
        ".5",
        "-.5",
        "1:2",
        "1/2",
        "1\u{7f}",
        "1\u{e9}",
        "nan",
        "\n",
        "\r\n",
        "",
    ];
    for odd in odd {
        for before in 0..70 {
            for after in [" 1 -2.5 0.001\n", "\t3 ", "\n", ""] {
                let text = "7 ".repeat(before / 2) + &"8".repeat(before % 2) + odd + after;
                check(text.as_bytes());
                check((text + &" 4 5.25".repeat(20)).as_bytes());
            }
        }
    }
}

#[test]
fn long_rows_of_usual_numbers_have_others_among_them() {
    let mut random = draws();
    for _ in 0..1_000 {
        let mut text = String::new();
        for _ in 0..random.bits() % 200 {
            let bits = random.bits();
            let number = (bits as i32 >> (bits >> 59)) as f32 / 10_f32.powi((bits >> 40) as i32 % 11);
            text += &match bits >> 48 & 255 {
                0 => format!("{number:e} "),
                1 => format!("{number:.9} "),
                2 => format!("{number}  \t"),
                3 => format!("{number}{number} "),
                4 => ["- ", ". ", "-. ", "1.2.3 ", "1:2 ", "16777217 ", "0.00000000001 ", "nan "][bits as usize % 8]
                    .into(),
                _ => format!("{number} "),
            };
        }
        text += ["\n 1 2", "]", "", " \r\n"][random.bits() as usize % 4];
        check((text.clone() + &"1 2 3 ".repeat(30)).as_bytes());
        check(text.as_bytes());
    }
    for text in ["1.5 ", "-7 ", "0 ", "1 2 ", "16777216 ", "-0.000000001 ", "1 ]", "1 x ", "1\n"] {
        (0..40).for_each(|count| check((text.repeat(count) + &"\n".repeat(100)).as_bytes()));
    }
}

#[test]
fn long_rows_of_integers_have_others_among_them() {
    let mut random = draws();
    for _ in 0..1_000 {
        let mut text = String::new();
        for _ in 0..random.bits() % 200 {
            let bits = random.bits();
            let number = bits as u32 >> (bits >> 59);
            text += &match bits >> 48 & 63 {
                0 => format!("-{number} "),
                1 => format!("{number:010}  \t"),
                2 => format!("{number}-1 "),
                3 => ["- ", "1.5 ", "x ", "123456789 ", "12345678 ", "+1 ", ": ", "/ "][bits as usize % 8].into(),
                _ => format!("{} ", number % 10_u32.pow(bits as u32 % 9)),
            };
        }
        text += ["\n 1 2", "]", "", " \r\n"][random.bits() as usize % 4];
        check((text.clone() + &"1 2 3 ".repeat(30)).as_bytes());
        check(text.as_bytes());
    }
}

#[test]
fn rows_are_their_numbers() {
    let mut random = draws();
    let mut text = Vec::new();
    for _ in 0..3_000 {
        text.clear();
        for _ in 0..random.bits() % 40 {
            let bits = random.bits();
            let digits = bits >> (bits % 64);
            text.extend_from_slice(&b"  \t "[..(bits % 4) as usize]);
            text.extend_from_slice(
                match bits >> 32 & 7 {
                    0 => format!("{digits} "),
                    1 => format!("-{:.*} ", (bits % 9) as usize, f64::from(digits as u32) / 1e6),
                    2 => format!("{}.{} ", bits % 1000, digits % 100_000_000),
                    3 => format!("-{} ", digits as u32 >> 1),
                    4 => format!("{:e}\t", f32::from_bits(bits as u32)),
                    5 => format!("{} ", bits as u32 % 5000),
                    6 => format!("-0.{} ", digits as u32),
                    _ => format!("{:.7} ", f64::from(bits as u32) / 1e9),
                }
                .as_bytes(),
            );
        }
        text.extend_from_slice([&b"\n"[..], b"]\n", b"", b" ]\n1 2 3", b"\r\n"][random.bits() as usize % 5]);
        check(&text);
        // Cut anywhere, and with a byte that is something else.
        check(&text[..random.bits() as usize % (text.len() + 1)]);
        if !text.is_empty() {
            let at = random.bits() as usize % text.len();
            text[at] = random.bits() as u8;
            check(&text);
        }
    }
}

#[test]
fn any_bytes_are_read_as_documented() {
    let mut random = draws();
    let bytes = b"0123456789012345678901234567890123456789........eE+---        \t\n];infa\x00\xff";
    for _ in 0..10_000 {
        let length = random.bits() % 200;
        let text: Vec<u8> = (0..length).map(|_| bytes[random.bits() as usize % bytes.len()]).collect();
        check(&text);
    }
    for length in (100..220).chain([1000]) {
        check("7".repeat(length).as_bytes());
        check("0".repeat(length).as_bytes());
        check((" 1 ".to_owned() + &"0-".repeat(length)).as_bytes());
        check(("1 ".to_owned() + &"0".repeat(length) + ".25 3\n").as_bytes());
    }
}

#[test]
fn integer_rows_end_where_no_integer_follows() {
    let read = |text: &str| {
        let mut values = Vec::new();
        let consumed = parse_i32_row(text.as_bytes(), &mut values);
        (values, consumed)
    };
    assert_eq!(read("1 +2 -3\t007\n8"), (vec![1, 2, -3, 7], Ok(11)));
    assert_eq!(read("2147483647 -2147483648 "), (vec![i32::MAX, i32::MIN], Ok(23)));
    assert_eq!(read("1.5 2"), (vec![1], Ok(1)));
    assert_eq!(read("1-2"), (vec![1], Ok(1)));
    assert_eq!(read("1 ;"), (vec![1], Ok(2)));
    assert_eq!(read("1 --2"), (vec![1], Err(RowError { error: NumberError::Invalid, offset: 2 })));
    assert_eq!(read("1 2147483648"), (vec![1], Err(RowError { error: NumberError::OutOfRange, offset: 2 })));
    assert_eq!(read("-2147483649"), (vec![], Err(RowError { error: NumberError::OutOfRange, offset: 0 })));
}
