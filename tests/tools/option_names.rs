//! One word for one thing: what the names of options mean in all tools that Kaldi does not have.

use std::collections::BTreeMap;

use crate::support::Scratch;
use crate::support::registry::{self, Tool, ToolOption};

/// The options of tools that Kaldi does not have.
fn own_options() -> Vec<(&'static str, &'static ToolOption)> {
    let own = registry::tools().iter().filter(|tool| !tool.in_kaldi);
    let options = |tool: &'static Tool| tool.options.iter().map(|option| (tool.name.as_str(), option));
    let options: Vec<_> = own.flat_map(options).collect();
    assert!(options.len() > 200, "{}", options.len());
    options
}

/// The types and roles that options of one name have, each with the tools.
type Meanings = BTreeMap<(&'static str, Option<&'static str>), Vec<&'static str>>;

#[test]
fn a_name_has_the_same_type_and_role_in_all_tools() {
    let mut meanings = BTreeMap::<String, Meanings>::new();
    for (tool, option) in own_options() {
        let name = option.name.replace('_', "-");
        meanings.entry(name).or_default().entry((&option.r#type, option.role.as_deref())).or_default().push(tool);
    }
    let several: Vec<_> = meanings.iter().filter(|(_, meanings)| meanings.len() > 1).collect();
    assert!(several.is_empty(), "{several:#?}");
}

#[test]
fn names_tell_outputs_from_inputs_and_there_is_one_for_seeds() {
    for (tool, option) in own_options() {
        let ToolOption { name, role, .. } = option;
        let says_output = name.starts_with("write-") || ["to", "plot"].contains(&name.as_str());
        assert_eq!(says_output, role.as_deref() == Some("output"), "{tool}: --{name}");
        assert!(name == "seed" || !name.contains("seed"), "{tool}: --{name}");
        if ["keys", "text"].contains(&name.as_str()) {
            assert_eq!(role.as_deref(), Some("input"), "{tool}: --{name}");
        }
    }
}

#[test]
fn old_names_are_taken_with_a_warning_and_not_shown() {
    let tools = registry::tools();
    let scratch = Scratch::new();
    for (tool, old, new) in [
        ("copy-shards", "shuffle-seed=1", "seed"),
        ("make-shard-list", "shuffle_seed=1", "seed"),
        ("extract-shards", "text=ark:x", "write-text"),
        ("extract-shards", "wav=ark:y", "write-wav"),
        ("extract-shards", "utt2dur=ark:z", "write-utt2dur"),
        ("shards-to-scp", "text=ark:x", "write-text"),
        ("shards-to-scp", "utt2dur=ark:x", "write-utt2dur"),
        ("int-vector-to-indexed", "keys=x", "write-keys"),
        ("int-vector-to-indexed", "codebooks=frame-major", "flatten"),
        ("int-vector-to-indexed", "offsets=1", "codebook-offsets"),
        ("indexed-merge", "from=x", "prefixes"),
        ("make-data-dir", "from=auto", "format"),
        ("convert-codes", "from=matrix", "from-pattern"),
        ("convert-codes", "to=matrix", "to-pattern"),
        ("convert-codes", "offsets=1", "codebook-offsets"),
        ("convert-codes", "counts=ark:x", "write-counts"),
        ("convert-codes", "join=ark:x", "join-with"),
        ("filter-utts", "write-keys", "only-keys"),
        ("filter-utts", "labels=x", "utt2labels"),
        ("filter-utts", "write-keys=false", "only-keys"),
        ("pad-feats", "lengths=ark:x", "write-lengths"),
        ("indexed-build-samples", "split-name=test", "part"),
        ("indexed-build-samples", "text", "print-indices"),
        ("indexed-blend", "split-name=test", "part"),
        ("indexed-blend", "text=true", "print-indices"),
        ("feed-batches", "split=cv", "part"),
        ("feed-feats", "split=train", "part"),
    ] {
        let name = old.split('=').next().unwrap().replace('_', "-");
        // Options are read before arguments are counted.
        let ran = scratch.sh(&format!("{tool} --{old}")).fails_with(1);
        ran.stderr_has(&format!("WARNING ({tool}")).stderr_has(&format!("--{name} is an old name of --{new}"));
        let options = &tools.iter().find(|it| it.name == tool).unwrap().options;
        assert!(options.iter().any(|option| option.name == new), "{tool}: {new}");
        assert!(!options.iter().any(|option| option.name == name), "{tool}: {name}");
    }
}

#[test]
fn numbers_in_names_of_outputs_count_from_1() {
    let scratch = Scratch::new();
    scratch.write("l.scp", "a x:1\nb y:2\n").sh("printf 'a 1\nb 2\n' | int-vector-to-indexed ark:- data").succeeds();
    for tool in ["table-split --parts=2 l.scp", "indexed-split --parts=2 data"] {
        for (pattern, names) in [("p-%d", ["p-1", "p-2"]), ("p-%03d-%d", ["p-001-1", "p-002-2"])] {
            scratch.sh(&format!("mkdir out && {tool} out/{pattern}")).succeeds();
            let files = scratch.sh("ls out | sed 's/[.].*//' | sort -u").succeeds();
            files.stdout_is(format!("{}\n{}\n", names[0], names[1]));
            scratch.sh("rm -r out").succeeds();
        }
        for pattern in ["p", "p-%s", "p-%3d", "%"] {
            scratch.sh(&format!("{tool} {pattern}")).fails_with(255).stderr_has("expected %d").stderr_has(pattern);
        }
    }
}
