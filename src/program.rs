//! What the program does by its own name: lists tools, makes links, manuals and completions.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use kaldi_cli::pages::{Help, Shell, completions};
use kaldi_cli::{Arg, Tally, Tool, Work, wrong_usage};
use kaldi_io::{Output, closest_names, shell_quote};

use crate::link::{LinkKind, link};
use crate::{listing, registry};

const USAGE: &str = "\
Lists all tools by task. With the name of a tool, runs it.

Usage: kaldi-tables [options] [<tool> [<argument>...]]
  or:  kaldi-tables [options] list
  or:  kaldi-tables help [<tool>]
  or:  kaldi-tables [options] link <folder>
  or:  kaldi-tables manual <tool>
  or:  kaldi-tables manuals <folder>
  or:  kaldi-tables completions <bash|zsh|fish>
  or:  kaldi-tables path.sh [<folder>]
 e.g.: kaldi-tables help copy-feats
       kaldi-tables copy-feats scp:feats.scp ark,t:-
       kaldi-tables link ~/.local/bin
       kaldi-tables manual copy-feats | man -l -
       kaldi-tables completions bash > ~/.local/share/bash-completion/completions/copy-feats
link makes a symbolic link for each tool in a folder, so that the tools can be called by their own names. It replaces older
links to this program and removes those of tools that this program no longer has. It refuses to replace other files.
manual writes a page for man to standard output; manuals writes those of all tools into a folder, such as
/usr/local/share/man/man1, or pages for a site (--markdown). completions writes a script by which a shell completes the options of all tools.
path.sh writes the path.sh of a recipe where Kaldi itself is not installed; the folder is that of the links.
";

/// The first words that are no tools.
pub const COMMANDS: [&str; 7] = ["help", "list", "link", "manual", "manuals", "completions", "path.sh"];

#[derive(clap::Args)]
struct Options {
    /// List the tools as JSON, with their usages, options and arguments
    #[arg(long)]
    json: bool,
    /// With link: make hard links
    #[arg(long)]
    hard: bool,
    /// With link: make copies of the program, for file systems without links
    #[arg(long)]
    copy: bool,
    /// With link: print what would be done, as command lines of a shell, and do nothing
    #[arg(long)]
    print: bool,
    /// With link: replace files too that are no links to this program
    #[arg(long)]
    force: bool,
    /// With manuals: write <tool>.md, for a site, instead of <tool>.1
    #[arg(long)]
    markdown: bool,
    words: Vec<Arg>,
}

pub const TOOL: Tool = Tool::new(USAGE, &Work(kaldi_tables)).running_others().own();

fn kaldi_tables(opts: Options) -> anyhow::Result<Tally> {
    let words: Vec<String> = opts.words.iter().map(|word| word.to_string()).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] | ["list" | "help"] if opts.json => kaldi_io::print(listing::json())?,
        [] | ["list" | "help"] => kaldi_io::print(listing::text())?,
        ["link", folder] => return link(Path::new(folder), opts.kind()?, opts.force, opts.print),
        ["manual", tool] => kaldi_io::print(help_of(tool)?.manual(env!("CARGO_PKG_VERSION")))?,
        ["manuals", folder] => return write_manuals(Path::new(folder), opts.markdown),
        ["completions", shell] => match Shell::named(shell) {
            Some(shell) => kaldi_io::print(completions(shell, &listing::helps(), "kaldi-tables", &COMMANDS))?,
            None => bail!("expected bash, zsh or fish, got {shell}"),
        },
        ["path.sh"] => write_path(&folder_of_links()?)?,
        ["path.sh", folder] => write_path(&with_links(Path::new(folder))?)?,
        ["help", tool] => bail!(no_tool(tool)),
        ["list", ..] => {
            return Ok(wrong_usage(USAGE, &format!("expected no argument after list, got {}", words.len() - 1)));
        }
        ["path.sh", ..] => {
            return Ok(wrong_usage(USAGE, &format!("expected a folder after path.sh, got {} words", words.len() - 1)));
        }
        [command, ..] if COMMANDS.contains(&command) => {
            return Ok(wrong_usage(USAGE, &format!("expected 1 argument after {command}, got {}", words.len() - 1)));
        }
        // Through a link of another name, such as that of a tool that is gone.
        [word, ..] if kaldi_io::log::program() != "kaldi-tables" => {
            bail!("{}, and {word} is none either", no_tool(&kaldi_io::log::program()))
        }
        [tool, ..] => bail!(no_tool(tool)),
    }
    Ok(Tally::default().always_ok())
}

