//! Sessions: what the libraries need to know of the run that they work for.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::log::{EnteredLog, Log};
use nonpoison::Mutex;

use crate::Result;
use crate::advice::Advice;
use crate::output::{DeferredOutputs, DeferredPublish, ReplacementCheck, publish_all};
use crate::pipe::CommandMessages;
use crate::stage::Counts;
use crate::store::Store;

/// One run of a program, or one part of it: its log, its threads, its counters, its store, its advice, what happens to its
/// outputs, and who may interrupt it. Two sessions of one process share nothing. A clone is the same session.
///
/// A session is made by the program, or by a user of the libraries, and [entered](Session::enter). What is opened there (an
/// input, an output, a reader, a lookup, a writer, a feed) keeps the session, and threads of readers that start there work in it.
/// A thread that has entered none has a session of its own with the defaults: one thread, log lines on standard error, no store,
/// no advice.
///
/// | which one | when |
/// | --- | --- |
/// | [`Session::new`] | at the start of a run: counters of its own, and nothing of what was set before |
/// | [`Session::current`] | within a run: the session of this thread, with its log, its store, its counters; `threads` and the like change a copy |
/// | [`Session::apart`] | for a part of a run whose entries and outputs are counted for themselves |
///
/// ```
/// use kaldi_io::{Output, Session};
///
/// let log = kaldi_io::log::Log::new().named("my-tool").to(|lines| print!("{}", String::from_utf8_lossy(lines)));
/// let session = Session::new().with_log(log).threads(4);
/// session.enter(|| Output::create("/dev/null".into(), false)?.finish())?;
/// # Ok::<(), kaldi_io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Session(Arc<Settings>);

#[derive(Clone, Default)]
struct Settings {
    log: Log,
    /// `None` is one thread.
    threads: Option<Arc<NumThreads>>,
    state: Arc<State>,
    store: Option<Arc<dyn Store>>,
    advice: Option<Arc<dyn Advice>>,
    /// Outputs of at most so many bytes wait, while no entry was delivered.
    holding: Option<u64>,
    /// Whether all outputs belong together.
    joins: bool,
    replacement: Option<ReplacementCheck>,
    check: Option<Arc<Check>>,
    heard: Option<Arc<CommandMessages>>,
    carried: Option<Arc<Carried>>,
    clear: Option<Arc<ClearTerminal>>,
}

/// Removes what is shown on a terminal.
pub(crate) type ClearTerminal = dyn Fn() + Send + Sync;

/// What changes while a session lasts.
#[derive(Default)]
struct State {
    /// Entries that readers have delivered.
    delivered: AtomicU64,
    /// Entries that writers have written.
    written: AtomicU64,
    /// Bytes that were read again to count their lines.
    counted: AtomicU64,
    /// Entries that readers have left out, because they cannot be read.
    left_out: AtomicU64,
    /// What is done at the moment.
    stage: Mutex<Option<Arc<Counts>>>,
    /// Complete outputs that wait for their names.
    held: Mutex<Vec<DeferredPublish>>,
    /// Advice that was given, and is not repeated.
    said: Mutex<BTreeSet<String>>,
}

/// What a program adds for itself.
type Carried = dyn Any + Send + Sync;

type NumThreads = dyn Fn() -> usize + Send + Sync;

/// Whether the work of this thread may go on.
pub(crate) type Check = dyn Fn() -> bool + Send + Sync;

thread_local! {
    static CURRENT: RefCell<Option<Session>> = const { RefCell::new(None) };
}

impl Session {
    /// A session with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The session of this thread.
    pub fn current() -> Self {
        Self::with(Self::clone)
    }

    /// Looks at the session of this thread, without a clone. `look` must not enter another one.
    pub(crate) fn with<T>(look: impl Fn(&Self) -> T) -> T {
        let seen = CURRENT.try_with(|current| look(current.borrow_mut().get_or_insert_default()));
        // The thread is ending, and its session is gone.
        seen.unwrap_or_else(|_| look(&Self::default()))
    }

    /// Runs `work` in this session. The thread returns to its own one also after a panic.
    pub fn enter<T>(&self, work: impl FnOnce() -> T) -> T {
        let _entered = self.entered();
        work()
    }

    /// Makes this the session of the thread until what is returned is dropped. `None` if it is so already. It is apart from
    /// [`Session::enter`] so that it is compiled once.
    fn entered(&self) -> Option<EnteredSession> {
        if CURRENT.try_with(|current| current.borrow().as_ref().is_some_and(|current| self.is(current))) == Ok(true) {
            return None;
        }
        let before = self.replace_current();
        Some(EnteredSession { _log: self.0.log.entered(), before })
    }

