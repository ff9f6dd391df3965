//! Reads archives in sequence: frames entries without parsing their values.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::{Logged, warning};
use kaldi_io::{
    Blob, Chunk, ExpectedStream, Input, Need, ParseError, TextLines, Window, excerpt, is_space, is_text, line_ends,
    recognize,
};
use kaldi_reader::Reader;

use crate::batch::{Batch, Batches, LazyValues, push};
use crate::framing::{Extent, Framing, Front, find_extent};
use crate::key::is_key;
use crate::raw::RawEntry;
use crate::{Error, Result};

/// A value is skipped only if more than this is missing of it. For less, reading on is as fast.
const SHORT: u64 = 1 << 13;

/// Bytes of a value that are kept to find out what it is.
const KEPT: usize = 1 << 12;

/// Frames the entries of an archive.
#[derive(Debug)]
pub(crate) struct ArchiveReader<F> {
    name: Arc<str>,
    window: Window,
    framing: F,
    permissive: bool,
    /// Where long values stay, if they do.
    lazy: Option<LazyValues>,
    /// Whether the first entry has to be readable even in permissive mode.
    first_counts: bool,
    has_delivered: bool,
    /// The number of the line in which the window starts, from 1, as long as all is text.
    line: Option<u64>,
    /// The key of the entry that was delivered last, and its value unless that is long.
    last: Option<(BString, Vec<u8>)>,
    /// A fault after the entries that were delivered last.
    fault: Option<Error>,
    /// Why nothing can be read after what is in the window: a compressed stream is damaged there.
    damage: Option<kaldi_io::Error>,
    ended: bool,
}

/// Where the parts of an entry are in the window.
struct Span {
    key: Range<usize>,
    value: Range<usize>,
    /// Bytes of the whole value, if not all of it is in the window.
    stored: Option<u64>,
    is_text: bool,
    /// Whether the value ends with the stream, whatever is there.
    is_open: bool,
}

/// Why framing stops.
enum Stop {
    /// This much is needed after the last entry.
    More(Need),
    /// The last entry is not whole in the window, and what is missing can be skipped.
    Skip,
    /// The archive ends here.
    End,
    /// The archive ends inside or after its first key, so its type is not known.
    CutKey(Error),
    Fault(Error),
}

impl<F: Framing> ArchiveReader<F> {
    pub(crate) fn open(rxfilename: &BStr, framing: F, permissive: bool) -> Result<Self> {
        Ok(Self::of_input(Input::open(rxfilename)?, framing, permissive))
    }

    /// Reads an archive from an open stream.
    pub(crate) fn of_input(input: Input, framing: F, permissive: bool) -> Self {
        Self {
            line: (input.offset() == 0).then_some(1),
            name: input.name().into(),
            window: Window::new(input),
            framing,
            permissive,
            lazy: None,
            first_counts: true,
            has_delivered: false,
            last: None,
            fault: None,
            damage: None,
            ended: false,
        }
    }

    /// Lets permissive mode skip an unreadable first entry, too, for entries that are asked for by key.
    pub(crate) fn forgiving_the_first(mut self) -> Self {
        self.first_counts = false;
        self
    }

    /// The window on the stream.
    pub(crate) fn window(&self) -> &Window {
        &self.window
    }

    pub(crate) fn framing(&self) -> &F {
        &self.framing
    }

    /// Whether the end of the stream was not reached yet.
    pub(crate) fn is_open(&self) -> bool {
        !self.ended
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        if let Some(fault) = self.fault.take() {
            return self.fail(fault);
        }
        if self.ended {
            return Ok(None);
        }
        if self.window.offset() == 0 {
            self.window.pass_mark()?;
        }
        loop {
            let mut spans = Vec::new();
            match self.frame(&mut spans) {
                Stop::More(_) if self.damage.is_some() => {
                    let damage = self.damage.take().map(Error::Io);
                    return self.end(spans, damage, false);
                }
                Stop::More(need) if spans.is_empty() => match self.window.grow(need) {
                    // What came before it may be entries.
                    Err(error) if error.is_damage() => self.damage = Some(error),
                    grown => grown?,
                },
                Stop::More(_) => return Ok(Some(self.batch(spans))),
                Stop::Skip => return Ok(Some(self.skip(spans))),
                Stop::End => return self.end(spans, None, false),
                Stop::CutKey(fault) => return self.end(spans, Some(fault), true),
                Stop::Fault(fault) => return self.end(spans, Some(fault), false),
            }
        }
    }