impl Options {
    fn kind(&self) -> anyhow::Result<LinkKind> {
        match (self.hard, self.copy) {
            (false, false) => Ok(LinkKind::Symbolic),
            (true, false) => Ok(LinkKind::Hard),
            (false, true) => Ok(LinkKind::Copy),
            (true, true) => bail!("only one of --hard and --copy can be given"),
        }
    }
}

/// Writes the page of each tool, for `man` or in Markdown.
fn write_manuals(folder: &Path, in_markdown: bool) -> anyhow::Result<Tally> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot write {}", folder.display()))?;
    let mut tally = Tally::default();
    for help in listing::helps() {
        let (suffix, text) = match in_markdown {
            true => ("md", help.markdown()),
            false => ("1", help.manual(env!("CARGO_PKG_VERSION"))),
        };
        let name = folder.join(format!("{}.{suffix}", help.name));
        let name = name.to_str().context("expected a folder whose name is UTF-8")?;
        let mut page = Output::create(name.into(), false)?;
        page.write_all(text.as_bytes())?;
        page.finish()?;
        tally.done += 1;
    }
    Ok(tally)
}

/// What the lines of a `path.sh` are before and after the folder of the tools.
const PATH_SH: [&str; 2] = [
    "\
# The environment of a recipe of Kaldi where Kaldi's programs are not installed, as kaldi-tables path.sh writes it.
export KALDI_ROOT=${KALDI_ROOT:-$(cd \"$PWD/../../..\" && pwd)}
if [ -f \"$KALDI_ROOT/tools/env.sh\" ]; then . \"$KALDI_ROOT/tools/env.sh\"; fi
export PATH=",
    ":$PWD/utils:$PWD/utils/parallel:$KALDI_ROOT/tools/openfst/bin:$PWD:$PATH
# Scripts of Kaldi expect files that are sorted like this.
export LC_ALL=C
export PYTHONUNBUFFERED=1
# A recipe runs many jobs side by side.
export OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
",
];

fn write_path(folder: &Path) -> anyhow::Result<()> {
    let folder = shell_quote(folder.as_os_str().as_bytes());
    let text = [PATH_SH[0].as_bytes(), &folder, PATH_SH[1].as_bytes()].concat();
    Ok(kaldi_io::print(&text)?)
}

/// A folder that has links to the tools, with its whole name.
fn with_links(folder: &Path) -> anyhow::Result<PathBuf> {
    if !has_links(folder) {
        let folder = folder.display();
        bail!("expected a folder with links to the tools, got {folder}; kaldi-tables link {folder} makes them");
    }
    std::path::absolute(folder).with_context(|| format!("cannot find {}", folder.display()))
}

fn has_links(folder: &Path) -> bool {
    registry::tools().next().is_some_and(|tool| folder.join(tool.name).exists())
}

/// The folder of links in `PATH`, or that of this program.
fn folder_of_links() -> anyhow::Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let own = std::env::current_exe().ok().and_then(|program| program.parent().map(Path::to_owned));
    let found = std::env::split_paths(&path).chain(own).find(|folder| folder.is_absolute() && has_links(folder));
    found.context("there are no links to the tools in a folder of PATH; kaldi-tables link <folder> makes them")
}

fn help_of(tool: &str) -> anyhow::Result<Help> {
    match registry::find(tool) {
        Some(entry) => match &entry.tool {
            Ok(tool) => Ok(Help::of(tool)),
            Err(missing) => bail!(missing.message(entry.name)),
        },
        None if tool == "kaldi-tables" => Ok(Help::of(&TOOL)),
        None => bail!(no_tool(tool)),
    }
}

/// The names of Kaldi's programs.
const KALDI: &str = include_str!("kaldi-programs.txt");

fn no_tool(name: &str) -> String {
    if KALDI.lines().any(|program| program == name) {
        return format!("{name} is a program of Kaldi that kaldi-tables does not have");
    }
    let near = closest_names(name, registry::tools().map(|entry| entry.name).chain(COMMANDS));
    if !near.is_empty() {
        return format!("there is no tool {name}; did you mean {}?", near.join(" or "));
    }
    let is_known = |part: &&str| !part.is_empty() && registry::tools().any(|entry| entry.name.contains(part));
    match name.split('-').find(is_known) {
        Some(part) => format!("there is no tool {name}; kaldi-tables | grep {part} lists some"),
        None => format!("there is no tool {name}; kaldi-tables lists all"),
    }
}
