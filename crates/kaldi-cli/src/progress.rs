//! The progress of the work, for a person who waits.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use kaldi_io::Session;

/// A job shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time between two updates on a terminal.
const REDRAW: Duration = Duration::from_millis(100);
/// The time between two lines in a log file.
const REPORT: Duration = Duration::from_secs(10);

/// Standard error, perhaps with a bar. Log lines are written above it.
#[derive(Debug, Default)]
pub(crate) struct Screen(Mutex<Option<ProgressBar>>);

impl Screen {
    fn bar(&self) -> MutexGuard<'_, Option<ProgressBar>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes log lines in place of the bar, and the bar below them. If that fails, there is nobody left to report it to.
    pub(crate) fn write(&self, lines: &[u8]) {
        let write = || {
            let _ = std::io::stderr().lock().write_all(lines);
        };
        // A panic while the bar is drawn must write its line too, so this does not wait for the lock.
        match self.0.try_lock().as_deref() {
            Ok(Some(bar)) => bar.suspend(write),
            _ => write(),
        }
    }
}

/// A display of the entries that tables have delivered and of their rate, on stderr, until it is dropped.
///
/// It shows itself after two seconds if stderr is a terminal and no values are written to it, so nothing of it comes into the logs
/// of recipes. `--progress=false` keeps it away, `--progress=true` shows it from the start, and if stderr is no terminal, as a
/// `LOG` line every ten seconds.
#[derive(Debug)]
pub(crate) struct Progress {
    screen: Arc<Screen>,
    thread: Option<(JoinHandle<()>, Arc<AtomicBool>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Off,
    Lines,
    Bar,
}

impl Progress {
    /// Starts the clock. If there is something to show, a thread looks at the counter of the session from time to time. `asked` is
    /// `--progress`.
    pub(crate) fn watch(session: &Session, screen: Arc<Screen>, asked: Option<bool>, writes_to_stdout: bool) -> Self {
        let (display, patience) = display(asked, writes_to_stdout);
        if display == Display::Off {
            return Self { screen, thread: None };
        }
        let (session, shown) = (session.clone(), Arc::clone(&screen));
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let thread = std::thread::Builder::new().spawn(move || {
            let started = Instant::now();
            let interval = if display == Display::Lines { REPORT } else { REDRAW };
            let mut next = started + patience;
            while !seen.load(Ordering::Relaxed) {
                let now = Instant::now();
                if now < next {
                    std::thread::park_timeout(next - now);
                    continue;
                }
                next = now + interval;
                let text = describe(session.entries_delivered(), now - started);
                session.enter(|| show(&shown, display, text));
            }
        });
        // If the system gives no thread, nothing is shown.
        Self { screen, thread: thread.ok().map(|thread| (thread, ended)) }
    }
}

/// Removes the display.
impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((thread, ended)) = self.thread.take() {
            ended.store(true, Ordering::Relaxed);
            thread.thread().unpark();
            let _ = thread.join();
        }
        if let Some(bar) = self.screen.bar().take() {
            bar.finish_and_clear();
        }
    }
}

/// What to show, and after how long.
fn display(asked: Option<bool>, writes_to_stdout: bool) -> (Display, Duration) {
    let is_terminal = std::io::stderr().is_terminal();
    match asked {
        Some(true) if is_terminal => (Display::Bar, Duration::ZERO),
        Some(true) => (Display::Lines, REPORT),
        None if is_terminal && !(writes_to_stdout && std::io::stdout().is_terminal()) => (Display::Bar, PATIENCE),
        _ => (Display::Off, PATIENCE),
    }
}

fn show(screen: &Screen, display: Display, text: String) {
    if display == Display::Lines {
        kaldi_log::log!("{text}");
        return;
    }
    let mut bar = screen.bar();
    let bar = bar.get_or_insert_with(|| ProgressBar::new_spinner().with_style(style()));
    bar.set_message(text);
    bar.tick();
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Returns `120000 entries, 59000/s, 2 s`.
fn describe(num_entries: u64, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = num_entries as f64 / seconds.max(1e-3);
    format!("{num_entries} entries, {rate:.0}/s, {seconds:.0} s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_display_tells_count_rate_and_time() {
        assert_eq!(describe(120_000, Duration::from_secs(2)), "120000 entries, 60000/s, 2 s");
    }

    #[test]
    fn no_bar_is_shown_where_stderr_is_no_terminal() {
        assert_ne!(display(None, true).0, Display::Lines);
        drop(Progress::watch(&Session::new(), Arc::default(), None, false));
    }
}
