//! One case, run and judged.

use std::fs;
use std::path::Path;
use std::time::Duration;

use regex::Regex;

use super::case::{Case, Exit, folder};
use super::compare::difference;
use super::inputs::Inputs;
use super::shell::{self, Outcome};

/// Runs the case in a temporary folder of its own, with links to its inputs.
///
/// # Errors
/// Everything in which the outcome is not Kaldi's, with the command line, its status and both streams.
pub fn run(case: &Case, inputs: &Inputs, limit: Duration) -> Result<(), String> {
    let scratch = inputs.folder_for(case);
    let dir = scratch.path();
    let Some(outcome) = shell::run(&case.cmd, dir, limit) else {
        return Err(format!("no end after {limit:?}\n$ {}", case.cmd));
    };
    let mut faults = faults(case, &outcome, dir);
    faults.extend(inputs.changed_by(case).map(|name| format!("{name}: an input that other cases read has changed")));
    if faults.is_empty() {
        return Ok(());
    }
    let why = if case.why.is_empty() { String::new() } else { format!("({})\n", case.why) };
    Err(format!("{}\n{why}$ {}\n{}", faults.join("\n"), case.cmd, outcome.describe()))
}

/// Everything in which an outcome is not what the case expects.
fn faults(case: &Case, outcome: &Outcome, dir: &Path) -> Vec<String> {
    let mut faults = Vec::new();
    let code = outcome.code();
    match case.exit {
        Exit::Failure(_) => {
            if code == 0 {
                faults.push("exit 0 where an error was expected".to_owned());
            }
            // A shell's status over 128 is a signal that ended its command; 255 is how tools report an error.
            if code < 0 || code > 128 && code != 255 {
                faults.push(format!("died of a signal (exit {code})"));
            }
        }
        Exit::Code(wanted) if code != wanted => faults.push(format!("exit {code} instead of {wanted}")),
        Exit::Code(_) => {}
    }
    for (name, expected) in &case.expect {
        let got = match name.as_str() {
            "stdout" => Ok(outcome.stdout.clone()),
            file => fs::read(dir.join(file)),
        };
        let Ok(got) = got else {
            faults.push(format!("{name}: not written"));
            continue;
        };
        let wanted = fs::read(folder().join("expected").join(&expected.file)).expect("the suite is whole");
        faults.extend(difference(&got, &wanted, expected).map(|fault| format!("{name}: {fault}")));
    }
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    let lacks = |pattern: &&String| !Regex::new(pattern).expect("patterns are valid").is_match(&stderr);
    faults.extend(case.stderr.iter().filter(lacks).map(|pattern| format!("stderr lacks /{pattern}/")));
    let there = |name: &&String| dir.join(name).exists();
    faults.extend(case.absent.iter().filter(there).map(|name| format!("{name}: should not exist")));
    faults
}
