//! Sequential reading of archives: framing of entries, without parsing their values.

use std::cell::Cell;
use std::collections::VecDeque;
use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Frame, Input, ParseError, Wanted, recognize};
use kaldi_log::warning;
use kaldi_reader::Reader;

use crate::entry::{Batch, Chunk, FrameFn, RawEntry, Stored};
use crate::sequential::Batches;
use crate::{Error, Result};

/// Bytes that are read at once: small enough for the second-level cache of a core, large enough that system calls and
/// hand-overs between threads do not count.
pub(crate) const CHUNK: usize = 1 << 18;

/// Bytes that are read at once while long values are skipped: a key and a header.
pub(crate) const HEAD: usize = 1 << 10;

/// Frames the entries of an archive.
pub(crate) struct ArchiveReader {
    rxfilename: BString,
    name: Arc<str>,
    input: Option<Input>,
    frame: FrameFn,
    permissive: bool,
    /// Whether the first entry has to be readable even so.
    first_counts: bool,
    /// Where values are not read but skipped: the file to read them from later.
    skimmed: Option<Arc<File>>,
    /// Bytes that are read at once.
    ahead: usize,
    /// Bytes that are read and not delivered, from `base` in the stream on.
    rest: Vec<u8>,
    base: u64,
    /// Whether an entry was delivered, and whether the last one was binary.
    last: Option<Form>,
    /// A fault behind the entries that were delivered last.
    fault: Option<Error>,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Binary,
    Text,
}

/// What stands at the front of a window.
enum Front {
    Entry {
        key: Range<usize>,
        value: Range<usize>,
    },
    /// Only white space.
    Nothing,
    /// More bytes are needed, at least so many from the entry's begin.
    Partial(u64),
    /// A value that ends so many bytes behind its begin, beyond the window.
    Beyond {
        key: Range<usize>,
        start: usize,
        length: u64,
    },
    /// The stream ends inside a key.
    CutKey {
        key: Range<usize>,
    },
    Fault {
        key: Range<usize>,
        error: ParseError,
    },
}

impl ArchiveReader {
    pub(crate) fn open(rxfilename: &BStr, frame: FrameFn, permissive: bool) -> Result<Self> {
        let input = Input::open(rxfilename)?;
        Ok(Self {
            rxfilename: rxfilename.to_owned(),
            name: input.name().into(),
            base: input.offset(),
            input: Some(input),
            frame,
            permissive,
            first_counts: true,
            skimmed: None,
            ahead: CHUNK,
            rest: Vec::new(),
            last: None,
            fault: None,
            ended: false,
        })
    }

    /// Lets permissive mode have its way with the first entry too, as where entries are asked for by key.
    pub(crate) fn forgiving_the_first(mut self) -> Self {
        self.first_counts = false;
        self
    }

    /// The open stream, until its end was met.
    pub(crate) fn input(&self) -> Option<&Input> {
        self.input.as_ref()
    }

