//! The memory of batches, which later batches use again (an object pool).

use std::ops::Deref;
use std::sync::Arc;

use kaldi_io::sync::Mutex;

/// How many free vectors a pool keeps. Batches that wait are not free.
const MOST_FREE: usize = 4;

/// Vectors that no batch uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool(Arc<Mutex<Vec<Vec<f32>>>>);

impl Pool {
    /// An empty vector with memory for `capacity` numbers, which comes back when it is dropped.
    pub fn take(&self, capacity: usize) -> PooledVec {
        let mut numbers = self.0.lock().pop().unwrap_or_default();
        numbers.reserve_exact(capacity);
        PooledVec { numbers, pool: Some(self.clone()) }
    }
}

/// The numbers of a batch. When they are dropped, the feed writes a later batch into their memory: new memory would cost a page fault
/// for each 4096 bytes.
#[derive(Debug, Default)]
pub struct PooledVec {
    numbers: Vec<f32>,
    pool: Option<Pool>,
}

impl PooledVec {
    pub(crate) fn as_mut_vec(&mut self) -> &mut Vec<f32> {
        &mut self.numbers
    }
}

impl Drop for PooledVec {
    fn drop(&mut self) {
        let Some(pool) = &self.pool else { return };
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        let mut free = pool.0.lock();
        if free.len() < MOST_FREE {
            free.push(numbers);
        }
    }
}

impl Deref for PooledVec {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.numbers
    }
}

impl AsRef<[f32]> for PooledVec {
    fn as_ref(&self) -> &[f32] {
        self
    }
}

impl From<Vec<f32>> for PooledVec {
    fn from(numbers: Vec<f32>) -> Self {
        Self { numbers, pool: None }
    }
}

impl Clone for PooledVec {
    fn clone(&self) -> Self {
        self.numbers.clone().into()
    }
}

impl PartialEq for PooledVec {
    fn eq(&self, other: &Self) -> bool {
        self.numbers == other.numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_when_its_batch_is_gone() {
        let pool = Pool::default();
        let mut first = pool.take(100);
        first.as_mut_vec().extend([1.0; 100]);
        let place = first.as_ptr();
        let second = pool.take(100);
        assert_ne!(second.as_ptr(), place);
        drop(first);
        let third = pool.take(50);
        assert_eq!((third.as_ptr(), third.len()), (place, 0));
        assert!(pool.take(100).as_ptr() != place && pool.0.lock().len() == 1);
    }

    #[test]
    fn a_pool_does_not_grow_without_end() {
        let pool = Pool::default();
        drop((0..10).map(|_| pool.take(1)).collect::<Vec<_>>());
        assert_eq!(pool.0.lock().len(), MOST_FREE);
        drop(PooledVec::from(vec![1.0]));
        assert_eq!(*PooledVec::from(vec![1.0]).clone(), [1.0]);
    }
}
