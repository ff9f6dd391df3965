//! The list of tools, as text and as JSON.

use std::fmt::Write;

use kaldi_cli::Tool;
use kaldi_cli::pages::{Help, HelpArgument, HelpOption};
use serde_json::{Value, json};

use crate::program;
use crate::registry::{self, ListedTool, MissingFeature, Origin, TASKS};

/// What is said of each tool of this build, and of the program itself, which comes last.
pub fn helps() -> Vec<Help> {
    registry::tools().flat_map(|entry| &entry.tool).chain([&program::TOOL]).map(Help::of).collect()
}

/// The tools below the titles of their tasks, a line each. Those that are not in this build come with the feature that it lacks.
pub fn text() -> String {
    let mut list = String::new();
    for task in &TASKS {
        let _ = writeln!(list, "{}", task.title);
        for tool in task.tools {
            let missing = match tool.tool {
                Ok(_) => String::new(),
                Err(MissingFeature(feature)) => format!(" (not in this build: feature {feature})"),
            };
            let _ = writeln!(list, "  {:<38} {}{missing}", tool.name, tool.summary);
        }
    }
    list
}

/// The tools as an array of objects.
pub fn json() -> String {
    let rows = TASKS.iter().flat_map(|task| task.tools.iter().map(|entry| row(task.name, entry)));
    format!("{:#}\n", Value::Array(rows.collect()))
}

fn row(task: &str, entry: &ListedTool) -> Value {
    let tool = entry.tool.as_ref();
    let help = tool.map(Help::of).unwrap_or_default();
    json!({
        "name": entry.name,
        "task": task,
        "summary": entry.summary,
        "in_kaldi": entry.origin == Origin::Kaldi,
        "missing_feature": tool.err().map(|MissingFeature(feature)| feature),
        "careful": tool.is_ok_and(Tool::is_careful),
        "runs_in_pieces": tool.is_ok_and(Tool::runs_in_pieces),
        "usages": help.usages,
        "examples": help.examples,
        "see_also": help.see_also,
        "options": help.options.iter().map(option).collect::<Vec<_>>(),
        "arguments": help.arguments.iter().map(argument).collect::<Vec<_>>(),
    })
}

fn option(option: &HelpOption) -> Value {
    let HelpOption { name, help, kind, choices, default, role } = option;
    json!({"name": name, "help": help, "type": kind, "choices": choices, "default": default, "role": role})
}

fn argument(argument: &HelpArgument) -> Value {
    let HelpArgument { name, role, required, many } = argument;
    json!({"name": name, "role": role, "required": required, "many": many})
}
