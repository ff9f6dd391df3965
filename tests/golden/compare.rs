//! Whether what a tool wrote is what Kaldi wrote.

use super::case::{Expected, How};

/// Says how `got` differs from `wanted`, if it does in the way that counts.
pub fn difference(got: &[u8], wanted: &[u8], expected: &Expected) -> Option<String> {
    let texts = || (String::from_utf8_lossy(got), String::from_utf8_lossy(wanted));
    match expected.how {
        How::Bytes => bytes(got, wanted),
        How::Lines => {
            let (got, wanted) = texts();
            (sorted_lines(&got) != sorted_lines(&wanted)).then(|| "the lines differ".to_owned())
        }
        How::Floats => {
            let (got, wanted) = texts();
            floats(&got, &wanted, expected.rtol, expected.atol)
        }
    }
}

fn bytes(got: &[u8], wanted: &[u8]) -> Option<String> {
    if got == wanted {
        return None;
    }
    let at = got.iter().zip(wanted).take_while(|(one, other)| one == other).count();
    let around = |bytes: &[u8]| bytes[at.saturating_sub(24)..bytes.len().min(at + 40)].escape_ascii().to_string();
    let (sizes, got, wanted) = (format!("{} and {}", got.len(), wanted.len()), around(got), around(wanted));
    Some(format!("differs at byte {at} (sizes {sizes}):\n  got    ...{got}\n  wanted ...{wanted}"))
}

fn sorted_lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<_> = text.lines().collect();
    lines.sort_unstable();
    lines
}

/// Words that are no numbers must be equal; so must `nan` and infinities.
fn floats(got: &str, wanted: &str, rtol: f64, atol: f64) -> Option<String> {
    let (got, wanted): (Vec<_>, Vec<_>) = (got.split_whitespace().collect(), wanted.split_whitespace().collect());
    if got.len() != wanted.len() {
        return Some(format!("{} words instead of {}", got.len(), wanted.len()));
    }
    let fault = |at: usize| -> String { format!("word {at}: {} instead of {}", got[at], wanted[at]) };
    let (mut worst, mut num_off) = ((0.0, 0), 0);
    for (at, (one, other)) in got.iter().zip(&wanted).enumerate().filter(|(_, (one, other))| one != other) {
        let (Ok(x), Ok(y)) = (one.parse::<f64>(), other.parse::<f64>()) else { return Some(fault(at)) };
        if !x.is_finite() || !y.is_finite() {
            if x == y || (x.is_nan() && y.is_nan()) {
                continue;
            }
            return Some(fault(at));
        }
        let off = (x - y).abs();
        if off > atol + rtol * y.abs() {
            num_off += 1;
            if off > worst.0 {
                worst = (off, at);
            }
        }
    }
    (num_off > 0).then(|| format!("{num_off} of {} numbers off; the worst: {}", wanted.len(), fault(worst.1)))
}
