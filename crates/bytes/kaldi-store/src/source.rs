//! Reading objects.

use std::fmt;
use std::io;
use std::sync::Arc;

use bstr::{BStr, BString};
use bytes::{Buf, Bytes};
use futures::stream::{self, StreamExt};
use kaldi_io::sync::Mutex;
use kaldi_io::{Compression, ReadAt, Source, fallible};

use crate::ahead::Ahead;
use crate::engine::Object;
use crate::fault::Fault;
use crate::metadata::Part;
use crate::running::Running;
use crate::whole_objects::MOST;

/// A stream is read on over this many bytes that nobody wants. Before more of them, a new one costs less: what the old
/// one has requested in advance, and what is lost with it, is not more than this.
const PASSED_OVER: u64 = 32 << 20;

/// Who looks only at this many bytes at the start of an object leaves its stream to the next reader of the object.
const LOOKED_AT: usize = 1 << 16;

/// An object of which the first bytes were looked at.
pub(crate) struct Begun {
    url: BString,
    /// The bytes that were read.
    head: Vec<u8>,
    /// Those after them.
    stream: Stream,
}

/// The bytes of a part of an object, in order.
struct Stream {
    /// Bytes that have arrived and were not read yet.
    piece: Bytes,
    rest: Rest,
}

/// The bytes after the piece.
enum Rest {
    /// They are requested when they are needed.
    Later(Object, Part),
    Coming(Box<Ahead>),
    Nothing,
}

/// How an object can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Access {
    /// In parts, from any place on. It has this many bytes.
    Parts(u64),
    /// The server sends all of it, which is little: this many bytes.
    Whole(u64),
    /// Only in order.
    Order,
}

impl Stream {
    /// Requests the part, or takes what was fetched in advance. Also returns how the object can be read.
    fn open(running: &Arc<Running>, url: &BStr, offset: u64, length: Option<u64>) -> Result<(Self, Access), Fault> {
        let object = Object::parse(url)?;
        if let Some(opened) = Self::of_whole(running, url, offset, length) {
            return Ok(opened);
        }
        let part = Part { start: offset, end: length.map(|length| offset.saturating_add(length)) };
        let opened = running.wait(async {
            let engine = &running.engine;
            let mut part = part;
            if let Some(piece) = running.expected.take(url, part.start, length.unwrap_or(u64::MAX)).await
                && let Some(metadata) = engine.known(&object)
            {
                part.end = part.end.or(metadata.length);
                part.start += piece.len() as u64;
                let is_all = part.end.is_some_and(|end| part.start >= end);
                return Ok(Some((piece, if is_all { Rest::Nothing } else { Rest::Later(object, part) }, metadata)));
            }
            if running.wholes.get(url).is_some() {
                // It has come in the meantime.
                return Ok(None);
            }
            if part.end.is_none() && engine.cache.is_some() {
                // Each stream checks once whether the cached bytes are still right.
                engine.check(&object, &engine.attempts(&object)).await?;
            }
            let ahead = Ahead::open(Arc::clone(engine), object, part).await?;
            let metadata = ahead.metadata().clone();
            Ok(Some((Bytes::new(), Rest::Coming(Box::new(ahead)), metadata)))
        })?;
        let Some((piece, rest, metadata)) = opened else { return Self::open(running, url, offset, length) };
        let access = match metadata.length {
            Some(length) if metadata.has_ranges => Access::Parts(length),
            Some(length) if length <= MOST => Access::Whole(length),
            _ => Access::Order,
        };
        Ok((Self { piece, rest }, access))
    }

    /// A part of an object that is kept.
    fn of_whole(running: &Arc<Running>, url: &BStr, offset: u64, length: Option<u64>) -> Option<(Self, Access)> {
        let bytes = running.wholes.get(url)?;
        let all = bytes.len() as u64;
        let end = length.map_or(all, |length| offset.saturating_add(length));
        let [start, end] = [offset, end].map(|place| place.min(all) as usize);
        let stream = Self { piece: bytes.slice(start..end), rest: Rest::Nothing };
        Some((stream, Access::Whole(all)))
    }

    /// The first bytes, which show whether the object is compressed; this does not consume them.
    fn head(&mut self, running: &Running) -> Result<&[u8], Fault> {
        while self.piece.len() < Compression::HEAD
            && let Some(more) = running.wait(self.rest.next(running))?
        {
            self.piece = [&*self.piece, &*more].concat().into();
        }
        Ok(&self.piece[..self.piece.len().min(Compression::HEAD)])
    }

    /// Waits for a piece unless there is one; returns false at the end.
    fn fill(&mut self, running: &Running) -> Result<bool, Fault> {
        if self.piece.is_empty()
            && let Some(piece) = running.wait(self.rest.next(running))?
        {
            self.piece = piece;
        }
        Ok(!self.piece.is_empty())
    }

