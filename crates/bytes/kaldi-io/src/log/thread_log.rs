//! The log of a thread: whose lines these are, how many, and where they go.

use std::cell::RefCell;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use crate::log::{Severity, hide_secrets, line_of};

/// A function that gets whole log lines.
type Sink = dyn Fn(&[u8]) + Send + Sync;

/// A function that says a message in other words.
type Wording = dyn Fn(&str) -> String + Send + Sync;

/// The name of a program that gives none.
const PROGRAM: &str = "kaldi-tables";

/// The program that log lines name, the verbose level, and where the lines go. A clone is the same log.
///
/// ```
/// # use std::sync::{Arc, Mutex};
/// let lines = Arc::new(Mutex::new(Vec::new()));
/// let sink = Arc::clone(&lines);
/// let log = kaldi_io::log::Log::new().named("my-tool").to(move |line| sink.lock().unwrap().extend_from_slice(line));
/// log.enter(|| kaldi_io::log::warning!("no transform for {}", "utt1"));
/// assert!(lines.lock().unwrap().starts_with(b"WARNING (my-tool["));
/// ```
#[derive(Clone, Default)]
pub struct Log(Option<Arc<Settings>>);

#[derive(Clone, Default)]
struct Settings {
    /// `None` is [`PROGRAM`].
    program: Option<Arc<str>>,
    verbose: i32,
    /// `None` is standard error.
    sink: Option<Arc<Sink>>,
    wording: Option<Arc<Wording>>,
}

/// What a thread does with its lines.
struct ThreadLog {
    log: Log,
    /// The lines, while they are not written.
    captured: Option<Vec<u8>>,
}

thread_local! {
    static THREAD: RefCell<ThreadLog> = const { RefCell::new(ThreadLog { log: Log(None), captured: None }) };
}

/// Looks at what the thread has; `None` if the thread ends. Nothing generic uses it, so that it is compiled in this crate alone.
fn with<T>(look: impl FnOnce(&mut ThreadLog) -> T) -> Option<T> {
    THREAD.try_with(|thread| look(&mut thread.borrow_mut())).ok()
}

impl Log {
    /// The log of `kaldi-tables` at verbose level 0 on standard error.
    pub fn new() -> Self {
        Self::default()
    }

    /// The log that this thread has entered.
    pub fn current() -> Self {
        with(|thread| thread.log.clone()).unwrap_or_default()
    }

    /// The same log with lines that carry this name.
    #[must_use]
    pub fn named(&self, program: &str) -> Self {
        self.with(|settings| settings.program = Some(program.into()))
    }

    /// The same log at this verbose level (`--verbose`).
    #[must_use]
    pub fn at_level(&self, verbose: i32) -> Self {
        self.with(|settings| settings.verbose = verbose)
    }

