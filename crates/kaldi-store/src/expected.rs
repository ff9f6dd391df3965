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

/// Values that are remembered.
const MEMORY: u32 = 256;

/// The bounds of what a value is taken to have.
const GUESSES: std::ops::RangeInclusive<u64> = 1 << 14..=1 << 22;

/// Bytes between two values that are fetched with them rather than left out.
const GAP: u64 = 1 << 16;

/// Bytes before a value that come with it: the tools read its key, too.
const BEFORE: u64 = 256;

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
    guesses: Recent<BString, Guess>,
    /// How long the values are, of whatever object.
    guess: Guess,
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

/// How long values are: a little more than the longest of the last ones. A byte that lacks takes another request, which costs
/// more than many that nobody needs.
#[derive(Clone, Debug)]
struct Guess {
    /// The longest of the last [`MEMORY`] and of those before.
    longest: [u64; 2],
    /// How many the last ones are.
    count: u32,
}

impl Default for Guess {
    fn default() -> Self {
        Self { longest: [0, FIRST_GUESS], count: 0 }
    }
}

impl Guess {
    fn learn(&mut self, length: u64) {
        if self.count == MEMORY {
            *self = Self { longest: [0, self.longest[0]], count: 0 };
        }
        self.longest[0] = self.longest[0].max(length);
        self.count += 1;
    }

    fn length(&self) -> u64 {
        let longest = self.longest[0].max(self.longest[1]);
        longest.saturating_add(longest / 16).clamp(*GUESSES.start(), *GUESSES.end())
    }
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
        let guess = blocks.guesses.get(&object.url).unwrap_or(&blocks.guess).length();
        // A value that begins in another one's block may not end there.
        offsets.retain(|offset| !blocks.has_value(&object.url, *offset));
        offsets.sort_unstable();
        offsets.dedup();
        let is_near = |one: &u64, next: &u64| next - one <= guess + GAP;
        for near in offsets.chunk_by(is_near) {
            let mut rest = near;
            while let Some(&start) = rest.first() {
                let (these, behind) = rest.split_at(rest.partition_point(|offset| offset - start < BLOCK));
                let end = these.last().unwrap_or(&start).saturating_add(guess);
                rest = behind;
                let start = start.saturating_sub(BEFORE);
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
            if let (Some(length), Some(value)) = (length, blocks.value_at(url, offset)) {
                blocks.learn(url, offset.saturating_add(length) - value.min(offset));
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
        let is_value = |block: &&Block| {
            let next = block.offsets.partition_point(|value| *value < offset);
            block.offsets.get(next).is_some_and(|value| value - offset <= BEFORE)
        };
        let mut having = self.queue.iter().rev().filter(has);
        having.clone().find(is_value).or_else(|| having.next())
    }

    fn has_value(&self, url: &BString, offset: u64) -> bool {
        self.queue.iter().any(|block| block.url == *url && block.offsets.binary_search(&offset).is_ok())
    }

    /// Where the value begins that a read from `offset` on is of, or of its key.
    fn value_at(&self, url: &BStr, offset: u64) -> Option<u64> {
        let before = |block: &Block| {
            let behind = block.offsets.partition_point(|value| *value <= offset + BEFORE);
            behind.checked_sub(1).map(|index| block.offsets[index])
        };
        let value = self.queue.iter().filter(|block| block.url == url).filter_map(before).max()?;
        // Its own value may have been forgotten.
        (offset.saturating_sub(value) <= self.guesses.get(url).unwrap_or(&self.guess).length()).then_some(value)
    }

    fn push(&mut self, block: Block) {
        self.bytes += block.end - block.start;
        self.queue.push_back(block);
        while self.bytes > KEPT && self.queue.len() > 1 {
            let Some(oldest) = self.queue.pop_front() else { return };
            self.bytes -= oldest.end - oldest.start;
        }
    }

    /// Takes note of the length of a value, or of a part of one.
    fn learn(&mut self, url: &BStr, length: u64) {
        let mut guess = self.guesses.get(BStr::new(url)).unwrap_or(&self.guess).clone();
        guess.learn(length);
        self.guess = guess.clone();
        self.guesses.put(url.to_owned(), guess);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guess_is_the_longest_of_the_last_ones_and_a_little_more() {
        let mut guess = Guess::default();
        assert_eq!(guess.length(), FIRST_GUESS + FIRST_GUESS / 16);
        guess.learn(160_000);
        (0..2 * MEMORY).for_each(|_| guess.learn(1000));
        assert_eq!(guess.length(), *GUESSES.start());
        guess.learn(160_000);
        (0..MEMORY).for_each(|_| guess.learn(1000));
        assert_eq!(guess.length(), 170_000);
        guess.learn(u64::MAX);
        assert_eq!(guess.length(), *GUESSES.end());
    }
}
