//! Log lines in Kaldi's grammar on standard error.
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
//! is wrapped in [`capture`], and its lines are replayed with [`replay`] when the results are delivered in order.

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "log")]
mod forward;
mod secrets;

#[cfg(feature = "log")]
pub use forward::{forward, forward_to_log};
pub use secrets::{hide_secrets, hide_secrets_in};

use std::cell::RefCell;
use std::fmt;
use std::io::{IsTerminal, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::{Duration, Instant};

static PROGRAM: OnceLock<String> = OnceLock::new();
static VERBOSE: AtomicI32 = AtomicI32::new(0);
static SINK: OnceLock<fn(&[u8])> = OnceLock::new();
static WORDING: OnceLock<Wording> = OnceLock::new();

/// Says a message in other words.
type Wording = Box<dyn Fn(&str) -> String + Send + Sync>;

thread_local! {
    static CAPTURED: RefCell<Option<Vec<u8>>> = const { RefCell::new(None) };
}

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

/// Sets the name that every line carries; the first call wins.
pub fn set_program(name: &str) {
    let _ = PROGRAM.set(name.to_owned());
}

/// Returns the program's name, `kaldi-tables` if none was set.
pub fn program() -> &'static str {
    PROGRAM.get().map_or("kaldi-tables", String::as_str)
}

/// Sets the verbose level (`--verbose`, 0 by default).
pub fn set_verbose(level: i32) {
    VERBOSE.store(level, Ordering::Relaxed);
}

/// Returns the verbose level.
pub fn verbose() -> i32 {
    VERBOSE.load(Ordering::Relaxed)
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

/// Writes one log line; called by the macros, which supply the place. Control characters of the message are escaped.
pub fn emit(severity: Severity, function: &str, file: &str, line: u32, message: fmt::Arguments<'_>) {
    let function = bare_function_name(function);
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let head = match severity {
        Severity::Error => "ERROR".to_owned(),
        Severity::Warning => "WARNING".to_owned(),
        Severity::Log => "LOG".to_owned(),
        Severity::Verbose(level) => format!("VLOG[{level}]"),
    };
    let version = env!("CARGO_PKG_VERSION");
    let message = message.to_string();
    let message = match WORDING.get() {
        Some(wording) => one_line(&wording(&message)),
        None => one_line(&message),
    };
    let text = format!("{head} ({}[{version}]:{function}():{file}:{line}) {message}\n", program());
    let kept = CAPTURED.with_borrow_mut(|captured| match captured {
        Some(lines) => {
            lines.extend_from_slice(text.as_bytes());
            true
        }
        None => false,
    });
    if !kept {
        write_line(text.as_bytes());
    }
}

/// Runs `work` and returns its result with the log lines that it would have written, instead of writing them.
pub fn capture<T>(work: impl FnOnce() -> T) -> (T, Vec<u8>) {
    let outer = CAPTURED.replace(Some(Vec::new()));
    let result = work();
    let lines = CAPTURED.replace(outer).unwrap_or_default();
    (result, lines)
}

/// Writes lines that [`capture`] kept.
pub fn replay(lines: &[u8]) {
    if lines.is_empty() {
        return;
    }
    let kept = CAPTURED.with_borrow_mut(|captured| match captured {
        Some(outer) => {
            outer.extend_from_slice(lines);
            true
        }
        None => false,
    });
    if !kept {
        write_line(lines);
    }
}

/// Writes text to standard error. If that fails, there is nobody left to report it to. Secrets in addresses are left
/// out ([`hide_secrets`]).
pub fn write_line(text: &[u8]) {
    let text = hide_secrets(text);
    match SINK.get() {
        Some(sink) => sink(&text),
        None => {
            let _ = std::io::stderr().lock().write_all(&text);
        }
    }
}

/// Sends all lines to `sink`, which writes them to standard error; the first call wins. So a program can remove what
/// else it shows there, such as a progress bar, before a line is written.
pub fn set_sink(sink: fn(&[u8])) {
    let _ = SINK.set(sink);
}

/// Sets what messages of lines are put through first, such as what makes names of fields names of options; the first call wins.
pub fn set_wording(wording: impl Fn(&str) -> String + Send + Sync + 'static) {
    let _ = WORDING.set(Box::new(wording));
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
macro_rules! function_name {
    () => {{
        fn __here() {}
        fn name_of<T>(_: T) -> &'static str {
            std::any::type_name::<T>()
        }
        name_of(__here)
    }};
}

/// Writes a `LOG` line.
#[macro_export]
macro_rules! log {
    ($($arg:tt)*) => {
        $crate::emit($crate::Severity::Log, $crate::function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes a `WARNING` line.
#[macro_export]
macro_rules! warning {
    ($($arg:tt)*) => {
        $crate::emit($crate::Severity::Warning, $crate::function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes an `ERROR` line.
#[macro_export]
macro_rules! error {
    ($($arg:tt)*) => {
        $crate::emit($crate::Severity::Error, $crate::function_name!(), file!(), line!(), format_args!($($arg)*))
    };
}

/// Writes a `VLOG` line if the verbose level is at least the given one.
#[macro_export]
macro_rules! vlog {
    ($level:expr, $($arg:tt)*) => {
        if $crate::verbose() >= $level {
            $crate::emit(
                $crate::Severity::Verbose($level),
                $crate::function_name!(),
                file!(),
                line!(),
                format_args!($($arg)*),
            )
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_whatever_it_quotes() {
        let ((), lines) = capture(|| crate::warning!("a\nERROR \x1b[1m\u{9b}31m é"));
        let text = String::from_utf8(lines).expect("log lines are text");
        assert!(text.ends_with(") a\\nERROR \\x1b[1m\\xc2\\x9b31m é\n"), "{text}");
    }

    #[test]
    fn a_line_names_severity_program_function_file_and_line() {
        let ((), lines) = capture(|| warning!("no transform for {}", "utt1"));
        let text = String::from_utf8(lines).expect("log lines are text");
        let version = env!("CARGO_PKG_VERSION");
        assert!(text.starts_with(&format!("WARNING (kaldi-tables[{version}]:")), "{text}");
        assert!(text.contains("]:a_line_names_severity_program_function_file_and_line():lib.rs:"), "{text}");
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
}
