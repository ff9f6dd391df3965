//! Lists and ranges of numbers.

use std::str::FromStr;

/// A number with its text, for the names of files.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedNumber {
    /// The text: as it was given, or in a range with as many decimals as the longest number of the range.
    pub name: String,
    /// The number.
    pub value: f32,
}

/// Numbers with commas between them, each a number or a range: `first:last`, whose step is 1, or `first:step:last`.
///
/// A range is computed in decimal numbers, so 0:0.1:1 has eleven.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedNumbers(pub Vec<NamedNumber>);

/// A range has at most so many numbers.
const MOST_NUMBERS: i64 = 10_000;

impl FromStr for NamedNumbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut numbers = Vec::new();
        for item in text.split(',') {
            match *item.split(':').collect::<Vec<_>>() {
                [number] => numbers.push(named(number.to_owned())?),
                [first, last] => add_range(&mut numbers, item, [first, "1", last])?,
                [first, step, last] => add_range(&mut numbers, item, [first, step, last])?,
                _ => return Err(format!("expected first:last or first:step:last, got {item:?}")),
            }
        }
        Ok(Self(numbers))
    }
}

fn named(name: String) -> Result<NamedNumber, String> {
    match name.parse() {
        Ok(value) if f32::is_finite(value) => Ok(NamedNumber { name, value }),
        _ => Err(format!("expected a number, got {name:?}")),
    }
}

fn add_range(numbers: &mut Vec<NamedNumber>, item: &str, parts: [&str; 3]) -> Result<(), String> {
    let decimals = parts.iter().map(|part| part.split_once('.').map_or(0, |(_, rest)| rest.len())).max().unwrap_or(0);
    let scaled = |part: &str| scale(part, decimals).ok_or_else(|| format!("expected a decimal number, got {part:?}"));
    let (first, step, last) = (scaled(parts[0])?, scaled(parts[1])?, scaled(parts[2])?);
    if step == 0 || (last - first).signum() * step.signum() < 0 {
        return Err(format!("expected a step that leads from the first number to the last one, got {item:?}"));
    }
    let count = (last - first) / step + 1;
    if count > MOST_NUMBERS {
        return Err(format!("expected at most {MOST_NUMBERS} numbers, got {count} in {item:?}"));
    }
    for index in 0..count {
        let number = first + index * step;
        let sign = if number < 0 { "-" } else { "" };
        let mut digits = format!("{:0width$}", number.abs(), width = decimals + 1);
        if decimals > 0 {
            digits.insert(digits.len() - decimals, '.');
        }
        numbers.push(named(format!("{sign}{digits}"))?);
    }
    Ok(())
}

/// A decimal number times a power of ten, as an integer.
fn scale(part: &str, decimals: usize) -> Option<i64> {
    let (sign, size) = part.strip_prefix('-').map_or((1, part), |size| (-1, size));
    let (whole, fraction) = size.split_once('.').unwrap_or((size, ""));
    let is_number = !size.is_empty() && size != "." && size.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let digits = format!("{whole}{fraction:0<decimals$}");
    if is_number && digits.len() <= 15 { Some(sign * digits.parse::<i64>().ok()?) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        match text.parse::<NamedNumbers>() {
            Ok(numbers) => numbers.0.iter().map(|number| &number.name[..]).collect::<Vec<_>>().join(" "),
            Err(message) => message,
        }
    }

    #[test]
    fn ranges_are_computed_in_decimal_numbers() {
        for (text, expected) in [
            ("7", "7"),
            ("7:10", "7 8 9 10"),
            ("0:0.5:1", "0.0 0.5 1.0"),
            ("0.0,0.5,1", "0.0 0.5 1"),
            ("0.10:.05:0.25", "0.10 0.15 0.20 0.25"),
            ("1:-0.5:-1", "1.0 0.5 0.0 -0.5 -1.0"),
            ("3:3,5:2:8", "3 5 7"),
            ("-1e-2", "-1e-2"),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
        let numbers: NamedNumbers = "0:0.1:1".parse().unwrap();
        assert!(numbers.0.iter().all(|number| number.value == number.name.parse::<f32>().unwrap()));
        assert_eq!(numbers.0.len(), 11);
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for (text, message) in [
            ("", "expected a number, got \"\""),
            ("7,", "expected a number, got \"\""),
            ("nan", "expected a number, got \"nan\""),
            ("1:2:3:4", "expected first:last or first:step:last, got \"1:2:3:4\""),
            ("a:b", "expected a decimal number, got \"a\""),
            ("1:1e3", "expected a decimal number, got \"1e3\""),
            ("1.2.3:4", "expected a decimal number, got \"1.2.3\""),
            ("1:0:3", "expected a step that leads from the first number to the last one, got \"1:0:3\""),
            ("3:1", "expected a step that leads from the first number to the last one, got \"3:1\""),
            ("0:0.00001:1", "expected at most 10000 numbers, got 100001 in \"0:0.00001:1\""),
        ] {
            assert_eq!(names(text), message, "{text}");
        }
    }
}
