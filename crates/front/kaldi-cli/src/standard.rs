//! The options of all tools.

use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use kaldi_io::Session;
use kaldi_value::number::integer;

use crate::{Arg, memory};

/// The title of these options in the usage text.
pub(crate) const HEADING: &str = "Standard options";

/// The options of all tools.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct Standard {
    /// File with one option per line; may be given several times
    #[arg(long)]
    config: Vec<Arg>,
    /// Print this text
    #[arg(long)]
    help: bool,
    /// Number of threads to use
    #[arg(long, value_name = "int", value_parser = at_least_one)]
    num_threads: Option<usize>,
    /// Print the command line to stderr
    #[arg(long)]
    pub(crate) print_args: Option<bool>,
    /// Show on stderr how far the work is
    #[arg(long)]
    pub(crate) progress: Option<bool>,
    /// Verbose level; more is logged at higher ones
    #[arg(long, default_value_t = 0)]
    verbose: i32,
    /// Print the version
    #[arg(long)]
    version: bool,
}

/// The option of careful tools.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
#[command(next_help_heading = HEADING)]
pub(crate) struct Careful {
    /// Replace outputs of another kind, too
    #[arg(long)]
    pub(crate) force: bool,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    let number = integer::<i64>(i32::MIN.into()..=i32::MAX.into())(text)?;
    usize::try_from(number).ok().filter(|number| *number > 0).ok_or_else(|| "expected 1 or more".to_owned())
}

/// What the usage text shows as the default of an option whose default depends on where the tool runs.
pub(crate) fn shown_default(arg: &clap::Arg) -> Option<&'static str> {
    match arg.get_id().as_str() {
        "num_threads" => Some("processors available, at most OMP_NUM_THREADS"),
        "print_args" => Some("true"),
        "progress" => Some("auto"),
        _ => None,
    }
    .filter(|_| crate::option::is_standard(arg))
}

/// What a session carries.
#[derive(Clone, Copy)]
struct Carried {
    num_threads: Option<usize>,
    force: bool,
}

impl Standard {
    /// The session with these options.
    pub(crate) fn applied_to(&self, session: &Session, careful: Careful) -> Session {
        let num_threads = self.num_threads;
        session.change(|settings| {
            settings.log = settings.log.at_level(self.verbose);
            settings.num_threads = Some(Arc::new(move || threads(num_threads)));
            settings.carried = Some(Arc::new(Carried { num_threads, force: careful.force }));
        })
    }
}

/// The options that the session has.
fn current() -> Option<Carried> {
    Session::current().carried().map(|carried| *carried)
}

/// Returns whether `--force` was given, which only careful tools have ([`Tool::careful`](crate::Tool::careful)).
pub fn is_forced() -> bool {
    current().is_some_and(|carried| carried.force)
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
    current().and_then(|carried| carried.num_threads)
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
