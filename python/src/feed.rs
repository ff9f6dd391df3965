//! Batches for training, as `feed-batches` makes them.
//!
//! A thread of each iterator reads, and gives the work on batches to others. None of them enters the interpreter, so the iterator
//! can wait for them and look for Ctrl-C meanwhile.

use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use bstr::{BStr, BString};
use kaldi_feed::{Error, FeedArguments, FeedReader, PaddedBatch, PooledVec, standard_stages};
use kaldi_io::sync::Mutex;
use kaldi_reader::Reader;
use kaldi_table::Session;
use numpy::ndarray::{ArrayView3, ShapeError};
use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::errors::{Class, Failure, Result, wrong_value};
use crate::owned::Owned;
use crate::{interrupt, log, names};

/// How long the interpreter waits before it looks for signals.
const LOOK: Duration = Duration::from_millis(50);

/// The options of `feed-batches`.
#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    feed: FeedArguments,
}

impl Options {
    fn parse(words: &[OsString]) -> PyResult<FeedArguments> {
        let parsed: Option<Self> = kaldi_cli::parse(words).map_err(wrong_value)?;
        let options = parsed.ok_or_else(|| wrong_value("expected options only, got --help or --version"))?;
        Ok(options.feed)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        match error {
            Error::Io(error) | Error::Shard(kaldi_corpus::shard::Error::Io(error)) => error.into(),
            Error::Table(error) => error.into(),
            Error::Arguments { .. } | Error::Share { .. } => wrong_value(message).into(),
            _ => Self::new(Class::Data, message),
        }
    }
}

/// What the thread of an iterator sends: a batch, or why there are no more.
type Sent = Result<Option<PaddedBatch>>;

/// An iterator over padded batches.
#[pyclass(module = "kaldi_tables._core", frozen)]
struct FeedIterator {
    /// `None` after the end. The thread does not exist in a forked child.
    batches: Owned<Mutex<Option<Receiver<Sent>>>>,
    /// Set when the thread is to end: it may wait for a silent command.
    stop: Arc<AtomicBool>,
}

impl FeedIterator {
    /// Starts the thread, which first opens the feed: even to look at a list may mean to wait for a command.
    fn start(open: impl FnOnce() -> Result<FeedReader<PaddedBatch>> + Send + 'static) -> Self {
        // One batch waits while the next one is computed; the reader has more of them.
        let (sender, batches) = sync_channel(1);
        let stop = Arc::new(AtomicBool::new(false));
        let of_thread = Arc::clone(&stop);
        std::thread::spawn(move || {
            let made = interrupt::end_with(of_thread, || catch_unwind(AssertUnwindSafe(|| send_all(open, &sender))));
            // Nobody may want to know why there are no more.
            let _ = sender.send(made.unwrap_or_else(|panic| Err(interrupt::of_panic(&*panic))).map(|()| None));
        });
        Self { batches: Owned::new(Mutex::new(Some(batches)), "iterator over batches"), stop }
    }

    /// The next batch. `Err` means that it is time to look for signals.
    fn wait(&self) -> std::result::Result<Sent, RecvTimeoutError> {
        let mut batches = match self.batches.get() {
            Ok(batches) => batches.lock(),
            Err(failure) => return Ok(Err(failure)),
        };
        let Some(receiver) = &*batches else { return Ok(Ok(None)) };
        let sent = match receiver.recv_timeout(LOOK) {
            // Nothing is sent after the end.
            Err(RecvTimeoutError::Disconnected) => Ok(Ok(None)),
            other => other,
        };
        if matches!(sent, Ok(Err(_) | Ok(None))) {
            *batches = None;
        }
        sent
    }
}

#[pymethods]
impl FeedIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        loop {
            match py.detach(|| self.wait()) {
                Ok(sent) => {
                    log::deliver(py)?;
                    return sent?.map(|batch| to_python(py, batch)).transpose();
                }
                Err(_) => py.check_signals()?,
            }
        }
    }

    /// Ends the work.
    fn close(&self) {
        if let Ok(batches) = self.batches.get() {
            self.stop.store(true, Ordering::Relaxed);
            *batches.lock() = None;
        }
    }
}

