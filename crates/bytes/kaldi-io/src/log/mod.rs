//! Log lines on standard error in Kaldi's grammar, each written with one system call.
//!
//! ```
//! let log = kaldi_io::log::Log::new().named("my-tool");
//! log.enter(|| kaldi_io::log::log!("Copied {} matrices", 5));
//! // LOG (my-tool[0.1.0]:main():main.rs:2) Copied 5 matrices
//! ```
//!
//! A log has its own level and its own sink. With the feature `log`, `log.to(kaldi_io::log::forward)` sends its lines to the logger of the
//! crate `log`.
//!
//! Recipes grep these lines, so their shape is part of the interface:
//!
//! ```text
//! LOG (copy-matrix[0.1.0]:copy_matrix():copy-matrix.rs:57) Copied 5 matrices
//! WARNING (select-feats[0.1.0]:select_feats():select-feats.rs:41) ...
//! ERROR (copy-vector[0.1.0]:main():copy-vector.rs:12) ...
//! VLOG[2] (...) ...
//! ```
//!
//! A line names its severity, the program, the version, the function, the file and the line. It is written with one
//! system call, so that lines of several programs in one pipeline do not interleave. Work that runs on another thread
//! is wrapped in [`Logged::of`], and its lines come out when the results are delivered in order.
//!
//! The program, the verbose level and where the lines go are a [`Log`], which a thread has entered; without one, lines go to
//! standard error.

#[cfg(feature = "log")]
mod forward;
mod logged;
mod secrets;
mod thread_log;

#[cfg(feature = "log")]
pub use forward::forward;
pub use logged::Logged;
pub use secrets::{hide_secrets, hide_secrets_in};
pub(crate) use thread_log::{EnteredLog, replay};
pub use thread_log::{Log, capture, program, verbose, write_line};

use std::fmt;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// Severity of a log line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// A failure that ends the program.
    Error,
    /// Something skipped or doubtful; the program goes on.
    Warning,
    /// A result worth a line, such as the closing count.
    Log,
    /// Detail shown only at this verbose level or above.
    Verbose(i32),
}

/// A message on one line: control characters are escaped, so that no key or file name makes other lines, or reaches a
/// terminal as a command.
fn one_line(message: &str) -> String {
    let mut line = String::with_capacity(message.len());
    for character in message.chars() {
        match character.is_control() {
            true => line.push_str(&character.to_string().as_bytes().escape_ascii().to_string()),
            false => line.push(character),
        }
    }
    line
}

/// Writes one log line of this thread; called by the macros, which supply the place. Control characters of the message are escaped.
pub fn emit(severity: Severity, function: &str, file: &str, line: u32, message: fmt::Arguments<'_>) {
    replay(&Log::current().line(severity, function, file, line, message));
}

