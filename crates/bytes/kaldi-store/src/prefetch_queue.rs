//! The prefetch queue: values that will be read soon are fetched in advance.
//!
//! The lines of a script file have the starts of values, not their lengths. So each value is measured while its bytes
//! arrive, and is available as soon as it is complete. Neighbours come with one request.
//!
//! A request needs an end, since an answer that is broken off costs its connection. So the request has at most the
//! length of the last values that were read. The rest of the answer after the value is thrown away, or broken off if it
//! is long.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bstr::{BStr, BString};
use bytes::{Buf, Bytes, BytesMut};
use futures::stream;
use kaldi_io::sync::Mutex;
use kaldi_io::{Frame, FrameFn};
use tokio::sync::{Semaphore, watch};
use tokio::task::AbortHandle;

use crate::engine::{Engine, Object};
use crate::fault::Fault;
use crate::lru_map::LruMap;
use crate::metadata::Part;
use crate::reader::Reader;
use crate::whole_objects::{MOST as MOST_WHOLE, WholeObjectCache};

/// The most requests at the same time.
const MOST: u64 = 256;

/// Bytes to request before a value is known.
const FIRST_REACH: u64 = 1 << 17;

/// The bounds of the length to request for a value.
const REACHES: std::ops::RangeInclusive<u64> = 1 << 14..=1 << 22;

/// The last values of which it is known how much was read.
const REMEMBERED: usize = 64;

/// Bytes between two values that are fetched with them rather than left out.
const GAP: u64 = 1 << 16;

/// Bytes before a value that come with it: its key is read, too.
const BEFORE: u64 = 256;

/// Bytes between the starts of the first and the last value of a request.
const SPAN: u64 = 1 << 22;

/// The rest of an answer is thrown away if it is not longer than this.
const THROWN_AWAY: u64 = 1 << 18;

/// The most bytes that are kept.
const KEPT: u64 = 1 << 26;

/// A value that was not requested is kept until values were expected this many times again.
const PATIENCE: u64 = 8;

/// The values that were fetched or are being fetched.
#[derive(Debug)]
pub struct PrefetchQueue {
    values: Arc<Mutex<Values>>,
    permits: Arc<Semaphore>,
    /// The number of permits.
    at_once: AtomicU64,
    wholes: Arc<WholeObjectCache>,
}

#[derive(Debug, Default)]
struct Values {
    /// By the name of the object and the offset.
    objects: HashMap<BString, BTreeMap<u64, Value>>,
    /// The oldest first.
    order: VecDeque<(BString, u64)>,
    /// The bytes of all.
    bytes: u64,
    /// How many times values were expected.
    calls: u64,
    /// How many values were expected.
    number: u64,
    /// The length to request for the values of an object, and for those of an object of which none was read.
    reaches: LruMap<BString, Reach>,
    reach: Reach,
}

/// A value that was fetched or is being fetched.
#[derive(Debug)]
struct Value {
    /// Unlike that of any other value.
    number: u64,
    content: watch::Receiver<Content>,
    /// Ends with the last value of a request.
    _work: Arc<Work>,
    /// The number of its bytes, or of the requested ones.
    bytes: u64,
    /// The call in which it was expected.
    call: u64,
    was_taken: bool,
}

#[derive(Clone, Debug)]
enum Content {
    Coming,
    /// Bytes of the object from this offset on: some before the value, and the bytes of the value that have arrived.
    There(u64, Bytes),
}

#[derive(Debug)]
struct Work(AbortHandle);

impl Drop for Work {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The length to request for a value: the most that was read of one of the last values. For headers, that is little.
#[derive(Clone, Debug, Default)]
struct Reach {
    /// The numbers of the last values, and how much was read of each.
    read: VecDeque<(u64, u64)>,
}

impl Reach {
    fn length(&self) -> u64 {
        let most = self.read.iter().map(|(_, length)| *length).max().unwrap_or(0);
        // Until then, later values may be longer.
        let least = if self.read.len() < REMEMBERED { FIRST_REACH } else { 0 };
        most.max(least).clamp(*REACHES.start(), *REACHES.end())
    }

