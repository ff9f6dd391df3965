//! The contract of readers as a test that runs on any reader.
//!
//! ```
//! use kaldi_reader::{from_slice, testing::Expected};
//!
//! Expected::values([1, 2, 3]).check(|| from_slice(&[1, 2, 3])).unwrap();
//! let missing = Expected::values([1, 2, 3]).check(|| from_slice(&[1, 2])).unwrap_err();
//! assert_eq!(missing.to_string(), "lost value: first reading: got 2 values, expected 3");
//! ```
//!
//! Threads are counted in the whole process. So call [`Expected::check`] in a test that runs alone: the only test of
//! its file, or of a program that runs its tests one by one.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

use crate::{Reader, ReaderExt};

/// How long a thread that nobody joins may take to end.
const PATIENCE: Duration = Duration::from_secs(2);

/// The claim of the contract that a reader breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Every value is delivered.
    Values,
    /// An error is delivered, once, at its place.
    Error,
    /// An end stays an end.
    End,
    /// A restart delivers the same again, or is refused.
    Restart,
    /// No thread outlives the reader.
    Threads,
}

/// A reader that breaks the contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The broken claim.
    pub claim: Claim,
    /// The place, and what was found.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claim = match self.claim {
            Claim::Values => "lost value",
            Claim::Error => "wrong error",
            Claim::End => "end that is not the end",
            Claim::Restart => "wrong restart",
            Claim::Threads => "thread left behind",
        };
        write!(f, "{claim}: {}", self.detail)
    }
}

impl std::error::Error for Violation {}

/// The values that a reader must deliver, and its end.
#[derive(Clone, Debug)]
pub struct Expected<V> {
    values: Vec<V>,
    error: Option<String>,
    restarts: bool,
}

impl<V: PartialEq + fmt::Debug> Expected<V> {
    /// Expects these values and then the end.
    pub fn values(values: impl IntoIterator<Item = V>) -> Self {
        Self { values: values.into_iter().collect(), error: None, restarts: true }
    }

    /// Expects an error after the values; its text contains `words`.
    pub fn then_error(self, words: &str) -> Self {
        Self { error: Some(words.to_owned()), ..self }
    }

    /// Expects that a restart is refused after something was read.
    pub fn read_once(self) -> Self {
        Self { restarts: false, ..self }
    }

    /// Checks readers that `make` makes, which must all be alike.
    ///
    /// # Errors
    /// The first claim that is broken.
    pub fn check<R>(&self, mut make: impl FnMut() -> R) -> Result<(), Violation>
    where
        R: Reader<Item = V>,
        R::Error: fmt::Display,
    {
        let threads = Threads::now();
        self.check_whole(&mut make())?;
        for stop in self.stops() {
            let mut reader = make();
            self.check_part(&mut reader, stop)?;
            self.check_restart(&mut reader, &format!("restart after {stop} values"))?;
            drop(reader);
            let mut reader = make();
            self.check_part(&mut reader, stop)?;
            check_finish(&mut reader, stop)?;
            drop(reader);
            let mut reader = make();
            self.check_part(&mut reader, stop)?;
            drop(reader);
            threads.check(&format!("dropped after {stop} values"))?;
        }
        Ok(())
    }

    /// The numbers of values after which a reader is stopped.
    fn stops(&self) -> BTreeSet<usize> {
        let length = self.values.len();
        [0, 1, 2, length / 2, length.saturating_sub(1), length].into_iter().filter(|&stop| stop <= length).collect()
    }

    /// Reads everything, several times.
    fn check_whole<R: Reader<Item = V>>(&self, reader: &mut R) -> Result<(), Violation>
    where
        R::Error: fmt::Display,
    {
        self.check_rest(reader, "first reading", Claim::Values)?;
        for round in 1..3 {
            self.check_restart(reader, &format!("restart {round} from the end"))?;
        }
        Ok(())
    }

    /// Reads the values up to `stop`.
    fn check_part<R: Reader<Item = V>>(&self, reader: &mut R, stop: usize) -> Result<(), Violation>
    where
        R::Error: fmt::Display,
    {
        for (index, expected) in self.values[..stop].iter().enumerate() {
            match reader.next() {
                Ok(Some(value)) if value == *expected => {}
                Ok(other) => {
                    return broken(Claim::Values, format!("value {index}: got {other:?}, expected {expected:?}"));
                }
                Err(error) => return broken(Claim::Error, format!("value {index}: got the error {error}")),
            }
        }
        Ok(())
    }

