//! The bytes of an object in order, with new tries after failures.

use std::io;
use std::sync::Arc;

use bytes::Bytes;

use crate::attempts::Attempts;
use crate::cached::Cached;
use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::metadata::{Body, ObjectMetadata, Part, Reply};

/// If a server does not send parts, an object may still be read from another place than its start, by skipping the
/// bytes before, if there are less than this.
const LEFT_OUT: u64 = 64 << 20;

/// Reads a part of an object. If the connection breaks, reading continues at the byte where it broke.
pub struct Reader {
    engine: Arc<Engine>,
    object: Object,
    attempts: Attempts,
    /// The facts from the first answer.
    metadata: ObjectMetadata,
    /// The place of the next byte.
    at: u64,
    /// After the last byte, if that is known.
    end: Option<u64>,
    /// Bytes of the answer to skip before the next byte.
    left_out: u64,
    from: Option<From>,
}

/// The source of the bytes.
enum From {
    Answer(Body),
    Cache(Box<Cached>),
}

impl Reader {
    /// Requests the part and waits for the start of the answer.
    ///
    /// # Errors
    /// If the object cannot be read.
    pub async fn open(engine: Arc<Engine>, object: Object, part: Part, attempts: Attempts) -> Result<Self, Fault> {
        let new = |metadata| Self {
            engine: Arc::clone(&engine),
            object: object.clone(),
            attempts: attempts.clone(),
            metadata,
            at: part.start,
            end: None,
            left_out: 0,
            from: None,
        };
        if let Some((metadata, cached)) = Cached::open(&engine, &object, &part, &attempts).await? {
            let mut reader = new(metadata);
            reader.extend(part.end);
            reader.from = Some(From::Cache(Box::new(cached)));
            return Ok(reader);
        }
        let Reply { metadata, start, body } = engine.get(&object, &part, &attempts).await?;
        let mut reader = new(metadata);
        reader.extend(part.end);
        reader.take_up(start, body)?;
        Ok(reader)
    }

    /// The facts that the server has sent about the object.
    pub fn metadata(&self) -> &ObjectMetadata {
        &self.metadata
    }

    /// Reads to `end` instead, or to the end of the object.
    pub fn extend(&mut self, end: Option<u64>) {
        self.end = match (end, self.metadata.length) {
            (Some(end), Some(length)) => Some(end.min(length)),
            (end, length) => end.or(length),
        };
    }

    /// Waits for the next bytes; `None` at the end.
    ///
    /// # Errors
    /// If the object cannot be read any further.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        loop {
            if self.end.is_some_and(|end| self.at >= end) {
                self.from = None;
                return Ok(None);
            }
            let Some(from) = &mut self.from else {
                self.ask_again().await?;
                continue;
            };
            let piece = match from {
                From::Answer(body) => self.engine.next_piece(body).await,
                From::Cache(cached) => cached.next(&self.engine).await,
            };
            let fault = match piece {
                Ok(Some(piece)) => match self.keep(piece) {
                    Some(piece) => return Ok(Some(piece)),
                    None => continue,
                },
                Ok(None) if self.end.is_none() => {
                    self.end = Some(self.at);
                    continue;
                }
                Ok(None) => {
                    let message = format!("the answer ends at byte {} instead of {}", self.at, self.end.unwrap_or(0));
                    Fault::passing(io::ErrorKind::UnexpectedEof, message)
                }
                Err(fault) => fault,
            };
            self.from = None;
            self.attempts.pause(fault).await?;
        }
    }

    /// The wanted bytes of a piece.
    fn keep(&mut self, mut piece: Bytes) -> Option<Bytes> {
        let left_out = usize::try_from(self.left_out).unwrap_or(usize::MAX).min(piece.len());
        self.left_out -= left_out as u64;
        let _ = piece.split_to(left_out);
        if let Some(end) = self.end {
            piece.truncate(usize::try_from(end - self.at).unwrap_or(usize::MAX));
        }
        if piece.is_empty() {
            return None;
        }
        self.at += piece.len() as u64;
        self.attempts.progress(piece.len());
        Some(piece)
    }

    /// Requests the missing bytes.
    async fn ask_again(&mut self) -> Result<(), Fault> {
        let part = Part { start: self.at, end: self.end };
        // This bypasses the cache, which needs whole blocks: with a server that breaks often, blocks would never be
        // complete.
        let Reply { metadata, start, body } = self.engine.get(&self.object, &part, &self.attempts).await?;
        if !self.metadata.agree(&metadata) {
            return Err(Fault::changed());
        }
        self.take_up(start, body)
    }

    fn take_up(&mut self, start: u64, body: Body) -> Result<(), Fault> {
        self.left_out = self.at - start;
        let is_small = self.metadata.length.is_some_and(|length| length < LEFT_OUT);
        if self.left_out > 0 && !is_small {
            return Err(Fault::new(
                io::ErrorKind::Unsupported,
                format!(
                    "the server sends the object only whole, and it is too long to leave out the {} bytes before; copy it to \
                     a file first (kaldi-store cp)",
                    self.at
                ),
            ));
        }
        if matches!(body, Body::Empty) && self.metadata.length.is_some_and(|length| length > self.at) {
            return Err(Fault::changed());
        }
        if matches!(body, Body::Empty) {
            self.end = Some(self.at);
        }
        self.from = Some(From::Answer(body));
        Ok(())
    }
}
