//! Lists all tools by task, and runs one; makes manual pages and completions of shells.
//!
//! What it knows of a tool is what `--help` of the installed tool says.

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use kaldi_cli::pages::{Help, Shell, completions};
use kaldi_cli::{Arg, Tally, wrong_usage};
use kaldi_io::Output;

const USAGE: &str = "\
Lists all tools by task. With the name of a tool, runs it.

Usage: kaldi-tables [<tool> [<argument>...]]
  or:  kaldi-tables help <tool>
  or:  kaldi-tables manual <tool>
  or:  kaldi-tables manuals <folder>
  or:  kaldi-tables completions <bash|zsh|fish>
 e.g.: kaldi-tables help copy-feats
       kaldi-tables copy-feats scp:feats.scp ark,t:-
       kaldi-tables manual copy-feats | man -l -
       kaldi-tables completions bash > ~/.local/share/bash-completion/completions/copy-feats
manual writes a page for man to standard output; manuals writes those of all tools into a folder, such as
/usr/local/share/man/man1. completions writes a script by which a shell completes the options of all tools.
";

const COMMANDS: [&str; 4] = ["help", "manual", "manuals", "completions"];

/// The page whose section \"Tools\" lists all tools by task.
const README: &str = include_str!("../../../README.md");

#[derive(clap::Parser)]
struct Options {
    words: Vec<Arg>,
}

fn main() -> ExitCode {
    let mut words = std::env::args_os().skip(1);
    let (first, second) = (words.next(), words.next());
    let is_help = first.as_ref().is_some_and(|word| word == "help");
    let tool = if is_help { &second } else { &first };
    if let Some(tool) = tool.as_ref().and_then(|word| word.to_str()).filter(|word| is_tool(word)) {
        let mut command = Command::new(path_of(tool));
        match is_help {
            true => command.arg("--help"),
            false => command.args(std::env::args_os().skip(2)),
        };
        // It comes back only where the tool cannot be run; the error is told below.
        let _ = command.exec();
    }
    kaldi_cli::run(USAGE, kaldi_tables)
}

fn kaldi_tables(opts: Options) -> anyhow::Result<Tally> {
    let words: Vec<String> = opts.words.iter().map(|word| word.to_string()).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => write(&list())?,
        ["manual", tool] => write(&help_of(tool)?.manual(env!("CARGO_PKG_VERSION")))?,
        ["manuals", folder] => return write_manuals(Path::new(folder)),
        ["completions", shell] => match Shell::named(shell) {
            Some(shell) => write(&completions(shell, &installed()?, "kaldi-tables", &COMMANDS))?,
            None => bail!("expected bash, zsh or fish, got {shell}"),
        },
        ["help", tool] => bail!(no_tool(tool)),
        [command, ..] if COMMANDS.contains(&command) => {
            return Ok(wrong_usage(USAGE, &format!("expected 1 argument behind {command}, got {}", words.len() - 1)));
        }
        [tool, ..] => bail!(no_tool(tool)),
    }
    Ok(Tally::default().always_ok())
}

/// Writes the manual page of each installed tool.
fn write_manuals(folder: &Path) -> anyhow::Result<Tally> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    let mut tally = Tally::default();
    for help in installed()? {
        let name = folder.join(format!("{}.1", help.name));
        let name = name.to_str().context("expected a folder whose name is UTF-8")?;
        let mut page = Output::create(name.into(), false)?;
        page.write_all(help.manual(env!("CARGO_PKG_VERSION")).as_bytes())?;
        page.finish()?;
        tally.done += 1;
    }
    Ok(tally)
}

fn write(text: &str) -> anyhow::Result<()> {
    let mut stdout = Output::create("-".into(), false)?;
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.finish()?)
}

/// The tasks, and the tools of each with what they do.
fn tasks() -> impl Iterator<Item = (&'static str, Vec<(&'static str, &'static str)>)> {
    let tools = README.split("\n## ").find_map(|section| section.strip_prefix("Tools\n")).unwrap_or_default();
    tools.split("\n### ").skip(1).map(|task| {
        let (title, rows) = task.split_once('\n').unwrap_or((task, ""));
        let row = |line: &'static str| {
            line.strip_prefix("| `").filter(|row| !row.starts_with('-'))?.strip_suffix(" |")?.split_once(" | ")
        };
        let tools = rows.lines().filter_map(row).map(|(name, text)| (name.split('`').next().unwrap_or(name), text));
        (title, tools.collect())
    })
}

fn list() -> String {
    let mut list = String::new();
    for (task, tools) in tasks() {
        list.push_str(&format!("{task}\n"));
        for (tool, text) in tools {
            list.push_str(&format!("  {tool:<38} {}\n", text.replace('`', "")));
        }
    }
    list
}

fn is_tool(name: &str) -> bool {
    tasks().any(|(_, tools)| tools.iter().any(|(tool, _)| *tool == name))
}

/// The tool beside this program; else its name alone, which is looked for on the path.
fn path_of(tool: &str) -> PathBuf {
    let beside = std::env::current_exe().ok().map(|this| this.with_file_name(tool)).filter(|path| path.is_file());
    beside.unwrap_or_else(|| tool.into())
}

fn help_of(tool: &str) -> anyhow::Result<Help> {
    if !is_tool(tool) {
        bail!(no_tool(tool));
    }
    read_help(tool)
}

fn read_help(tool: &str) -> anyhow::Result<Help> {
    let path = path_of(tool);
    let output =
        Command::new(&path).arg("--help").output().with_context(|| format!("cannot run {}", path.display()))?;
    Help::parse(&String::from_utf8_lossy(&output.stdout)).with_context(|| format!("{tool} --help says nothing"))
}

/// What the tools beside this program say of themselves.
fn installed() -> anyhow::Result<Vec<Help>> {
    let tools = tasks().flat_map(|(_, tools)| tools.into_iter().map(|(tool, _)| tool));
    tools.filter(|tool| path_of(tool).is_absolute()).map(read_help).collect()
}

fn no_tool(name: &str) -> String {
    let part = name.split('-').find(|part| tasks().any(|(_, tools)| tools.iter().any(|(tool, _)| tool.contains(part))));
    match part {
        _ if is_tool(name) => format!("{name} is not installed: it is neither beside this program nor on the path"),
        Some(part) if !part.is_empty() => format!("there is no tool {name}; kaldi-tables | grep {part} lists some"),
        _ => format!("there is no tool {name}; kaldi-tables lists all"),
    }
}
