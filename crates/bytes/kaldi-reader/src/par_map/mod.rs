//! The ordered parallel map.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use crate::Reader;

mod engine;
mod shared;

use engine::{AnyParMap, ErasedParMap};

/// Bytes in flight, unless it is said.
const MAX_BYTES: usize = 64 << 20;

/// Applies `work` to the values of `reader` on up to `threads()` threads, in the reader's order.
///
/// The threads take turns in reading, so reading runs ahead of the work and needs no thread of its own. What is read and not yet delivered
/// is bounded: see [`ParMap::in_flight`]. With one thread, while the stream is short, or while the work is next to nothing, everything
/// happens on the caller's thread; `threads` is called only when that ends. With [`ParMap::with_caller`] that is so while
/// reading takes most of the time, too.
///
/// What it returns is its builder, too: [`ParMap::in_flight`], [`ParMap::with_caller`] and [`ParMap::eager`] come before the first value.
pub fn par_map<R, U, F>(reader: R, threads: impl Fn() -> usize + Send + 'static, work: F) -> ParMap<R, U>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    U: Send + 'static,
    F: Fn(R::Item) -> Result<U, R::Error> + Send + Sync + 'static,
{
    let work = move |value: Erased| match work(restored(value)) {
        Ok(result) => Ok(Box::new(result) as Erased),
        Err(error) => Err(Box::new(error) as Erased),
    };
    let mem_size: Weigh<R::Item> = Arc::new(Mutex::new(|_| size_of::<R::Item>()));
    let reader = Box::new(Sized { reader, mem_size: Arc::clone(&mem_size) });
    ParMap {
        inner: ErasedParMap::boxed(reader, Box::new(threads), MAX_BYTES, Arc::new(work)),
        mem_size,
        types: PhantomData,
    }
}

/// The reader that [`par_map`] makes.
///
/// It is generic at the edge only: behind it is one engine for values, results and errors of any type, one allocation each.
pub struct ParMap<R: Reader, U> {
    inner: Box<dyn AnyParMap>,
    mem_size: Weigh<R::Item>,
    types: PhantomData<fn(R) -> U>,
}

impl<R: Reader, U> ParMap<R, U> {
    /// Bounds the memory: at most `max_bytes`, as `weigh` counts them, are read and not yet delivered, or four values for each thread if
    /// that is more, up to 16 MB for each. Without it, these are 64 MB, and a value counts as many bytes as its type has, without what it
    /// points to.
    #[must_use]
    pub fn in_flight(mut self, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> Self {
        self.inner.bound(max_bytes);
        // The last one that is given counts.
        *self.mem_size.lock().unwrap_or_else(PoisonError::into_inner) = mem_size;
        self
    }

    /// Lets the caller's thread be one of the threads: it reads and works if the next result is not there. This is for
    /// readers that never wait, such as those of files. If a reader waits, the caller has to take the results that come
    /// in the meantime.
    #[must_use]
    pub fn with_caller(mut self) -> Self {
        self.inner.work_on_callers_thread();
        self
    }

    /// Starts the threads with the first value, for values that need much work each, such as whole files.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.inner.start_at_once();
        self
    }
}

impl<R, U> Reader for ParMap<R, U>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    U: Send + 'static,
{
    type Item = U;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<U>, R::Error> {
        match self.inner.next() {
            Ok(value) => Ok(value.map(restored)),
            Err(error) => Err(restored(error)),
        }
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.inner.restart().map_err(restored)
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.inner.finish().map_err(restored)
    }
}

/// A value, a result or an error of any type.
type Erased = Box<dyn Any + Send>;

/// Gets back what was erased. Both ends are in [`ParMap`].
fn restored<V: 'static>(erased: Erased) -> V {
    match erased.downcast() {
        Ok(value) => *value,
        Err(_) => unreachable!("a value has the type that its reader gave it"),
    }
}

/// A value and its weight.
struct SizedValue {
    value: Erased,
    weight: usize,
}

/// How values are weighed, which is known before the first of them.
type Weigh<T> = Arc<Mutex<fn(&T) -> usize>>;

/// A reader of erased values.
struct Sized<R: Reader> {
    reader: R,
    mem_size: Weigh<R::Item>,
}

impl<R> Reader for Sized<R>
where
    R: Reader + 'static,
    R::Item: Send,
    R::Error: Send,
{
    type Item = SizedValue;
    type Error = Erased;

    fn next(&mut self) -> Result<Option<SizedValue>, Erased> {
        match self.reader.next() {
            Ok(Some(value)) => {
                let mem_size = *self.mem_size.lock().unwrap_or_else(PoisonError::into_inner);
                let weight = mem_size(&value);
                Ok(Some(SizedValue { value: Box::new(value), weight }))
            }
            Ok(None) => Ok(None),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn restart(&mut self) -> Result<(), Erased> {
        self.reader.restart().map_err(|error| Box::new(error) as Erased)
    }

    fn finish(&mut self) -> Result<(), Erased> {
        self.reader.finish().map_err(|error| Box::new(error) as Erased)
    }
}

#[cfg(test)]
mod tests;
