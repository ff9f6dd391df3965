//! Values that the tool will ask for soon, fetched before it does.
//!
//! The lines of a script file say where values begin, not how long they are. That is guessed from those that were read.
//! Neighbours are fetched with one request.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bstr::{BStr, BString};
use bytes::{Bytes, BytesMut};
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;

use crate::engine::{Engine, Object};
use crate::facts::Part;
use crate::fault::Fault;
use crate::reader::Reader;
use crate::recent::Recent;

/// Requests that are on their way at most, whatever the tool asks for.
const MOST: u64 = 256;

/// Bytes that a value is taken to have before one was read.
const FIRST_GUESS: u64 = 1 << 17;

/// The bounds of what a value is taken to have.
const GUESSES: std::ops::RangeInclusive<u64> = 1 << 14..=1 << 22;

/// Bytes between two values that are fetched with them rather than left out.
const GAP: u64 = 1 << 16;

/// Bytes of one request, where several values are fetched.
const BLOCK: u64 = 1 << 22;

/// Bytes that are kept at most.
const KEPT: u64 = 1 << 26;

/// What was fetched or is being fetched.
#[derive(Debug)]
pub struct Expected {
    blocks: Mutex<Blocks>,
    permits: Arc<Semaphore>,
    /// How many permits there are.
    at_once: AtomicU64,
}

#[derive(Debug, Default)]
struct Blocks {
    /// The oldest first.
    queue: VecDeque<Block>,
    bytes: u64,
    /// How long the values of an object are.
    guesses: Recent<BString, u64>,
    /// How long the values are, of whatever object.
    guess: Option<u64>,
}

/// A part of an object.
#[derive(Debug)]
struct Block {
    url: BString,
    start: u64,
    end: u64,
    /// Where the values in it begin, ascending.
    offsets: Vec<u64>,
    content: watch::Receiver<Content>,
    work: AbortHandle,
}

#[derive(Clone, Debug)]
enum Content {
    Coming,
    There(Bytes),
    /// It could not be fetched; who asks for it will be told why.
    Failed,
}

impl Drop for Block {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Expected {
    /// Nothing is expected yet.
    pub fn new() -> Self {
        Self { blocks: Mutex::default(), permits: Arc::new(Semaphore::new(0)), at_once: AtomicU64::new(0) }
    }

    /// Fetches the values that begin at these offsets, `at_once` of them side by side.
    pub fn expect(&self, engine: &Arc<Engine>, object: &Object, mut offsets: Vec<u64>, at_once: u64) {
        let at_once = at_once.clamp(1, MOST);
        let before = self.at_once.fetch_max(at_once, Ordering::Relaxed);
        self.permits.add_permits(at_once.saturating_sub(before) as usize);
        let mut blocks = self.blocks();
        let guess = blocks.guesses.get(&object.url).copied().or(blocks.guess).unwrap_or(FIRST_GUESS);
        offsets.retain(|&offset| blocks.find(object.url.as_ref(), offset).is_none());
        offsets.sort_unstable();
        offsets.dedup();
        let is_near = |one: &u64, next: &u64| next - one <= guess + GAP;
        for near in offsets.chunk_by(is_near) {
            let mut rest = near;
            while let Some(&start) = rest.first() {
                let (these, behind) = rest.split_at(rest.partition_point(|offset| offset - start < BLOCK));
                let end = these.last().unwrap_or(&start).saturating_add(guess);
                rest = behind;
                let content = self.fetch(engine, object, Part::from(start..end));
                blocks.push(Block {
                    url: object.url.clone(),
                    start,
                    end,
                    offsets: these.to_vec(),
                    content: content.0,
                    work: content.1,
                });
            }
        }
    }

    /// Bytes of the object from `offset` on, up to `length` of them where that is given; nothing where they are not expected, or
    /// cannot be fetched.
    pub async fn take(&self, url: &BStr, offset: u64, length: Option<u64>) -> Option<Bytes> {
        let (start, mut content) = {
            let mut blocks = self.blocks();
            let block = blocks.find(url, offset)?;
            let (start, content) = (block.start, block.content.clone());
            if let Some(length) = length {
                let value = block.offsets.iter().rev().find(|&&value| value <= offset).copied().unwrap_or(start);
                blocks.learn(url, offset.saturating_add(length) - value);
            }
            (start, content)
        };
        let content = content.wait_for(|content| !matches!(content, Content::Coming)).await.ok()?.clone();
        let Content::There(bytes) = content else { return None };
        let from = usize::try_from(offset - start).ok().filter(|from| *from < bytes.len())?;
        let length = length.and_then(|length| usize::try_from(length).ok());
        let to = length.and_then(|length| from.checked_add(length)).unwrap_or(usize::MAX);
        Some(bytes.slice(from..to.min(bytes.len())))
    }

    /// Takes note of the length of an object that is read whole.
    pub fn learn(&self, url: &BStr, length: Option<u64>) {
        if let Some(length) = length {
            self.blocks().learn(url, length);
        }
    }

    fn fetch(&self, engine: &Arc<Engine>, object: &Object, part: Part) -> (watch::Receiver<Content>, AbortHandle) {
        let (sender, receiver) = watch::channel(Content::Coming);
        let (engine, object, permits) = (Arc::clone(engine), object.clone(), Arc::clone(&self.permits));
        let work = tokio::spawn(async move {
            let _permit = permits.acquire_owned().await;
            let content = fetch(engine, object, part).await.map_or(Content::Failed, Content::There);
            let _ = sender.send(content);
        });
        (receiver, work.abort_handle())
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Blocks {
    fn find(&self, url: &BStr, offset: u64) -> Option<&Block> {
        let has = |block: &&Block| block.url == url && (block.start..block.end).contains(&offset);
        // A value that begins in a block may not end there: the block that it was expected in is a better one.
        let is_value = |block: &&Block| block.offsets.binary_search(&offset).is_ok();
        let mut having = self.queue.iter().rev().filter(has);
        having.clone().find(is_value).or_else(|| having.next())
    }

    fn push(&mut self, block: Block) {
        self.bytes += block.end - block.start;
        self.queue.push_back(block);
        while self.bytes > KEPT && self.queue.len() > 1 {
            let Some(oldest) = self.queue.pop_front() else { return };
            self.bytes -= oldest.end - oldest.start;
        }
    }

    /// Takes note of the length of a value: the longest of the last ones is the guess for the next.
    fn learn(&mut self, url: &BStr, length: u64) {
        let before = self.guesses.get(BStr::new(url)).copied().or(self.guess).unwrap_or(0);
        let guess = length.max(before - before / 16).clamp(*GUESSES.start(), *GUESSES.end());
        self.guesses.put(url.to_owned(), guess);
        self.guess = Some(guess);
    }
}

async fn fetch(engine: Arc<Engine>, object: Object, part: Part) -> Result<Bytes, Fault> {
    let whole = || Fault::other("the server sends the object only whole");
    if engine.known(&object).is_some_and(|facts| !facts.has_ranges) {
        return Err(whole());
    }
    let attempts = engine.attempts(&object);
    let mut reader = Reader::open(engine, object, part, attempts).await?;
    if !reader.facts().has_ranges {
        return Err(whole());
    }
    let mut bytes = BytesMut::new();
    while let Some(piece) = reader.next().await? {
        bytes.extend_from_slice(&piece);
    }
    Ok(bytes.freeze())
}
