//! What `docs/architecture.md` says of the sources, as checks over them.

/// Circles of files that use each other.
mod circles;

/// Licences and sources of dependencies, and what packaging needs.
mod dependencies;

/// Lengths of files and functions.
mod sizes;

/// The sources, parsed.
mod source;

use std::fs;
use std::path::Path;

#[test]
fn files_of_a_crate_use_each_other_in_one_direction() {
    let crates = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")).unwrap();
    for name in crates.map(|entry| entry.unwrap().file_name().into_string().unwrap()) {
        let folder = format!("crates/{name}/src");
        let circles = circles::circles(&source::parse_crate(&folder, &source::files_below(&folder)));
        let lines: Vec<_> = circles.iter().map(|circle| circle.join("\n")).collect();
        assert!(lines.is_empty(), "circles in {name}:\n{}", lines.join("\n\n"));
    }
}

#[test]
fn files_and_functions_are_short() {
    let mut faults = Vec::new();
    for folder in ["benches", "crates", "fuzz/fuzz_targets", "fuzz/src", "samples", "src", "tests"] {
        for (place, text) in source::files_below(folder) {
            faults.extend(sizes::too_long(&format!("{folder}/{place}"), &text));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn one_place_asks_for_the_instructions_of_the_processor() {
    let files = source::files_below("crates").into_iter().chain(source::files_below("src"));
    let asking: Vec<_> =
        files.filter(|(_, text)| text.contains("is_x86_feature_detected")).map(|(place, _)| place).collect();
    assert_eq!(asking, ["kaldi-lanes/src/dispatch.rs"]);
}
