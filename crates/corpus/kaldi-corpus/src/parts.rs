//! Names of files that say how many parts there are: `train-00000-of-00003.parquet`.

use std::collections::{BTreeMap, BTreeSet};

use bstr::{BString, ByteSlice};

/// The most names of missing parts in a message.
const MOST: usize = 3;

/// A name of a part: what is before the number, the number with its zeros, and the number of parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartName<'a> {
    /// With the folder.
    pub(crate) stem: &'a [u8],
    number: &'a str,
    count: &'a str,
    suffix: &'a [u8],
}

impl<'a> PartName<'a> {
    /// Reads a name; `None` if it says no number of parts. A word may follow the numbers: `train-00000-of-00003-0ab1.parquet`.
    pub(crate) fn read(name: &'a [u8]) -> Option<Self> {
        let file = name.rfind_byte(b'/').map_or(0, |slash| slash + 1);
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let of = name[file..].rfind("of-").or_else(|| name[file..].rfind("of_"))? + file;
        let after = &name[of + 3..];
        let (count, suffix) = after.split_at(digits(after));
        let before = name[file..of].strip_suffix(b"-").or_else(|| name[file..of].strip_suffix(b"_"))?;
        let width = before.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        let (stem, number) = before.split_at(before.len() - width);
        let stem = stem.strip_suffix(b"-").or_else(|| stem.strip_suffix(b"_")).or_else(|| stem.strip_suffix(b"."))?;
        let ends = suffix.is_empty() || matches!(suffix[0], b'.' | b'-' | b'_');
        let [number, count] = [number, count].map(|digits| digits.to_str().ok().filter(|digits| !digits.is_empty()));
        let stem = &name[..file + stem.len()];
        (ends && stem.len() > file).then_some(Self { stem, number: number?, count: count?, suffix })
    }

    /// The split of a Hugging Face data set, without folder.
    pub(crate) fn split(&self) -> &[u8] {
        &self.stem[self.stem.rfind_byte(b'/').map_or(0, |slash| slash + 1)..]
    }
}

/// What the names of files that are read together show to be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PartFault {
    /// Parts are missing: a message, and the name of the first one.
    Missing(String, BString),
    /// There are parts of sets of several sizes.
    Mixed(String),
}

/// Compares the names of files that are read together. Names without a number of parts say nothing.
pub(crate) fn check_parts(names: &[BString]) -> Option<PartFault> {
    let mut sets: BTreeMap<&[u8], Vec<PartName<'_>>> = BTreeMap::new();
    for part in names.iter().filter_map(|name| PartName::read(name)) {
        sets.entry(part.stem).or_default().push(part);
    }
    sets.values().find_map(|parts| of_set(parts))
}

fn of_set(parts: &[PartName<'_>]) -> Option<PartFault> {
    let first = &parts[0];
    let stem = first.stem.as_bstr();
    let number = |digits: &str| digits.parse::<u64>().ok();
    if let Some(other) = parts.iter().find(|part| number(part.count) != number(first.count)) {
        return Some(PartFault::Mixed(format!(
            "{stem}: expected parts of one set of files, got parts of {} and parts of {}: remove those of the other set",
            first.count, other.count
        )));
    }
    let count = number(first.count)?;
    let found: BTreeSet<u64> = parts.iter().filter_map(|part| number(part.number)).collect();
    // Some programs count from 1.
    let start = u64::from(!found.contains(&0) && found.contains(&count));
    // Not all numbers are looked at: there may be many.
    let mut missing = (start..start.saturating_add(count)).filter(|number| !found.contains(number));
    let some: Vec<u64> = missing.by_ref().take(MOST + 1).collect();
    let width = first.number.len();
    let name = |number: u64| format!("{}-{number:0width$}-of-{}", first.split().as_bstr(), first.count);
    let first_missing = some.first()?;
    let shown: Vec<String> = some.iter().take(MOST).map(|number| name(*number)).collect();
    let more = if some.len() > MOST { " and others" } else { "" };
    let got = found.range(start..start.saturating_add(count)).count();
    let message = format!(
        "{stem}: expected {count} parts, as the names of files say, got {got}: {}{more} missing",
        shown.join(", ")
    );
    let folder = first.stem.len() - first.split().len();
    let path = [&first.stem[..folder], name(*first_missing).as_bytes(), extension(first.suffix)].concat();
    Some(PartFault::Missing(message, path.into()))
}

/// What follows the last word that differs between parts.
fn extension(suffix: &[u8]) -> &[u8] {
    suffix.find_byte(b'.').map_or(b"", |dot| &suffix[dot..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: &[&str]) -> Option<PartFault> {
        check_parts(&names.iter().map(|name| BString::from(*name)).collect::<Vec<_>>())
    }

    #[test]
    fn names_of_parts_have_two_numbers() {
        let t = |name: &str| {
            PartName::read(name.as_bytes())
                .map(|it| (it.split().to_str_lossy().into_owned(), it.number.to_owned(), it.count.to_owned()))
        };
        let some =
            |split: &str, number: &str, count: &str| Some((split.to_owned(), number.to_owned(), count.to_owned()));
        assert_eq!(t("data/train-00000-of-00002.parquet"), some("train", "00000", "00002"));
        assert_eq!(t("train.clean-100-00001-of-00002-0ab1.parquet"), some("train.clean-100", "00001", "00002"));
        assert_eq!(t("x.tar-0-of-3"), some("x.tar", "0", "3"));
        assert_eq!(t("x_1_of_3.jsonl.gz"), some("x", "1", "3"));
        for name in [
            "train.parquet",
            "train-0-of-x.parquet",
            "-0-of-1.parquet",
            "a-of-3.x",
            "1-of-3",
            "a-1-of-3x",
            "best-of-2",
            "d-0-of-2/x",
        ] {
            assert_eq!(t(name), None, "{name}");
        }
    }

    #[test]
    fn missing_and_mixed_parts_are_told() {
        assert_eq!(check(&["a", "x-0-of-2", "x-1-of-2", "y-1-of-2.p", "y-2-of-2.p", "d/x-0-of-1"]), None);
        let missing = |message: &str, path: &str| Some(PartFault::Missing(message.to_owned(), path.into()));
        assert_eq!(
            check(&["d/train-00000-of-00003.parquet", "d/train-00002-of-00003.parquet"]),
            missing(
                "d/train: expected 3 parts, as the names of files say, got 2: train-00001-of-00003 missing",
                "d/train-00001-of-00003.parquet"
            )
        );
        assert_eq!(
            check(&["t-00000-of-99999-0a.p"]),
            missing(
                "t: expected 99999 parts, as the names of files say, got 1: t-00001-of-99999, t-00002-of-99999, t-00003-of-99999 and \
                 others missing",
                "t-00001-of-99999.p"
            )
        );
        let mixed = check(&["t-00000-of-00002.p", "t-00001-of-00002.p", "t-00000-of-00003.p"]);
        assert!(
            matches!(&mixed, Some(PartFault::Mixed(message)) if message.contains("parts of 00002 and parts of 00003")),
            "{mixed:?}"
        );
        // Of which nothing is known.
        assert_eq!(check(&["t-18446744073709551616-of-99999999999999999999"]), None);
    }
}
