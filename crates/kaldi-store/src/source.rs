//! Reading objects.

use std::fmt;
use std::io;
use std::sync::Arc;

use bstr::{BStr, BString};
use bytes::{Buf, Bytes};
use kaldi_io::{Compression, ReadAt, Source, fallible};

use crate::ahead::Ahead;
use crate::engine::Object;
use crate::facts::Part;
use crate::fault::Fault;
use crate::running::Running;

/// The bytes of a part of an object, in order.
struct Stream {
    running: Arc<Running>,
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

impl Stream {
    /// Requests the part, or takes what was fetched in advance. Also returns the length of the object, if that is known
    /// and the object can be read at any place.
    fn open(
        running: &Arc<Running>,
        url: &BStr,
        offset: u64,
        length: Option<u64>,
    ) -> Result<(Self, Option<u64>), Fault> {
        let object = Object::parse(url)?;
        let part = Part { start: offset, end: length.map(|length| offset.saturating_add(length)) };
        let (piece, rest, facts) = running.wait(async {
            let engine = &running.engine;
            let mut part = part;
            if let Some(piece) = running.expected.take(url, part.start, length.unwrap_or(u64::MAX)).await
                && let Some(facts) = engine.known(&object)
            {
                part.end = part.end.or(facts.length);
                part.start += piece.len() as u64;
                let is_all = part.end.is_some_and(|end| part.start >= end);
                return Ok((piece, if is_all { Rest::Nothing } else { Rest::Later(object, part) }, facts));
            }
            if part.end.is_none() && engine.cache.is_some() {
                // Each stream checks once whether the cached bytes are still right.
                engine.check(&object, &engine.attempts(&object)).await?;
            }
            let ahead = Ahead::open(Arc::clone(engine), object, part).await?;
            let facts = ahead.facts().clone();
            Ok((Bytes::new(), Rest::Coming(Box::new(ahead)), facts))
        })?;
        let length = facts.length.filter(|_| facts.has_ranges);
        Ok((Self { running: Arc::clone(running), piece, rest }, length))
    }

    /// The first bytes, which show whether the object is compressed; this does not consume them.
    fn head(&mut self) -> Result<&[u8], Fault> {
        while self.piece.len() < Compression::HEAD
            && let Some(more) = self.running.wait(self.rest.next(&self.running))?
        {
            self.piece = [&*self.piece, &*more].concat().into();
        }
        Ok(&self.piece[..self.piece.len().min(Compression::HEAD)])
    }

    /// Waits for a piece unless there is one; returns false at the end.
    fn fill(&mut self) -> Result<bool, Fault> {
        if self.piece.is_empty()
            && let Some(piece) = self.running.wait(self.rest.next(&self.running))?
        {
            self.piece = piece;
        }
        Ok(!self.piece.is_empty())
    }

    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        if limit == 0 || !self.fill()? {
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
        self.running.expected.learn(self.url.as_ref(), offset, length as u64);
        let (mut stream, _) = Stream::open(&self.running, self.url.as_ref(), offset, Some(length as u64))?;
        let mut missing = length;
        while missing > 0 {
            match stream.read_some(buffer, missing)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => missing -= count,
            }
        }
        Ok(())
    }

    fn read_some_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<usize> {
        let expected = &self.running.expected;
        let taken = expected.take(self.url.as_ref(), offset, length as u64);
        let Some(bytes) = self.running.handle.block_on(taken) else {
            self.read_at(offset, buffer, length)?;
            return Ok(length);
        };
        expected.learn(self.url.as_ref(), offset, bytes.len() as u64);
        fallible(|| buffer.try_reserve(bytes.len())).map_err(|_| io::ErrorKind::OutOfMemory)?;
        buffer.extend_from_slice(&bytes);
        Ok(bytes.len())
    }
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
}

impl RemoteSource {
    /// Opens an object at an offset.
    ///
    /// # Errors
    /// If there is no such object, or it cannot be read.
    pub(crate) fn open(running: &Arc<Running>, url: &BStr, offset: u64) -> io::Result<Self> {
        let new = |length: Option<u64>, stream| Self {
            object: Arc::new(RemoteObject {
                running: Arc::clone(running),
                url: url.to_owned(),
                length: length.unwrap_or(0),
            }),
            is_positioned: length.is_some(),
            start: offset,
            at: offset,
            stream,
        };
        if let Some(length) = running.engine.positioned(url) {
            return Ok(new(Some(length), None));
        }
        if offset > 0 {
            let (mut stream, _) = Stream::open(running, url, 0, Some(Compression::HEAD as u64))?;
            if let Some(compression) = Compression::of(stream.head()?) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, compression.no_offset()));
            }
        }
        let (mut stream, mut length) = Stream::open(running, url, offset, None)?;
        if offset == 0 {
            // Compressed bytes cannot be read at any place.
            let compression = Compression::of(stream.head()?);
            length = length.filter(|_| compression.is_none());
        }
        if let Some(length) = length {
            running.engine.know_positioned(url, length);
        }
        Ok(new(length, Some(stream)))
    }
}

impl Source for RemoteSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let (stream, _) = Stream::open(&self.object.running, self.object.url.as_ref(), self.at, None)?;
                self.stream.insert(stream)
            }
        };
        let count = stream.read_some(buffer, limit)?;
        self.at += count as u64;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.is_positioned.then(|| Arc::clone(&self.object) as Arc<dyn ReadAt>)
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
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
        self.stream = None;
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
