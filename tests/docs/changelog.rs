//! The changelog has a dated section for each version, and each tool.

use std::collections::BTreeMap;

use regex::Regex;

use super::sources::read;
use crate::support::registry;

#[test]
fn sections_are_dated_and_the_newest_is_first() {
    let text = read("CHANGELOG.md");
    let mut titles = text.lines().filter_map(|line| line.strip_prefix("## "));
    assert_eq!(titles.next(), Some("Unreleased"));
    let dated = Regex::new(r"^(\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2})\)$").unwrap();
    let dates: Vec<(String, String)> = titles
        .map(|title| {
            let parts = dated.captures(title).unwrap_or_else(|| panic!("{title}"));
            (parts[2].to_owned(), parts[1].to_owned())
        })
        .collect();
    assert!(!dates.is_empty() && dates.is_sorted_by(|one, other| one.0 >= other.0), "{dates:?}");
    assert_eq!(dates[0].1, env!("CARGO_PKG_VERSION"));
}

#[test]
fn each_tool_has_come() {
    let mut counts: BTreeMap<&str, usize> = registry::names().into_iter().map(|name| (name, 0)).collect();
    let (text, quoted) = (read("CHANGELOG.md"), Regex::new("`([a-z0-9-]+)`").unwrap());
    for name in quoted.captures_iter(&text) {
        if let Some(count) = counts.get_mut(&name[1]) {
            *count += 1;
        }
    }
    counts.retain(|_, count| *count == 0);
    assert!(counts.is_empty(), "{counts:?}");
}
