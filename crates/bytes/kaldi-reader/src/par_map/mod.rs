//! The ordered parallel map.

use std::any::Any;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::Reader;

mod engine;
mod shared;

use engine::{AnyParMap, ErasedParMap, MemSize};

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
    let bound = (MAX_BYTES, erased_size::<R::Item>(|_| size_of::<R::Item>()));
    let inner = ErasedParMap::boxed(Box::new(ErasedReader(reader)), Box::new(threads), bound, Arc::new(work));
    ParMap { inner, types: PhantomData }
}

/// The reader that [`par_map`] makes.
///
/// It is generic at the edge only: behind it is one engine for values, results and errors of any type, one allocation each.
pub struct ParMap<R: Reader, U> {
    inner: Box<dyn AnyParMap>,
    types: PhantomData<fn(R) -> U>,
}

impl<R: Reader + 'static, U> ParMap<R, U> {
    /// Bounds the memory: at most `max_bytes`, as `mem_size` counts them, are read and not yet delivered, or four values for each thread if
    /// that is more, up to 16 MB for each. Without it, these are 64 MB, and a value counts as many bytes as its type has, without what it
    /// points to.
    #[must_use]
    pub fn in_flight(mut self, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> Self {
        self.inner.bound(max_bytes, erased_size(mem_size));
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

/// The memory of values, of erased ones.
fn erased_size<V: 'static>(mem_size: fn(&V) -> usize) -> Arc<MemSize> {
    Arc::new(move |value: &Erased| (**value).downcast_ref().map_or(0, mem_size))
}

/// A reader of erased values.
struct ErasedReader<R>(R);

impl<R> Reader for ErasedReader<R>
where
    R: Reader + 'static,
    R::Item: Send,
    R::Error: Send,
{
    type Item = Erased;
    type Error = Erased;

    fn next(&mut self) -> Result<Option<Erased>, Erased> {
        match self.0.next() {
            Ok(value) => Ok(value.map(|value| Box::new(value) as Erased)),
            Err(error) => Err(Box::new(error)),
        }
    }

    fn restart(&mut self) -> Result<(), Erased> {
        self.0.restart().map_err(|error| Box::new(error) as Erased)
    }

    fn finish(&mut self) -> Result<(), Erased> {
        self.0.finish().map_err(|error| Box::new(error) as Erased)
    }
}

#[cfg(test)]
mod tests;
