//! Which process has a file, and whether it lives.

use std::fmt;
use std::fs::{self, FileTimes, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

/// How often a running piece and a submitter say that they are alive.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(20);

/// The process that has a try or the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    pub(crate) host: String,
    pub(crate) process: u32,
    /// When it started, in ticks since the host did: another process may get its number later.
    start: u64,
}

impl Owner {
    pub(crate) fn this() -> Self {
        Self::of(std::process::id())
    }

    /// A process of this host.
    pub(crate) fn of(process: u32) -> Self {
        Self { host: host_name(), process, start: start_of(process).unwrap_or_default() }
    }

    /// Whether the file says who has it.
    pub(crate) fn is_known(&self) -> bool {
        self.process > 0
    }

    /// Whether the process lives, if this host can know; `None` for another host.
    pub(crate) fn lives(&self) -> Option<bool> {
        (self.host == host_name()).then(|| start_of(self.process) == Some(self.start))
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.is_known() {
            true => write!(f, "process {} on {}", self.process, self.host),
            false => f.write_str("an unknown process"),
        }
    }
}

/// When a process started; `None` if it has ended, also if nobody has asked for its exit status yet.
fn start_of(process: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name of the program, in parentheses, may have blanks.
    let mut fields = text.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    fields.nth(18)?.parse().ok().filter(|_| state != "Z" && state != "X")
}

pub(crate) fn host_name() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".to_owned(), |name| name.trim().to_owned())
}

/// A try of a piece that has started.
#[derive(Clone, Debug)]
pub(crate) struct Try {
    pub(crate) owner: Owner,
    /// The time since its last heartbeat.
    pub(crate) silence: Duration,
    pub(crate) lives: Option<bool>,
}

impl Try {
    /// Whether it runs, as far as can be known: by its process on this host, by its heartbeat on another one.
    pub(crate) fn seems_alive(&self, silence: Duration) -> bool {
        self.lives.unwrap_or(self.silence < silence)
    }
}

/// Makes a file that says that this process has it; `false` if the file is there.
pub(crate) fn create_owned(path: &Path) -> Result<bool> {
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(Error::write(path)(error)),
    };
    let owner = serde_json::to_vec(&Owner::this()).map_err(|error| Error::write(path)(error.into()))?;
    match file.write_all(&owner) {
        Ok(()) => Ok(true),
        Err(error) => {
            // An empty file would look like one of an unknown process that lives.
            let _ = fs::remove_file(path);
            Err(Error::write(path)(error))
        }
    }
}

/// Renews the time of a file.
pub(crate) fn beat(path: &Path) {
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }
}

/// Reads who has a file, and how long it is silent. A file that is being written counts as one of an unknown process.
pub(crate) fn look_at(path: &Path) -> Option<Try> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    let silence = modified.elapsed().unwrap_or_default();
    let owner: Option<Owner> = serde_json::from_slice(&fs::read(path).ok()?).ok();
    let owner = owner.unwrap_or(Owner { host: String::new(), process: 0, start: 0 });
    Some(Try { lives: owner.lives(), owner, silence })
}
