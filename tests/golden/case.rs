//! The recorded cases of real Kaldi: one JSON object a line in `cases/*.jsonl`, input files under `data`, the files that a
//! case must reproduce under `expected`, and in `quirks.json` where we differ on purpose.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde::Deserialize;

/// One command line and what Kaldi made of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Unique: `<tool>/<what it shows>`.
    pub name: String,
    /// The program under test.
    pub tool: String,
    /// A bash command line, run in a folder that holds the inputs.
    pub cmd: String,
    /// Name in that folder, path under `data`.
    #[serde(default)]
    pub inputs: BTreeMap<String, PathBuf>,
    /// How the command line ends.
    pub exit: Exit,
    /// What it writes: `stdout` or the name of a file.
    #[serde(default)]
    pub expect: BTreeMap<String, Expected>,
    /// Regular expressions that standard error matches.
    #[serde(default)]
    pub stderr: Vec<String>,
    /// Files that it does not leave behind.
    #[serde(default)]
    pub absent: Vec<String>,
    /// What the case pins down.
    #[serde(default)]
    pub why: String,
    /// The name of its file in `cases`, without `.jsonl`.
    #[serde(skip)]
    #[allow(dead_code, reason = "each test program uses a part of it")]
    pub group: String,
}

/// How a command line ends.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Exit {
    /// With this exit status.
    Code(i32),
    /// With an error of its own (no signal), whatever the number.
    Failure(Nonzero),
}

/// The word for [`Exit::Failure`].
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Nonzero {
    /// Any status but 0.
    Nonzero,
}

/// A file to reproduce.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expected {
    /// Path under `expected`.
    pub file: PathBuf,
    /// What "the same" means.
    #[serde(default)]
    pub how: How,
    /// For [`How::Floats`]: the part of the expected number by which a number may be off.
    #[serde(default = "rtol")]
    pub rtol: f64,
    /// For [`How::Floats`]: what it may be off besides.
    #[serde(default = "atol")]
    pub atol: f64,
}

fn rtol() -> f64 {
    1e-5
}

fn atol() -> f64 {
    1e-6
}

/// What "the same" means.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// Every byte.
    #[default]
    Bytes,
    /// The same words in the same order, numbers within the tolerances.
    Floats,
    /// The same lines in any order.
    Lines,
}

/// Cases in which we do something else than Kaldi.
#[derive(Debug)]
pub struct Quirk {
    /// Matches the names of the cases.
    pub cases: Regex,
    /// What we do instead.
    pub instead: String,
}

/// The folder of the suite.
pub fn folder() -> &'static Path {
    // Another package of the workspace runs the suite, too.
    let folders = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/golden"),
    ];
    Path::new(if Path::new(folders[0]).join("cases").exists() { folders[0] } else { folders[1] })
}

/// All cases, in the order of their files.
pub fn cases() -> Vec<Case> {
    let mut files: Vec<_> = fs::read_dir(folder().join("cases")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let group = file.file_stem().unwrap().to_str().unwrap();
        for line in fs::read_to_string(&file).unwrap().lines() {
            let case: Case = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"));
            cases.push(Case { group: group.to_owned(), ..case });
        }
    }
    cases
}

/// The entries of `quirks.json`.
pub fn quirks() -> Vec<Quirk> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Entry {
        cases: String,
        instead: String,
    }
    let text = fs::read_to_string(folder().join("quirks.json")).unwrap();
    let entries: Vec<Entry> = serde_json::from_str(&text).unwrap();
    entries.into_iter().map(|Entry { cases, instead }| Quirk { cases: Regex::new(&cases).unwrap(), instead }).collect()
}

impl Case {
    /// Whether a program is named in this case: `awk`.
    #[allow(dead_code, reason = "each test program uses a part of it")]
    pub fn calls(&self, program: &str) -> bool {
        self.cmd.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_' && c != '.').any(|it| it == program)
    }

    /// The programs of OpenFst that are called in this case, which says so.
    #[allow(dead_code, reason = "each test program uses a part of it")]
    pub fn openfst_programs(&self) -> Vec<String> {
        let Some((_, list)) = self.why.split_once("needs OpenFst's own ") else { return Vec::new() };
        list.split(", ").map(ToOwned::to_owned).collect()
    }

    /// The first of the `tools` named in this case, its own before others, that is not among the `built` ones.
    pub fn missing_tool<'a>(&'a self, tools: &BTreeSet<&str>, built: &BTreeSet<&str>) -> Option<&'a str> {
        let words = self.cmd.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '_' && c != '.');
        let named = words.filter(|word| tools.contains(word));
        std::iter::once(self.tool.as_str()).chain(named).find(|tool| !built.contains(tool))
    }
}
