//! Engines: what runs pieces.

mod command;
mod local;
mod slurm;

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::owner::Owner;
use crate::{Error, Folder, Result, signal};

pub(crate) use command::CommandEngine;
pub(crate) use local::Local;
pub(crate) use slurm::Slurm;

/// Where pieces run.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EngineKind {
    /// Processes of this machine.
    Local,
    /// Slurm: `sbatch`, `squeue`, `scancel`.
    Slurm,
    /// A command in the manner of Kaldi's `run.pl`: `COMMAND [options] JOB=1:n LOG.JOB.log PROGRAM ARGUMENTS`, where JOB is
    /// the number of a job.
    Command(String),
}

impl EngineKind {
    /// Looks whether it can run pieces whose state is in a folder of this name. Commands in the manner of `run.pl` are
    /// scripts, and put the name into lines of a shell; with a backslash in the name of a log, Slurm knows no patterns.
    ///
    /// # Errors
    /// If a shell would change the name.
    pub fn check_folder(&self, folder: &Folder) -> Result<()> {
        match self {
            Self::Command(_) if !folder.is_plain() => Err(folder.refuse_name()),
            Self::Slurm if folder.path().as_os_str().as_encoded_bytes().contains(&b'\\') => Err(folder.refuse_name()),
            _ => Ok(()),
        }
    }
}

impl FromStr for EngineKind {
    type Err = Error;

    /// # Errors
    /// If it is another word than `local`, `slurm` and `cmd:COMMAND`.
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "local" => Ok(Self::Local),
            "slurm" => Ok(Self::Slurm),
            _ => match text.strip_prefix("cmd:") {
                Some(command) => Ok(Self::Command(command.to_owned())),
                None => Err(Error::Engine(format!("expected local, slurm or cmd:COMMAND, got {text:?}"))),
            },
        }
    }
}

/// What a piece may take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resources {
    /// Memory, such as `2G`.
    pub memory: Option<String>,
    /// Time, such as `1:00:00`.
    pub time: Option<String>,
    /// Threads.
    pub threads: usize,
    /// The most pieces at a time; `None` for as many as the engine allows.
    pub max_running: Option<usize>,
    /// Options of the engine's command, divided at spaces.
    pub engine_args: Vec<String>,
}

/// What an engine knows of a piece that was submitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JobState {
    /// It has not started.
    Waiting,
    /// It runs.
    Running,
    /// It has ended; the reason if it is not its own exit.
    Ended(Option<EndReason>),
}

/// Why an engine ended a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    /// Too little memory.
    Memory,
    /// The time limit.
    Time,
    /// The node, or the engine: as the engine calls it.
    Lost(String),
}

/// An engine.
pub(crate) trait Engine {
    /// How many more pieces it takes now.
    fn room(&mut self) -> usize;

    /// Submits pieces, with this factor for their memory. Those that do not start are reported by [`Engine::poll`].
    fn submit(&mut self, pieces: &[usize], memory_factor: u32) -> Result<()>;

    /// What is known of the pieces that were submitted and whose end has not been reported; those that only wait may be left
    /// out.
    fn poll(&mut self) -> Result<Vec<(usize, JobState)>>;

    /// Ends a piece that is silent.
    fn kill(&mut self, piece: usize);

    /// Ends all pieces, and waits for their end.
    ///
    /// # Errors
    /// If the engine does not answer: what is known of the pieces stays, and another call may end them.
    fn cancel(&mut self) -> Result<()>;

    /// Ends what is left when every piece is done or has failed: nothing of this run is adopted by the next one.
    fn release(&mut self) {}

    /// Pieces that an earlier process submitted and that may still wait or run.
    fn adopted(&self) -> Vec<usize>;

    /// Whether pieces run on if this process ends.
    fn outlives(&self) -> bool;

    /// Whether a record may be seen late after a piece has ended; `lives` is what is known of its process.
    fn may_be_late(&self, lives: Option<bool>) -> bool;

    /// The file to which the engine wrote the messages of a piece; `None` if it is not known.
    fn log_of(&self, piece: usize) -> Option<PathBuf>;
}

/// How long processes may take to end after SIGTERM.
pub(crate) const PATIENCE_OF_GROUPS: Duration = Duration::from_secs(15);

/// Waits until the leaders of process groups have ended, for `patience` at most. Then it asks those groups to end, again and
/// again, and ends them if they do not.
pub(crate) fn end_groups(leaders: &[Owner], patience: Duration) {
    let lives = |leader: &&Owner| leader.lives() == Some(true);
    let all_end_within = |patience: Duration| {
        let start = Instant::now();
        while leaders.iter().any(|leader| lives(&leader)) {
            if start.elapsed() >= patience {
                return false;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        true
    };
    let send =
        |number: i32| leaders.iter().filter(lives).for_each(|leader| signal::send_to_group(leader.process, number));
    if all_end_within(patience) {
        return;
    }
    let start = Instant::now();
    while start.elapsed() < PATIENCE_OF_GROUPS {
        send(libc::SIGTERM);
        send(libc::SIGCONT);
        if all_end_within(Duration::from_secs(1)) {
            return;
        }
    }
    send(libc::SIGKILL);
}

/// What an engine wrote of a piece.
#[derive(Debug, Default)]
pub(crate) struct EngineWords {
    /// The last error or, if there is none, the last line.
    pub(crate) last: Option<String>,
    /// Whether it was ended for taking too much memory.
    pub(crate) is_memory: bool,
}

impl EngineWords {
    /// Reads the end of a log.
    pub(crate) fn read(path: &Path) -> Self {
        let mut bytes = Vec::new();
        if let Ok(mut file) = File::open(path) {
            let length = file.metadata().map_or(0, |metadata| metadata.len());
            let _ = file.seek(SeekFrom::Start(length.saturating_sub(1 << 16)));
            let _ = file.take(1 << 16).read_to_end(&mut bytes);
        }
        let text = String::from_utf8_lossy(&bytes);
        // Kaldi's scripts write comments of their own.
        let lines = || text.lines().rev().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        let last = lines().find(|line| line.starts_with("ERROR (")).or_else(|| lines().next()).map(str::to_owned);
        let is_memory = ["exceeded memory limit", "job memory limit", "oom-kill", "oom_kill"];
        let is_memory = lines().any(|line| is_memory.iter().any(|words| line.to_ascii_lowercase().contains(words)));
        Self { last, is_memory }
    }
}

/// The path of the running program as it is installed now. Linux marks the path of a program that was replaced while it
/// ran, as an upgrade does; pieces that start later run the new one.
fn installed(path: PathBuf) -> PathBuf {
    let unmarked = path.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from);
    unmarked.filter(|unmarked| unmarked.exists()).unwrap_or(path)
}

/// The program and the first words by which a piece is started.
pub(crate) fn program() -> Vec<String> {
    let path = std::env::current_exe().map_or_else(|_| PathBuf::from("kaldi-tables"), installed);
    let is_one = path.file_name().is_none_or(|name| name != "table-jobs");
    let mut words = vec![path.display().to_string()];
    words.extend(is_one.then(|| "table-jobs".to_owned()));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_replaced_program_is_found_at_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kaldi-tables");
        let marked = PathBuf::from(format!("{} (deleted)", path.display()));
        assert_eq!(installed(marked.clone()), marked, "removed, and not installed again");
        std::fs::write(&path, "").unwrap();
        assert_eq!(installed(marked), path);
        assert_eq!(installed(path.clone()), path);
    }
}