/// A log line, with its end.
fn line_of(program: &str, severity: Severity, function: &str, file: &str, line: u32, message: &str) -> Vec<u8> {
    let function = bare_function_name(function);
    let file = short_path(file);
    let head = match severity {
        Severity::Error => "ERROR".to_owned(),
        Severity::Warning => "WARNING".to_owned(),
        Severity::Log => "LOG".to_owned(),
        Severity::Verbose(level) => format!("VLOG[{level}]"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let message = one_line(message);
    format!("{head} ({program}[{version}]:{function}():{file}:{line}) {message}\n").into_bytes()
}

/// The time between two lines about the progress of work on a terminal.
const PACE: Duration = Duration::from_secs(10);

/// Decides whether a line about the progress of work is written: on a terminal every ten seconds, so that other lines stay
/// visible; elsewhere always, since logs of recipes are counted and searched.
#[derive(Debug)]
pub struct Pace {
    /// When the last line was written on a terminal.
    last: Option<Instant>,
}

impl Pace {
    /// Starts now.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "it looks at the terminal")]
    pub fn new() -> Self {
        Self { last: std::io::stderr().is_terminal().then(Instant::now) }
    }

    /// Whether a line is to be written now.
    pub fn is_due(&mut self) -> bool {
        match &mut self.last {
            Some(last) if last.elapsed() < PACE => false,
            Some(last) => {
                *last = Instant::now();
                true
            }
            None => true,
        }
    }
}

/// The name of a source file, with that of its folder if it is a `mod.rs`, of which there are many.
fn short_path(path: &str) -> &str {
    let from = |separators| path.rmatch_indices('/').nth(separators).map_or(0, |(at, _)| at + 1);
    let name = &path[from(0)..];
    if name == "mod.rs" { &path[from(1)..] } else { name }
}

/// Strips the path, the `{{closure}}` parts and the marker function of [`function_name!`] from a type name.
fn bare_function_name(path: &str) -> &str {
    let mut path = path.strip_suffix("::__here").unwrap_or(path);
    while let Some(rest) = path.strip_suffix("::{{closure}}") {
        path = rest;
    }
    path.rsplit("::").next().unwrap_or(path)
}

/// The path of the function that uses this.
#[doc(hidden)]
#[macro_export]
macro_rules! __function_name {
    () => {{
        fn __here() {}
        fn name_of<T>(_: T) -> &'static str {
            std::any::type_name::<T>()
        }
        name_of(__here)
    }};
}

/// Writes a `LOG` line.
#[doc(hidden)]
#[macro_export]
macro_rules! __log {
    ($($arg:tt)*) => {
        $crate::log::emit($crate::log::Severity::Log, $crate::__function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes a `WARNING` line.
#[doc(hidden)]
#[macro_export]
macro_rules! __warning {
    ($($arg:tt)*) => {
        $crate::log::emit($crate::log::Severity::Warning, $crate::__function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes an `ERROR` line.
#[doc(hidden)]
#[macro_export]
macro_rules! __error {
    ($($arg:tt)*) => {
        $crate::log::emit($crate::log::Severity::Error, $crate::__function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes a `VLOG` line if the verbose level is at least the given one.
#[doc(hidden)]
#[macro_export]
macro_rules! __vlog {
    ($level:expr, $($arg:tt)*) => {
        if $crate::log::verbose() >= $level {
            $crate::log::emit(
                $crate::log::Severity::Verbose($level),
                $crate::__function_name!(),
                file!(),
                line!(),
                format_args!($($arg)*),
            )
        }
    };
}

/// Macros have their names here, not in the root of the crate: `kaldi_io::log::warning!`.
#[doc(inline)]
pub use crate::{__error as error, __log as log, __vlog as vlog, __warning as warning};

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::panic::AssertUnwindSafe;
    use std::sync::{Arc, Mutex};

    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let ((), lines) = capture(|| warning!("a\nERROR \x1b[1m\u{9b}31m é"));
        let text = String::from_utf8(lines).expect("log lines are text");
        assert!(text.ends_with(") a\\nERROR \\x1b[1m\\xc2\\x9b31m é\n"), "{text}");
    }

    #[test]
    fn a_line_names_severity_program_function_file_and_line() {
        let ((), lines) = capture(|| warning!("no transform for {}", "utt1"));
        let text = String::from_utf8(lines).expect("log lines are text");
        let version = env!("CARGO_PKG_VERSION");
        assert!(text.starts_with(&format!("WARNING (kaldi-tables[{version}]:")), "{text}");
        assert!(text.contains("]:a_line_names_severity_program_function_file_and_line():log/mod.rs:"), "{text}");
        assert!(text.ends_with(") no transform for utt1\n"), "{text}");
    }

    #[test]
    fn captured_lines_stay_in_order_when_nested() {
        let ((), lines) = capture(|| {
            log!("one");
            let ((), inner) = capture(|| log!("two"));
            log!("three");
            replay(&inner);
        });
        let text = String::from_utf8(lines).expect("log lines are text");
        let words: Vec<&str> = text.lines().filter_map(|line| line.rsplit(' ').next()).collect();
        assert_eq!(words, ["one", "three", "two"]);
    }

    #[test]
    fn details_are_silent_below_their_level() {
        let ((), lines) = capture(|| vlog!(3, "detail"));
        assert!(lines.is_empty());
    }

    #[test]
    fn the_lines_of_a_log_go_to_its_sink_and_to_no_other() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        let log = Log::new().named("one").at_level(2).to(move |line| kept.lock().unwrap().push(line.to_vec()));
        let ((), elsewhere) = capture(|| {
            log!("outside");
            log.enter(|| {
                vlog!(2, "inside");
                let logged = Logged::of(|| log.enter(|| warning!("kept")));
                warning!("first");
                logged.then(|()| warning!("last")).deliver();
            });
            vlog!(2, "too much");
        });
        assert_eq!(elsewhere.iter().filter(|byte| **byte == b'\n').count(), 1);
        let lines: Vec<String> =
            lines.lock().unwrap().iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        let words: Vec<_> =
            lines.iter().flat_map(|text| text.lines()).map(|line| line.rsplit(' ').next().unwrap()).collect();
        assert_eq!(words, ["inside", "first", "kept", "last"]);
        assert!(lines.iter().all(|line| line.contains(" (one[")), "{lines:?}");
    }

    #[test]
    fn a_panic_leaves_the_log_that_was_there() {
        let log = Log::new().named("inner");
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| log.enter(|| panic!("on purpose"))));
        assert!(outcome.is_err());
        assert_eq!(program(), "kaldi-tables");
    }
}
