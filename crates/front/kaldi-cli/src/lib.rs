#![doc = include_str!("../README.md")]
//! A tool is a usage text, a derived struct of options and arguments, and a function:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use kaldi_cli::{InputName, OutputName, Tally, Tool, Work};
//! use kaldi_io::Session;
//!
//! const USAGE: &str = "Copies vectors, or archives of vectors.\n\n\
//!     Usage: copy-vector [options] <rspecifier> <wspecifier>\n e.g.: copy-vector ark:1.ark ark,t:-\n";
//!
//! #[derive(clap::Args)]
//! struct Options {
//!     /// Write in binary mode (only relevant if the output is a wxfilename)
//!     #[arg(long, default_value_t = true)]
//!     binary: bool,
//!     /// Cut or zero-pad the vectors to this dimension, if it is 0 or more
//!     #[arg(long = "change_dim", default_value_t = -1)]
//!     change_dim: i32,
//!     /// Wspecifier for the dimension of each vector
//!     #[arg(long)]
//!     write_dim: Option<OutputName>,
//!     rspecifier: InputName,
//!     wspecifier: OutputName,
//! }
//!
//! pub const TOOL: Tool = Tool::new(USAGE, &Work(copy_vector));
//!
//! pub fn main() -> ExitCode {
//!     TOOL.run(&Session::default())
//! }
//!
//! fn copy_vector(opts: Options) -> anyhow::Result<Tally> {
//!     let mut tally = Tally::default();
//!     kaldi_io::log::log!("Copying {} to {}", opts.rspecifier, opts.wspecifier);
//!     tally.done += 1;
//!     Ok(tally)
//! }
//! ```
//!
//! The struct derives [`clap::Args`]: the doc comment of a field is the help of its option (its
//! first paragraph; a full stop at its end is left out). The type of the field is the type that the usage text names: `bool`,
//! `i32` (int), `u32` (uint), `f32` (float), `f64` (double), anything else (string). A bool without a default is false; an
//! `Option` of a string type is `None` if the option is left out or empty. What names an input or an output has the type
//! [`InputName`] or [`OutputName`], a map such as utt2spk [`MapName`]; the files that they lead to are compared before the
//! tool starts.
//!
//! # Command line
//!
//! - Options have the form `--name=value`; names are not case-sensitive, and `_` equals `-`. A bool takes `--name`,
//!   `--name=true|t|1|false|f|0` in any case.
//! - Options may come before, between or after arguments; `--` ends them. The last of a repeated option wins.
//! - `--config=FILE` reads options from a file, one a line, `#` starts a comment. They count as if they came before all
//!   options of the command line; a later file wins over an earlier one.
//! - `--help` anywhere before `--`, and `-h` instead of the first argument, write the usage text to standard output.
//!
//! # Exit codes
//!
//! | code | when |
//! | --- | --- |
//! | 0, 1 or 255 | as the tool's [`Tally`] says |
//! | 0 | `--help`, `-h`, `--version` |
//! | 1 | wrong number of arguments; the error and one line of usage are printed on standard error |
//! | 255 | an error, an invalid option, a bug; the last line on stderr is one `ERROR` line |
//! | 141 | standard output was closed by its reader (as every filter: the signal `SIGPIPE`) |

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod advice;
mod arg;
mod choice;
mod command;
mod dialect;
mod empty_run_warnings;
mod ending;
mod fault;
mod in_pieces;
mod inputs_outputs;
mod memory;
mod name_ending;
mod option;
pub mod pages;
mod progress;
mod reopen_std_streams;
mod replace;
mod small_text;
mod spelling;
mod standard;
mod sum;
mod tally;
mod task;
#[cfg(test)]
mod tests;
mod tool;
mod tool_options;
mod usage;

use std::ffi::OsString;
use std::io::IsTerminal;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::panic::Location;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{ArgMatches, Args, FromArgMatches};
use kaldi_io::log::Log;
use kaldi_io::{DeferredOutputs, Session};

use command::{Given, command, options};
use dialect::{Request, Spelled, read};
use fault::{Fault, FaultKind, matches};
use inputs_outputs::Names;
use progress::{Progress, Screen};
use spelling::Spelling;
use standard::{Careful, Standard};
use tool::{CommandLine, ReadyWork};

