//! The program's own list of its tools.

use std::collections::BTreeSet;
use std::process::Command;
use std::sync::LazyLock;

use serde::Deserialize;

use super::shell;

/// A tool, as `kaldi-tables --json` lists it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "each test program uses a part of it")]
pub struct Tool {
    pub name: String,
    /// The folder of its source in `src/bin`.
    pub task: String,
    pub summary: String,
    pub in_kaldi: bool,
    /// The feature that this build lacks, without which the tool is not in it.
    pub missing_feature: Option<String>,
    /// Whether it replaces files of another kind with `--force` only.
    pub careful: bool,
    /// Whether some of its command lines run in pieces of their input; `None` if it does not say.
    pub runs_in_pieces: bool,
    pub usages: Vec<String>,
    pub examples: Vec<String>,
    pub see_also: Vec<String>,
    pub options: Vec<ToolOption>,
    pub arguments: Vec<Argument>,
}

/// An option of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "each test program uses a part of it")]
pub struct ToolOption {
    pub name: String,
    pub help: String,
    pub r#type: String,
    /// The words that the value may be; empty if it may be anything of its type.
    pub choices: Vec<String>,
    pub default: Option<String>,
    /// `input` or `output` if the value is a name of a stream or table.
    pub role: Option<String>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(dead_code, reason = "each test program uses a part of it")]
pub struct Argument {
    pub name: String,
    /// `input` or `output` if the value is a name of a stream or table.
    pub role: Option<String>,
    pub required: bool,
    pub many: bool,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let output = Command::new(shell::program()).args(["--print-args=false", "--json"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
});

/// All tools in the order of the list.
pub fn tools() -> &'static [Tool] {
    &TOOLS
}

/// The names of all tools.
pub fn names() -> BTreeSet<&'static str> {
    tools().iter().map(|tool| tool.name.as_str()).collect()
}
