//! Durations from the headers of sound, which are read in the background where no list says them. No command runs for that.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::sync::Mutex;
use kaldi_io::{Blob, Input, KeyedLine, Locator, Rxfilename, Session, was_interrupted};
use kaldi_wave::{WaveInfo, WavePieces};
use serde_json::{Value, json};

use crate::server::Viewer;
use crate::server::catalog::{Catalog, Says, ValuePlace};
use crate::server::columns::DURATION;
use crate::server::failure::{Answer, Failure};
use crate::server::limits::may_be_silent;
use crate::server::lines::Line;
use crate::server::sounds::segment;

/// Bytes of a file that are read, and how many more if its header is longer.
const HEADS: [usize; 2] = [1 << 12, 1 << 20];

/// Durations that headers say.
#[derive(Debug)]
pub(crate) struct HeaderDurations {
    /// The bits of the seconds of each row, NaN where they are not known; empty if there is no sound.
    seconds: Vec<AtomicU32>,
    /// Lines that were looked at, and all.
    done: AtomicU64,
    of: u64,
    start: Instant,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl HeaderDurations {
    pub fn new(catalog: &Catalog) -> Self {
        let count = if catalog.has_sound() { catalog.len() } else { 0 };
        let seconds = (0..count).map(|_| AtomicU32::new(f32::NAN.to_bits())).collect();
        let of = sounds(catalog).map(|list| u64::from(catalog.lists[list].lines.len())).sum();
        Self { seconds, done: AtomicU64::new(0), of, start: Instant::now(), thread: Mutex::default() }
    }

    /// Whether there is no sound.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// The duration of a row, if a header said it.
    pub fn seconds(&self, row: u32) -> Option<f64> {
        let seconds = f32::from_bits(self.seconds.get(row as usize)?.load(Ordering::Relaxed));
        // As many digits as were kept.
        seconds.is_finite().then(|| seconds.to_string().parse().ok()).flatten()
    }

    fn is_done(&self) -> bool {
        self.done.load(Ordering::Acquire) >= self.of
    }

    /// A number that changes once a second while headers are read, and at the end.
    pub fn version(&self) -> u64 {
        if self.is_done() { u64::MAX } else { self.start.elapsed().as_secs() }
    }

    /// How far it is.
    pub fn progress(&self) -> Value {
        json!({ "done": self.done.load(Ordering::Relaxed).min(self.of), "of": self.of })
    }

    /// Waits for the end of the thread, whose session has to be interrupted before.
    pub fn join(&self) {
        let thread = self.thread.lock().take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

/// The lists of sound.
fn sounds(catalog: &Catalog) -> impl Iterator<Item = usize> {
    catalog.lists_that(|says| matches!(says, Says::Values(ValueType::Wave) | Says::Segments(_)))
}

impl Viewer {
    /// Starts to read headers, in this session.
    pub fn read_headers(self: &Arc<Self>, session: &Session) {
        let (viewer, session) = (Arc::clone(self), session.clone());
        let run = move || {
            // A list that cannot be read says so whenever it is shown.
            let _ = session.enter(|| viewer.read_all_headers());
            if !session.enter(was_interrupted) {
                viewer.headers.done.store(viewer.headers.of, Ordering::Release);
            }
        };
        let thread = std::thread::Builder::new().name("headers".into()).spawn(run).ok();
        *self.headers.thread.lock() = thread;
    }

    fn read_all_headers(&self) -> Answer<()> {
        if self.headers.is_empty() {
            return Ok(());
        }
        let listed = self.listed(DURATION)?;
        for list in sounds(&self.catalog) {
            let mut number = 0;
            self.catalog.lists[list].lines.scan(|_, line| {
                if was_interrupted() {
                    return Err(Failure::Unreadable("interrupted".into()));
                }
                let row = self.catalog.row_of_line(list, number).filter(|&row| listed[row as usize].is_nan());
                if let Some(row) = row
                    && let Some(seconds) = self.seconds_of_line(list, line)
                {
                    self.headers.seconds[row as usize].store((seconds as f32).to_bits(), Ordering::Relaxed);
                }
                number += 1;
                self.headers.done.fetch_add(1, Ordering::Release);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// The duration of an utterance of a list; `None` if its header does not say it.
    fn seconds_of_line(&self, list: usize, line: &[u8]) -> Option<f64> {
        let KeyedLine { key, rest } = KeyedLine::split(line);
        let line = Line { key: key.into(), rest: rest.into() };
        let Says::Segments(recordings) = self.catalog.lists[list].says else {
            return seconds(&self.catalog.place_of(list, line)?);
        };
        // The segment ends with its recording.
        let segment = segment(&line).ok().filter(|segment| segment.span.end.is_none())?;
        let recording = self.catalog.place(recordings, segment.recording).ok()??;
        seconds(&recording).map(|seconds| seconds - segment.span.start).filter(|&seconds| seconds > 0.0)
    }
}

/// What the header of a sound says; `None` if nothing, or if reading it would take long.
fn seconds(place: &ValuePlace) -> Option<f64> {
    let is_silent = may_be_silent(place.rxfilename.as_bstr()).unwrap_or(true);
    if place.key.is_some() || is_silent {
        return None;
    }
    let (blob, is_file) = match &place.bytes {
        Some(range) => (stored(place.rxfilename.as_bstr(), range.start, Some(range.end))?, true),
        None => {
            let locator =
                Locator::parse(place.rxfilename.as_bstr()).ok().filter(|locator| locator.range().is_none())?;
            let (offset, is_file) = match locator.rxfilename() {
                Rxfilename::File(_) => (0, true),
                Rxfilename::Offset(_, offset) => (*offset, false),
                _ => return None,
            };
            (stored(locator.stem(), offset, None)?, is_file)
        }
    };
    for count in HEADS {
        let head = blob.first(count).ok()?;
        if let Ok(Some(pieces)) = WavePieces::read(&head, blob.length()) {
            // No more than there is; that of a file that is cut is no duration.
            let (claimed, there) = (pieces.info().num_samples(), pieces.num_samples());
            let is_whole = claimed.is_none_or(|claimed| claimed <= there);
            return is_whole.then(|| there as f64 / f64::from(pieces.info().sample_rate()));
        }
        // Other kinds of sound in an archive have no length of their own.
        let is_known = is_file || head.starts_with(b"fLaC");
        match WaveInfo::in_head(&head, blob.length()).filter(|_| is_known) {
            Some(Ok(info)) => return info.duration().filter(|seconds| seconds.is_finite()),
            Some(Err(_)) => return None,
            None => {}
        }
    }
    None
}

/// The bytes of a file from an offset on, if it is not compressed.
fn stored(name: &BStr, start: u64, end: Option<u64>) -> Option<Blob> {
    let input = Input::open(name).ok()?;
    let bytes = input.positioned()?;
    let end = end.unwrap_or(bytes.length()).min(bytes.length());
    Some(Blob::stored(BString::from(name).to_string(), bytes, start, end.checked_sub(start)?))
}