pub use arg::Arg;
pub use choice::{one_of, one_of_renamed};
pub use in_pieces::{PieceRules, Pieces, PiecesIf, UtterancePieces};
pub use kaldi_io::{InputName, MapName, OutputName};
#[doc(hidden)]
pub use name_ending::{expect_ending, expect_folder};
pub use replace::keep_no_lists;
pub use small_text::{align_columns, for_terminal, read_keys, read_text};
pub use standard::{asked_threads, is_forced, num_threads, unless_forced};
pub use sum::{SumInput, add_files, sum_files, sum_stats, sum_table, sum_tables};
pub use tally::Tally;
pub use task::tool_of_file;
pub use task::{ListedTool, MissingFeature, Origin, Task};
pub use tool::{AnyWork, Tool, Work};
pub use tool_options::{CopyOptions, SumOptions};

/// The width of the terminal that standard output is; `None` if it is not a terminal.
pub fn terminal_width() -> Option<usize> {
    let stdout = std::io::stdout();
    stdout.is_terminal().then(|| usage::columns(stdout.as_raw_fd()))
}

/// Runs a tool on a command line, in a session of its own; `main` is where it was started.
fn run(tool: &Tool, line: &CommandLine, main: &Location<'_>, session: &Session) -> ExitCode {
    let screen = Arc::new(Screen::default());
    let session = with_log(session, line, &screen);
    session.enter(|| match start(tool, line, main, &session) {
        Ok(ready) => ready.session.clone().enter(|| ready.run(screen, main)),
        Err(code) => code,
    })
}

/// Reports that a tool is not in this build.
fn refuse(name: &'static str, missing: MissingFeature) -> ExitCode {
    let error = anyhow::anyhow!(missing.message(name));
    Log::new().named(name).enter(|| ending::end(Err(error), "", Location::caller()))
}

/// The session of a tool before its options are known.
fn with_log(session: &Session, line: &CommandLine, screen: &Arc<Screen>) -> Session {
    memory::keep_freed();
    memory::name_program(line.tool());
    let (screen, shown) = (Arc::clone(screen), Arc::clone(screen));
    let log = Log::new().named(&line.tool()).to(move |lines| screen.write(lines));
    ending::install_handlers(log.clone());
    reopen_std_streams::make_closed_streams_fail();
    session.change(|settings| {
        settings.log = log;
        settings.clear_terminal = Some(Arc::new(move || shown.leave()));
    })
}

/// A tool whose command line was read.
struct ReadyTool {
    work: ReadyWork,
    names: Names,
    session: Session,
    /// `--progress`.
    progress: Option<bool>,
}

impl ReadyTool {
    fn run(self, screen: Arc<Screen>, main: &Location<'_>) -> ExitCode {
        let Self { work, names, session, progress } = self;
        let before = names.before();
        let progress = Progress::watch(&session, screen, progress, names.arguments().to_vec());
        let result = work();
        let (read, written) = (session.entries_delivered(), session.entries_written());
        let (result, kept) = settle(&session, result, read == 0 && names.reads_tables());
        session.close_store();
        drop(progress);
        match session.entries_left_out() {
            0 => {}
            1 => ending::warn("1 entry was left out, since it cannot be read", main),
            left_out => ending::warn(&format!("{left_out} entries were left out, since they cannot be read"), main),
        }
        let nothing = match &result {
            Ok(tally) if !tally.is_refused() => {
                // A tool may read a script file without its entries.
                names.describe_nothing(read.max(tally.done + tally.failed), written, tally.has_done_nothing())
            }
            Ok(_) | Err(_) => None,
        };
        let advice = if nothing.is_some() || result.is_err() { names.advise_on_swap(&before) } else { String::new() };
        let advice = match &result {
            Err(error) if advice.is_empty() => names.advise_on_entry(error),
            _ => advice,
        };
        match (nothing, kept.is_empty()) {
            (None, true) => {}
            (Some(nothing), true) => ending::warn(&format!("{nothing}{advice}"), main),
            (nothing, false) => {
                let nothing = nothing.unwrap_or_else(|| "nothing was done".to_owned());
                ending::warn(&format!("{nothing}; {} stays as it was{advice}", kept.join(", ")), main);
            }
        }
        ending::end(result, &advice, main)
    }
}

/// Without tables among the inputs, it is not known whether the tool has read something. Then only outputs wait that are as small
/// as headers: there may be many, and large ones. With tables, all of them wait until an entry was read: statistics of nothing may be
/// many zeros.
const HEADERS: u64 = 1 << 12;

