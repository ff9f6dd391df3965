//! What a run is doing at the moment, and how far it is: for a display of progress.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::count_lines;
use crate::session::Session;

/// A total that is not known.
const UNKNOWN: u64 = u64::MAX;

/// A part of the work of a session, such as the measuring of all recordings, from [`WorkStage::begin`] until it is dropped. One that begins
/// inside of another one hides it meanwhile. A stage may be shared by threads, which need not be in the session.
///
/// Without a stage, a display shows the entries that readers have delivered; so a tool that only reads a table needs none.
#[derive(Debug)]
#[must_use = "a stage ends when it is dropped"]
pub struct WorkStage {
    counts: Arc<Counts>,
    session: Session,
    before: Option<Arc<Counts>>,
}

/// What is counted in a stage.
pub(crate) struct Counts {
    name: String,
    unit: &'static str,
    done: AtomicU64,
    total: AtomicU64,
    /// A file that has a line for each, which are counted when the total is asked for.
    list: Option<PathBuf>,
    start: Instant,
}

impl fmt::Debug for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.name, self.done.load(Ordering::Relaxed), self.unit)
    }
}

/// How far a stage is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// What is done: `reading`, `checking data/train/feats.scp`.
    pub name: String,
    /// What is counted, in the plural: `utterances`; empty if nothing is.
    pub unit: &'static str,
    /// How many are done.
    pub done: u64,
    /// How many there are, if that is known.
    pub total: Option<u64>,
    /// Since when.
    pub elapsed: Duration,
}

impl WorkStage {
    /// Begins a stage of the session of this thread. `name` says what is done, `unit` what is counted, in the plural.
    pub fn begin(name: impl Into<String>, unit: &'static str, total: Option<u64>) -> Self {
        Self::with(name.into(), unit, total, None)
    }

    /// Begins a stage in which there is one for each line of a file, if that is one. A display counts the lines; without one nobody does.
    pub fn begin_list(name: impl Into<String>, unit: &'static str, list: Option<PathBuf>) -> Self {
        Self::with(name.into(), unit, None, list)
    }

    fn with(name: String, unit: &'static str, total: Option<u64>, list: Option<PathBuf>) -> Self {
        let counts = Arc::new(Counts {
            name,
            unit,
            done: AtomicU64::new(0),
            total: AtomicU64::new(total.unwrap_or(UNKNOWN)),
            list,
            start: Instant::now(),
        });
        let session = Session::current();
        let before = session.replace_stage(Some(Arc::clone(&counts)));
        Self { counts, session, before }
    }

    /// Begins a stage in which nothing can be counted.
    pub fn begin_uncounted(name: impl Into<String>) -> Self {
        Self::begin(name, "", None)
    }

    /// Counts one in the stage of the session of this thread, if it has one: for whoever does a part of the work of another.
    pub fn step_of_session() {
        if let Some(counts) = Session::current().current_stage() {
            counts.done.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts one.
    pub fn step(&self) {
        self.steps(1);
    }

    /// Counts several.
    pub fn steps(&self, count: u64) {
        self.counts.done.fetch_add(count, Ordering::Relaxed);
    }

    /// Says how many there are, when that becomes known.
    pub fn expect(&self, total: u64) {
        self.counts.total.store(total, Ordering::Relaxed);
    }
}

impl Drop for WorkStage {
    fn drop(&mut self) {
        self.session.replace_stage(self.before.take());
    }
}

impl Counts {
    fn progress(&self) -> StageProgress {
        if let (UNKNOWN, Some(list)) = (self.total.load(Ordering::Relaxed), &self.list) {
            self.total.store(lines_of_file(list).unwrap_or(UNKNOWN), Ordering::Relaxed);
        }
        let total = Some(self.total.load(Ordering::Relaxed)).filter(|&total| total != UNKNOWN);
        let done = self.done.load(Ordering::Relaxed);
        StageProgress { name: self.name.clone(), unit: self.unit, done, total, elapsed: self.start.elapsed() }
    }
}

/// The number of lines of a list, for a display; `None` if it is no file on disk, which would have to be read once only.
pub fn lines_of_file(path: &Path) -> Option<u64> {
    if path.is_file() { count_lines(path).ok() } else { None }
}

impl Session {
    /// The stage that the session is in, if it has one.
    pub fn stage(&self) -> Option<StageProgress> {
        self.current_stage().map(|counts| counts.progress())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_of_a_list_is_the_number_of_its_lines() {
        let list = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(list.path(), "a 1\nb 2\nc 3").unwrap();
        Session::default().enter(|| {
            let total = |list| {
                let _stage = WorkStage::begin_list("checking", "entries", list);
                Session::current().stage().unwrap().total
            };
            assert_eq!(total(Some(list.path().to_owned())), Some(3));
            assert_eq!(total(Some("/dev/null".into())), None);
            assert_eq!(total(None), None);
        });
    }

    #[test]
    fn an_inner_stage_hides_the_outer_one_until_it_ends() {
        let session = Session::default();
        session.enter(|| {
            assert_eq!(session.stage(), None);
            let outer = WorkStage::begin("reading", "utterances", Some(10));
            outer.steps(3);
            let shown = || session.stage().map(|it| (it.name, it.unit, it.done, it.total)).unwrap();
            assert_eq!(shown(), ("reading".to_owned(), "utterances", 3, Some(10)));
            let inner = WorkStage::begin("comparing".to_owned(), "pairs", None);
            std::thread::scope(|scope| drop(scope.spawn(|| inner.step())));
            assert_eq!(shown(), ("comparing".to_owned(), "pairs", 1, None));
            inner.expect(4);
            assert_eq!(shown().3, Some(4));
            drop(inner);
            assert_eq!(shown().2, 3);
            WorkStage::step_of_session();
            assert_eq!(shown().2, 4);
            drop(outer);
            WorkStage::step_of_session();
            assert_eq!(session.stage(), None);
        });
    }
}
