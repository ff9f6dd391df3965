//! Reading ahead: several parts of an object are requested at once.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinHandle;

use crate::cache::BLOCK;
use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::metadata::{ObjectMetadata, Part};
use crate::reader::Reader;

/// The size of the first part. A reader of a few bytes should not request many more.
const FIRST: u64 = 1 << 20;

/// The size of each further part.
const FURTHER: u64 = 4 << 20;

/// Bytes that are read before further parts are requested.
const TASTE: u64 = 1 << 18;

/// The most parts that are requested at once.
const MOST: usize = 4;

/// Reads a part of an object in order, and requests the next bytes before they are needed.
pub struct Ahead {
    engine: Arc<Engine>,
    object: Object,
    metadata: ObjectMetadata,
    first: Option<Reader>,
    queue: VecDeque<Coming>,
    /// How many parts may be requested at once now.
    depth: usize,
    /// Bytes that were read.
    taken: u64,
    /// The start of the next part to request.
    next: u64,
    /// After the last byte.
    end: u64,
}

/// A part that was requested.
struct Coming {
    pieces: UnboundedReceiver<Result<Bytes, Fault>>,
    work: JoinHandle<()>,
}

impl Drop for Coming {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Ahead {
    /// Requests the part and waits for the start of the answer.
    ///
    /// # Errors
    /// If the object cannot be read.
    pub async fn open(engine: Arc<Engine>, object: Object, part: Part) -> Result<Self, Fault> {
        // Parts end at the ends of blocks of the cache, so that no block is in two of them.
        let first_end = (part.start / BLOCK * BLOCK).saturating_add(FIRST).min(part.end.unwrap_or(u64::MAX));
        let first = Part { start: part.start, end: Some(first_end) };
        let attempts = engine.attempts(&object);
        let mut first = Reader::open(Arc::clone(&engine), object.clone(), first, attempts).await?;
        let metadata = first.metadata().clone();
        let (mut next, mut end) = (first_end, 0);
        match metadata.length {
            Some(length) if metadata.has_ranges => end = part.end.map_or(length, |end| end.min(length)),
            // One answer has to be enough.
            _ => {
                first.extend(part.end);
                next = u64::MAX;
            }
        }
        next = next.max(part.start);
        Ok(Self { engine, object, metadata, first: Some(first), queue: VecDeque::new(), depth: 1, taken: 0, next, end })
    }

    /// What the server has said of the object.
    pub fn metadata(&self) -> &ObjectMetadata {
        &self.metadata
    }

    /// Waits for the next bytes; `None` at the end.
    ///
    /// # Errors
    /// If the object cannot be read any further.
    pub async fn next(&mut self) -> Result<Option<Bytes>, Fault> {
        if let Some(first) = &mut self.first {
            if let Some(piece) = first.next().await? {
                self.taken += piece.len() as u64;
                if self.taken >= TASTE {
                    self.ask_ahead();
                }
                return Ok(Some(piece));
            }
            self.first = None;
        }
        loop {
            self.ask_ahead();
            let Some(coming) = self.queue.front_mut() else { return Ok(None) };
            if let Some(piece) = coming.pieces.recv().await {
                return piece.map(Some);
            }
            self.queue.pop_front();
            self.depth = (self.depth + 1).min(MOST);
        }
    }

    fn ask_ahead(&mut self) {
        while self.queue.len() < self.depth && self.next < self.end {
            let end = self.next.saturating_add(FURTHER).min(self.end);
            let part = Part::from(self.next..end);
            self.next = end;
            let (sender, pieces) = unbounded_channel();
            let (engine, object) = (Arc::clone(&self.engine), self.object.clone());
            let attempts = engine.attempts(&object);
            let work = tokio::spawn(async move {
                let mut reader = match Reader::open(engine, object, part, attempts).await {
                    Ok(reader) => reader,
                    Err(fault) => return drop(sender.send(Err(fault))),
                };
                loop {
                    let (piece, is_last) = match reader.next().await {
                        Ok(Some(piece)) => (Ok(piece), false),
                        Ok(None) => return,
                        Err(fault) => (Err(fault), true),
                    };
                    if sender.send(piece).is_err() || is_last {
                        return;
                    }
                }
            });
            self.queue.push_back(Coming { pieces, work });
        }
    }
}