    /// Remembers that so much was read of the value of a number.
    fn learn(&mut self, number: u64, length: u64) {
        match self.read.iter_mut().rev().find(|(known, _)| *known == number) {
            Some((_, known)) => *known = length.max(*known),
            None => {
                if self.read.len() == REMEMBERED {
                    self.read.pop_front();
                }
                self.read.push_back((number, length));
            }
        }
    }
}

impl PrefetchQueue {
    /// Nothing is expected yet. Objects that are sent only whole go to `wholes`.
    pub fn new(wholes: Arc<WholeObjectCache>) -> Self {
        Self { wholes, values: Arc::default(), permits: Arc::new(Semaphore::new(0)), at_once: AtomicU64::new(0) }
    }

    /// Fetches the values at these offsets, with `at_once` parallel requests; `frame` finds their ends. Values for
    /// which there is no room are left out.
    pub fn expect(&self, engine: &Arc<Engine>, object: &Object, mut offsets: Vec<u64>, at_once: u64, frame: FrameFn) {
        let at_once = at_once.clamp(1, MOST);
        let before = self.at_once.fetch_max(at_once, Ordering::Relaxed);
        self.permits.add_permits(at_once.saturating_sub(before) as usize);
        let mut values = self.values.lock();
        values.calls += 1;
        let reach = values.reach(&object.url);
        offsets.sort_unstable();
        offsets.dedup();
        offsets.retain(|offset| !values.has(&object.url, *offset) && values.make_room(reach));
        for near in offsets.chunk_by(|one, next| next - one <= reach + GAP) {
            let mut rest = near;
            while let Some(&start) = rest.first() {
                let (these, later) = rest.split_at(rest.partition_point(|offset| offset - start < SPAN));
                rest = later;
                let (senders, receivers): (Vec<_>, Vec<_>) =
                    these.iter().map(|_| watch::channel(Content::Coming)).unzip();
                let wanted = these.iter().copied().zip(senders).collect();
                let (engine, object) = (Arc::clone(engine), object.clone());
                let (url, permits, all) = (object.url.clone(), Arc::clone(&self.permits), Arc::clone(&self.values));
                let wholes = Arc::clone(&self.wholes);
                let work = tokio::spawn(async move {
                    let _permit = permits.acquire_owned().await;
                    // A failure is reported to the reader of the value, which is then fetched once more.
                    let _ = fetch(engine, object, wanted, reach, frame, &all, &wholes).await;
                });
                let work = Arc::new(Work(work.abort_handle()));
                for (offset, content) in these.iter().zip(receivers) {
                    values.add(&url, *offset, content, &work, reach);
                }
            }
        }
    }

    /// Up to `length` bytes of the object from `offset` on, as many as have arrived with the value there; `None` if no
    /// value is expected there, or it cannot be fetched.
    pub async fn take(&self, url: &BStr, offset: u64, length: u64) -> Option<Bytes> {
        let mut content = {
            let mut values = self.values.lock();
            let (_, value) = values.near(url, offset)?;
            value.was_taken = true;
            value.content.clone()
        };
        let content = content.wait_for(|content| !matches!(content, Content::Coming)).await.ok()?.clone();
        let Content::There(start, bytes) = content else { return None };
        let from = usize::try_from(offset.checked_sub(start)?).ok().filter(|from| *from < bytes.len())?;
        let count = usize::try_from(length).unwrap_or(usize::MAX).min(bytes.len() - from);
        Some(bytes.slice(from..from + count))
    }

    /// Remembers that this many bytes from `offset` on were read, for the value there if there is one.
    pub fn learn(&self, url: &BStr, offset: u64, length: u64) {
        let mut values = self.values.lock();
        if let Some((place, value)) = values.near(url, offset) {
            let number = value.number;
            values.learn(url, number, offset.saturating_add(length).saturating_sub(place));
        }
    }
}

impl Values {
    fn reach(&self, url: &BString) -> u64 {
        self.reaches.get(url).unwrap_or(&self.reach).length()
    }

    fn has(&self, url: &BString, offset: u64) -> bool {
        self.objects.get(url).is_some_and(|values| values.contains_key(&offset))
    }

