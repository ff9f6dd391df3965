//! What reading a value may take: time, and memory together with others.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::rc::Rc;
use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use bstr::{BStr, ByteSlice};
use kaldi_any::Frames;
use kaldi_io::sync::Mutex;
use kaldi_io::{
    CommandMessages, Locator, Rxfilename, Session, counting, printable, printable_rxfilename, remote_name,
    was_interrupted,
};
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::server::cache::Cache;
use crate::server::cancel::within;
use crate::server::recording::Recording;

/// Commands, and other streams that may be silent, at a time.
const STREAMS: usize = 4;

/// How long a read waits before it looks for memory, or for the end of another stream, again.
const PAUSE: Duration = Duration::from_millis(20);

/// How long the messages of a command that failed are waited for.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What reading a value may take.
#[derive(Debug)]
pub(crate) struct Limits {
    /// Bytes of one value, of all that are read at a time, and of all that are kept.
    pub bytes: usize,
    /// How long a command may take.
    pub time: Duration,
    /// Commands, and other streams that may be silent, at a time.
    streams: Semaphore,
    /// Bytes that each thread has read of the value that it reads.
    under_way: Mutex<HashMap<ThreadId, usize>>,
    /// Recordings, and values of tables, which make room.
    kept: Arc<Cache<Recording>>,
    values: Arc<Cache<Frames>>,
}

/// The bytes of a thread count until this is dropped.
struct UnderWay<'a>(&'a Limits);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.lock().remove(&std::thread::current().id());
    }
}

impl Limits {
    pub fn new(bytes: usize, time: Duration, kept: Arc<Cache<Recording>>, values: Arc<Cache<Frames>>) -> Self {
        Self { bytes, time, streams: Semaphore::new(STREAMS), under_way: Mutex::default(), kept, values }
    }

    /// Forgets what this thread has read: it is not in memory any more.
    pub fn forget(&self) {
        self.under_way.lock().remove(&std::thread::current().id());
    }

    /// Reads a value of this name. What may be silent, such as a command, waits for its place, and is ended after some time.
    ///
    /// # Errors
    /// Those of `read`, or that it takes too much.
    pub fn read<T>(self: &Arc<Self>, name: &BStr, read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
        let limits = Arc::clone(self);
        let count = Rc::new(move |bytes| limits.count(bytes).map_err(io::Error::other));
        let _under_way = UnderWay(self);
        if !may_be_silent(name)? {
            return counting(count, read);
        }
        let shown = printable_rxfilename(name);
        let messages = Arc::new(CommandMessages::default());
        let heard = || {
            let session = Session::current().change(|settings| settings.messages = Some(Arc::clone(&messages)));
            session.enter(|| counting(count, read))
        };
        let permit = self.acquire_stream()?;
        let message = match within(self.time, heard) {
            (Err(_), true) => {
                format!("{shown}: it took longer than {} s (`timeout`), and was ended", self.time.as_secs_f64())
            }
            (Err(message), _) => message,
            (Ok(value), _) => return Ok(value),
        };
        drop(permit);
        let written = messages.text(LAST_WORDS);
        let lines: Vec<String> = written.lines().map(printable).collect();
        Err(if lines.is_empty() { message } else { format!("{message}; it wrote: {}", lines.join("\n")) })
    }

    /// Waits until another stream may be read.
    fn acquire_stream(&self) -> Result<SemaphorePermit<'_>, String> {
        loop {
            if let Ok(permit) = self.streams.try_acquire() {
                return Ok(permit);
            }
            if was_interrupted() {
                return Err("interrupted".into());
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Counts bytes that are needed for the value of this thread: that were read, or will be taken for what they say. Waits while
    /// others have them.
    ///
    /// # Errors
    /// If they are too many.
    pub fn count(&self, bytes: usize) -> Result<(), String> {
        let thread = std::thread::current().id();
        *self.under_way.lock().entry(thread).or_default() += bytes;
        loop {
            let (own, total, most) = {
                let under_way = self.under_way.lock();
                let most = under_way.values().copied().max().unwrap_or(0);
                (under_way.get(&thread).copied().unwrap_or(0), under_way.values().sum::<usize>(), most)
            };
            if own > self.bytes || (total > self.bytes && own == most) {
                return Err(format!(
                    "it needs more than the {} MB that values may take together (`memory`)",
                    self.bytes >> 20
                ));
            }
            if was_interrupted() {
                return Err("interrupted".into());
            }
            if total <= self.bytes {
                let room = self.bytes - total;
                self.values.shrink(room);
                self.kept.shrink(room.saturating_sub(self.values.taken()));
                return Ok(());
            }
            // The largest one fails, and frees its bytes.
            std::thread::sleep(PAUSE);
        }
    }
}

/// Whether nothing says when the next byte of this name comes: of a command, an object of a store, a device.
///
/// # Errors
/// If it comes only once.
pub(crate) fn may_be_silent(name: &BStr) -> Result<bool, String> {
    let Ok(locator) = Locator::parse(name) else { return Ok(false) };
    let (Rxfilename::File(path) | Rxfilename::Offset(path, _)) = locator.rxfilename() else { return Ok(true) };
    if remote_name(path).is_some() {
        return Ok(true);
    }
    // If it is not there, opening it says so.
    let Ok(found) = path.metadata() else { return Ok(false) };
    match found.file_type().is_fifo() {
        true => Err(format!(
            "{}: expected a file, got a named pipe, which can be read only once",
            printable_rxfilename(name)
        )),
        false => Ok(!found.is_file()),
    }
}