impl Drop for FeedIterator {
    fn drop(&mut self) {
        self.close();
    }
}

/// Opens the feed and sends its batches, until nobody wants more.
fn send_all(open: impl FnOnce() -> Result<FeedReader<PaddedBatch>>, sender: &SyncSender<Sent>) -> Result<()> {
    let mut reader = open()?;
    while let Some(batch) = reader.next()?
        && sender.send(Ok(Some(batch))).is_ok()
    {}
    Ok(())
}

fn to_python(py: Python<'_>, batch: PaddedBatch) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    let number = batch.keys.len();
    let keys: Vec<_> = batch.keys.iter().map(|key| names::to_str(py, key)).collect::<PyResult<_>>()?;
    dict.set_item("keys", PyList::new(py, keys)?)?;
    dict.set_item("feats", of_feats(py, batch.feats, batch.feats_shape)?)?;
    dict.set_item("feats_lengths", PyArray1::from_vec(py, batch.feats_lengths))?;
    if let Some(target) = batch.target {
        dict.set_item("target", PyArray1::from_vec(py, target.labels).reshape([number, target.longest])?)?;
        dict.set_item("target_lengths", PyArray1::from_vec(py, target.lengths))?;
    }
    if let Some(speaker) = batch.speaker {
        dict.set_item("speaker", PyArray1::from_vec(py, speaker))?;
    }
    Ok(dict)
}

/// The numbers of a batch, which belong to its array.
#[pyclass(module = "kaldi_tables._core", frozen)]
struct FeatsOwner(PooledVec);

fn of_feats(py: Python<'_>, feats: PooledVec, shape: [usize; 3]) -> PyResult<Bound<'_, PyArray3<f32>>> {
    let owner = Bound::new(py, FeatsOwner(feats))?;
    let wrong = |error: ShapeError| wrong_value(error.to_string());
    let view = ArrayView3::from_shape(shape, &owner.get().0).map_err(wrong)?;
    #[allow(unsafe_code)]
    // SAFETY: the array holds the owner of the numbers, nobody else uses them, and they do not move.
    Ok(unsafe { PyArray3::borrow_from_array(&view, owner.clone().into_any()) })
}

/// Starts to make batches.
#[pyfunction]
fn feed_batches(words: Vec<OsString>, source: &Bound<'_, PyAny>, threads: usize) -> PyResult<FeedIterator> {
    let feed = Options::parse(&words)?;
    let source = list_name(source)?;
    Ok(FeedIterator::start(move || {
        let chain = Arc::new(feed.build_chain(&standard_stages(), true)?);
        let opened = feed.open(BStr::new(&source), &chain)?;
        let session = Session::current().threads(threads);
        Ok(opened.padded(session, |_, batch| Ok(batch)))
    }))
}

/// The chain of stages with all parameters, in YAML.
#[pyfunction]
fn feed_chain(py: Python<'_>, words: Vec<OsString>) -> PyResult<String> {
    let feed = Options::parse(&words)?;
    let chain =
        py.detach(|| interrupt::in_session(|| feed.build_chain(&standard_stages(), true).map_err(Failure::from)));
    log::deliver(py)?;
    Ok(chain?.description().to_string())
}

fn list_name(source: &Bound<'_, PyAny>) -> PyResult<BString> {
    let name = names::of_source(source)?;
    name.map(|source| source.name).ok_or_else(|| wrong_value("expected the name of a data list"))
}

/// Every option of `feed-batches` with its default.
#[pyfunction]
fn feed_options() -> Vec<(String, String)> {
    kaldi_cli::default_options::<Options>()
}

/// Adds the functions and the class of `kaldi_tables.feed` to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FeedIterator>()?;
    module.add_function(wrap_pyfunction!(feed_batches, module)?)?;
    module.add_function(wrap_pyfunction!(feed_chain, module)?)?;
    module.add_function(wrap_pyfunction!(feed_options, module)?)
}