    /// The same log, whose lines go to `sink`. It gets whole lines, without secrets ([`hide_secrets`]).
    #[must_use]
    pub fn to(&self, sink: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.sink = Some(Arc::new(sink)))
    }

    /// The same log, whose messages are put through `wording` first, such as what makes names of fields names of options.
    #[must_use]
    pub fn worded(&self, wording: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        self.with(|settings| settings.wording = Some(Arc::new(wording)))
    }

    fn is(&self, other: &Self) -> bool {
        self.0.as_ref().map(Arc::as_ptr) == other.0.as_ref().map(Arc::as_ptr)
    }

    fn with(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = self.0.as_deref().cloned().unwrap_or_default();
        change(&mut settings);
        Self(Some(Arc::new(settings)))
    }

    /// The name that the lines carry.
    pub fn program(&self) -> &str {
        self.0.as_ref().and_then(|settings| settings.program.as_deref()).unwrap_or(PROGRAM)
    }

    /// The verbose level.
    pub fn level(&self) -> i32 {
        self.0.as_ref().map_or(0, |settings| settings.verbose)
    }

    /// Runs `work`. Its lines on this thread are lines of this log. If the thread has entered another log, they are not among
    /// those that a [`capture`] around it keeps.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _entered = self.entered();
        work()
    }

    /// As [`Log::enter`], for the work up to the end of what is returned.
    pub fn entered(&self) -> EnteredLog {
        if with(|thread| thread.log.is(self)) == Some(true) {
            return EnteredLog(None);
        }
        let entered = ThreadLog { log: self.clone(), captured: None };
        EnteredLog(with(|thread| std::mem::replace(thread, entered)))
    }

    /// Makes this the log of the thread for the rest of its life.
    pub fn stay(&self) {
        with(|thread| thread.log = self.clone());
    }

    /// Writes one line at once, whatever the thread does with its lines.
    pub fn emit(&self, severity: Severity, function: &str, file: &str, line: u32, message: fmt::Arguments<'_>) {
        self.write(&self.line(severity, function, file, line, message));
    }

    /// A line of this log, with its end.
    pub(crate) fn line(
        &self,
        severity: Severity,
        function: &str,
        file: &str,
        line: u32,
        message: fmt::Arguments<'_>,
    ) -> Vec<u8> {
        let mut message = message.to_string();
        if let Some(wording) = self.0.as_ref().and_then(|settings| settings.wording.as_ref()) {
            message = wording(&message);
        }
        line_of(self.program(), severity, function, file, line, &message)
    }

    fn write(&self, lines: &[u8]) {
        let lines = hide_secrets(lines);
        match self.0.as_ref().and_then(|settings| settings.sink.as_ref()) {
            Some(sink) => sink(&lines),
            // If that fails, there is nobody left to report it to.
            None => drop(std::io::stderr().lock().write_all(&lines)),
        }
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_sink = self.0.as_ref().is_some_and(|settings| settings.sink.is_some());
        let mut shown = f.debug_struct("Log");
        shown.field("program", &self.program()).field("level", &self.level()).field("has_sink", &has_sink).finish()
    }
}

/// A log that a thread is in; see [`Log::entered`]. Dropping it puts back what the thread had, also after a panic.
#[must_use = "the thread leaves the log when this is dropped"]
pub struct EnteredLog(Option<ThreadLog>);

impl Drop for EnteredLog {
    fn drop(&mut self) {
        if let Some(before) = self.0.take() {
            with(|thread| *thread = before);
        }
    }
}

/// The program's name in the log of this thread, `kaldi-tables` if none was set.
pub fn program() -> String {
    Log::current().program().to_owned()
}

/// The verbose level of the log of this thread.
pub fn verbose() -> i32 {
    with(|thread| thread.log.level()).unwrap_or(0)
}

/// Runs `work` and returns its result with the log lines that it would have written, instead of writing them.
pub fn capture<T>(work: impl FnOnce() -> T) -> (T, Vec<u8>) {
    capture_after(Vec::new(), work)
}

/// As [`capture`]. The lines follow `lines`.
pub(crate) fn capture_after<T>(lines: Vec<u8>, work: impl FnOnce() -> T) -> (T, Vec<u8>) {
    let outer = start_capture(lines);
    let result = work();
    (result, end_capture(outer))
}

/// Keeps the lines of this thread after `lines`. Returns what it kept before.
fn start_capture(lines: Vec<u8>) -> Option<Vec<u8>> {
    with(|thread| thread.captured.replace(lines)).flatten()
}

/// Returns what the thread keeps, and lets it keep `outer` again.
fn end_capture(outer: Option<Vec<u8>>) -> Vec<u8> {
    with(|thread| std::mem::replace(&mut thread.captured, outer)).flatten().unwrap_or_default()
}

/// Writes lines that [`capture`] kept.
pub fn replay(lines: &[u8]) {
    if lines.is_empty() {
        return;
    }
    let keep = |thread: &mut ThreadLog| thread.captured.as_mut().map(|captured| captured.extend_from_slice(lines));
    if with(keep).flatten().is_none() {
        write_line(lines);
    }
}

/// Writes text to the log of this thread at once. Secrets in addresses are left out ([`hide_secrets`]).
pub fn write_line(text: &[u8]) {
    Log::current().write(text);
}