    /// The value (or its key) that contains the bytes at `offset`, and its start.
    fn near(&mut self, url: &BStr, offset: u64) -> Option<(u64, &mut Value)> {
        let (&place, value) = self.objects.get_mut(url)?.range_mut(..=offset.saturating_add(BEFORE)).next_back()?;
        (offset.saturating_sub(place) <= *REACHES.end()).then_some((place, value))
    }

    /// Makes room for one more value, by dropping values that are not needed any more; returns whether there is room.
    fn make_room(&mut self, bytes: u64) -> bool {
        while self.bytes + bytes > KEPT {
            let Some((url, offset)) = self.order.front() else { return true };
            let Some(values) = self.objects.get_mut(url) else { return false };
            if values.get(offset).is_some_and(|value| !value.was_taken && self.calls < value.call + PATIENCE) {
                return false;
            }
            self.bytes -= values.remove(offset).map_or(0, |value| value.bytes);
            if values.is_empty() {
                self.objects.remove(url);
            }
            self.order.pop_front();
        }
        self.bytes += bytes;
        true
    }

    /// Adds a value for which there is room.
    fn add(&mut self, url: &BString, offset: u64, content: watch::Receiver<Content>, work: &Arc<Work>, bytes: u64) {
        self.number += 1;
        let value =
            Value { number: self.number, content, _work: Arc::clone(work), bytes, call: self.calls, was_taken: false };
        self.objects.entry(url.clone()).or_default().insert(offset, value);
        self.order.push_back((url.clone(), offset));
    }

    /// Remembers the number of bytes of a value that has arrived.
    fn weigh(&mut self, url: &BStr, offset: u64, bytes: u64) {
        if let Some(value) = self.objects.get_mut(url).and_then(|values| values.get_mut(&offset)) {
            self.bytes = self.bytes + bytes - value.bytes;
            value.bytes = bytes;
        }
    }

    fn learn(&mut self, url: &BStr, number: u64, length: u64) {
        if self.reaches.get(url).is_none() {
            self.reaches.put(url.to_owned(), self.reach.clone());
        }
        if let Some(reach) = self.reaches.get_mut(url) {
            reach.learn(number, length);
            self.reach.clone_from(reach);
        }
    }
}

/// Fetches values, whose offsets ascend, with one request.
async fn fetch(
    engine: Arc<Engine>,
    object: Object,
    wanted: Vec<(u64, watch::Sender<Content>)>,
    reach: u64,
    frame: FrameFn,
    values: &Mutex<Values>,
    wholes: &WholeObjectCache,
) -> Result<(), Fault> {
    let (Some((first, _)), Some((last, _))) = (wanted.first(), wanted.last()) else { return Ok(()) };
    let part = Part::from(first.saturating_sub(BEFORE)..last.saturating_add(reach));
    let url = object.url.clone();
    let Some(mut arriving) = Arriving::open(engine, object, part, wholes).await? else { return Ok(()) };
    for (offset, sender) in wanted {
        arriving.skip_to(offset.saturating_sub(BEFORE)).await?;
        let length = arriving.value(offset, frame).await?;
        let before = (offset - arriving.start) as usize;
        let content = Bytes::copy_from_slice(&arriving.bytes[..before + length]);
        values.lock().weigh(url.as_ref(), offset, content.len() as u64);
        // There may be no reader for it any more.
        let _ = sender.send(Content::There(arriving.start, content));
    }
    arriving.close().await
}

/// Bytes of an object that have arrived, from a place on.
struct Arriving {
    reader: Reader,
    /// The length of the object.
    length: u64,
    /// The end of the answer.
    end: u64,
    /// Whether blocks of the object are kept; then whole blocks are fetched.
    keeps_blocks: bool,
    /// The offset of the first byte.
    start: u64,
    bytes: BytesMut,
}

impl Arriving {
    /// Requests a part. If the server sends all of a short object, that is kept instead.
    async fn open(
        engine: Arc<Engine>,
        object: Object,
        mut part: Part,
        wholes: &WholeObjectCache,
    ) -> Result<Option<Self>, Fault> {
        // Before it is known that parts are sent, an object is requested once at a time.
        let turn = match engine.known(&object) {
            Some(metadata) if metadata.has_ranges => None,
            _ => Some(wholes.turn(object.url.as_ref()).await),
        };
        if let Some(known) = engine.known(&object).filter(|metadata| !metadata.has_ranges) {
            if known.length.is_none_or(|length| length > MOST_WHOLE) || wholes.get(object.url.as_ref()).is_some() {
                return Ok(None);
            }
            part.start = 0;
        }
        let attempts = engine.attempts(&object);
        let keeps_blocks = engine.cache.is_some();
        let (start, end) = (part.start, part.end.unwrap_or(u64::MAX));
        let url = object.url.clone();
        let mut reader = Reader::open(engine, object, part, attempts).await?;
        let length = reader.metadata().length.ok_or_else(|| Fault::other("the length of the object is not known"))?;
        if !reader.metadata().has_ranges {
            if start == 0 && length <= MOST_WHOLE {
                reader.extend(None);
                let pieces = stream::try_unfold(reader, |mut reader| async move {
                    Ok(reader.next().await?.map(|piece| (piece, reader)))
                });
                wholes.fetch(url.as_ref(), length, pieces).await?;
            }
            return Ok(None);
        }
        drop(turn);
        Ok(Some(Self { reader, length, end: end.min(length), keeps_blocks, start, bytes: BytesMut::new() }))
    }