    /// Whether a write to disk of the stream's bytes could be read again later: an offset is enough to find an entry.
    pub(crate) fn is_regular_file(&self) -> bool {
        self.input.as_ref().is_some_and(|input| input.remaining().is_some())
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(fault) = self.fault.take() {
            return self.fail(fault);
        }
        let mut window = std::mem::take(&mut self.rest);
        loop {
            // Frame what is there.
            let Some(input) = &self.input else { return Ok(None) };
            let at_end = input.at_end();
            let remaining = input.remaining();
            let mut spans = Vec::new();
            let mut at = 0;
            let mut wanted = 0;
            let mut cut = None;
            let mut stored = None;
            let finished = loop {
                match front(&window, at, at_end, self.frame) {
                    Front::Entry { key, value } => {
                        at = value.end;
                        spans.push((key, value));
                    }
                    Front::Nothing => {
                        at = window.len();
                        break at_end;
                    }
                    Front::CutKey { key } => {
                        cut = Some(key);
                        break true;
                    }
                    Front::Beyond { key, start, length } => {
                        let left = (window.len() - start) as u64 + remaining.unwrap_or(0);
                        if let Some(file) = &self.skimmed
                            && length <= left
                        {
                            stored = Some(Stored { file: Arc::clone(file), length });
                            spans.push((key, start..window.len()));
                            break false;
                        }
                        wanted = (start - at) as u64 + length;
                        if remaining.is_some() && length > left {
                            // Where the file is too short for what a header claims, there is no point in reading it all.
                            if let Front::Fault { key, error } = front(&window, at, true, self.frame) {
                                self.fault = Some(self.entry_error(&window, key, at, error));
                                break true;
                            }
                        }
                        break false;
                    }
                    Front::Partial(bytes) => {
                        wanted = bytes;
                        if remaining.is_some_and(|left| (window.len() - at) as u64 + left < bytes)
                            && let Front::Fault { key, error } = front(&window, at, true, self.frame)
                        {
                            self.fault = Some(self.entry_error(&window, key, at, error));
                            break true;
                        }
                        break false;
                    }
                    Front::Fault { key, error } => {
                        self.fault = Some(self.entry_error(&window, key, at, error));
                        break true;
                    }
                }
            };
            if finished {
                let left = window.len() - at;
                if let Some(span) = spans.last() {
                    self.last = Some(form(&window, &span.1));
                }
                // Of what type an archive is that ends inside its first key cannot be told.
                let is_forgivable = self.last.is_some() || !self.first_counts || cut.is_some();
                if let Some(key) = cut {
                    self.meet_cut_key(&window, key)?;
                }
                if self.fault.is_none() {
                    // A failing command is reported behind the entries that it did deliver.
                    self.fault = self.close().err();
                    self.ended = self.fault.is_none();
                }
                if self.permissive
                    && let Some(fault) = &self.fault
                    && is_forgivable
                    && !matches!(fault, Error::Io(kaldi_io::Error::Status { .. }))
                {
                    let left = left as u64 + remaining.unwrap_or(0);
                    warning!("{fault}; {left} bytes from here on are left out, as permissive mode (p) asks");
                    self.fault = None;
                    self.ended = true;
                }
                if spans.is_empty() {
                    return match self.fault.take() {
                        Some(fault) => self.fail(fault),
                        None => Ok(None),
                    };
                }
                return Ok(Some(self.batch(window, spans, None)));
            }
            if let Some(stored) = stored {
                return self.skip(window, spans, stored).map(Some);
            }
            if !spans.is_empty() {
                self.last = spans.last().map(|span| form(&window, &span.1));
                self.rest = Vec::with_capacity(self.ahead.max(window.len() - at));
                self.rest.extend_from_slice(&window[at..]);
                let batch = self.batch(window, spans, None);
                self.ahead = CHUNK;
                return Ok(Some(batch));
            }
            // Nothing whole yet. White space is dropped; a value may be longer than what a header that lies would
            // make us read at once, so the window grows by what has been there already.
            if at > 0 {
                window.drain(..at);
                self.base += at as u64;
            }
            let missing = usize::try_from(wanted).unwrap_or(usize::MAX).saturating_sub(window.len());
            let limit = missing.min(window.len()).max(self.ahead);
            // Framing starts over with every look at the window: a long value must have grown by half before the next.
            let enough = window.len() + if window.len() > 4 * CHUNK { limit.min(window.len() / 2) } else { 1 };
            if let Some(input) = &mut self.input {
                while window.len() < enough && input.read_some(&mut window, limit)? > 0 {}
            }
        }
    }

    /// Makes a batch of a window whose last value is not whole in it, and goes on behind that value.
    fn skip(&mut self, window: Vec<u8>, spans: Vec<(Range<usize>, Range<usize>)>, stored: Stored) -> Result<Batch> {
        let start = spans.last().map_or(0, |(_, value)| value.start) as u64;
        let next = self.base + start + stored.length;
        if let Some(input) = &mut self.input {
            input.seek(next)?;
        }
        let batch = self.batch(window, spans, Some(stored));
        self.last = Some(Form::Binary);
        self.base = next;
        self.ahead = HEAD;
        Ok(batch)
    }

    /// Makes a batch of a window and moves on behind its last entry.
    fn batch(&mut self, bytes: Vec<u8>, spans: Vec<(Range<usize>, Range<usize>)>, mut stored: Option<Stored>) -> Batch {
        let end = spans.last().map_or(0, |(_, value)| value.end) as u64;
        let last = spans.len().saturating_sub(1);
        let chunk = Arc::new(Chunk { bytes, base: self.base, name: Arc::clone(&self.name) });
        self.base += end;
        let entry = |(index, (key, value)): (usize, (Range<usize>, Range<usize>))| RawEntry {
            key: chunk.bytes[key.clone()].into(),
            has_prefix: key.end + 1 == value.start && chunk.bytes[key.end] == b' ',
            chunk: Arc::clone(&chunk),
            value,
            stored: if index == last { stored.take() } else { None },
            range: None,
            script: None,
            log: Vec::new(),
            warned: Cell::new(false),
        };
        Batch { entries: spans.into_iter().enumerate().map(entry).collect(), log: Vec::new() }
    }

    /// The stream ends in a key: an error in a binary archive, where it can only be damage. A text archive may end in
    /// a stray word, which Kaldi passes over; so do we, but not silently.
    fn meet_cut_key(&mut self, window: &[u8], key: Range<usize>) -> Result<()> {
        let error = ParseError::end(key.len(), "a value after its key");
        if self.last == Some(Form::Text) {
            let offset = self.base + key.start as u64;
            warning!("{}:{offset}: the archive ends in a key without a value: {}", self.name, bstr(&window[key]));
        } else {
            self.fault = Some(self.entry_error(window, key.clone(), key.start, error));
        }
        Ok(())
    }