    /// Reads bytes and drops them. Returns their number, which is smaller at the end.
    fn pass_over(&mut self, running: &Running, count: u64) -> Result<u64, Fault> {
        let mut left = count;
        while left > 0 && self.fill(running)? {
            let there = usize::try_from(left).unwrap_or(usize::MAX).min(self.piece.len());
            self.piece.advance(there);
            left -= there as u64;
        }
        Ok(count - left)
    }

    fn read_some(&mut self, running: &Running, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        if limit == 0 || !self.fill(running)? {
            return Ok(0);
        }
        let count = self.piece.len().min(limit);
        fallible(|| buffer.try_reserve(count)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        buffer.extend_from_slice(&self.piece[..count]);
        self.piece.advance(count);
        Ok(count)
    }
}

impl Rest {
    async fn next(&mut self, running: &Running) -> Result<Option<Bytes>, Fault> {
        if let Self::Later(object, part) = self {
            let ahead = Ahead::open(Arc::clone(&running.engine), object.clone(), part.clone()).await?;
            *self = Self::Coming(Box::new(ahead));
        }
        match self {
            Self::Coming(ahead) => ahead.next().await,
            Self::Later(..) | Self::Nothing => Ok(None),
        }
    }
}

/// An object that can be read at any place.
struct RemoteObject {
    running: Arc<Running>,
    url: BString,
    length: u64,
    /// Whether the server sends it only whole, so that it is kept.
    is_whole: bool,
    /// All of the object from its start on, if it was requested and nothing was read yet.
    start: Mutex<Option<Stream>>,
}

impl RemoteObject {
    fn take_start(&self) -> Option<Stream> {
        self.start.lock().take()
    }

    /// All bytes of the object.
    fn whole(&self) -> Result<Bytes, Fault> {
        let (running, url) = (&self.running, self.url.as_ref());
        if let Some(bytes) = running.wholes.get(url) {
            return Ok(bytes);
        }
        let _turn = running.handle.block_on(running.wholes.turn(url));
        if let Some(bytes) = running.wholes.get(url) {
            return Ok(bytes);
        }
        let Stream { piece, rest, .. } = match self.take_start() {
            Some(stream) => stream,
            None => Stream::open(running, url, 0, None)?.0,
        };
        let first = stream::iter((!piece.is_empty()).then_some(Ok(piece)));
        let others =
            stream::try_unfold(
                rest,
                |mut rest| async move { Ok(rest.next(running).await?.map(|piece| (piece, rest))) },
            );
        running.wait(running.wholes.fetch(url, self.length, first.chain(others)))
    }
}

impl ReadAt for RemoteObject {
    fn length(&self) -> u64 {
        self.length
    }

    fn is_near(&self) -> bool {
        false
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        fallible(|| buffer.try_reserve_exact(length)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        if self.is_whole {
            let whole = self.whole()?;
            let bytes = usize::try_from(offset).ok().and_then(|start| whole.get(start..start + length));
            buffer.extend_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
            return Ok(());
        }
        self.running.expected.learn(self.url.as_ref(), offset, length as u64);
        let (mut stream, _) = Stream::open(&self.running, self.url.as_ref(), offset, Some(length as u64))?;
        let mut missing = length;
        while missing > 0 {
            match stream.read_some(&self.running, buffer, missing)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => missing -= count,
            }
        }
        Ok(())
    }

