use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::page::{Page, code};
use super::sources;

/// The names in the sections of a manifest whose heads start with `section`.
fn names(manifest: &str, section: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut inside = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            inside = line == format!("[{section}]");
        } else if inside && let Some(end) = line.find(['.', ' ', '=']) {
            names.insert(line[..end].to_owned());
        }
    }
    names
}

/// Every crate by name, with its manifest.
fn crates() -> BTreeMap<String, String> {
    let manifest = |(name, folder)| (name, sources::read(&format!("{folder}/Cargo.toml")));
    sources::crates().into_iter().map(manifest).collect()
}

#[test]
fn the_table_of_crates_has_each_as_its_manifest_describes_it_and_above_what_it_uses() {
    let (crates, folders) = (crates(), sources::crates());
    let mut rows = Page::read("docs/architecture.md").table("crates");
    assert_eq!(rows.len(), crates.len());
    // From the bottom up: a crate may use what is below.
    let mut below = BTreeSet::new();
    rows.reverse();
    for row in &rows {
        let name = code(&row[0]);
        let description = |line: &str| Some(line.strip_prefix("description = \"")?.strip_suffix('"')?.to_owned());
        let folder = format!("crates/{}/{name}", row[1]);
        assert_eq!(folders.get(name), Some(&folder), "{name}");
        assert_eq!(Some(&row[2]), crates[name].lines().find_map(description).as_ref(), "{name}");
        let ours = |dependency: &String| crates.contains_key(dependency);
        let used: BTreeSet<_> = names(&crates[name], "dependencies").into_iter().filter(ours).collect();
        assert!(used.is_subset(&below), "{name} uses what is not below it");
        below.insert(name.to_owned());
    }
}

#[test]
fn a_new_type_of_value_costs_six_files_at_most() {
    let rows = Page::read("docs/architecture.md").table("new type");
    let listed: BTreeSet<String> =
        rows.iter().flat_map(|row| row[0].split(',')).map(|cell| code(cell).to_owned()).collect();
    assert!(listed.len() <= 6, "{listed:?}");
    for file in &listed {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file(), "{file}");
    }
    // The type that was added last is one of which little is asked.
    let folders = sources::crates().into_iter().filter(|(name, _)| name != "kaldi-any").map(|(_, folder)| folder);
    let folders: Vec<String> = folders.chain(["src".to_owned(), "python/src".to_owned()]).collect();
    let text = sources::of(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    // Of `table-keys`, which warns of values that are not known, of `table-head`, which tells only their size, of `table-diff`,
    // which compares their bytes; and the rows of `kaldi-convert` and Python.
    assert_eq!(text.matches("ValueType::Unknown").count(), 5);
}

#[test]
fn a_new_option_of_all_extractors_costs_two_files_and_a_test() {
    let rows = Page::read("docs/architecture.md").table("new option");
    let row = rows.iter().find(|row| row[0] == "all extractors").unwrap();
    let files: BTreeSet<&str> = row[1].split('`').filter(|word| word.ends_with(".rs")).collect();
    assert_eq!(files.len(), 3, "{files:?}");
    for file in &files {
        assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file(), "{file}");
    }
    // An option that all of them have is named by the library, and nowhere else where the command line is made.
    let places = ["crates/front/kaldi-cli", "crates/speech/kaldi-feat/src/tables", "src", "python/src"];
    assert!(!sources::of(&places).contains("remove_dc_offset"));
    assert!(sources::of(&["crates/speech/kaldi-feat/src/extract"]).contains("remove_dc_offset"));
}

#[test]
fn the_table_of_dependencies_is_that_of_the_manifest() {
    let rows = Page::read("docs/dependencies.md").table("dependencies");
    let table: BTreeSet<_> = rows.iter().map(|row| code(&row[0]).to_owned()).collect();
    let crates = crates();
    let foreign: BTreeSet<_> = names(&sources::read("Cargo.toml"), "workspace.dependencies")
        .into_iter()
        .filter(|name| !crates.contains_key(name) && !name.starts_with("kaldi-tools-"))
        .collect();
    assert_eq!(table, foreign);
}

#[test]
fn every_dependency_is_used() {
    let (crates, folders) = (crates(), sources::crates());
    let held = Page::read("docs/dependencies.md").table("held");
    let held: BTreeSet<_> = held.iter().map(|row| code(&row[0]).to_owned()).collect();
    let sections =
        [("Cargo.toml", "dependencies"), ("Cargo.toml", "build-dependencies"), ("python/Cargo.toml", "dependencies")];
    let listed: BTreeSet<_> =
        sections.into_iter().flat_map(|(manifest, section)| names(&sources::read(manifest), section)).collect();
    assert!(!held.is_empty() && held.iter().all(|name| listed.contains(name)), "{held:?}");
    let check = |manifest: &str, section: &str, source: &str, place: &str| {
        // Crates of ours may be there before the first tool that needs them. Others only hold versions.
        let is_held = |name: &String| place == "the tools" && held.contains(name);
        for name in names(manifest, section).into_iter().filter(|name| !crates.contains_key(name) && !is_held(name)) {
            let used = source.contains(&format!("{}::", name.replace('-', "_")));
            assert!(used, "{place}: nothing uses {name}");
        }
    };
    for (name, manifest) in &crates {
        let mut source = sources::of(&[&folders[name]]);
        check(manifest, "dependencies", &source, name);
        if source.contains("../../../../tests/golden") {
            source += &sources::of(&["tests/golden"]);
        }
        check(manifest, "dev-dependencies", &source, name);
    }
    check(&sources::read("Cargo.toml"), "dependencies", &sources::of(&["src"]), "the tools");
    check(&sources::read("Cargo.toml"), "dev-dependencies", &sources::of(&["tests", "benches"]), "the tests");
}

/// What is compared before a tool starts are names that have the type of one. Text that names no file is listed here.
#[test]
fn names_of_inputs_and_outputs_have_types_of_their_own() {
    let text = [
        "additive_signals", // several names, all read before anything is written
        "audio_dir",
        "bos_symbol",
        "class_index",
        "command",
        "data", // a data directory
        "dir",
        "dim",
        "disambig_symbol",
        "discard_partial_minibatches",
        "eos_symbol",
        "folder",
        "frame",
        "index_dir",
        "measure_output_frames",
        "minibatch_size",
        "names", // shards and, behind them, outputs or a folder
        "out_dir",
        "out_pattern", // two files a part, which indexed-dataset compares, as those of the prefixes
        "out_prefix",
        "output_dir",
        "output_ext",
        "prefix",
        "prefixes",
        "repair",
        "shards", // a pattern of tar files
        "requests",
        "separator",
        "silence_phones",
        "silence_weight",
        "skip_phones_string",
        "snrs",
        "sources", // tables with names before them
        "special_symbol",
        "split", // a part of a data set, in names of files
        "start_times",
        "weights",
    ];
    let source = sources::of(&["src/bin"]);
    let field = |line: &str| {
        let (name, kind) = line.strip_prefix("    ")?.strip_suffix(',')?.split_once(": ")?;
        let is_text = ["Arg", "Option<Arg>", "Vec<Arg>"].contains(&kind);
        is_text.then(|| name.trim_start_matches("pub ").to_owned())
    };
    let fields: BTreeSet<_> = source.lines().filter_map(field).collect();
    assert_eq!(fields, text.map(str::to_owned).into(), "use kaldi_cli::InputName or kaldi_cli::OutputName");
}
