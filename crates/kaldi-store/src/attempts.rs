//! Repeated tries.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use kaldi_log::vlog;

use crate::fault::{Again, Fault};
use crate::settings::Settings;

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// The longest pause, unless the server asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// The tries of one stream.
#[derive(Clone, Debug)]
pub struct Attempts {
    settings: Settings,
    /// The name of the object, for the log.
    name: Arc<str>,
    /// Failures since the last progress.
    failures: Arc<AtomicU32>,
}

impl Attempts {
    /// The tries of a stream of the object with the name `name` in messages.
    pub fn new(settings: Settings, name: &str) -> Self {
        Self { settings, name: name.into(), failures: Arc::default() }
    }

    /// Bytes have arrived: the count starts again.
    pub fn progress(&self) {
        self.failures.store(0, Ordering::Relaxed);
    }

    /// Waits before the next try.
    ///
    /// # Errors
    /// Returns the fault, if no other try is left or would help.
    pub async fn pause(&self, fault: Fault) -> Result<(), Fault> {
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
            attempts.progress();
            attempts.pause(passing()).await.unwrap();
            attempts.pause(passing()).await.unwrap();
            let fault = attempts.pause(passing()).await.unwrap_err();
            assert_eq!((fault.message.as_str(), fault.again), ("gone, 3 times", Again::Never));
            attempts.progress();
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