    /// Makes this the session of the thread for the rest of its life.
    fn stay(&self) {
        let _ = self.replace_current();
        self.0.log.stay();
    }

    /// Makes this the session of the thread, and returns the one before.
    fn replace_current(&self) -> Option<Self> {
        kaldi_reader::pass_on_to_threads(|| {
            let session = Self::current();
            Box::new(move || session.stay())
        });
        CURRENT.try_with(|current| current.replace(Some(self.clone()))).ok().flatten()
    }

    fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn change(&self, change: impl FnOnce(&mut Settings)) -> Self {
        let mut settings = Settings::clone(&self.0);
        change(&mut settings);
        Self(Arc::new(settings))
    }

    /// The same session with this log.
    #[must_use]
    pub fn with_log(&self, log: Log) -> Self {
        self.change(|settings| settings.log = log)
    }

    /// The same session, whose log lines go to `sink`. It gets whole lines, in the order of the table.
    #[must_use]
    pub fn log_to(&self, sink: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        self.with_log(self.0.log.to(sink))
    }

    /// The log.
    pub fn log(&self) -> &Log {
        &self.0.log
    }

    /// The same session, in which up to `threads` threads work on a table. A lookup only reads ahead from stores; a writer has
    /// no threads.
    #[must_use]
    pub fn threads(&self, threads: usize) -> Self {
        self.threads_by(move || threads)
    }

    /// As [`Session::threads`]; the number is asked for only when there is enough work.
    #[must_use]
    pub fn threads_by(&self, num_threads: impl Fn() -> usize + Send + Sync + 'static) -> Self {
        self.change(|settings| settings.threads = Some(Arc::new(num_threads)))
    }

    /// How many threads the work on a table may use.
    pub fn num_threads(&self) -> usize {
        self.0.threads.as_ref().map_or(1, |num_threads| num_threads().max(1))
    }

    /// The same session with counters of its own, and with outputs of its own that wait.
    #[must_use]
    pub fn apart(&self) -> Self {
        self.change(|settings| settings.state = Arc::default())
    }

    /// The number of entries that readers have delivered.
    pub fn entries_delivered(&self) -> u64 {
        self.0.state.delivered.load(Ordering::Relaxed)
    }

    /// The number of entries that writers have written.
    pub fn entries_written(&self) -> u64 {
        self.0.state.written.load(Ordering::Relaxed)
    }

    /// The number of entries that readers have left out in permissive mode, because they cannot be read.
    pub fn entries_left_out(&self) -> u64 {
        self.0.state.left_out.load(Ordering::Relaxed)
    }

    /// Makes this the stage of the session, and returns the one before.
    pub(crate) fn replace_stage(&self, stage: Option<Arc<Counts>>) -> Option<Arc<Counts>> {
        std::mem::replace(&mut self.0.state.stage.lock(), stage)
    }

    pub(crate) fn current_stage(&self) -> Option<Arc<Counts>> {
        self.0.state.stage.lock().clone()
    }

    /// The same session, which calls this before bytes are written to standard output, if that is a terminal: what is shown there has to
    /// go.
    #[must_use]
    pub fn before_terminal(&self, clear: impl Fn() + Send + Sync + 'static) -> Self {
        self.change(|settings| settings.clear = Some(Arc::new(clear)))
    }

    pub(crate) fn clear_terminal(&self) -> Option<Arc<ClearTerminal>> {
        self.0.clear.clone()
    }

    /// Bytes that were read again to count their lines.
    pub(crate) fn counted_bytes(&self) -> &AtomicU64 {
        &self.0.state.counted
    }

