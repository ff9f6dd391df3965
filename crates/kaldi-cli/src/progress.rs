//! The progress of the work, for a person who waits.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::standard;

/// A job shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time between two updates on a terminal.
const REDRAW: Duration = Duration::from_millis(100);
/// The time between two lines in a log file.
const REPORT: Duration = Duration::from_secs(10);

/// The bar on the screen. Log lines are written above it.
static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A display of the entries that tables have delivered and of their rate, on stderr, until it is dropped.
///
/// It shows itself after two seconds if stderr is a terminal and no values are written to it, so nothing of it comes into the logs
/// of recipes. `--progress=false` keeps it away, `--progress=true` shows it from the start, and if stderr is no terminal, as a
/// `LOG` line every ten seconds.
#[derive(Debug)]
pub(crate) struct Progress {
    thread: Option<(JoinHandle<()>, Arc<AtomicBool>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Off,
    Lines,
    Bar,
}

impl Progress {
    /// Starts the clock. If there is something to show, a thread looks at `num_entries` from time to time.
    pub(crate) fn watch(num_entries: fn() -> u64, writes_to_stdout: bool) -> Self {
        let (display, patience) = display(writes_to_stdout);
        if display == Display::Off {
            return Self { thread: None };
        }
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
                show(display, describe(num_entries(), now - started));
            }
        });
        // If the system gives no thread, nothing is shown.
        Self { thread: thread.ok().map(|thread| (thread, ended)) }
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
        if let Some(bar) = bar().take() {
            bar.finish_and_clear();
        }
    }
}

/// What to show, and after how long.
fn display(writes_to_stdout: bool) -> (Display, Duration) {
    let is_terminal = std::io::stderr().is_terminal();
    match standard::progress() {
        Some(true) if is_terminal => (Display::Bar, Duration::ZERO),
        Some(true) => (Display::Lines, REPORT),
        None if is_terminal && !(writes_to_stdout && std::io::stdout().is_terminal()) => (Display::Bar, PATIENCE),
        _ => (Display::Off, PATIENCE),
    }
}

fn show(display: Display, text: String) {
    if display == Display::Lines {
        kaldi_log::log!("{text}");
        return;
    }
    let mut bar = bar();
    let bar = bar.get_or_insert_with(|| {
        kaldi_log::set_sink(write_beside_bar);
        ProgressBar::new_spinner().with_style(style())
    });
    bar.set_message(text);
    bar.tick();
}

fn bar() -> MutexGuard<'static, Option<ProgressBar>> {
    BAR.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Writes log lines in place of the bar, and the bar below them.
fn write_beside_bar(lines: &[u8]) {
    let write = || {
        let _ = std::io::stderr().lock().write_all(lines);
    };
    // A panic while the bar is drawn must write its line too, so this does not wait for the lock.
    match BAR.try_lock().as_deref() {
        Ok(Some(bar)) => bar.suspend(write),
        _ => write(),
    }
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
        assert_ne!(display(true).0, Display::Lines);
        drop(Progress::watch(|| 1, false));
    }
}