/// Gives outputs that waited for the end their names, or none if the tool failed or did nothing. Returns what then stays
/// as it was. If anything does, the tool has not succeeded, even if it accepts empty tables.
fn settle(
    session: &Session,
    result: anyhow::Result<Tally>,
    tables_are_empty: bool,
) -> (anyhow::Result<Tally>, Vec<String>) {
    let what = match &result {
        Ok(tally) if tally.has_no_result(tables_are_empty) => DeferredOutputs::KeepOld,
        Ok(_) => DeferredOutputs::Publish,
        Err(_) => DeferredOutputs::Discard,
    };
    match session.publish_all(what) {
        Ok(kept) if !kept.is_empty() => (result.map(Tally::at_least_a_failure), kept),
        Ok(kept) => (result, kept),
        Err(error) => (result.and(Err(error.into())), Vec::new()),
    }
}

/// Reads the words of a command line, without the program's name, as [`Tool::run`] does, but does not run the tool.
/// Returns `None` if they ask for help or for the version. Tests of the command line use it.
///
/// # Errors
/// If the command line is wrong.
pub fn parse<O: Args>(words: &[OsString]) -> Result<Option<O>, String> {
    let mut command = command(&O::augment_args, false);
    let Request::Run(spelled) = read(&command, words).map_err(|fault| fault.message)? else { return Ok(None) };
    let mut matches = matches(&mut command, &spelled).map_err(|fault| fault.message)?;
    O::from_arg_matches_mut(&mut matches).map(Some).map_err(|error| error.to_string())
}

/// Reads options as [`parse`] does, and returns those that were given, also by a config file: names as in the usage text, and
/// values as their types spell them. Standard options are not among them.
///
/// # Errors
/// If an option is wrong, or the words have arguments or ask for help.
pub fn given_options<O: Args>(words: &[OsString]) -> Result<Vec<(String, String)>, String> {
    let mut command = command(&O::augment_args, false);
    let Request::Run(spelled) = read(&command, words).map_err(|fault| fault.message)? else {
        return Err("expected options only, got --help or --version".to_owned());
    };
    let matches = matches(&mut command, &spelled).map_err(|fault| fault.message)?;
    let given = Given::of(&command, &matches).options.into_iter();
    Ok(given.filter_map(|option| Some((option.name, option.values.last()?.to_string()))).collect())
}

/// Returns the options, each with its default as text, which is empty if there is none. Standard options are not among them.
#[must_use]
pub fn default_options<O: Args>() -> Vec<(String, String)> {
    let command = command(&O::augment_args, false);
    let own = options(&command).filter(|option| !option::is_standard(option));
    own.map(|option| (option::name(option).to_owned(), option::default_text(option).unwrap_or_default())).collect()
}

/// Refuses arguments whose number is right but whose combination is not one of the tool's usages: prints one `ERROR` line and
/// the tool's usage in a line. The exit code of the tally is 1, as for a wrong number of arguments.
#[track_caller]
pub fn wrong_usage(usage: &str, message: &str) -> Tally {
    ending::report(message, Location::caller());
    kaldi_io::log::write_line(usage::usage_line(usage).as_bytes());
    Tally::refused()
}

/// Everything before the tool's own work. Returns an exit code if there is no work to do.
fn start(tool: &Tool, line: &CommandLine, main: &Location<'_>, session: &Session) -> Result<ReadyTool, ExitCode> {
    let mut command = tool.command();
    let spelling = Spelling::of(&command);
    let usage_for = |descriptor| usage::usage_text(tool.usage, &command, usage::columns(descriptor));
    let spelled = match read(&command, &line.words).map_err(|fault| refuse_line(tool, &fault, main))? {
        Request::Run(spelled) => spelled,
        Request::Help => return Err(print(&usage_for(libc::STDOUT_FILENO), main)),
        Request::Usage => {
            kaldi_io::log::write_line(usage_for(libc::STDERR_FILENO).as_bytes());
            return Err(ExitCode::SUCCESS);
        }
        Request::Version => {
            return Err(print(&format!("{} {}\n", kaldi_io::log::program(), env!("CARGO_PKG_VERSION")), main));
        }
    };
    let mut matches = match matches(&mut command, &spelled) {
        Ok(matches) => matches,
        Err(fault) => {
            // The options of all tools are right.
            let is_late = matches!(fault.kind, FaultKind::Count | FaultKind::OwnType);
            if is_late && asks_for_echo(tool, command.clone(), &spelled) {
                kaldi_io::log::write_line(&echo(line));
            }
            if fault.kind != FaultKind::Count {
                return Err(refuse_line(tool, &fault, main));
            }
            ending::report(&fault.message, main);
            if let Some(advice) = advice::advise_on_arguments(&command, &line.words) {
                ending::warn(&advice, main);
            }
            print_usage_line(tool);
            return Err(ExitCode::FAILURE);
        }
    };
    let given = Given::of(&command, &matches);
    let (standard, careful) = standard_options(tool, &mut matches).map_err(|error| refuse_matches(&error, main))?;
    let session = standard.applied_to(session, careful);
    let session = session.change(|settings| settings.log = settings.log.worded(move |message| spelling.spell(message)));
    session.enter(|| prepare(tool, line, main, &session, (&given, matches), (standard, careful)))
}

