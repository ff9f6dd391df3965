//! The state folder: everything that is known of the pieces, as files that appear whole.

use std::fs::{self, File, FileTimes, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Error, Plan, Result};

/// How often a running piece and a submitter say that they are alive.
pub(crate) const HEARTBEAT: Duration = Duration::from_secs(20);

/// The state folder of one command.
///
/// | file | what |
/// | --- | --- |
/// | `plan.json` | the command and the pieces |
/// | `tries/7.2` | the second try of piece 7: host and process; its time is the heartbeat |
/// | `done/7` | piece 7 is done: exit code, entries, sizes of the outputs |
/// | `failed/7.2` | the second try of piece 7 failed: kind, message |
/// | `log/7.log` | what all tries of piece 7 wrote to standard error |
/// | `lists/` | lists of entries, and of the pieces of each submission |
/// | `stdout/` | pieces of standard output |
/// | `engine.json` | the submissions |
/// | `finished.json` | sizes of the outputs of the whole run |
/// | `lock` | who submits: host and process; its time is the heartbeat |
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

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
        let process = std::process::id();
        Self { host: host_name(), process, start: start_of(process).unwrap_or_default() }
    }

    /// Whether the process lives, if this host can know; `None` for another host.
    fn lives(&self) -> Option<bool> {
        (self.host == host_name()).then(|| start_of(self.process) == Some(self.start))
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

/// A piece that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) exit: i32,
    pub(crate) entries: u64,
    pub(crate) seconds: f64,
    pub(crate) host: String,
    /// Bytes of each file.
    pub(crate) sizes: Vec<u64>,
    /// Warnings by their place in the program: how many, and the first one.
    pub(crate) warnings: Vec<(u64, String)>,
}

/// Why a try has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Cause {
    /// The program ran to its end and failed. Another try would fail as well.
    Final,
    /// It was killed, its node was lost: another try may pass.
    Passing,
    /// It had too little memory.
    Memory,
}

/// A try that has failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    pub(crate) cause: Cause,
    pub(crate) message: String,
}

impl Folder {
    /// The state folder at `path`, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Makes the folder and those in it.
    ///
    /// # Errors
    /// If a folder cannot be made.
    pub fn create(&self) -> Result<()> {
        for name in ["tries", "done", "failed", "log", "lists", "stdout"] {
            let path = self.path.join(name);
            fs::create_dir_all(&path).map_err(Error::write(&path))?;
        }
        Ok(())
    }

