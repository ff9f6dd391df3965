//! A cache of whole objects, for servers without range requests.
//!
//! A value of such an object would cost all bytes before it. So a short object is fetched once, and kept while there is
//! room.

use std::collections::{HashSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;

use bstr::{BStr, BString};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use kaldi_io::log::warning;
use kaldi_io::sync::Mutex;
use tokio::sync::{OwnedMutexGuard, Semaphore};

use crate::fault::Fault;
use crate::lru_map::LruMap;

/// The most bytes that are kept, and the most that are being fetched. A longer object is not kept.
pub const MOST: u64 = 64 << 20;

/// The objects that are kept.
#[derive(Debug)]
pub struct WholeObjectCache {
    kept: Mutex<Kept>,
    /// One for each byte that may be on its way.
    room: Semaphore,
}

#[derive(Debug, Default)]
struct Kept {
    /// The one that was used last is at the end.
    objects: VecDeque<(BString, Bytes)>,
    bytes: u64,
    /// For each object, so that it is fetched by one reader at a time.
    turns: LruMap<BString, Arc<tokio::sync::Mutex<()>>>,
    /// All that were ever kept.
    seen: HashSet<BString>,
    has_warned: bool,
}

impl WholeObjectCache {
    /// Nothing is kept yet.
    pub fn new() -> Self {
        Self { kept: Mutex::default(), room: Semaphore::new(MOST as usize) }
    }

    /// The bytes of an object, if they are kept.
    pub fn get(&self, url: &BStr) -> Option<Bytes> {
        let mut kept = self.kept.lock();
        let index = kept.objects.iter().position(|(name, _)| name == url)?;
        let object = kept.objects.remove(index)?;
        let bytes = object.1.clone();
        kept.objects.push_back(object);
        Some(bytes)
    }

    /// Waits until no other reader fetches the object.
    pub async fn turn(&self, url: &BStr) -> OwnedMutexGuard<()> {
        let turn = {
            let mut kept = self.kept.lock();
            let turn = kept.turns.get(&url.to_owned()).cloned().unwrap_or_default();
            kept.turns.put(url.to_owned(), Arc::clone(&turn));
            turn
        };
        turn.lock_owned().await
    }

    /// Fetches an object of `length` bytes, whose pieces these are, and keeps it.
    ///
    /// # Errors
    /// Those of the pieces, and if there is no memory.
    pub async fn fetch(
        &self,
        url: &BStr,
        length: u64,
        pieces: impl Stream<Item = Result<Bytes, Fault>>,
    ) -> Result<Bytes, Fault> {
        let permits = u32::try_from(length.min(MOST)).unwrap_or(u32::MAX);
        let _room = self.room.acquire_many(permits).await;
        let mut bytes = Vec::new();
        let mut pieces = pin!(pieces);
        while let Some(piece) = pieces.next().await.transpose()? {
            let reserved = kaldi_io::fallible(|| bytes.try_reserve(piece.len()));
            reserved.map_err(|_| Fault::new(std::io::ErrorKind::OutOfMemory, "there is no memory for the object"))?;
            bytes.extend_from_slice(&piece);
        }
        let bytes = Bytes::from(bytes);
        self.keep(url, &bytes);
        Ok(bytes)
    }

    fn keep(&self, url: &BStr, bytes: &Bytes) {
        let mut kept = self.kept.lock();
        while kept.bytes + bytes.len() as u64 > MOST {
            let Some((_, old)) = kept.objects.pop_front() else { return };
            kept.bytes -= old.len() as u64;
        }
        kept.bytes += bytes.len() as u64;
        kept.objects.push_back((url.to_owned(), bytes.clone()));
        if !kept.seen.insert(url.to_owned()) && !std::mem::replace(&mut kept.has_warned, true) {
            let url = String::from_utf8_lossy(&kaldi_io::log::hide_secrets(url)).into_owned();
            warning!(
                "{url} is fetched again, since its server sends objects only whole and only 64 MB of them are kept; \
                 copy it to a file first (kaldi-store cp {url} FILE), or read it in order"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_objects_that_were_used_last_are_kept() {
        let wholes = WholeObjectCache::new();
        let bytes = Bytes::from(vec![0; MOST as usize / 2]);
        for name in ["a", "b"] {
            wholes.keep(name.into(), &bytes);
        }
        assert!(wholes.get("a".into()).is_some());
        wholes.keep("c".into(), &bytes);
        let kept = ["a", "b", "c"].map(|name| wholes.get(name.into()).is_some());
        assert_eq!(kept, [true, false, true]);
    }
}