/// Reports a wrong command line.
fn refuse_line(tool: &Tool, fault: &Fault, main: &Location<'_>) -> ExitCode {
    ending::report(&fault.message, main);
    if fault.kind == FaultKind::UnknownOption {
        print_usage_line(tool);
    }
    ExitCode::from(ending::ERROR)
}

/// Reports a struct that its own command does not fill.
fn refuse_matches(error: &clap::Error, main: &Location<'_>) -> ExitCode {
    ending::report(&error.to_string(), main);
    ExitCode::from(ending::ERROR)
}

/// Whether the command line is to be printed, which has the wrong number of arguments.
fn asks_for_echo(tool: &Tool, command: clap::Command, spelled: &Spelled) -> bool {
    let words = spelled.words(&command);
    let matches = command.ignore_errors(true).try_get_matches_from(words);
    matches.map_or(true, |matches| echoes(tool, matches.get_one("print_args").copied()))
}

/// Whether the command line is printed. In a log, it says how the output came about; on a terminal, it is just above.
fn echoes(tool: &Tool, print_args: Option<bool>) -> bool {
    print_args.unwrap_or_else(|| !(tool.is_own && std::io::stderr().is_terminal()))
}

fn standard_options(tool: &Tool, matches: &mut ArgMatches) -> Result<(Standard, Careful), clap::Error> {
    let standard = Standard::from_arg_matches_mut(matches)?;
    let careful = if tool.is_careful() { Careful::from_arg_matches_mut(matches)? } else { Careful::default() };
    Ok((standard, careful))
}

/// What [`start`] does when the standard options are known.
fn prepare(
    tool: &Tool,
    line: &CommandLine,
    main: &Location<'_>,
    session: &Session,
    (given, mut matches): (&Given, ArgMatches),
    (standard, careful): (Standard, Careful),
) -> Result<ReadyTool, ExitCode> {
    if echoes(tool, standard.print_args) {
        kaldi_io::log::write_line(&echo(line));
    }
    let names = given.names();
    if std::env::var_os("KALDI_TABLES_NAMES").is_some_and(|value| value == "1") {
        return Err(print(&in_pieces::describe(tool, &line.tool(), given, &names), main));
    }
    let is_checked = tool.is_careful() && !careful.force;
    let session = session.change(|settings| {
        settings.held_bytes = Some(if names.reads_tables() { u64::MAX } else { HEADERS });
        settings.replacement_check = is_checked.then_some(replace::refuse);
        settings.joins_outputs = tool.joins_outputs || names.has_several_outputs();
    });
    let work = tool.work.read(&mut matches).map_err(|error| refuse_matches(&error, main))?;
    let checked = names.check().and_then(|()| match is_checked {
        true => replace::check(names.outputs().iter().map(AsRef::as_ref), tool.writes_lists),
        false => Ok(()),
    });
    if let (Ok(()), Some(name)) = (&checked, names.waits_for_terminal()) {
        ending::warn(&format!("{name} is standard input, which is a terminal: waiting for what is typed there"), main);
    }
    checked.map(|()| ReadyTool { work, names, session, progress: standard.progress }).map_err(|message| {
        ending::report(&message, main);
        ExitCode::from(ending::ERROR)
    })
}

fn print_usage_line(tool: &Tool) {
    kaldi_io::log::write_line(usage::usage_line(tool.usage).as_bytes());
}

/// Returns the command line as bash would read it back, a space after each word.
fn echo(line: &CommandLine) -> Vec<u8> {
    let mut echo = Vec::new();
    for word in std::iter::once(&line.name).chain(&line.words) {
        echo.extend_from_slice(&kaldi_io::shell_quote(word.as_bytes()));
        echo.push(b' ');
    }
    echo.push(b'\n');
    echo
}

/// Writes what was asked for to standard output.
fn print(text: &str, main: &Location<'_>) -> ExitCode {
    let print = || {
        kaldi_io::print(text)?;
        Ok(Tally::default().always_ok())
    };
    ending::end(print(), "", main)
}