    /// Counts an entry that is left out.
    pub fn count_left_out(&self) {
        self.0.state.left_out.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an entry that was delivered.
    pub fn count_delivered(&self) {
        self.0.state.delivered.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts an entry that was written.
    pub fn count_written(&self) {
        self.0.state.written.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes advice that is given, and returns whether it is given for the first time.
    pub fn is_news(&self, advice: &str) -> bool {
        self.0.state.said.lock().insert(advice.to_owned())
    }

    /// The same session with this store of remote names.
    #[must_use]
    pub fn with_store(&self, store: Arc<dyn Store>) -> Self {
        self.change(|settings| settings.store = Some(store))
    }

    pub(crate) fn store_of(&self) -> Option<Arc<dyn Store>> {
        self.0.store.clone()
    }

    /// Stops the background work of the store, before the program ends.
    pub fn close_store(&self) {
        if let Some(store) = &self.0.store {
            store.close();
        }
    }

    /// The same session, whose errors have this advice.
    #[must_use]
    pub fn advised_by(&self, advice: impl Advice + 'static) -> Self {
        self.change(|settings| settings.advice = Some(Arc::new(advice)))
    }

    /// Who gives advice.
    pub fn advice(&self) -> Option<Arc<dyn Advice>> {
        self.0.advice.clone()
    }

    /// The same session, in which outputs that are empty wait for [`Session::publish_all`], if they would replace anything. While
    /// readers have delivered no entry, so do outputs of at most `largest` bytes.
    #[must_use]
    pub fn holding_outputs(&self, largest: u64) -> Self {
        self.change(|settings| settings.holding = Some(largest))
    }

    /// The same session, in which all outputs wait for [`Session::publish_all`] and then appear together.
    #[must_use]
    pub fn joining_outputs(&self) -> Self {
        self.change(|settings| settings.joins = true)
    }

    pub(crate) fn joins_outputs(&self) -> bool {
        self.0.joins
    }

    /// Whether an output of this size waits.
    pub(crate) fn holds(&self, length: u64) -> bool {
        let is_small = |largest| length == 0 || length <= largest && self.entries_delivered() == 0;
        self.0.holding.is_some_and(is_small)
    }

    pub(crate) fn held(&self) -> &Mutex<Vec<DeferredPublish>> {
        &self.0.state.held
    }

    /// Publishes, keeps or discards the outputs that wait. Returns the printable names of those whose old content was kept.
    ///
    /// # Errors
    /// If a file cannot get its name, or a store refuses an object.
    pub fn publish_all(&self, what: DeferredOutputs) -> Result<Vec<String>> {
        publish_all(self, what)
    }

    /// The same session, in which no output replaces a regular file or an object if `check` gives a reason against it. An output is
    /// refused as soon as its first bytes say what it is.
    #[must_use]
    pub fn refusing_to_replace(&self, check: ReplacementCheck) -> Self {
        self.change(|settings| settings.replacement = Some(check))
    }

    pub(crate) fn replacement(&self) -> Option<ReplacementCheck> {
        self.0.replacement
    }

    /// The same session in a program that is not ours, such as an interpreter: it may be interrupted and go on, and it drops streams
    /// that it did not finish.
    ///
    /// `may_wait` is called again and again, on the thread that waits, while a silent stream or a command is waited for; if it
    /// returns `false`, the read or the write fails. Commands have process groups of their own, and a command whose stream is given
    /// up is ended, with all that it has started. A forked child leaves the commands of its parent alone.
    #[must_use]
    pub fn embedded(&self, may_wait: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.change(|settings| settings.check = Some(Arc::new(may_wait)))
    }

    /// The same session, in which `messages` has what commands write to standard error.
    #[must_use]
    pub fn hearing(&self, messages: &Arc<CommandMessages>) -> Self {
        self.change(|settings| settings.heard = Some(Arc::clone(messages)))
    }

    pub(crate) fn heard(&self) -> Option<Arc<CommandMessages>> {
        self.0.heard.clone()
    }

    /// The same session with something that a program adds for itself, such as the options of all its tools.
    #[must_use]
    pub fn carrying(&self, value: impl Any + Send + Sync) -> Self {
        self.change(|settings| settings.carried = Some(Arc::new(value)))
    }

    /// What [`Session::carrying`] added; `None` if that is of another type.
    pub fn carried<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.0.carried.clone()?.downcast().ok()
    }

    /// Whether the program around ([`Session::embedded`]) lets the work of this session go on.
    pub fn may_wait(&self) -> bool {
        self.0.check.as_ref().is_none_or(|may_wait| may_wait())
    }

    pub(crate) fn check(&self) -> Option<Arc<Check>> {
        self.0.check.clone()
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("log", &self.0.log).field("store", &self.0.store).finish_non_exhaustive()
    }
}

/// Returns to the session and the log that the thread had.
struct EnteredSession {
    before: Option<Session>,
    _log: EnteredLog,
}

impl Drop for EnteredSession {
    fn drop(&mut self) {
        let _ = CURRENT.try_with(|current| current.replace(self.before.take()));
    }
}

/// Counts an entry that did not come from a reader of tables, in the session of this thread, so that progress shows it.
pub fn count_delivered() {
    Session::with(Session::count_delivered);
}

#[cfg(test)]
mod tests;