    /// Frames the entries in the window.
    fn frame(&mut self, spans: &mut Vec<Span>) -> Stop {
        let mut at = 0;
        loop {
            let at_end = self.window.at_end();
            let rest = &self.window.bytes()[at..];
            let (start, end, value) = match self.framing.key(rest, at_end) {
                Ok(Front::Key { start, end, value }) => (start, end, value),
                Ok(Front::Nothing) => return Stop::End,
                Ok(Front::More) => {
                    let blank = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    let wanted = (rest.len() - blank) as u64 + 1;
                    if spans.is_empty() {
                        self.line = self.line.map(|line| line + line_ends(&rest[..blank]));
                        self.window.consume(blank);
                    }
                    return Stop::More(Need::AtLeast(wanted));
                }
                Ok(Front::Cut) => {
                    let error = ParseError::end(rest.len(), "a value after its key");
                    return Stop::CutKey(self.entry_error(rest.trim_ascii(), at, error));
                }
                Err(error) => {
                    let key = rest[..error.offset].trim_ascii_start();
                    let has_odd_byte = rest.get(error.offset).is_some_and(|byte| !is_key(&[*byte]) && !is_space(*byte));
                    let start = error.offset - key.len();
                    let no_key = || self.no_key(spans, at + start..at + error.offset + 1);
                    return Stop::Fault(
                        has_odd_byte.then(no_key).flatten().unwrap_or_else(|| self.entry_error(key, at, error)),
                    );
                }
            };
            // A value of another type may seem to end early. What follows is no key then.
            if rest[start..end].contains(&0)
                && let Some(fault) = self.no_key(spans, at + start..at + end)
            {
                return Stop::Fault(fault);
            }
            let (key, value) = (at + start..at + end, at + value);
            match self.frame_value(key.clone(), value) {
                Ok(span) => {
                    at = span.value.end;
                    let is_stored = span.stored.is_some();
                    spans.push(span);
                    if is_stored {
                        return Stop::Skip;
                    }
                }
                // The key stays in front of its value until the value is complete.
                Err(Stop::More(need)) => return Stop::More(need.after(value - at)),
                Err(Stop::Fault(fault)) => {
                    let has_key = is_key(&self.window.bytes()[key.clone()]);
                    return Stop::Fault((!has_key).then(|| self.no_key(spans, key)).flatten().unwrap_or(fault));
                }
                Err(stop) => return stop,
            }
        }
    }

    /// The fault of bytes that are no key, after an entry. That entry shows what the archive may be instead.
    fn no_key(&self, spans: &[Span], found: Range<usize>) -> Option<Error> {
        let bytes = self.window.bytes();
        let (key, value) = match (spans.last(), &self.last) {
            (Some(last), _) => (&bytes[last.key.clone()], Cow::Borrowed(&bytes[last.value.start..])),
            (None, Some((key, value))) => {
                let following = &bytes[..bytes.len().min(if value.is_empty() { 0 } else { KEPT })];
                (key.as_slice(), Cow::Owned([value, following].concat()))
            }
            (None, None) => return None,
        };
        let shown = bytes[found.start..found.end.min(found.start + 20)].escape_ascii();
        let message = format!("expected a key after {}, got \"{shown}\"", excerpt(key));
        let source = ParseError::new(0, message).in_value(&value, false);
        let offset = self.window.offset() + found.start as u64;
        let line = self.line_of(spans.last().map_or(found.start, |last| last.value.start), found.start);
        let source = kaldi_io::Error::content(self.name.to_string(), offset, source).in_line(line);
        Some(Error::entry(None, BString::default(), source))
    }

    /// Frames the value that starts at `start`.
    fn frame_value(&mut self, key: Range<usize>, start: usize) -> Result<Span, Stop> {
        let can_skip = self.window.skimmed().is_some();
        let may_stay = |length, there| can_skip && length - there >= SHORT;
        let (length, stored, is_open) = match find_extent(&mut self.framing, &self.window, start, may_stay) {
            Ok((Extent::Whole(length), is_open)) => (length, None, is_open),
            Ok((Extent::Stored(length), is_open)) => (self.window.bytes().len() - start, Some(length), is_open),
            Ok((Extent::More(need), _)) => return Err(Stop::More(need)),
            Err(error) => return Err(Stop::Fault(self.value_error(&key, start, error))),
        };
        let is_text = self.framing.is_text(&self.window.bytes()[start..]);
        Ok(Span { key, value: start..start + length, stored, is_text, is_open })
    }