    fn entry_error(&self, window: &[u8], key: Range<usize>, start: usize, error: ParseError) -> Error {
        // The stream as a whole may be something else; then there is no key to speak of.
        if self.base == 0
            && start == 0
            && let Some(advice) = recognize(window, Wanted::Archive, &self.name, error.offset)
        {
            let source = ParseError::new(0, advice);
            return Error::Io(kaldi_io::Error::Content { name: self.name.to_string(), offset: 0, source });
        }
        let offset = self.base + start as u64 + error.offset as u64;
        let key = window[key].into();
        let source = kaldi_io::Error::Content { name: self.name.to_string(), offset, source: error };
        Error::Entry { script: None, key, source: Box::new(source) }
    }

    fn fail(&mut self, fault: Error) -> Result<Option<Batch>> {
        let closed = self.close();
        self.ended = true;
        match (fault, closed) {
            // The reason for a short stream is the command that should have written it.
            (Error::Entry { .. } | Error::Io(kaldi_io::Error::Content { .. }), Err(status)) => Err(status),
            (fault, _) => Err(fault),
        }
    }

    /// Closes the stream; a command that failed is an error unless permissive.
    fn close(&mut self) -> Result<()> {
        let Some(input) = self.input.take() else { return Ok(()) };
        match input.finish() {
            Err(error @ kaldi_io::Error::Status { .. }) if self.permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
                Ok(())
            }
            other => Ok(other?),
        }
    }
}

impl Iterator for ArchiveReader {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if self.ended && self.fault.is_none() {
            return None;
        }
        let (result, log) = kaldi_log::capture(|| self.next_batch());
        match result {
            Ok(None) => {
                self.ended = true;
                (!log.is_empty()).then(|| Ok(Batch { entries: Vec::new(), log }))
            }
            Ok(Some(mut batch)) => {
                batch.log = log;
                Some(Ok(batch))
            }
            Err(error) => {
                kaldi_log::replay(&log);
                self.ended = true;
                self.fault = None;
                self.input = None;
                Some(Err(error))
            }
        }
    }
}

impl Batches for ArchiveReader {
    fn skim(&mut self) {
        if let Some(input) = self.input.as_ref().filter(|input| input.remaining().is_some()) {
            // A descriptor with a position of its own.
            let path = format!("/proc/self/fd/{}", input.as_file().as_raw_fd());
            self.skimmed = File::open(path).ok().map(Arc::new);
            self.ahead = HEAD;
        }
    }
}

impl Reader for ArchiveReader {
    type Value = Batch;
    type Error = Error;

    fn restart(&mut self) -> Result<()> {
        let again = Self::open(self.rxfilename.as_ref(), self.frame, self.permissive)?;
        *self = Self { first_counts: self.first_counts, ..again };
        Ok(())
    }
}

/// Frames the entry at `at`.
fn front(window: &[u8], at: usize, at_end: bool, frame: FrameFn) -> Front {
    let rest = &window[at..];
    let Some(blank) = rest.iter().position(|&byte| !is_space(byte)) else { return Front::Nothing };
    let start = at + blank;
    let Some(length) = window[start..].iter().position(|&byte| is_space(byte)) else {
        let key = start..window.len();
        return if at_end { Front::CutKey { key } } else { Front::Partial(rest.len() as u64 + 1) };
    };
    let key = start..start + length;
    let value = match window[key.end] {
        b' ' | b'\t' => key.end + 1,
        b'\n' => key.end,
        other => {
            let message = format!("expected a space after the key, got \"{}\"", other.escape_ascii());
            return Front::Fault { key: key.clone(), error: ParseError::new(key.end - at, message) };
        }
    };
    match frame(&window[value..], at_end) {
        Ok(Frame::Whole(length)) => Front::Entry { key, value: value..value + length },
        Ok(Frame::Partial(bytes)) => Front::Partial((value - at) as u64 + bytes),
        Ok(Frame::Beyond(length)) => Front::Beyond { key, start: value, length },
        Err(mut error) => {
            error.offset += value - at;
            Front::Fault { key, error }
        }
    }
}

/// Text has no zero bytes; what is not text has some soon, in its marker or, as a waveform, in a size.
fn form(window: &[u8], value: &Range<usize>) -> Form {
    let begin = &window[value.start..value.end.min(value.start + 64)];
    if begin.contains(&0) { Form::Binary } else { Form::Text }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

fn bstr(bytes: &[u8]) -> &BStr {
    BStr::new(bytes)
}

/// The entries of an archive one by one.
pub(crate) struct ArchiveEntries {
    pub(crate) archive: ArchiveReader,
    queue: VecDeque<RawEntry>,
}

impl ArchiveEntries {
    pub(crate) fn new(archive: ArchiveReader) -> Self {
        Self { archive, queue: VecDeque::new() }
    }

    /// The next entry, or nothing at the end.
    pub(crate) fn next(&mut self) -> Result<Option<RawEntry>> {
        while self.queue.is_empty() {
            let Some(batch) = self.archive.next().transpose()? else { return Ok(None) };
            kaldi_log::replay(&batch.log);
            self.queue = batch.entries.into();
        }
        Ok(self.queue.pop_front())
    }

    /// Whether entries are framed that were not asked for.
    pub(crate) fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }
}