    fn read_some_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<usize> {
        let expected = &self.running.expected;
        let taken = expected.take(self.url.as_ref(), offset, length as u64);
        let Some(bytes) = self.running.handle.block_on(taken).filter(|_| !self.is_whole) else {
            self.read_at(offset, buffer, length)?;
            return Ok(length);
        };
        expected.learn(self.url.as_ref(), offset, bytes.len() as u64);
        fallible(|| buffer.try_reserve(bytes.len())).map_err(|_| io::ErrorKind::OutOfMemory)?;
        buffer.extend_from_slice(&bytes);
        Ok(bytes.len())
    }
}

/// Opens an object for reading at any place, whatever its bytes are.
///
/// # Errors
/// If there is no such object, or its server sends it only whole and it is long.
pub(crate) fn open_at(running: &Arc<Running>, url: &BStr) -> io::Result<Arc<dyn ReadAt>> {
    let engine = &running.engine;
    let object = Object::parse(url)?;
    let metadata = running.wait(engine.check(&object, &engine.attempts(&object)))?;
    let (length, is_whole) = match metadata.length {
        Some(length) if metadata.has_ranges => (length, false),
        Some(length) if length <= MOST => (length, true),
        _ => {
            let message = "its server sends it only as a whole, and here it is read at many places; copy it first, for \
                           example with kaldi-store cp";
            return Err(Fault::new(io::ErrorKind::Unsupported, message).into());
        }
    };
    let (running, url) = (Arc::clone(running), url.to_owned());
    Ok(Arc::new(RemoteObject { running, url, length, is_whole, start: Mutex::new(None) }))
}

/// An object that is read from a place on.
pub(crate) struct RemoteSource {
    object: Arc<RemoteObject>,
    /// Whether it can be read at any place.
    is_positioned: bool,
    /// The place at which it was opened.
    start: u64,
    /// The place of the next byte.
    at: u64,
    /// `None` if it has to be opened again.
    stream: Option<Stream>,
    /// The first bytes of the object, if they were all that was read.
    head: Vec<u8>,
}

impl RemoteSource {
    /// Opens an object at an offset.
    ///
    /// # Errors
    /// If there is no such object, or it cannot be read.
    pub(crate) fn open(running: &Arc<Running>, url: &BStr, offset: u64) -> io::Result<Self> {
        let new = |access, stream: Option<Stream>| {
            let (length, is_whole) = match access {
                Access::Parts(length) => (length, false),
                Access::Whole(length) => (length, true),
                Access::Order => (0, false),
            };
            // A stream from the start can become the kept object.
            let (start, stream) = if is_whole && offset == 0 { (stream, None) } else { (None, stream) };
            let (running, url) = (Arc::clone(running), url.to_owned());
            let object = RemoteObject { running, url, length, is_whole, start: Mutex::new(start) };
            let is_positioned = access != Access::Order;
            Self { object: Arc::new(object), is_positioned, start: offset, at: offset, stream, head: Vec::new() }
        };
        if let Some(length) = running.engine.positioned(url) {
            return Ok(new(Access::Parts(length), None));
        }
        if let Some(bytes) = running.wholes.get(url)
            && Compression::of(&bytes[..bytes.len().min(Compression::HEAD)]).is_none()
        {
            return Ok(new(Access::Whole(bytes.len() as u64), None));
        }
        if offset > 0 {
            let (mut stream, access) = Stream::open(running, url, 0, Some(Compression::HEAD as u64))?;
            if let Some(compression) = Compression::of(stream.head(running)?) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, compression.no_offset()));
            }
            if let Access::Whole(_) = access {
                return Ok(new(access, None));
            }
        }
        let (mut stream, mut access) = Stream::open(running, url, offset, None)?;
        if offset == 0 && Compression::of(stream.head(running)?).is_some() {
            // Compressed bytes cannot be read at any place.
            access = Access::Order;
        }
        if let Access::Parts(length) = access {
            running.engine.know_positioned(url, length);
        }
        Ok(new(access, Some(stream)))
    }

    /// The bytes from the next one on. An object that is sent only whole is kept if it is not read from its start.
    fn open_stream(&self) -> Result<Stream, Fault> {
        let Self { object, at, .. } = self;
        if *at == 0 {
            let begun = &mut *object.running.begun.lock();
            if let Some(Begun { head, mut stream, .. }) = begun.take_if(|begun| begun.url == object.url) {
                stream.piece = [head.as_slice(), &stream.piece].concat().into();
                return Ok(stream);
            }
            if let Some(stream) = object.take_start() {
                return Ok(stream);
            }
        }
        if self.at > 0 && self.object.is_whole {
            self.object.whole()?;
        }
        Ok(Stream::open(&self.object.running, self.object.url.as_ref(), self.at, None)?.0)
    }
}

impl Source for RemoteSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let stream = self.open_stream()?;
                self.stream.insert(stream)
            }
        };
        let count = stream.read_some(&self.object.running, buffer, limit)?;
        if self.at as usize == self.head.len() && self.head.len() + count <= LOOKED_AT {
            self.head.extend_from_slice(&buffer[buffer.len() - count..]);
        }
        self.at += count as u64;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.is_positioned.then(|| Arc::clone(&self.object) as Arc<dyn ReadAt>)
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let is_close = offset.checked_sub(self.at).is_some_and(|distance| distance <= PASSED_OVER);
        if is_close && let Some(stream) = &mut self.stream {
            self.at += stream.pass_over(&self.object.running, offset - self.at)?;
        }
        if offset != self.at {
            self.stop();
            self.at = offset;
        }
        Ok(())
    }

    fn restart(&mut self) -> kaldi_io::Result<bool> {
        self.stop();
        self.at = self.start;
        Ok(true)
    }

    fn finish(&mut self, _: bool) -> kaldi_io::Result<()> {
        self.stop();
        Ok(())
    }

    fn stop(&mut self) {
        let Some(stream) = self.stream.take() else { return };
        if self.is_positioned && !self.object.is_whole && self.at as usize == self.head.len() {
            let begun = Begun { url: self.object.url.clone(), head: std::mem::take(&mut self.head), stream };
            *self.object.running.begun.lock() = Some(begun);
        }
    }
}

impl Drop for RemoteSource {
    fn drop(&mut self) {
        self.stop();
    }
}

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Begun").finish_non_exhaustive()
    }
}

impl fmt::Debug for RemoteObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteObject").field("length", &self.length).finish_non_exhaustive()
    }
}

impl fmt::Debug for RemoteSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteSource").field("object", &self.object).field("at", &self.at).finish_non_exhaustive()
    }
}
