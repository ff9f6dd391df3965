//! Bytes of an object from the cache, or from its server if they are not there.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};

use crate::attempts::Attempts;
use crate::cache::{BLOCK, Cache, Identity};
use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::metadata::{Body, ObjectMetadata, Part, Reply};

/// A part of an object whose blocks are kept.
pub struct Cached {
    cache: Arc<Cache>,
    object: Object,
    identity: Identity,
    attempts: Attempts,
    /// The length of the object.
    length: u64,
    /// The place of the next byte.
    at: u64,
    /// After the last byte.
    end: u64,
    coming: Option<Coming>,
}

/// An answer of the server, from the start of a block on.
struct Coming {
    body: Body,
    /// The place of its next byte.
    at: u64,
    /// After its last byte: at the end of a block, or of the object.
    end: u64,
    /// The start of the block that is arriving.
    block: BytesMut,
}

impl Cached {
    /// Opens a part of an object; `None` if it cannot be kept.
    ///
    /// # Errors
    /// If there is no such object.
    pub async fn open(
        engine: &Engine,
        object: &Object,
        part: &Part,
        attempts: &Attempts,
    ) -> Result<Option<(ObjectMetadata, Self)>, Fault> {
        let Some(cache) = &engine.cache else { return Ok(None) };
        let metadata = match engine.known(object) {
            Some(metadata) => metadata,
            None => engine.check(object, attempts).await?,
        };
        let identity = Identity::of(object.address().as_bytes(), &metadata);
        let (Some(identity), Some(length)) = (identity, metadata.length) else { return Ok(None) };
        let cached = Self {
            cache: Arc::clone(cache),
            object: object.clone(),
            identity,
            attempts: attempts.clone(),
            length,
            at: part.start,
            end: part.end.map_or(length, |end| end.min(length)),
            coming: None,
        };
        Ok(Some((metadata, cached)))
    }

    /// Waits for the next bytes; `None` at the end.
    ///
    /// # Errors
    /// If they cannot be fetched.
    pub async fn next(&mut self, engine: &Engine) -> Result<Option<Bytes>, Fault> {
        while self.at < self.end {
            let Some(coming) = &mut self.coming else {
                let block = self.at / BLOCK;
                let length = (self.length - block * BLOCK).min(BLOCK);
                match self.cache.load(&self.identity, block, length as usize) {
                    Some(bytes) => return Ok(self.give(block * BLOCK, &bytes)),
                    None => self.coming = Some(self.ask(engine).await?),
                }
                continue;
            };
            let Some(mut piece) = engine.next_piece(&mut coming.body).await? else { return Ok(None) };
            piece.truncate(usize::try_from(coming.end - coming.at).unwrap_or(usize::MAX));
            let start = coming.at;
            coming.at += piece.len() as u64;
            let full = coming.full_blocks(&piece);
            if coming.at == coming.end {
                self.coming = None;
            }
            for (block, bytes) in full {
                self.cache.keep(&self.identity, block, bytes).await;
            }
            if let Some(piece) = self.give(start, &piece) {
                return Ok(Some(piece));
            }
        }
        Ok(None)
    }

    /// Requests the missing blocks from the next byte on.
    async fn ask(&mut self, engine: &Engine) -> Result<Coming, Fault> {
        let first = self.at / BLOCK;
        let mut behind = first + 1;
        while behind * BLOCK < self.end && !self.cache.has(&self.identity, behind) {
            behind += 1;
        }
        let part = Part::from(first * BLOCK..(behind * BLOCK).min(self.length));
        let Reply { start, body, .. } = engine.get(&self.object, &part, &self.attempts).await?;
        if start != part.start {
            return Err(Fault::changed());
        }
        Ok(Coming { body, at: start, end: part.end.unwrap_or(self.length), block: BytesMut::new() })
    }

    /// The requested bytes of those that start at `start`.
    fn give(&mut self, start: u64, bytes: &Bytes) -> Option<Bytes> {
        let place = |at: u64| usize::try_from(at.saturating_sub(start)).unwrap_or(usize::MAX).min(bytes.len());
        let given = bytes.slice(place(self.at)..place(self.end));
        self.at += given.len() as u64;
        (!given.is_empty()).then_some(given)
    }
}

impl Coming {
    /// Adds a piece that ends at the place of the next byte; returns the blocks that it completes.
    fn full_blocks(&mut self, mut piece: &[u8]) -> Vec<(u64, Bytes)> {
        let mut at = self.at - piece.len() as u64;
        let mut full = Vec::new();
        while !piece.is_empty() {
            let block_end = (at / BLOCK + 1) * BLOCK;
            let count = usize::try_from(block_end.min(self.end) - at).unwrap_or(usize::MAX).min(piece.len());
            self.block.extend_from_slice(&piece[..count]);
            piece = &piece[count..];
            at += count as u64;
            if at == block_end || at == self.end {
                full.push(((at - 1) / BLOCK, self.block.split().freeze()));
            }
        }
        full
    }
}
