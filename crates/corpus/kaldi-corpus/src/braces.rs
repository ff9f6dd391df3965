//! Names of many files in one: numbers and words in braces.

use bstr::{BStr, BString, ByteSlice};

/// The most names of one.
const MOST: usize = 1 << 20;

/// What NeMo reads as a brace, since a shell and Hydra have their own ideas of braces.
const OPEN: [&[u8]; 4] = [b"_OP_", b"(", b"[", b"<"];
const CLOSE: [&[u8]; 4] = [b"_CL_", b")", b"]", b">"];

/// The names that a name with braces stands for: `{0..7}`, `{00..07}` (as many digits), `{0..6..2}`, `{a..c}` and `{a,b}`, one in another or
/// beside it. As in NeMo, `_OP_ ( [ <` stand for `{`, and `_CL_ ) ] >` for `}`. A name without such a list is itself.
///
/// # Errors
/// If there are too many.
pub(crate) fn expand_braces(name: &BStr) -> Result<Vec<BString>, String> {
    let mut text = name.to_vec();
    for (words, brace) in [(OPEN, b"{"), (CLOSE, b"}")] {
        for word in words {
            text = text.replace(word, brace);
        }
    }
    match expanded(&text)? {
        Some(names) => Ok(names),
        None => Ok(vec![name.to_owned()]),
    }
}

/// The names of a text with braces; `None` if it has no list.
fn expanded(text: &[u8]) -> Result<Option<Vec<BString>>, String> {
    let mut from = 0;
    while let Some(open) = text[from..].find_byte(b'{').map(|at| from + at) {
        from = open + 1;
        let Some((close, commas)) = closing(text, open) else { continue };
        let inside = &text[open + 1..close];
        let items = match commas.is_empty() {
            true => range(inside)?,
            false => {
                let ends = commas.iter().copied().chain([close]);
                let starts = [open].into_iter().chain(commas.iter().copied());
                let items = starts.zip(ends).map(|(start, end)| each(&text[start + 1..end]));
                Some(items.collect::<Result<Vec<_>, _>>()?.concat())
            }
        };
        let Some(items) = items else { continue };
        let rest = each(&text[close + 1..])?;
        if items.len().saturating_mul(rest.len()) > MOST {
            return Err(format!("expected at most {MOST} names, got more in {:?}", text.as_bstr()));
        }
        let join = |item: &BString| {
            rest.iter().map(|rest| BString::from([&text[..open], item, rest].concat())).collect::<Vec<_>>()
        };
        return Ok(Some(items.iter().flat_map(join).collect()));
    }
    Ok(None)
}

/// The names of a part, which may be one.
fn each(text: &[u8]) -> Result<Vec<BString>, String> {
    Ok(expanded(text)?.unwrap_or_else(|| vec![text.into()]))
}

/// Where the brace ends that starts there, and the commas that are in no other one.
fn closing(text: &[u8], open: usize) -> Option<(usize, Vec<usize>)> {
    let (mut depth, mut commas) = (0, Vec::new());
    for (at, byte) in text.iter().enumerate().skip(open) {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            b',' if depth == 1 => commas.push(at),
            _ => {}
        }
        if depth == 0 {
            return Some((at, commas));
        }
    }
    None
}

/// The items of `first..last` or `first..last..step`; `None` if it is something else.
fn range(inside: &[u8]) -> Result<Option<Vec<BString>>, String> {
    let parts: Vec<&str> = match inside.to_str() {
        Ok(text) => text.split("..").collect(),
        Err(_) => return Ok(None),
    };
    let (first, last, step) = match parts[..] {
        [first, last] => (first, last, Some(1)),
        [first, last, step] => (first, last, step.parse::<i64>().ok().map(|step| step.abs().max(1))),
        _ => return Ok(None),
    };
    let Some(step) = step else { return Ok(None) };
    let letter = |text: &str| match text.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let (ends, width) = match (letter(first), letter(last), first.parse::<i64>(), last.parse::<i64>()) {
        (Some(first), Some(last), ..) => ((first, last), None),
        (_, _, Ok(a), Ok(b)) => {
            let is_padded =
                |text: &str| text.trim_start_matches('-').len() > 1 && text.trim_start_matches('-').starts_with('0');
            let width = if is_padded(first) || is_padded(last) { first.len().max(last.len()) } else { 0 };
            ((a, b), Some(width))
        }
        _ => return Ok(None),
    };
    let count = ends.0.abs_diff(ends.1) / step.unsigned_abs() + 1;
    if count > MOST as u64 {
        return Err(format!("expected at most {MOST} names, got {count} in {{{}}}", inside.as_bstr()));
    }
    let direction = if ends.0 <= ends.1 { step } else { -step };
    let item = |number: i64| match width {
        None => BString::from(vec![number as u8]),
        Some(width) => format!("{number:0width$}").into(),
    };
    Ok(Some((0..count as i64).map(|at| item(ends.0 + at * direction)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> String {
        bstr::join(" ", expand_braces(text.into()).unwrap()).to_str_lossy().into_owned()
    }

    #[test]
    fn lists_and_ranges_are_written_out() {
        for (text, expected) in [
            ("a{0..3}b", "a0b a1b a2b a3b"),
            ("{8..11}", "8 9 10 11"),
            ("{008..010}", "008 009 010"),
            ("{3..1}", "3 2 1"),
            ("{0..6..3}", "0 3 6"),
            ("{a..c}", "a b c"),
            ("x{a,bc,}", "xa xbc x"),
            ("{a,b}{1..2}", "a1 a2 b1 b2"),
            ("{a,b{1..2}}", "a b1 b2"),
            ("audio__OP_0..1_CL_.tar", "audio_0.tar audio_1.tar"),
            ("m_(0..1).json", "m_0.json m_1.json"),
            ("m_<0..1>[a,b]", "m_0a m_0b m_1a m_1b"),
        ] {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn other_braces_are_part_of_a_name() {
        for text in ["a", "data (1).json", "{x}", "a{b", "{1..}", "{..}", "{a..12}", "[x]", "{}", "a}b{"] {
            assert_eq!(names(text), text);
        }
    }

    #[test]
    fn too_many_names_are_refused() {
        for text in ["{0..99999999999}", "{0..9999}{0..9999}"] {
            assert!(
                expand_braces(text.into()).unwrap_err().starts_with("expected at most 1048576 names, got "),
                "{text}"
            );
        }
    }
}
