//! The options of all tools.

use std::num::NonZeroUsize;
use std::sync::OnceLock;

use kaldi_io::Session;
use option_table::{OptionKind, OptionRow};

use crate::memory;
use crate::option::Opt;
use crate::reading::Fault;

/// The values of the standard options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standard {
    /// `None` if it depends on the tool and the terminal.
    pub(crate) print_args: Option<bool>,
    /// `None` if it depends on the terminal.
    pub(crate) progress: Option<bool>,
    num_threads: Option<usize>,
    verbose: i32,
    pub(crate) force: bool,
}

const BOOL: fn() -> OptionKind = || OptionKind::Bool;
const INT: fn() -> OptionKind = OptionKind::of::<i32>;
const TEXT: fn() -> OptionKind = || OptionKind::Text;

/// The options of all tools.
static ROWS: [OptionRow; 7] = [
    row("config", TEXT, || None, "File with one option per line; may be given several times"),
    row("help", BOOL, || None, "Print this text"),
    row(
        "num-threads",
        INT,
        || Some("processors available, at most OMP_NUM_THREADS".into()),
        "Number of threads to use",
    ),
    row("print-args", BOOL, || Some("true".into()), "Print the command line to stderr"),
    row("progress", BOOL, || Some("auto".into()), "Show on stderr how far the work is"),
    row("verbose", INT, || Some("0".into()), "Verbose level; more is logged at higher ones"),
    row("version", BOOL, || None, "Print the version"),
];

/// The option of careful tools.
static FORCE: OptionRow = row("force", BOOL, || None, "Replace outputs of another kind, too");

const fn row(
    name: &'static str,
    kind: fn() -> OptionKind,
    default: fn() -> Option<String>,
    help: &'static str,
) -> OptionRow {
    OptionRow {
        field: name,
        name,
        aliases: &[],
        old_names: &[],
        help,
        heading: None,
        kind,
        role: None,
        default,
        choices: Vec::new,
        old_choices: &[],
        repeats: false,
    }
}

/// Returns the options of all tools, as the usage text shows them.
pub(crate) fn options() -> impl Iterator<Item = Opt> {
    ROWS.iter().map(Opt::standard)
}

/// Returns the option of careful tools.
pub(crate) fn force() -> Opt {
    Opt::standard(&FORCE)
}

impl Standard {
    /// Takes the standard options off a command line, of which `get` returns the canonical value of an option.
    pub(crate) fn from<'r>(get: impl Fn(&str) -> Option<&'r str>) -> Result<Self, Fault> {
        let num_threads = match get("num-threads") {
            None => None,
            Some(value) => Some(value.parse().ok().filter(|number| *number > 0).ok_or_else(|| Fault {
                message: format!("Invalid option --num-threads={value}: expected 1 or more"),
                is_unknown_option: false,
            })?),
        };
        Ok(Self {
            print_args: get("print-args").map(|value| value == "true"),
            progress: get("progress").map(|value| value == "true"),
            num_threads,
            force: get("force") == Some("true"),
            verbose: get("verbose").and_then(|value| value.parse().ok()).unwrap_or(0),
        })
    }

    /// The session with these options.
    pub(crate) fn applied_to(self, session: &Session) -> Session {
        let log = session.log().at_level(self.verbose);
        session.with_log(log).threads_by(move || threads(self.num_threads)).carrying(self)
    }
}

/// The standard options of the session.
fn current() -> Option<Standard> {
    Session::current().carried().map(|standard| *standard)
}

/// Returns whether `--force` was given, which only careful tools have ([`Tool::careful`](crate::Tool::careful)).
pub fn is_forced() -> bool {
    current().is_some_and(|standard| standard.force)
}

/// Adds the advice to use `--force` to the error that an output would replace a file; with `--force` there is no error.
///
/// # Errors
/// The error of `check`.
pub fn unless_forced<E: std::fmt::Display>(check: Result<(), E>) -> anyhow::Result<()> {
    match check {
        Err(error) if !is_forced() => anyhow::bail!("{error}: choose another name, or replace it with --force"),
        _ => Ok(()),
    }
}

/// Returns the number of threads of the session: `--num-threads`, or else the processors available to the process, at most
/// `OMP_NUM_THREADS` if that is set.
pub fn num_threads() -> usize {
    Session::current().num_threads()
}

/// The system is asked on the first call and not before, since many runs are too short to use it.
fn threads(asked: Option<usize>) -> usize {
    static DEFAULT: OnceLock<usize> = OnceLock::new();
    let asked = asked.unwrap_or_else(|| {
        *DEFAULT.get_or_init(|| {
            let processors = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
            processors.min(limit(std::env::var("OMP_NUM_THREADS").ok().as_deref()))
        })
    });
    // Fewer if they would not have room in memory.
    asked.min(memory::most_threads())
}

/// Returns `--num-threads`, `None` if it was not given.
pub fn asked_threads() -> Option<usize> {
    current().and_then(|standard| standard.num_threads)
}

/// Reads `OMP_NUM_THREADS`, a number or a list of numbers by nesting level, of which the first counts.
fn limit(text: Option<&str>) -> usize {
    let first = text.and_then(|text| text.split(',').next());
    first.and_then(|number| number.trim().parse().ok()).filter(|number| *number > 0).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thread_limit_is_the_first_number_and_positive() {
        assert_eq!(limit(Some("3")), 3);
        assert_eq!(limit(Some(" 4,2")), 4);
        for text in [None, Some(""), Some("0"), Some("-1"), Some("many")] {
            assert_eq!(limit(text), usize::MAX);
        }
    }

    #[test]
    fn at_least_one_thread_is_used() {
        assert!(threads(None) >= 1);
        assert_eq!(threads(Some(1)), 1);
    }
}
