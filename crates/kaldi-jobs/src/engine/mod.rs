//! Engines: what runs pieces.

mod command;
mod local;
mod slurm;

use std::path::PathBuf;

use crate::Result;

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

    /// What is known of every piece that was submitted and whose end has not been reported.
    fn poll(&mut self) -> Result<Vec<(usize, JobState)>>;

    /// Ends a piece that is silent.
    fn kill(&mut self, piece: usize);

    /// Ends all pieces.
    fn cancel(&mut self);

    /// Whether pieces run on if this process ends.
    fn outlives(&self) -> bool;
}

/// The program and the first words by which a piece is started.
pub(crate) fn program() -> Vec<String> {
    let path = std::env::current_exe().unwrap_or_else(|_| PathBuf::from("kaldi-tables"));
    let is_one = path.file_name().is_none_or(|name| name != "table-jobs");
    let mut words = vec![path.display().to_string()];
    words.extend(is_one.then(|| "table-jobs".to_owned()));
    words
}
