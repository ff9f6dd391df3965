//! Statistics of NumPy.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints, matrix, matrix_f64};

pub const TRIALS: &Trials = &[("numpy_finds_the_same_statistics", statistics)];

/// Python reads our objects and computes what they should be.
fn statistics(python: &Python) {
    let scratch = Scratch::new();
    let entries: Vec<(String, Sample)> =
        (0..60).map(|at| (format!("s{}-{at:02}", at % 7), matrix(at, 5 + 3 * at as usize, 8))).collect();
    let mut entries: Vec<(&str, Sample)> = entries.iter().map(|(key, value)| (key.as_str(), value.clone())).collect();
    let strange = vec![f32::NAN, 1.0, f32::INFINITY, -2.0, 1e30, -1e-30, f32::NEG_INFINITY, 0.0];
    entries.push(("s1-60", Sample::Matrix(vec![strange, vec![3.0; 8]])));
    scratch.write("m.ark", binary_archive(&entries));
    scratch.write("d.ark", binary_archive(&[("s0-1", matrix_f64(1, 40, 4)), ("s1-1", matrix_f64(2, 30, 4))]));
    scratch.write("i.ark", binary_archive(&[("s0-1", ints(1, 40)), ("s1-1", ints(2, 40))]));
    for table in ["m", "d", "i"] {
        for by in ["table", "column", "key", "speaker"] {
            let utt2spk = if by == "speaker" { "--utt2spk=ark:utt2spk" } else { "" };
            scratch.sh(&format!("table-export {table}.ark keys.jsonl && sed 's/.*\"key\": \"\\(s.\\)-\\([0-9]*\\)\".*/\\1-\\2 \\1/' keys.jsonl > utt2spk")).succeeds();
            scratch.sh(&format!("table-stats --json --by={by} {utt2spk} {table}.ark > {table}.{by}")).succeeds();
        }
        assert_eq!(python.run(&scratch, "statistics", table), "the same\n");
    }
}
