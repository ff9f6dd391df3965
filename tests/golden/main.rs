//! Runs the conformance suite, the recorded cases of real Kaldi, on the built tools.
//!
//! Every case is a result of its own under its own name: `cargo test --test golden copy-feats/` runs those of one tool.
//! Ignored are `[pending]` cases, which name a tool that does not exist yet, and `[quirk]` cases, in which we do something
//! else than Kaldi on purpose (`tests/golden/quirks.rs` lists the tests of what we do instead), and `[openfst]` cases, which call
//! programs of OpenFst that are not on this machine (`libfst-tools` of Debian has them). The lines before the results count all.
//! With `CASES_OF=feats,io` there are only the cases of these files, with `CASES_THAT_CALL=awk` only those that call this
//! program.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a test program: a panic is how it fails")]

mod case;
mod compare;
mod inputs;
#[path = "../support/registry.rs"]
mod registry;
mod run;
#[path = "../support/shell.rs"]
mod shell;

use std::collections::{BTreeMap, BTreeSet};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let (mut cases, quirks, built) = (case::cases(), case::quirks(), registry::names());
    let tools: BTreeSet<_> = cases.iter().map(|case| case.tool.clone()).collect();
    let tools = tools.iter().map(String::as_str).collect();
    if let Ok(groups) = std::env::var("CASES_OF") {
        let groups: BTreeSet<_> = groups.split(',').collect();
        cases.retain(|case| groups.contains(case.group.as_str()));
    }
    if let Ok(program) = std::env::var("CASES_THAT_CALL") {
        cases.retain(|case| case.calls(&program));
    }
    assert!(!cases.is_empty(), "no case is left");

    let inputs = Arc::new(inputs::Inputs::new());
    let (mut pending, mut absent) = (BTreeMap::<String, usize>::new(), BTreeMap::<String, usize>::new());
    let mut trials = Vec::new();
    for case in cases {
        let kind = if let Some(tool) = case.missing_tool(&tools, &built) {
            *pending.entry(tool.to_owned()).or_default() += 1;
            "pending"
        } else if quirks.iter().any(|quirk| quirk.cases.is_match(&case.name)) {
            "quirk"
        } else if let Some(program) = case.openfst_programs().into_iter().find(|program| !shell::is_installed(program))
        {
            *absent.entry(program).or_default() += 1;
            "openfst"
        } else {
            ""
        };
        let (name, inputs) = (case.name.clone(), Arc::clone(&inputs));
        let trial = Trial::test(name, move || run::run(&case, &inputs, shell::TIME_LIMIT).map_err(Failed::from));
        trials.push(trial.with_kind(kind).with_ignored_flag(!kind.is_empty()));
    }

    if !arguments.list {
        for (tool, count) in pending {
            println!("pending: {count} cases wait for {tool}");
        }
        for (program, count) in absent {
            println!("openfst: {count} cases need {program}, which is not here");
        }
        for quirk in &quirks {
            let count = trials.iter().filter(|trial| quirk.cases.is_match(trial.name())).count();
            println!("quirk: {count} cases; here {}", quirk.instead);
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}
