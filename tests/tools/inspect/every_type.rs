//! Every tool that looks at tables of any type, on values of every type.

use kaldi_any::ValueType;
use kaldi_value::{Format, IntMatrix, Value};

use crate::safety::values::{ForEachType, archive, for_each_type};
use crate::support::Scratch;

/// The types whose values `table-stats` does not count as numbers.
const NO_NUMBERS: [ValueType; 8] = [
    ValueType::Nnet3Example,
    ValueType::Nnet3ChainExample,
    ValueType::Int32Pairs,
    ValueType::FloatPairs,
    ValueType::Posterior,
    ValueType::GaussPost,
    ValueType::Token,
    ValueType::TokenVector,
];

struct Look;

impl Look {
    fn at(bytes: &[u8], types: &[ValueType], what: &str) {
        let scratch = Scratch::new();
        scratch.write("t.ark", bytes);
        let is_shown = |value_type: &ValueType| value_type.has_content() || value_type.graph_form().is_some();
        let json = match types.iter().any(is_shown) {
            true => "table-head --json t.ark > json && [ $(wc -l < json) = 4 ]",
            false => "",
        };
        let looks = "table-info t.ark > info
            table-keys ark:t.ark > keys && [ $(wc -l < keys) = 4 ]
            [ $(table-head t.ark | wc -l) -ge 4 ]
            JSON
            table-get t.ark utt0 > one && [ -s one ]
            table-diff t.ark t.ark
            table-sort ark:t.ark ark:sorted.ark && cmp t.ark sorted.ark
            table-sample --n=4 ark:t.ark ark:sample.ark
            ark-to-scp t.ark t.scp && table-info t.scp";
        scratch.sh(&looks.replace("JSON", json)).succeeds();
        let info = String::from_utf8(scratch.read("info")).unwrap();
        assert!(types.iter().any(|value_type| info.contains(value_type.name())), "{what}: {info}");
        // Differing columns and empty values are faults, but they have no place in the file.
        let checked = scratch.sh("table-check t.ark || true");
        let faults = String::from_utf8_lossy(checked.stdout()).into_owned();
        assert!(!faults.contains("t.ark:1") && !faults.contains("t.ark:2"), "{what}: {faults}");
        let found = ValueType::ALL.iter().find(|value_type| {
            let line = info.lines().find(|line| line.starts_with("  type ")).unwrap_or_default();
            line.split_whitespace().last() == Some(value_type.name())
        });
        let found = *found.unwrap_or_else(|| panic!("{what}: {info}"));
        if found.graph_form().is_some() {
            scratch.sh("table-stats t.ark && table-stats t.scp").succeeds().stdout_has("t.ark\tstates\t4\t");
        } else if NO_NUMBERS.contains(&found) || !found.has_content() {
            let message = format!("t.ark: expected numbers, waveforms, lattices or FSTs, got values of type {found}");
            scratch.sh("table-stats t.ark").fails_with(255).stderr_has(&message);
        } else {
            scratch.sh("table-stats t.ark && table-stats t.scp").succeeds().stdout_has("t.ark: 4 entries");
        }
    }
}

impl ForEachType for Look {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let types: Vec<ValueType> = match T::NAME.replace(' ', "-").parse() {
            Ok(value_type) => vec![value_type],
            Err(_) => ValueType::ALL.iter().copied().filter(|known| T::NAME.ends_with(known.name())).collect(),
        };
        for format in [Format::Binary, Format::Text] {
            let what = format!("{} {format:?}", T::NAME);
            Self::at(&archive(&samples, format).0, &types, &what);
        }
    }
}

#[test]
fn every_tool_looks_at_every_type() {
    for_each_type(&mut Look);
    let matrix = |rows: &[[i32; 2]]| IntMatrix::from_rows(rows).unwrap();
    Look.call([matrix(&[[1, 11], [2, 12], [3, 13]]), matrix(&[[5, 6]]), matrix(&[[7, 8]; 4]), matrix(&[[0, -1]])]);
}

#[test]
fn integers_of_lists_are_counted() {
    let scratch = Scratch::new();
    scratch.write("m.txt", "a 1 11 ; 2 12 ; 3 13 ;\nb 5 6 ;\n");
    scratch.sh("convert-codes --to-pattern=matrix ark:m.txt ark:m.ark").succeeds();
    for table in ["m.ark", "m.txt"] {
        let ran = scratch.sh(&format!("table-stats --by=column --json {table}")).succeeds();
        let means: Vec<f64> = String::from_utf8_lossy(ran.stdout())
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["mean"].as_f64())
            .collect();
        assert_eq!(means, [2.75, 10.5], "{table}");
    }
    let piped = "cat m.ark | table-stats --type=int32-matrix -";
    scratch.sh(piped).succeeds().stdout_has("count              8\n").stdout_has("max                13\n");
}