    /// The batch at the end of the stream. A fault is reported after its entries.
    fn end(&mut self, spans: Vec<Span>, fault: Option<Error>, is_cut_key: bool) -> Result<Option<Batch>> {
        let end = spans.last().map_or(0, |span| span.value.end);
        // If an archive ends inside its first key, its type cannot be known.
        let is_forgivable = self.has_delivered || !spans.is_empty() || !self.first_counts || is_cut_key;
        // If a command fails, the error comes after the entries that it delivered.
        self.fault = fault.or_else(|| self.close().err());
        self.ended = self.fault.is_none();
        if self.permissive
            && let Some(fault) = &self.fault
            && is_forgivable
            && !matches!(fault, Error::Io(kaldi_io::Error::Status { .. }))
        {
            let left = self.window.left().unwrap_or(self.window.bytes().len() as u64) - end as u64;
            warning!("{fault}; {left} bytes from here on are left out, as permissive mode (p) asks");
            self.fault = None;
            self.ended = true;
        }
        if !spans.is_empty() {
            return Ok(Some(self.batch(spans)));
        }
        match self.fault.take() {
            Some(fault) => self.fail(fault),
            None => Ok(None),
        }
    }

    /// Makes a batch of the spans and moves on after the last.
    fn batch(&mut self, spans: Vec<Span>) -> Batch {
        let end = spans.last().map_or(0, |span| span.value.end);
        let lines = self.pass_lines(&spans, end);
        let (bytes, base) = self.window.take(end);
        self.entries(spans, lines, bytes, base)
    }

    /// Counts the lines up to `end`, where the window will start. Returns how the lines of each value are found.
    fn pass_lines(&mut self, spans: &[Span], end: usize) -> Vec<TextLines> {
        let bytes = self.window.bytes();
        let mut at = 0;
        let mut lines = Vec::new();
        for span in spans {
            let Some(line) = &mut self.line else { return lines };
            if !span.is_text || !is_text(&bytes[span.value.clone()]) {
                self.line = None;
                return lines;
            }
            *line += line_ends(&bytes[at..span.value.start]);
            at = span.value.start;
            lines.push(TextLines::From(*line));
        }
        self.line = self.line.map(|line| line + line_ends(&bytes[at..end]));
        lines
    }

    /// Makes a batch of the spans and moves on after it. The last span is not completely in the window.
    fn skip(&mut self, spans: Vec<Span>) -> Batch {
        let last = spans.last().map_or((0, 0), |span| (span.value.start, span.stored.unwrap_or(0)));
        let lines = self.pass_lines(&spans, last.0);
        // No lines are counted in what is not read.
        self.line = None;
        let (bytes, base) = self.window.skip(last.0, last.1);
        self.entries(spans, lines, bytes, base)
    }

    fn entries(&mut self, spans: Vec<Span>, lines: Vec<TextLines>, bytes: Vec<u8>, base: u64) -> Batch {
        self.has_delivered = true;
        self.last = spans.last().map(|last| {
            let is_short = last.stored.is_none() && last.value.len() <= KEPT;
            let value = if is_short { bytes[last.value.clone()].to_vec() } else { Vec::new() };
            (bytes[last.key.clone()].into(), value)
        });
        let rest = self.window.skimmed().cloned();
        let chunk = Arc::new(Chunk { bytes, base, name: Arc::clone(&self.name), rest });
        let lines = lines.into_iter().chain(std::iter::repeat(TextLines::Unknown));
        let entry = |(span, lines): (Span, TextLines)| {
            let length = span.stored.unwrap_or(span.value.len() as u64);
            let missing = length - span.value.len() as u64;
            let entry = RawEntry {
                prefix: span.value.start - span.key.start,
                is_text: span.is_text,
                is_open: span.is_open,
                lines,
                mem_size: self.lazy.map_or(0, |lazy| lazy.mem_size(missing)),
                ..RawEntry::new(chunk.bytes[span.key].into(), Blob::with_head(&chunk, span.value, length))
            };
            Some(entry).into()
        };
        spans.into_iter().zip(lines).map(entry).collect()
    }

    /// The number of the line that has the byte `at` in the window, for a fault in the text from `start` on.
    fn line_of(&self, start: usize, at: usize) -> Option<u64> {
        let (before, text) = self.window.bytes().split_at_checked(start)?;
        // Entries before it that are not passed yet may be binary.
        if before.contains(&0) {
            return None;
        }
        let first = self.line? + line_ends(before);
        TextLines::From(first).number(text, self.window.offset() + start as u64, at - start)
    }