    /// The place of the next byte to arrive.
    fn next(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }

    /// Forgets what is before an offset.
    async fn skip_to(&mut self, offset: u64) -> Result<(), Fault> {
        while self.start < offset {
            if self.bytes.is_empty() && !self.grow().await? {
                return Err(Fault::other("the object ends before the value"));
            }
            let count = usize::try_from(offset - self.start).unwrap_or(usize::MAX).min(self.bytes.len());
            self.bytes.advance(count);
            self.start += count as u64;
        }
        Ok(())
    }

    /// Waits until the value at `offset` is complete, or the answer ends; returns the length that has arrived.
    async fn value(&mut self, offset: u64, frame: FrameFn) -> Result<usize, Fault> {
        let before = (offset - self.start) as usize;
        loop {
            let value = self.bytes.get(before..).unwrap_or_default();
            let length = value.len() as u64;
            let wanted = match frame(value, self.next() >= self.length) {
                Ok(Frame::Whole(length)) => return Ok(length),
                Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => wanted,
                Ok(Frame::Rest) => u64::MAX,
                // The reader of the value will report what is wrong with it.
                Err(_) => return Ok(value.len()),
            };
            // Measuring starts again each time, so a long value must grow by a share of its length before that.
            let wanted = offset.saturating_add(wanted.max(length + length / 4 + 1));
            while self.next() < wanted {
                if !self.grow().await? {
                    return Ok(self.bytes.len().saturating_sub(before));
                }
            }
        }
    }

    /// Waits for the next bytes; returns whether there were any.
    async fn grow(&mut self) -> Result<bool, Fault> {
        match self.reader.next().await? {
            Some(piece) => {
                self.bytes.extend_from_slice(&piece);
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Throws the rest of the answer away, so that its connection can be used again, and blocks of the cache become
    /// complete.
    async fn close(mut self) -> Result<(), Fault> {
        if self.keeps_blocks || self.end.saturating_sub(self.next()) <= THROWN_AWAY {
            while self.reader.next().await?.is_some() {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_much_is_asked_for_as_was_read_of_the_last_values_at_most() {
        let mut reach = Reach::default();
        assert_eq!(reach.length(), FIRST_REACH);
        (0..80).for_each(|place| reach.learn(place, 1000));
        assert_eq!(reach.length(), *REACHES.start());
        // A header first, and then the rest of the value; headers of many others.
        reach.learn(100, 1000);
        reach.learn(100, 80_014);
        (101..164).for_each(|place| reach.learn(place, 1000));
        assert_eq!(reach.length(), 80_014);
        reach.learn(164, 1000);
        assert_eq!(reach.length(), *REACHES.start());
        reach.learn(165, u64::MAX);
        assert_eq!(reach.length(), *REACHES.end());
    }
}
