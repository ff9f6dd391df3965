//! What `docs/architecture.md` says of the sources, as checks over them.

/// Licences and sources of dependencies, and what packaging needs.
mod dependencies;

/// Lengths of files and functions.
mod sizes;

/// The files of the repository.
mod source;

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
