//! A tool as a value: its usage text, its options and its work.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::panic::Location;
use std::process::ExitCode;

use clap::{ArgMatches, Args, Command};
use kaldi_io::Session;

use crate::Tally;
use crate::command::command;
use crate::in_pieces::{PieceRules, Pieces};

/// The work of a tool, a function of its parsed options.
#[derive(Clone, Copy)]
pub struct Work<O>(pub fn(O) -> anyhow::Result<Tally>);

/// Work whose options were read.
pub type ReadyWork = Box<dyn FnOnce() -> anyhow::Result<Tally>>;

/// Work with options of any type; [`Work`] implements it.
pub trait AnyWork: Sync {
    /// Adds the options and arguments to a command.
    fn augment(&self, command: Command) -> Command;

    /// Reads the options of the work, which is then ready.
    ///
    /// # Errors
    /// If an option or argument of the struct is not in the matches, or has another type there: they are those of another command than
    /// [`AnyWork::augment`] makes.
    fn read(&self, matches: &mut ArgMatches) -> Result<ReadyWork, clap::Error>;
}

impl<O: Args + 'static> AnyWork for Work<O> {
    fn augment(&self, command: Command) -> Command {
        O::augment_args(command)
    }

    fn read(&self, matches: &mut ArgMatches) -> Result<ReadyWork, clap::Error> {
        let (work, opts) = (self.0, O::from_arg_matches_mut(matches)?);
        Ok(Box::new(move || work(opts)))
    }
}

/// A tool: its usage text, its options, and what it does.
#[derive(Clone, Copy)]
pub struct Tool {
    pub(crate) usage: &'static str,
    pub(crate) work: &'static dyn AnyWork,
    is_careful: bool,
    /// Whether Kaldi has no tool of this name.
    pub(crate) is_own: bool,
    pub(crate) writes_lists: bool,
    pub(crate) joins_outputs: bool,
    pub(crate) rules: PieceRules,
    /// Where no rule holds. `None` if that is not known.
    pub(crate) pieces: Option<Pieces>,
    /// Where the tool is declared; log lines of the whole run name it.
    place: &'static Location<'static>,
}

impl Tool {
    /// A tool with this usage text. It runs as a whole, not in pieces of its input, unless it says how.
    #[must_use]
    #[track_caller]
    pub const fn new(usage: &'static str, work: &'static dyn AnyWork) -> Self {
        let pieces = Some(Pieces::Whole("it works on single files"));
        Self {
            usage,
            work,
            is_careful: false,
            is_own: false,
            writes_lists: false,
            joins_outputs: false,
            rules: &[],
            pieces,
            place: Location::caller(),
        }
    }

    /// A tool that replaces files by files of the same kind only, unless it gets `--force`: every tool that writes and that
    /// Kaldi does not have.
    #[must_use]
    #[track_caller]
    pub const fn careful(usage: &'static str, work: &'static dyn AnyWork) -> Self {
        Self { is_careful: true, ..Self::new(usage, work) }
    }

    /// Kaldi has no such tool, so no script expects its command line on a terminal. Lists of tools say it by
    /// [`Origin`](crate::Origin).
    #[must_use]
    pub const fn own(self) -> Self {
        Self { is_own: true, ..self }
    }

    /// Outputs that are not tables are lists, scripts or other text. A careful tool then refuses to replace
    /// other files before it starts.
    #[must_use]
    pub const fn writing_lists(self) -> Self {
        Self { writes_lists: true, ..self }
    }

    /// All files that it writes belong together, also if one name stands for several: they appear together or not at all, as the
    /// outputs of every tool do that has several names for them.
    #[must_use]
    pub const fn together(self) -> Self {
        Self { joins_outputs: true, ..self }
    }

    /// Whether it was made by [`Tool::careful`].
    pub const fn is_careful(&self) -> bool {
        self.is_careful
    }

    /// Sets how its command lines run in pieces of their input, if that depends on options or arguments.
    #[must_use]
    pub const fn in_pieces(self, rules: PieceRules) -> Self {
        Self { rules, ..self }
    }

    /// It runs other programs, so how its command lines run in pieces is not known.
    #[must_use]
    pub const fn running_others(self) -> Self {
        Self { pieces: None, ..self }
    }

    /// Its command lines run only as a whole, for this reason.
    #[must_use]
    pub const fn whole(self, why: &'static str) -> Self {
        Self { pieces: Some(Pieces::Whole(why)), ..self }
    }

    /// Its command lines run entry by entry of the table in this argument, counted from 0.
    #[must_use]
    pub const fn by_entry(self, argument: usize) -> Self {
        Self { pieces: Some(Pieces::Entries(argument)), ..self }
    }

    /// Whether some of its command lines run in pieces of their input.
    #[must_use]
    pub fn runs_in_pieces(&self) -> bool {
        self.rules.iter().map(|(_, pieces)| pieces).chain(&self.pieces).any(|it| !matches!(it, Pieces::Whole(_)))
    }

    /// Runs the tool on the command line of the process; see [the dialect and the exit codes](crate#command-line). The session has
    /// what only the program knows: its store, and advice.
    pub fn run(&self, session: &Session) -> ExitCode {
        let mut words = std::env::args_os();
        let name = words.next().unwrap_or_default();
        self.run_as(name, words.collect(), session)
    }

    /// Runs the tool as if it had been called by this name with these words: `kaldi-tables copy-feats ...` runs
    /// `copy-feats ...`.
    pub fn run_as(&self, name: OsString, words: Vec<OsString>, session: &Session) -> ExitCode {
        crate::run(self, &CommandLine { name, words }, self.place, session)
    }

    /// The tool's options and arguments.
    pub(crate) fn command(&self) -> Command {
        command(&|command| self.work.augment(command), self.is_careful)
    }
}

/// The words of a command line.
pub(crate) struct CommandLine {
    /// The name by which the tool was called.
    pub(crate) name: OsString,
    /// The words after the name.
    pub(crate) words: Vec<OsString>,
}

impl CommandLine {
    /// The tool's name without the folder.
    pub(crate) fn tool(&self) -> String {
        let name = self.name.as_bytes().rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        String::from_utf8_lossy(name).into_owned()
    }
}
