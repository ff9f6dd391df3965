//! `scripts/bench.sh --counts` names the rows that need more instructions, and those that need fewer.

#[path = "../../benches/tables/counts.rs"]
mod counts;

use counts::{Counts, Findings};

fn counts(rows: &[(&str, [u64; 2])]) -> Counts {
    let rows = rows.iter().map(|(name, counts)| ((*name).to_owned(), *counts)).collect();
    Counts { versions: "rustc 1.2, libc 3".to_owned(), rows }
}

#[test]
fn rows_with_five_percent_more_instructions_are_faults() {
    let written = counts(&[("a", [1000, 2000]), ("b", [1000, 2000])]);
    let now = counts(&[("a", [1050, 2101]), ("b", [953, 1904])]);
    let expected = Findings {
        more: vec!["a, without AVX2: 2101 instructions, 2000 are written: 1.05 times".to_owned()],
        better: vec!["b, without AVX2: 1904 instructions, 2000 are written: 0.95 times".to_owned()],
        ..Findings::default()
    };
    assert_eq!(now.compare(&written, true), expected);
    assert_eq!(written.compare(&written, true), Findings::default());
}

#[test]
fn rows_that_only_one_side_has_are_faults() {
    let (written, now) = (counts(&[("gone", [1, 2]), ("same", [1, 2])]), counts(&[("new", [1, 2]), ("same", [1, 2])]));
    let unmatched = |is_whole| now.compare(&written, is_whole).unmatched;
    assert_eq!(unmatched(true), ["new: no count is written", "gone: it is written, but there is no such row"]);
    // Of some rows nothing is known of the others.
    assert_eq!(unmatched(false), ["new: no count is written"]);
}

#[test]
fn what_is_written_is_read_again() {
    let written = counts(&[("a row (to /dev/null)", [12, 34]), ("b", [0, u64::MAX])]);
    assert_eq!(Counts::from_text(&written.to_text()), Ok(written));
    let message = Counts::from_text("# v\nrow\tx\ty\na\t1\t2\nb\t1\n").unwrap_err();
    assert_eq!(message, "4: expected a name and two counts between tabs, got \"b\\t1\"");
    assert!(Counts::from_text("# v\nrow\tx\ty\nb\t1\t2.5\n").is_err());
    assert_eq!(Counts::from_text("row\tx\ty\nb\t1\t2\n").unwrap_err(), "1: expected # and versions");
}

/// A row without counts would never fail.
#[test]
fn counts_of_all_rows_are_written() {
    let written = Counts::from_text(&super::source::read("benches/counts.tsv")).unwrap();
    assert!(written.rows.len() > 30 && written.rows.values().flatten().all(|count| *count > 1_000_000), "{written:?}");
}