    /// The folder as an absolute path.
    ///
    /// # Errors
    /// If the current folder is gone.
    pub fn absolute(self) -> Result<Self> {
        let path = std::path::absolute(&self.path).map_err(Error::read(&self.path))?;
        Ok(Self { path })
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes all state.
    ///
    /// # Errors
    /// If the folder cannot be removed, or is something else.
    pub fn remove(&self) -> Result<()> {
        if self.path.exists() && !self.path.join("plan.json").exists() && !self.path.join("tries").exists() {
            let message = format!("{} is not a folder of pieces: it is not removed", self.path.display());
            return Err(Error::Folder(message));
        }
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(&self.path)(error)),
            _ => Ok(()),
        }
    }

    /// The plan; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn plan(&self) -> Result<Option<Plan>> {
        self.read_json(&self.path.join("plan.json"))
    }

    /// Makes a plan, and keeps it if there is none yet. Returns the plan that is kept.
    ///
    /// # Errors
    /// If the plan cannot be made, or an earlier one in this folder is of other work.
    pub fn plan_or(&self, make: impl FnOnce() -> Result<Plan>) -> Result<Plan> {
        let plan = make()?;
        let Some(kept) = self.plan()? else {
            self.write_json(&self.path.join("plan.json"), &plan)?;
            return Ok(plan);
        };
        match plan.difference(&kept) {
            None => Ok(kept),
            Some(difference) => {
                let path = self.path.display();
                Err(Error::Folder(format!("{path} has pieces of other work: {difference}; --restart forgets them")))
            }
        }
    }

    /// Writes a file that appears whole, and is on the disk when this returns.
    pub(crate) fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let write = || {
            let (mut file, pending) = whole_file::create(path)?;
            file.write_all(bytes)?;
            file.sync_all()?;
            pending.seal(file)?.publish()
        };
        write().map_err(Error::write(path))
    }

    pub(crate) fn write_json(&self, path: &Path, value: &impl Serialize) -> Result<()> {
        let bytes = serde_json::to_vec(value).map_err(|error| Error::write(path)(error.into()))?;
        self.write(path, &bytes)
    }

    pub(crate) fn read_json<T: DeserializeOwned>(&self, path: &Path) -> Result<Option<T>> {
        match fs::read(path) {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map(Some)
                .map_err(|error| Error::Record { path: path.to_owned(), message: error.to_string() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::read(path)(error)),
        }
    }

    pub(crate) fn done_path(&self, piece: usize) -> PathBuf {
        self.path.join("done").join(piece.to_string())
    }

    pub(crate) fn log_path(&self, piece: usize) -> PathBuf {
        self.path.join("log").join(format!("{piece}.log"))
    }

    fn try_path(&self, piece: usize, attempt: usize) -> PathBuf {
        self.path.join("tries").join(format!("{piece}.{attempt}"))
    }

    fn failed_path(&self, piece: usize, attempt: usize) -> PathBuf {
        self.path.join("failed").join(format!("{piece}.{attempt}"))
    }

    /// The record of a piece that is done.
    pub(crate) fn record(&self, piece: usize) -> Result<Option<Record>> {
        self.read_json(&self.done_path(piece))
    }

    /// Withdraws the record of a piece.
    pub(crate) fn withdraw(&self, piece: usize) -> Result<()> {
        remove(&self.done_path(piece))
    }

    /// Starts a try of a piece; returns its number.
    pub(crate) fn start_try(&self, piece: usize) -> Result<usize> {
        let mut attempt = self.last_try(piece) + 1;
        loop {
            let path = self.try_path(piece, attempt);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let owner =
                        serde_json::to_vec(&Owner::this()).map_err(|error| Error::write(&path)(error.into()))?;
                    file.write_all(&owner).map_err(Error::write(&path))?;
                    return Ok(attempt);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => attempt += 1,
                Err(error) => return Err(Error::write(&path)(error)),
            }
        }
    }

    /// Renews the heartbeat of a try.
    pub(crate) fn beat(&self, piece: usize, attempt: usize) {
        beat(&self.try_path(piece, attempt));
    }

    /// The number of the last try of a piece, 0 if there was none.
    pub(crate) fn last_try(&self, piece: usize) -> usize {
        let mut last = 0;
        while self.try_path(piece, last + 1).exists() {
            last += 1;
        }
        last
    }

    /// A try of a piece; `None` if it has not started.
    pub(crate) fn attempt(&self, piece: usize, attempt: usize) -> Option<Try> {
        look_at(&self.try_path(piece, attempt))
    }

    /// The failure of a try.
    pub(crate) fn failure(&self, piece: usize, attempt: usize) -> Result<Option<Failure>> {
        self.read_json(&self.failed_path(piece, attempt))
    }

    pub(crate) fn set_failure(&self, piece: usize, attempt: usize, failure: &Failure) -> Result<()> {
        self.write_json(&self.failed_path(piece, attempt), failure)
    }

    /// Numbers of the pieces that have a record. One listing of a folder, however many pieces there are.
    pub(crate) fn done_pieces(&self) -> Result<Vec<usize>> {
        let path = self.path.join("done");
        let entries = fs::read_dir(&path).map_err(Error::read(&path))?;
        Ok(entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
    }

    /// Makes a slow network file system look again: makes and removes a file.
    pub(crate) fn kick(&self) {
        let path = self.path.join("done").join(format!(".kick-{}", std::process::id()));
        let _ = File::create(&path);
        let _ = fs::remove_file(&path);
    }

    /// Takes the lock of the submitter.
    ///
    /// # Errors
    /// If another submitter lives.
    pub(crate) fn lock(&self, silence: Duration) -> Result<Lock> {
        let path = self.path.join("lock");
        loop {
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(mut file) => {
                    let owner =
                        serde_json::to_vec(&Owner::this()).map_err(|error| Error::write(&path)(error.into()))?;
                    file.write_all(&owner).map_err(Error::write(&path))?;
                    return Ok(Lock { path, last: SystemTime::now() });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    let Some(Try { owner, silence: silent, lives }) = look_at(&path) else { continue };
                    if lives.unwrap_or(silent < silence) {
                        let message = format!(
                            "{} is in use: process {} on {} submits these pieces",
                            self.path.display(),
                            owner.process,
                            owner.host
                        );
                        return Err(Error::Folder(message));
                    }
                    remove(&path)?;
                }
                Err(error) => return Err(Error::write(&path)(error)),
            }
        }
    }
}

/// The lock of a submitter; dropping it lets another one submit.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    last: SystemTime,
}

impl Lock {
    /// Renews the heartbeat if it is time.
    pub(crate) fn beat(&mut self) {
        if self.last.elapsed().is_ok_and(|time| time >= HEARTBEAT) {
            beat(&self.path);
            self.last = SystemTime::now();
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

fn beat(path: &Path) {
    if let Ok(file) = OpenOptions::new().write(true).open(path) {
        let _ = file.set_times(FileTimes::new().set_modified(SystemTime::now()));
    }
}

/// Reads who has a file, and how long it is silent. A file that is being written counts as one of an unknown process.
fn look_at(path: &Path) -> Option<Try> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    let silence = modified.elapsed().unwrap_or_default();
    let owner: Option<Owner> = serde_json::from_slice(&fs::read(path).ok()?).ok();
    let owner = owner.unwrap_or(Owner { host: String::new(), process: 0, start: 0 });
    Some(Try { lives: owner.lives(), owner, silence })
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(path)(error)),
        _ => Ok(()),
    }
}
