//! What `docs/architecture.md` says of the sources, as checks over them.

/// Comparing runs of the benchmark.
mod bench_baseline;
mod bench_counts;
mod bench_failures;

/// Licences and sources of dependencies, and what packaging needs.
mod dependencies;

/// What is compiled for wider registers.
mod kernels;

/// The files of the repository.
mod source;

use crate::support::registry;

#[test]
fn one_place_asks_for_the_instructions_of_the_processor() {
    let files = source::files_below("crates").into_iter().chain(source::files_below("src"));
    let asking: Vec<_> =
        files.filter(|(_, text)| text.contains("is_x86_feature_detected")).map(|(place, _)| place).collect();
    assert_eq!(asking, ["values/kaldi-simd/src/dispatch.rs"]);
}

#[test]
fn one_place_knows_poisoned_locks() {
    let files = source::files_below("crates").into_iter().chain(source::files_below("python/src"));
    let knowing: Vec<_> = files.filter(|(_, text)| text.contains("PoisonError")).map(|(place, _)| place).collect();
    // whole-file uses no other crate of ours.
    assert_eq!(knowing, ["bytes/kaldi-reader/src/sync.rs", "bytes/whole-file/src/claim.rs"]);
}

/// Libraries name fields, which the command line spells as options: `num_ceps` in a message becomes --num-ceps. An option of another
/// tool stands beside the name of the tool.
#[test]
fn libraries_spell_no_options() {
    // The command line itself; the words of other programs; the dialect in general.
    let others = [
        "front/kaldi-cli/",
        "corpus/kaldi-jobs/src/engine/",
        "corpus/kaldi-jobs/src/input_fingerprints.rs",
        "corpus/kaldi-jobs/src/command_words.rs",
    ];
    let tools: Vec<String> = registry::tools().iter().map(|tool| tool.name.clone()).collect();
    let spells = |line: &str| {
        line.match_indices("--").any(|(at, _)| {
            let before = line[..at].chars().next_back();
            before.is_none_or(|c| !c.is_alphanumeric() && !"-`".contains(c))
                && line[at + 2..].starts_with(|c: char| c.is_ascii_lowercase() || c == '{')
        })
    };
    let mut faults = Vec::new();
    for (place, text) in source::files_below("crates") {
        if !place.contains("/src/") || others.iter().any(|other| place.starts_with(other)) {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            if spells(line) && !line.contains("--name=value") && !tools.iter().any(|tool| line.contains(tool)) {
                faults.push(format!("crates/{place}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// An option of a struct of a library has the default of its field: `default_value_t = FrameOptions::default().dither`.
#[test]
fn options_of_libraries_have_the_defaults_of_their_fields() {
    let (mut count, mut faults) = (0, Vec::new());
    for (place, text) in source::files_below("crates") {
        let mut owner = "";
        let mut default = None;
        for (number, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.trim().split([' ', ':', ';', '{', '<']).collect();
            if let ["pub", "struct", name, ..] = words[..] {
                owner = name;
            }
            let named = line.split_once("_t = ").and_then(|(_, rest)| rest.split_once("::default()."));
            if let Some((owner, field)) =
                named.filter(|_| line.contains("default_value_t") || line.contains("cfg_attr"))
            {
                default = Some((owner, field.split([',', ')']).next().unwrap_or_default()));
            } else if let (["pub", field, ..], Some(named)) = (&words[..], default.take()) {
                count += 1;
                if named != (owner, *field) {
                    faults.push(format!("crates/{place}:{}: {named:?}", number + 1));
                }
            }
        }
    }
    assert!(count > 100 && faults.is_empty(), "{count} defaults, {}", faults.join("\n"));
}

/// Without a word a tool runs as a whole, since it works on single files.
#[test]
fn tools_on_tables_say_how_they_run_in_pieces() {
    let words = [".by_entry(", ".in_pieces(", ".running_others(", ".whole("];
    let tools = source::files_below("src/bin").into_iter().filter(|(_, text)| text.contains("pub const TOOL"));
    let is_silent = |text: &str| text.contains("rspecifier") && !words.iter().any(|word| text.contains(word));
    let silent: Vec<_> = tools.filter(|(_, text)| is_silent(text)).map(|(place, _)| place).collect();
    assert!(silent.is_empty(), "{silent:#?}");
}
