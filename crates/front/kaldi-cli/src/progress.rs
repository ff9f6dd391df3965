//! The progress of the work, for a person who waits.

use std::ffi::OsStr;
use std::io::{IsTerminal, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use bstr::BString;
use indicatif::{ProgressBar, ProgressStyle};
use kaldi_io::sync::Mutex;
use kaldi_io::{Rspecifier, RspecifierKind, Session, StageProgress, lines_of_file};

/// A job shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time between two updates on a terminal.
const REDRAW: Duration = Duration::from_millis(100);
/// The time between two lines in a log file.
const REPORT: Duration = Duration::from_secs(10);

/// Standard error, perhaps with a bar. Log lines are written above it.
#[derive(Debug, Default)]
pub(crate) struct Screen {
    bar: Mutex<Option<ProgressBar>>,
    /// Whether results are written to the same terminal, so that no bar is shown any more.
    is_taken: AtomicBool,
}

impl Screen {
    /// Removes the bar for good: the results come to this terminal.
    pub(crate) fn leave(&self) {
        if !self.is_taken.swap(true, Ordering::Relaxed)
            && let Some(bar) = self.bar.lock().take()
        {
            bar.finish_and_clear();
        }
    }

    /// Writes log lines in place of the bar, and the bar below them. If that fails, there is nobody left to report it to.
    pub(crate) fn write(&self, lines: &[u8]) {
        let write = || {
            let _ = std::io::stderr().lock().write_all(lines);
        };
        // A panic while the bar is drawn must write its line too, so this does not wait for the lock.
        match self.bar.try_lock().as_deref() {
            Some(Some(bar)) => bar.suspend(write),
            _ => write(),
        }
    }
}

/// A display of how far the work is, on stderr, until it is dropped: of the [`WorkStage`](kaldi_io::WorkStage) of the session, or else of the
/// entries that tables have delivered, of as many as the inputs have, if these are files whose lines can be counted.
///
/// It shows itself after two seconds if stderr is a terminal, until values are written to the same terminal, so nothing of it comes
/// into the logs of recipes. `--progress=false` keeps it away, `--progress=true` shows it from the start, and if stderr is no terminal, as a
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
    pub(crate) fn watch(
        session: &Session,
        screen: Arc<Screen>,
        asked: Option<bool>,
        inputs: Vec<Vec<BString>>,
    ) -> Self {
        let (display, patience) = display(asked);
        if display == Display::Off {
            return Self { screen, thread: None };
        }
        let (session, shown) = (session.clone(), Arc::clone(&screen));
        let ended = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ended);
        let thread = std::thread::Builder::new().spawn(move || {
            let started = Instant::now();
            let interval = if display == Display::Lines { REPORT } else { REDRAW };
            let (mut next, mut total) = (started + patience, None);
            while !seen.load(Ordering::Relaxed) {
                let now = Instant::now();
                if now < next {
                    std::thread::park_timeout(next - now);
                    continue;
                }
                next = now + interval;
                let total = *total.get_or_insert_with(|| count(&inputs));
                let progress = session.stage().unwrap_or_else(|| StageProgress {
                    name: String::new(),
                    unit: "entries",
                    done: session.entries_delivered(),
                    total,
                    elapsed: now - started,
                });
                session.enter(|| show(&shown, display, &progress));
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
        if let Some(bar) = self.screen.bar.lock().take() {
            bar.finish_and_clear();
        }
    }
}

/// What to show, and after how long.
fn display(asked: Option<bool>) -> (Display, Duration) {
    let is_terminal = std::io::stderr().is_terminal();
    match asked {
        Some(true) if is_terminal => (Display::Bar, Duration::ZERO),
        Some(true) => (Display::Lines, REPORT),
        None if is_terminal => (Display::Bar, PATIENCE),
        _ => (Display::Off, PATIENCE),
    }
}

/// How many entries are read one after the other, if that is known: `arguments` are the inputs of each argument. Lines of script
/// files on disk are counted in milliseconds. Of several arguments, some are looked up by key; the longest is that of utterances.
fn count(arguments: &[Vec<BString>]) -> Option<u64> {
    let lines = |input: &BString| {
        let specifier = Rspecifier::parse(input.as_ref());
        let (name, is_script) = match &specifier {
            Some(it) => (&it.rxfilename, it.kind == RspecifierKind::Script),
            None => (input, input.ends_with(b".scp")),
        };
        // Models and other files are no tables.
        let is_table = specifier.is_some() || is_script || arguments.iter().any(|it| it.len() > 1);
        is_table.then(|| if is_script { lines_of_file(Path::new(OsStr::from_bytes(name))) } else { None })
    };
    let of_argument = |inputs: &Vec<BString>| inputs.iter().filter_map(lines).sum::<Option<u64>>();
    let counts: Option<Vec<u64>> = arguments.iter().map(of_argument).collect();
    counts?.into_iter().max().filter(|&count| count > 0)
}

fn show(screen: &Screen, display: Display, progress: &StageProgress) {
    let text = describe(progress);
    if display == Display::Lines {
        kaldi_io::log::log!("{text}");
        return;
    }
    let mut bar = screen.bar.lock();
    if screen.is_taken.load(Ordering::Relaxed) {
        return;
    }
    let bar = bar.get_or_insert_with(|| ProgressBar::new_spinner().with_style(style()));
    bar.set_message(text);
    bar.tick();
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{spinner} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// Returns `measuring: 120000 of 480000 utterances, 25 %, 60000/s, 6 s left`. Without a total, it ends with the time so far.
fn describe(progress: &StageProgress) -> String {
    let StageProgress { name, unit, done, total, elapsed } = progress;
    let seconds = elapsed.as_secs_f64();
    let rate = *done as f64 / seconds.max(1e-3);
    let name = if name.is_empty() { String::new() } else { format!("{name}: ") };
    let shown_rate = if *done > 0 && rate < 10.0 { format!("{rate:.1}/s") } else { format!("{rate:.0}/s") };
    if unit.is_empty() {
        return format!("{}, {}", name.trim_end_matches(": "), time(seconds));
    }
    // What is counted may turn out to be more.
    match total.filter(|total| total >= done && *total > 0) {
        Some(total) => {
            let share = 100.0 * *done as f64 / total as f64;
            let left = if *done > 0 { format!(", {} left", time((total - done) as f64 / rate)) } else { String::new() };
            format!("{name}{done} of {total} {unit}, {share:.0} %, {shown_rate}{left}")
        }
        None => format!("{name}{done} {unit}, {shown_rate}, {}", time(seconds)),
    }
}

/// Returns `7 s`, `1:07` or `1:00:07`.
fn time(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes) {
        (0, 0) => format!("{seconds} s"),
        (0, _) => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_display_tells_count_share_rate_and_time() {
        let text = |name: &str, done, total, seconds| {
            let elapsed = Duration::from_secs(seconds);
            describe(&StageProgress { name: name.to_owned(), unit: "utterances", done, total, elapsed })
        };
        assert_eq!(text("", 120_000, None, 2), "120000 utterances, 60000/s, 2 s");
        assert_eq!(
            text("measuring", 120_000, Some(480_000), 2),
            "measuring: 120000 of 480000 utterances, 25 %, 60000/s, 6 s left"
        );
        assert_eq!(text("", 5, Some(1000), 10), "5 of 1000 utterances, 0 %, 0.5/s, 33:10 left");
        assert_eq!(text("", 0, Some(1000), 3), "0 of 1000 utterances, 0 %, 0/s");
        let elapsed = Duration::from_secs(3);
        let uncounted = StageProgress { name: "ranking".to_owned(), unit: "", done: 0, total: None, elapsed };
        assert_eq!(describe(&uncounted), "ranking, 3 s");
        assert_eq!(text("", 11, Some(10), 3700), "11 utterances, 0.0/s, 1:01:40");
    }

    #[test]
    fn lines_of_script_files_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let (a, b, text) = (file("a.scp", "u x\nv y\n"), file("b.scp", "u x"), file("text", "u x\n"));
        let counted = |arguments: &[&[&str]]| {
            let named = |names: &&[&str]| names.iter().map(|name| BString::from(*name)).collect::<Vec<_>>();
            count(&arguments.iter().map(named).collect::<Vec<_>>())
        };
        let (with_specifier, listed) = (format!("scp,p:{b}"), format!("scp:{text}"));
        assert_eq!(counted(&[&[&a, &with_specifier]]), Some(3));
        assert_eq!(counted(&[&["final.mdl"], &[&with_specifier], &[&a]]), Some(2));
        assert_eq!(counted(&[&[&listed]]), Some(1));
        assert_eq!(counted(&[&[&a, &text]]), None);
        assert_eq!(counted(&[&[&a], &["ark:-"]]), None);
        assert_eq!(counted(&[&["scp:cat x |"]]), None);
        assert_eq!(counted(&[]), None);
    }

    #[test]
    fn no_bar_is_shown_where_stderr_is_no_terminal() {
        assert_ne!(display(None).0, Display::Lines);
        drop(Progress::watch(&Session::default(), Arc::default(), None, Vec::new()));
    }
}
