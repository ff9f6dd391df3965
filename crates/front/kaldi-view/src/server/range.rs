//! The header `Range`.

use std::ops::Range;

/// What a request wants of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    All,
    Part(Range<u64>),
    /// Nothing that is there.
    Outside,
}

impl Wanted {
    /// Reads the header. Several ranges, other units and what makes no sense ask for all, as RFC 9110 allows.
    pub fn parse(header: Option<&str>, length: u64) -> Self {
        let Some(range) = header.and_then(|header| header.trim().strip_prefix("bytes=")) else { return Self::All };
        let Some((start, end)) = range.trim().split_once('-') else { return Self::All };
        let number = |text: &str| match text.bytes().all(|byte| byte.is_ascii_digit()) {
            // A number that is too large is beyond every end.
            true if !text.is_empty() => Some(text.parse::<u64>().unwrap_or(u64::MAX)),
            _ => None,
        };
        let part = match (number(start), number(end)) {
            (Some(start), Some(end)) if start <= end => start..end.saturating_add(1).min(length),
            (Some(start), None) if end.is_empty() => start..length,
            (None, Some(last)) if start.is_empty() => length.saturating_sub(last)..length,
            _ => return Self::All,
        };
        if part.start < part.end { Self::Part(part) } else { Self::Outside }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_those_of_rfc_9110() {
        let of = |header: &str| Wanted::parse(Some(header), 100);
        assert_eq!(of("bytes=0-9"), Wanted::Part(0..10));
        assert_eq!(of("bytes=90-200"), Wanted::Part(90..100));
        assert_eq!(of("bytes=99-"), Wanted::Part(99..100));
        assert_eq!(of("bytes=-10"), Wanted::Part(90..100));
        assert_eq!(of("bytes=-1000"), Wanted::Part(0..100));
        for outside in ["bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999999-"] {
            assert_eq!(of(outside), Wanted::Outside, "{outside}");
        }
        for all in ["bytes=5-4", "bytes=", "bytes=-", "bytes=a-b", "bytes=0-1,5-6", "lines=0-1", "bytes=+1-2", ""] {
            assert_eq!(of(all), Wanted::All, "{all}");
        }
        assert_eq!(Wanted::parse(Some("bytes=0-"), 0), Wanted::Outside);
        assert_eq!(Wanted::parse(None, 100), Wanted::All);
    }
}
