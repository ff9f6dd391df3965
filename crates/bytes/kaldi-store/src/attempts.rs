//! Repeated tries.

use std::hash::{BuildHasher, RandomState};
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use kaldi_io::log::vlog;

use crate::fault::{Again, Fault};
use crate::settings::Settings;

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause, unless the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// Bytes after which all failures are forgotten.
const PROGRESS: u64 = 4096;

/// A server that breaks off after a few bytes each time is tried so many times as often as one that sends none.
const STUTTERS: u32 = 10;

/// The tries of one stream.
#[derive(Clone, Debug)]
pub struct Attempts {
    settings: Settings,
    /// The name of the object, for the log.
    name: Arc<str>,
    /// Failures since the last progress.
    failures: Arc<AtomicU32>,
    /// Bytes that have arrived since the last failure.
    bytes: Arc<AtomicU64>,
    /// Failures after a few bytes.
    stutters: Arc<AtomicU32>,
}

impl Attempts {
    /// The tries of a stream of the object with the name `name` in messages.
    pub fn new(settings: Settings, name: &str) -> Self {
        Self { settings, name: name.into(), failures: Arc::default(), bytes: Arc::default(), stutters: Arc::default() }
    }

    /// This many bytes have arrived. After enough of them, the count starts again.
    pub fn progress(&self, bytes: usize) {
        if self.bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64 >= PROGRESS {
            self.failures.store(0, Ordering::Relaxed);
            self.stutters.store(0, Ordering::Relaxed);
        }
    }

    /// Waits before the next try.
    ///
    /// # Errors
    /// Returns the fault, if no other try is left or would help.
    pub async fn pause(&self, fault: Fault) -> Result<(), Fault> {
        let has_progress = self.bytes.swap(0, Ordering::Relaxed) > 0;
        if has_progress && fault.kind != ErrorKind::TimedOut {
            let stutters = self.stutters.fetch_add(1, Ordering::Relaxed);
            if stutters < STUTTERS * self.settings.retries {
                self.failures.store(0, Ordering::Relaxed);
            }
        }
        let failures = self.failures.fetch_add(1, Ordering::Relaxed);
        let asked = match fault.again {
            Again::Never => return Err(fault),
            Again::Soon => None,
            Again::After(wait) => Some(wait.min(self.settings.silence)),
        };
        if failures >= self.settings.retries {
            let tries = failures + 1;
            let message = if tries > 1 { format!("{}, {tries} times", fault.message) } else { fault.message };
            return Err(Fault { message, again: Again::Never, ..fault });
        }
        let wait = asked.unwrap_or_else(|| jittered(FIRST_PAUSE.saturating_mul(1 << failures.min(10))));
        vlog!(2, "{}: {fault}; trying again in {:.1} s", self.name, wait.as_secs_f64());
        tokio::time::sleep(wait).await;
        Ok(())
    }
}

/// A random time from a half to one and a half of a pause, so that many jobs do not return at the same time.
fn jittered(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    pause.min(LONGEST_PAUSE).mul_f64(0.5 + random)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn tries_are_counted_from_the_last_progress() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let attempts = Attempts::new(Settings { retries: 2, silence: Duration::from_millis(1) }, "x");
            let passing = || Fault { again: Again::After(Duration::from_secs(9)), ..Fault::other("gone") };
            attempts.pause(passing()).await.unwrap();
            attempts.progress(1);
            attempts.pause(passing()).await.unwrap();
            attempts.pause(passing()).await.unwrap();
            let fault = attempts.pause(passing()).await.unwrap_err();
            assert_eq!((fault.message.as_str(), fault.again), ("gone, 3 times", Again::Never));
            // A few bytes each time do not help for ever, and not at all if they come slowly.
            for _ in 0..20 {
                attempts.progress(1);
                let _ = attempts.pause(passing()).await;
            }
            attempts.progress(1);
            assert!(attempts.pause(passing()).await.is_err());
            attempts.progress(5000);
            for _ in 0..2 {
                attempts.progress(1);
                attempts.pause(Fault { kind: io::ErrorKind::TimedOut, ..passing() }).await.unwrap();
            }
            attempts.progress(1);
            assert!(attempts.pause(Fault { kind: io::ErrorKind::TimedOut, ..passing() }).await.is_err());
            attempts.progress(5000);
            let fault = attempts.pause(Fault::new(io::ErrorKind::NotFound, "none")).await.unwrap_err();
            assert_eq!(fault.message, "none");
        });
    }

    #[test]
    fn pauses_vary() {
        let pauses: Vec<Duration> = (0..20).map(|_| jittered(FIRST_PAUSE)).collect();
        assert!(pauses.iter().all(|pause| *pause >= FIRST_PAUSE / 2 && *pause <= 2 * FIRST_PAUSE));
        assert!(pauses.iter().any(|pause| *pause != pauses[0]));
    }
}
