//! The thread that waits for the network, and the uploads.

use std::future::{Future, pending};
use std::io;
use std::process::id;
use std::sync::{Arc, Once};
use std::thread;
use std::time::Duration;

use kaldi_io::log::Log;
use kaldi_io::sync::Mutex;
use tokio::runtime::{Builder, Handle};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::cache::Cache;
use crate::engine::Engine;
use crate::fault::Fault;
use crate::prefetch_queue::PrefetchQueue;
use crate::settings::{self, Settings};
use crate::signals;
use crate::source::Begun;
use crate::whole_objects::WholeObjectCache;

/// The time for uploads that are given up to remove their parts.
const CLEANING: Duration = Duration::from_secs(20);

/// The same time if a signal will end the process.
const CLEANING_AT_SIGNAL: Duration = Duration::from_secs(5);

/// The thread and the uploads of one process.
#[derive(Debug)]
pub(crate) struct Running {
    /// The process that has started the thread.
    pub(crate) process: u32,
    /// The thread that waits for the network. It lasts as long as the process.
    pub(crate) handle: Handle,
    pub(crate) engine: Arc<Engine>,
    pub(crate) expected: PrefetchQueue,
    pub(crate) wholes: Arc<WholeObjectCache>,
    /// The stream of the object of which only the first bytes were read last.
    pub(crate) begun: Mutex<Option<Begun>>,
    uploads: Mutex<JoinSet<()>>,
    /// Whether a signal will end the process, so that all uploads must be given up.
    ends: watch::Sender<bool>,
    watches_signals: Once,
}

impl Running {
    /// Reads the settings and starts the thread.
    ///
    /// # Errors
    /// If a setting makes no sense, or the system refuses.
    pub(crate) fn start() -> io::Result<Self> {
        // The TLS library has several backends, and needs to know which one to use.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut engine = Engine::new(Settings::from_environment()?);
        if let Some((folder, bound)) = settings::cache()? {
            engine = engine.with_cache(Cache::new(folder, bound)?);
        }
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let handle = runtime.handle().clone();
        let (log, name) = (Log::current(), "stores".to_owned());
        thread::Builder::new().name(name).spawn(move || log.enter(|| runtime.block_on(pending::<()>())))?;
        let wholes = Arc::new(WholeObjectCache::new());
        Ok(Self {
            process: id(),
            handle,
            engine: Arc::new(engine),
            expected: PrefetchQueue::new(Arc::clone(&wholes)),
            wholes,
            begun: Mutex::default(),
            uploads: Mutex::default(),
            ends: watch::Sender::new(false),
            watches_signals: Once::new(),
        })
    }

    /// Does work that waits for the network.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = Result<T, Fault>>) -> Result<T, Fault> {
        self.handle.block_on(work)
    }

    /// Does the work of an upload on the thread. A signal that ends the process waits until the upload is given up.
    pub(crate) fn spawn_upload(self: &Arc<Self>, work: impl Future<Output = ()> + Send + 'static) {
        self.watches_signals.call_once(|| signals::watch(self));
        let mut uploads = self.uploads.lock();
        while uploads.try_join_next().is_some() {}
        uploads.spawn_on(work, &self.handle);
    }

    /// Becomes true if a signal will end the process.
    pub(crate) fn ends(&self) -> watch::Receiver<bool> {
        self.ends.subscribe()
    }

    /// Gives up all uploads before a signal ends the process.
    pub(crate) async fn give_up_uploads(&self) {
        self.ends.send_replace(true);
        let uploads = self.take_uploads();
        let _ = tokio::time::timeout(CLEANING_AT_SIGNAL, uploads.join_all()).await;
    }

    /// Waits until uploads that were given up are gone, and until everything is written to the cache.
    pub(crate) fn close(&self) {
        let mut uploads = self.take_uploads();
        self.handle.block_on(async {
            let ended = async { while uploads.join_next().await.is_some() {} };
            let _ = tokio::time::timeout(CLEANING, ended).await;
        });
        self.engine.close();
    }

    fn take_uploads(&self) -> JoinSet<()> {
        std::mem::take(&mut self.uploads.lock())
    }
}