    /// Starts again and reads everything.
    fn check_restart<R: Reader<Item = V>>(&self, reader: &mut R, place: &str) -> Result<(), Violation>
    where
        R::Error: fmt::Display,
    {
        match (reader.restart(), self.restarts) {
            (Ok(()), true) => self.check_rest(reader, place, Claim::Restart),
            (Err(error), true) => broken(Claim::Restart, format!("{place}: got the error {error}")),
            (Err(_), false) => match reader.next() {
                Ok(None) => Ok(()),
                _ => broken(Claim::Restart, format!("{place}: got more after a restart that was refused")),
            },
            // A source need not refuse if nothing was read yet; then it has to deliver everything.
            (Ok(()), false) => self.check_rest(reader, place, Claim::Restart),
        }
    }

    /// Reads to the end, which must come at the right place and stay.
    fn check_rest<R: Reader<Item = V>>(&self, reader: &mut R, place: &str, claim: Claim) -> Result<(), Violation>
    where
        R::Error: fmt::Display,
    {
        let mut values = Vec::new();
        let mut error = None;
        for value in reader.iter() {
            match value {
                Ok(value) => values.push(value),
                Err(failure) => {
                    error = Some(failure.to_string());
                    break;
                }
            }
        }
        if values.len() != self.values.len() {
            let counts = format!("got {} values, expected {}", values.len(), self.values.len());
            return broken(claim, format!("{place}: {counts}"));
        }
        if let Some(index) = (0..values.len()).find(|&index| values[index] != self.values[index]) {
            let (got, expected) = (&values[index], &self.values[index]);
            return broken(claim, format!("{place}: value {index}: got {got:?}, expected {expected:?}"));
        }
        let is_expected = match (&error, &self.error) {
            (Some(error), Some(words)) => error.contains(words.as_str()),
            (None, None) => true,
            _ => false,
        };
        if !is_expected {
            return broken(Claim::Error, format!("{place}: got the error {error:?}, expected {:?}", self.error));
        }
        for _ in 0..2 {
            match reader.next() {
                Ok(None) => {}
                Ok(Some(value)) => return broken(Claim::End, format!("{place}: got {value:?} after the end")),
                Err(error) => return broken(Claim::Error, format!("{place}: got the error {error} after the end")),
            }
        }
        Ok(())
    }
}

/// Finishes a reader in the middle.
fn check_finish<R: Reader>(reader: &mut R, stop: usize) -> Result<(), Violation>
where
    R::Error: fmt::Display,
{
    if let Err(error) = reader.finish() {
        return broken(Claim::Error, format!("finish after {stop} values: got the error {error}"));
    }
    match reader.next() {
        Ok(None) => Ok(()),
        _ => broken(Claim::End, format!("got more after finish, {stop} values from the start")),
    }
}

fn broken(claim: Claim, detail: String) -> Result<(), Violation> {
    Err(Violation { claim, detail })
}

/// Whether a thread ends, by its file `stat`: one that was joined may stay in the system's list for a while.
fn is_ending(stat: &str) -> bool {
    const EXITING: u64 = 4;
    let flags = stat.rsplit(") ").next().and_then(|rest| rest.split(' ').nth(6)?.parse::<u64>().ok());
    flags.is_some_and(|flags| flags & EXITING != 0)
}

/// The threads of the process at some time; empty if the system has no `/proc`.
struct Threads(BTreeSet<String>);

impl Threads {
    fn now() -> Self {
        let entries = fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
        let lives =
            |entry: &fs::DirEntry| fs::read_to_string(entry.path().join("stat")).is_ok_and(|stat| !is_ending(&stat));
        Self(entries.filter(lives).map(|entry| entry.file_name().to_string_lossy().into_owned()).collect())
    }

    /// Waits until the threads that were not there before are gone.
    fn check(&self, place: &str) -> Result<(), Violation> {
        let start = Instant::now();
        loop {
            let now = Self::now();
            let added = now.0.difference(&self.0).count();
            if added == 0 {
                return Ok(());
            }
            if start.elapsed() > PATIENCE {
                return broken(Claim::Threads, format!("{place}: {added} threads more than before"));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}
