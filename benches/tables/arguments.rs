//! The command line, and what it says of earlier runs.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::ExitCode;

use crate::baseline::Baseline;
use crate::counted::Action;
use crate::measure::Size;

/// The forms of the command line; a space may stand in place of `=`.
const FORMS: &str = "<tools> [--small] [--json=<file>] [--against=<file>], or <tools> --counts [--write]";

/// What is asked for: one of the [`FORMS`].
pub struct Arguments {
    /// The folder of the built tools.
    pub tools: PathBuf,
    pub size: Size,
    /// What is done with counts of instructions, if these are asked for instead of times.
    pub counts: Option<Action>,
    json: Option<PathBuf>,
    against: Option<(PathBuf, Baseline)>,
}

impl Arguments {
    /// Reads the arguments and the earlier run, before much time is spent.
    ///
    /// # Errors
    /// If an argument is unknown or a file cannot be used.
    pub fn from_command_line() -> Result<Self, String> {
        let (mut tools, mut json, mut against, mut size) = (None, None, None, Size::Whole);
        let (mut is_counted, mut is_written) = (false, false);
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (word.clone(), None),
            };
            let mut file = || {
                let value = value.clone().or_else(|| words.next()).filter(|value| !value.is_empty());
                value.map(PathBuf::from).ok_or_else(|| format!("expected a file after {name}"))
            };
            match name.as_str() {
                "--json" => json = Some(file()?),
                "--small" if value.is_none() => size = Size::Small,
                "--counts" if value.is_none() => is_counted = true,
                "--write" if value.is_none() => is_written = true,
                "--against" => against = Some(file()?),
                _ if !word.starts_with('-') && tools.is_none() => tools = Some(PathBuf::from(word)),
                _ => return Err(format!("expected {FORMS}, got {word}")),
            }
        }
        if size == Size::Small && (json.is_some() || against.is_some()) {
            return Err("expected --small without --json and --against, since nothing is measured then".to_owned());
        }
        let has_others = size == Size::Small || json.is_some() || against.is_some();
        if is_counted && has_others || is_written && !is_counted {
            return Err(format!("expected {FORMS}"));
        }
        let counts = is_counted.then_some(if is_written { Action::Write } else { Action::Compare });
        let tools = tools.unwrap_or_else(|| "target/release".into());
        let tools = tools.canonicalize().map_err(|error| format!("{}: cannot open: {error}", tools.display()))?;
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).map_err(|error| format!("cannot read: {error}"));
            match text.and_then(|text| Baseline::from_json(&text)) {
                Ok(baseline) => Ok((path, baseline)),
                Err(message) => Err(format!("{}: {message}", path.display())),
            }
        };
        let against = against.map(read).transpose()?;
        if let Some(path) = &json {
            // What is there stays until there is something better.
            let opened = File::options().create(true).append(true).open(path);
            opened.map_err(|error| format!("{}: cannot write: {error}", path.display()))?;
        }
        Ok(Self { tools, size, counts, json, against })
    }

    /// Writes the run and prints what became slower. The exit code is 1 if something did.
    pub fn keep_and_compare(&self, run: &Baseline) -> ExitCode {
        if let Some(path) = &self.json
            && let Err(error) = fs::write(path, run.to_json())
        {
            eprintln!("bench: {}: cannot write: {error}", path.display());
            return ExitCode::from(2);
        }
        let Some((path, old)) = &self.against else { return ExitCode::SUCCESS };
        println!("\nBeside {}:", path.display());
        let slower = run.slower_than(old);
        for line in slower.iter().chain(&run.doubts(old)) {
            println!("- {line}");
        }
        if slower.is_empty() {
            println!("- No row is slower by more than 3 %.");
            return ExitCode::SUCCESS;
        }
        ExitCode::FAILURE
    }
}
