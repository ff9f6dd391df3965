//! Counts of instructions as a file, and what became more or fewer since.

use std::collections::BTreeMap;
use std::fmt::Write;

/// A count that is larger than the written one by more than this factor is a fault, and one that is smaller by more is worth writing.
const MUCH: f64 = 1.05;

/// Whether a count is a fault.
pub fn is_much_more(now: u64, before: u64) -> bool {
    now as f64 / before as f64 > MUCH
}

/// The instructions of rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// What they depend on besides the program: compiler, C library, valgrind.
    pub versions: String,
    /// For each row: in calculations with AVX2, and without.
    pub rows: BTreeMap<String, [u64; 2]>,
}

/// The names of the columns.
const COLUMNS: [&str; 2] = ["with AVX2", "without AVX2"];

/// What a comparison found, a line each.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Rows with more instructions.
    pub more: Vec<String>,
    /// Rows that only one side has.
    pub unmatched: Vec<String>,
    /// Rows with fewer instructions.
    pub better: Vec<String>,
}

impl Counts {
    /// Reads what [`Self::to_text`] wrote.
    ///
    /// # Errors
    /// If it is something else: a line that says what and where.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let versions = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let versions = versions.ok_or("1: expected # and versions")?.to_owned();
        let mut rows = BTreeMap::new();
        for (number, line) in text.lines().enumerate().skip(2) {
            let cells: Vec<&str> = line.split('\t').collect();
            let row = match cells[..] {
                [name, with, without] => with.parse().and_then(|with| Ok((name, [with, without.parse()?]))).ok(),
                _ => None,
            };
            let expected = || format!("{}: expected a name and two counts between tabs, got {line:?}", number + 1);
            let (name, counts) = row.ok_or_else(expected)?;
            rows.insert(name.to_owned(), counts);
        }
        Ok(Self { versions, rows })
    }

    /// The file: a line for each row, sorted by name.
    pub fn to_text(&self) -> String {
        let mut text = format!("# {}\nrow\t{}\t{}\n", self.versions, COLUMNS[0], COLUMNS[1]);
        for (name, [with, without]) in &self.rows {
            let _ = writeln!(text, "{name}\t{with}\t{without}");
        }
        text
    }

    /// Compares what was counted with what had been `written`. With `is_whole`, rows that were not counted are faults.
    pub fn compare(&self, written: &Self, is_whole: bool) -> Findings {
        let mut found = Findings::default();
        for (name, counts) in &self.rows {
            let Some(before) = written.rows.get(name) else {
                found.unmatched.push(format!("{name}: no count is written"));
                continue;
            };
            for ((column, now), before) in COLUMNS.iter().zip(counts).zip(before) {
                let ratio = *now as f64 / *before as f64;
                let line = format!("{name}, {column}: {now} instructions, {before} are written: {ratio:.2} times");
                if is_much_more(*now, *before) {
                    found.more.push(line);
                } else if ratio < 1.0 / MUCH {
                    found.better.push(line);
                }
            }
        }
        let gone = written.rows.keys().filter(|name| is_whole && !self.rows.contains_key(*name));
        found.unmatched.extend(gone.map(|name| format!("{name}: it is written, but there is no such row")));
        found
    }
}