    /// Adds the place to a fault of the value at `start` in the window.
    fn value_error(&self, key: &Range<usize>, start: usize, error: ParseError) -> Error {
        let error = error.in_value(&self.window.bytes()[start..], self.window.at_end());
        self.entry_error(&self.window.bytes()[key.clone()], start, error)
    }

    /// Adds the place to a fault after `at` in the window.
    fn entry_error(&self, key: &[u8], at: usize, error: ParseError) -> Error {
        // The whole stream may be something else. Then there is no key to mention.
        let is_first = self.window.offset() == 0 && at <= key.len() + 1;
        let advice =
            is_first.then(|| recognize(self.window.bytes(), ExpectedStream::Archive, &self.name, at + error.offset));
        if let Some(advice) = advice.flatten() {
            let source = ParseError::new(0, advice);
            return kaldi_io::Error::content(self.name.to_string(), 0, source).into();
        }
        let offset = self.window.offset() + at as u64 + error.offset as u64;
        let line = self.line_of(at, at + error.offset);
        let source = kaldi_io::Error::content(self.name.to_string(), offset, error).in_line(line);
        Error::entry(None, key.into(), source)
    }

    fn fail(&mut self, fault: Error) -> Result<Option<Batch>> {
        let closed = self.close();
        self.ended = true;
        match (fault, closed) {
            // If the stream is too short, the cause is the command that should have written it.
            (Error::Entry { .. } | Error::Io(kaldi_io::Error::Content { .. }), Err(status)) => Err(status),
            (fault, _) => Err(fault),
        }
    }

    /// Closes the stream. A command that failed is an error, except in permissive mode.
    fn close(&mut self) -> Result<()> {
        match self.window.finish() {
            Err(error @ kaldi_io::Error::Status { .. }) if self.permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
                Ok(())
            }
            other => Ok(other?),
        }
    }
}

impl<F: Framing> Reader for ArchiveReader<F> {
    type Item = Batch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Batch>> {
        if self.ended && self.fault.is_none() {
            return Ok(None);
        }
        let mut next = Logged::of(|| self.next_batch());
        self.ended |= !matches!(next.value, Ok(Some(_)));
        let Ok(batch) = &mut next.value else {
            self.fault = None;
            return next.deliver().map_err(|error| self.framing.explain(error));
        };
        // The lines belong after the entries.
        let mut batch = batch.take().unwrap_or_default();
        push(&mut batch, Logged { value: None, lines: next.lines });
        Ok((!batch.is_empty()).then_some(batch))
    }

    fn restart(&mut self) -> Result<()> {
        (self.fault, self.damage) = (None, None);
        self.ended = true;
        self.window.restart()?;
        self.line = (self.window.offset() == 0).then_some(1);
        self.ended = false;
        self.has_delivered = false;
        self.last = None;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.ended = true;
        self.fault = None;
        self.close()
    }
}

impl<F: Framing> Batches for ArchiveReader<F> {
    fn set_lazy(&mut self, lazy: LazyValues) {
        self.lazy = Some(lazy);
        self.window.skim();
    }

    fn may_wait(&self) -> bool {
        self.window.input().as_file().is_none()
    }
}

/// The entries of an archive one by one, framed and not parsed.
#[derive(Debug)]
pub(crate) struct ArchiveEntries<F> {
    archive: ArchiveReader<F>,
    queue: VecDeque<RawEntry>,
}

impl<F: Framing> ArchiveEntries<F> {
    pub(crate) fn new(archive: ArchiveReader<F>) -> Self {
        Self { archive, queue: VecDeque::new() }
    }

    pub(crate) fn framing(&self) -> &F {
        self.archive.framing()
    }

    pub(crate) fn window(&self) -> &Window {
        self.archive.window()
    }

    /// Whether the next entry is in memory.
    pub(crate) fn is_ready(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Checks if the stream has just ended, as it has if the last entry was asked for, and reports its status.
    pub(crate) fn finish_at_end(&mut self) -> Result<()> {
        if self.queue.is_empty() && self.archive.is_open() && self.window().left().is_none() {
            self.next()?;
        }
        Ok(())
    }
}

impl<F: Framing> Reader for ArchiveEntries<F> {
    type Item = RawEntry;
    type Error = Error;

    fn next(&mut self) -> Result<Option<RawEntry>> {
        while self.queue.is_empty() {
            let Some(batch) = self.archive.next()? else { return Ok(None) };
            self.queue = batch.into_iter().filter_map(Logged::deliver).collect();
        }
        Ok(self.queue.pop_front())
    }

    fn restart(&mut self) -> Result<()> {
        self.queue.clear();
        self.archive.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.clear();
        self.archive.finish()
    }
}
