//! Sessions: what the libraries need to know of the run that they work for.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::log::{EnteredLog, Log};
use crate::sync::Mutex;

use crate::Result;
use crate::advice::Advice;
use crate::output::{DeferredOutputs, DeferredPublish, ReplacementCheck, publish_all};
use crate::pipe::CommandMessages;
use crate::stage::Counts;
use crate::store::Store;

/// Is asked for a number of threads.
pub type NumThreads = dyn Fn() -> usize + Send + Sync;

/// Whether work may go on.
pub type MayWait = dyn Fn() -> bool + Send + Sync;

/// Removes what is shown on a terminal.
pub type ClearTerminal = dyn Fn() + Send + Sync;

/// The settings of a [`Session`].
#[derive(Clone, Default)]
pub struct SessionSettings {
    /// The log. A sink gets whole lines, in the order of the table.
    pub log: Log,
    /// How many threads work on a table, at most; `None` is one. The number is asked for only when there is enough work. A lookup only
    /// reads ahead from stores; a writer has no threads.
    pub num_threads: Option<Arc<NumThreads>>,
    /// The store of remote names.
    pub store: Option<Arc<dyn Store>>,
    /// The advice that errors get.
    pub advice: Option<Arc<dyn Advice>>,
    /// If it is set, outputs that are empty wait for [`Session::publish_all`], if they would replace anything. While readers have
    /// delivered no entry, so do outputs of at most so many bytes.
    pub held_bytes: Option<u64>,
    /// Whether all outputs wait for [`Session::publish_all`] and then appear together.
    pub joins_outputs: bool,
    /// What refuses to replace a regular file or an object, as soon as the first bytes of an output say what it is.
    pub replacement_check: Option<ReplacementCheck>,
    /// What interrupts work in a program that is not ours, such as an interpreter, which goes on then, and drops streams that it did not
    /// finish.
    ///
    /// It is called again and again, on the thread that waits, while a silent stream or a command is waited for; if it
    /// returns `false`, the read or the write fails. Commands have process groups of their own, and a command whose stream is given
    /// up is ended, with all that it has started. A forked child leaves the commands of its parent alone.
    pub may_wait: Option<Arc<MayWait>>,
    /// What has the messages that commands write to standard error.
    pub messages: Option<Arc<CommandMessages>>,
    /// What a program adds for itself, such as the options of all its tools.
    pub carried: Option<Arc<dyn Any + Send + Sync>>,
    /// What is called before bytes are written to standard output, if that is a terminal: what is shown there has to go.
    pub clear_terminal: Option<Arc<ClearTerminal>>,
}

/// One run of a program, or one part of it: its [settings](SessionSettings), its counters, its outputs that wait. Two sessions of one
/// process share nothing. A clone is the same session.
///
/// A session is made by the program, or by a user of the libraries, and [entered](Session::enter). What is opened there (an
/// input, an output, a reader, a lookup, a writer, a feed) keeps the session, and threads of readers that start there work in it.
/// A thread that has entered none has a session of its own with the defaults: one thread, log lines on standard error, no store,
/// no advice.
///
/// | which one | when |
/// | --- | --- |
/// | [`Session::new`] | at the start of a run: counters of its own |
/// | [`Session::current`] | within a run: the session of this thread |
/// | [`Session::change`] | for a part of a run that has other settings: the same counters |
///
/// ```
/// use kaldi_io::{Output, Session, SessionSettings};
///
/// let log = kaldi_io::log::Log::new().named("my-tool").to(|lines| print!("{}", String::from_utf8_lossy(lines)));
/// let session = Session::new(SessionSettings { log, joins_outputs: true, ..SessionSettings::default() }).threads(4);
/// session.enter(|| Output::create("/dev/null".into(), false)?.finish())?;
/// # Ok::<(), kaldi_io::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Session(Arc<Inner>);

#[derive(Default)]
struct Inner {
    settings: SessionSettings,
    state: Arc<State>,
}

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

thread_local! {
    static CURRENT: RefCell<Option<Session>> = const { RefCell::new(None) };
}

impl Session {
    /// A session with these settings.
    pub fn new(settings: SessionSettings) -> Self {
        Self(Arc::new(Inner { settings, state: Arc::default() }))
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
        Some(EnteredSession { _log: self.settings().log.entered(), before })
    }

    /// Makes this the session of the thread for the rest of its life.
    fn stay(&self) {
        let _ = self.replace_current();
        self.settings().log.stay();
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

    /// The settings.
    pub fn settings(&self) -> &SessionSettings {
        &self.0.settings
    }

    /// A setting of the session of this thread.
    pub(crate) fn setting<T>(look: impl Fn(&SessionSettings) -> T) -> T {
        Self::with(|session| look(session.settings()))
    }

    /// The same session with other settings.
    #[must_use]
    pub fn change(&self, change: impl FnOnce(&mut SessionSettings)) -> Self {
        let mut settings = self.settings().clone();
        change(&mut settings);
        Self(Arc::new(Inner { settings, state: Arc::clone(&self.0.state) }))
    }

    /// The same session, in which up to `threads` threads work on a table ([`SessionSettings::num_threads`]).
    #[must_use]
    pub fn threads(&self, threads: usize) -> Self {
        self.change(|settings| settings.num_threads = Some(Arc::new(move || threads)))
    }

    /// How many threads the work on a table may use.
    pub fn num_threads(&self) -> usize {
        self.settings().num_threads.as_ref().map_or(1, |num_threads| num_threads().max(1))
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

    /// Stops the background work of the store, before the program ends.
    pub fn close_store(&self) {
        if let Some(store) = &self.settings().store {
            store.close();
        }
    }

    /// Whether an output of this size waits.
    pub(crate) fn holds(&self, length: u64) -> bool {
        let is_small = |largest| length == 0 || length <= largest && self.entries_delivered() == 0;
        self.settings().held_bytes.is_some_and(is_small)
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

    /// What a program has added ([`SessionSettings::carried`]); `None` if that is of another type.
    pub fn carried<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        self.settings().carried.clone()?.downcast().ok()
    }

    /// Whether the work of this session may go on ([`SessionSettings::may_wait`]).
    pub fn may_wait(&self) -> bool {
        self.settings().may_wait.as_ref().is_none_or(|may_wait| may_wait())
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("log", &self.settings().log).field("store", &self.settings().store).finish_non_exhaustive()
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
