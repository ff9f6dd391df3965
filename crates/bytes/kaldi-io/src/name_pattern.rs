//! Names of several outputs that are numbered.

use bstr::{BStr, BString, ByteSlice};

/// A name with places for a number, such as `part-%d` or `ark,scp:feats.%03d.ark,feats.%03d.scp`.
///
/// `%d` is the number, and `%03d` adds zeros up to three digits. Numbers count from 1, as those of `split_scp.pl` do. Any other
/// `%` is refused.
///
/// ```
/// use kaldi_io::NamePattern;
///
/// let pattern = NamePattern::parse("part-%02d.scp".into())?;
/// assert_eq!((pattern.has_number(), pattern.name(1)), (true, "part-01.scp".into()));
/// assert_eq!(NamePattern::parse("part-%s".into()).unwrap_err().to_string(), "expected %d or %03d after %, got part-%s");
/// # Ok::<(), kaldi_io::BadNamePattern>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The text before the first number.
    start: BString,
    /// The least digits of each number, and the text after it.
    rest: Vec<(usize, BString)>,
}

/// A name with a `%` that is no place for a number.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected %d or %03d after %, got {}", crate::printable(.0))]
pub struct BadNamePattern(BString);

impl NamePattern {
    /// Reads a pattern. A name without `%` is one, too.
    ///
    /// # Errors
    /// If a `%` is not a part of `%d` or of one like `%03d`.
    pub fn parse(text: &BStr) -> Result<Self, BadNamePattern> {
        let wrong = || BadNamePattern(text.to_owned());
        let mut parts = text.split_str("%");
        let start = parts.next().unwrap_or_default().into();
        let place = |part: &[u8]| {
            let (width, text) = part.split_once_str("d")?;
            let width = match width {
                [] => 0,
                [b'0', digit @ b'1'..=b'9'] => usize::from(digit - b'0'),
                _ => return None,
            };
            Some((width, BString::from(text)))
        };
        let rest = parts.map(|part| place(part).ok_or_else(wrong)).collect::<Result<_, _>>()?;
        Ok(Self { start, rest })
    }

    /// Whether it has a place for a number. Without one, all names are the same.
    pub fn has_number(&self) -> bool {
        !self.rest.is_empty()
    }

    /// The name with this number; the first one is 1.
    pub fn name(&self, number: u64) -> BString {
        let mut name = self.start.clone();
        for (width, text) in &self.rest {
            name.extend_from_slice(format!("{number:0width$}").as_bytes());
            name.extend_from_slice(text);
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> String {
        NamePattern::parse(text.into()).map_or_else(|error| error.to_string(), |pattern| pattern.name(12).to_string())
    }

    #[test]
    fn every_place_gets_the_number() {
        for (text, expected) in
            [("a", "a"), ("%d", "12"), ("a%db", "a12b"), ("%03d/%d-%01d", "012/12-12"), ("\u{e4}%dd", "\u{e4}12d")]
        {
            assert_eq!(name(text), expected);
        }
    }

    #[test]
    fn other_places_are_refused() {
        for text in ["%", "100%", "%s", "%3d", "%0d", "%012d", "%%d", "% d"] {
            assert_eq!(name(text), format!("expected %d or %03d after %, got {text}"));
        }
    }
}
