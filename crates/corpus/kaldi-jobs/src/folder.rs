//! The state folder: everything that is known of the pieces, as files that appear whole.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::command_words::is_plain;
use crate::input_fingerprints::Stamp;
use crate::owner::{Try, beat, create_owned, look_at};
use crate::plan::PlannedPiece;
use crate::{Error, Plan, Result};

/// The state folder of one command.
///
/// | file | what |
/// | --- | --- |
/// | `plan.json` | the command and the pieces |
/// | `tries/7.2` | the second try of piece 7: host and process; its time is the heartbeat |
/// | `done/7` | piece 7 is done: exit code, entries, by what its lines and its outputs are known |
/// | `failed/7.2` | the second try of piece 7 failed: kind, message |
/// | `log/7.log` | what all tries of piece 7 wrote to standard error |
/// | `lists/` | lists of entries, copies of lists that cannot be cut where they are, and the pieces of each submission |
/// | `stdout/` | pieces of standard output |
/// | `engine.json`, `calls.json` | the submissions |
/// | `finished.json` | by what the outputs of the whole run are known |
/// | `lock` | who submits: host and process; its time is the heartbeat |
/// | `cancel` | somebody wants the submitter to end |
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// A piece that is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) exit: i32,
    pub(crate) entries: u64,
    pub(crate) seconds: f64,
    pub(crate) host: String,
    /// How each of the files is known.
    pub(crate) files: Vec<Stamp>,
    /// Hashes of the lines that were read.
    pub(crate) signs: Vec<u64>,
    /// Whether entries that cannot be read were left out.
    pub(crate) is_permissive: bool,
    /// When the piece started: what it has read is older.
    pub(crate) started: SystemTime,
    /// Warnings by their place in the program: how many, and the first one.
    pub(crate) warnings: Vec<(u64, String)>,
}

impl Record {
    /// Whether this is the work of a piece of the plan. What was left out is missing if it is not to be left out now.
    pub(crate) fn is_of(&self, plan: &Plan, piece: &PlannedPiece) -> bool {
        let is_missing = self.is_permissive && !plan.is_permissive() && !self.warnings.is_empty();
        self.signs == piece.signs() && !is_missing
    }
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

    /// Whether the name of the folder stays one word wherever a command puts it.
    pub(crate) fn is_plain(&self) -> bool {
        self.path.to_str().is_some_and(is_plain)
    }

    pub(crate) fn refuse_name(&self) -> Error {
        let message = "the state folder has characters that a command cannot take (`dir` names another one)";
        Error::Folder(format!("{message}: {}", self.path.display()))
    }

    /// Removes all state.
    ///
    /// # Errors
    /// If the folder cannot be removed, is something else, or pieces run.
    pub fn remove(&self, silence: Duration) -> Result<()> {
        if self.path.exists() && !self.path.join("plan.json").exists() && !self.path.join("tries").exists() {
            let message = format!("{} is not a folder of pieces: it is not removed", self.path.display());
            return Err(Error::Folder(message));
        }
        if let Some(owner) = self.submitter(silence) {
            return Err(self.in_use(&owner));
        }
        if let Some((piece, there)) = self.running_tries().into_iter().find(|(_, there)| there.seems_alive(silence)) {
            let message = format!("piece {piece} ({}) still runs: `cancel` ends it", there.owner);
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

    pub(crate) fn write_plan(&self, plan: &Plan) -> Result<()> {
        self.write_json(&self.path.join("plan.json"), plan)
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

    /// The file that asks the submitter to end.
    pub(crate) fn cancel_path(&self) -> PathBuf {
        self.path.join("cancel")
    }

    /// The file that says what the outputs of the whole run are.
    pub(crate) fn finished_path(&self) -> PathBuf {
        self.path.join("finished.json")
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
            match create_owned(&path)? {
                true => return Ok(attempt),
                false => attempt += 1,
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

    /// The last try of each piece that has one: one listing of a folder, however many pieces there are.
    pub(crate) fn last_tries(&self) -> Result<HashMap<usize, usize>> {
        let path = self.path.join("tries");
        let mut last: HashMap<usize, usize> = HashMap::new();
        for entry in fs::read_dir(&path).map_err(Error::read(&path))?.flatten() {
            let name = entry.file_name();
            let numbers = name.to_str().and_then(|name| name.split_once('.'));
            if let Some((piece, attempt)) = numbers
                && let (Ok(piece), Ok(attempt)) = (piece.parse(), attempt.parse::<usize>())
            {
                let there = last.entry(piece).or_insert(0);
                *there = attempt.max(*there);
            }
        }
        Ok(last)
    }

    /// A try of a piece; `None` if it has not started.
    pub(crate) fn attempt(&self, piece: usize, attempt: usize) -> Option<Try> {
        look_at(&self.try_path(piece, attempt))
    }

    /// The last tries of pieces that have left no word of their end, each with the number of the piece.
    pub(crate) fn running_tries(&self) -> Vec<(usize, Try)> {
        let tries = self.last_tries().unwrap_or_default().into_iter();
        let open =
            tries.filter(|(piece, last)| !self.done_path(*piece).exists() && !self.failed_path(*piece, *last).exists());
        open.filter_map(|(piece, last)| Some((piece, self.attempt(piece, last)?))).collect()
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
    ///
    /// # Errors
    /// If the folder cannot be written, for example because the disk is full.
    pub(crate) fn kick(&self) -> Result<()> {
        let path = self.path.join("done").join(format!(".kick-{}", std::process::id()));
        let written = File::create(&path).and_then(|mut file| {
            file.write_all(&[b' '; 1 << 13])?;
            file.sync_all()
        });
        let _ = fs::remove_file(&path);
        written.map_err(Error::write(&path))
    }
}

pub(crate) fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(path)(error)),
        _ => Ok(()),
    }
}
