//! Pieces as processes of this machine.

use std::collections::VecDeque;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::engine::{EndReason, Engine, JobState, Resources, end_groups, program};
use crate::owner::Owner;
use crate::{Error, Folder, Result, signal};

/// Processes of this machine, a few at a time.
pub(crate) struct Local {
    folder: Folder,
    most: usize,
    queue: VecDeque<usize>,
    running: Vec<(usize, Child)>,
}

impl Local {
    pub(crate) fn new(folder: &Folder, resources: &Resources) -> Self {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let most = resources.max_running.unwrap_or(processors / resources.threads.max(1)).max(1);
        Self { folder: folder.clone(), most, queue: VecDeque::new(), running: Vec::new() }
    }

    fn start(&mut self) -> Result<()> {
        while self.running.len() < self.most
            && let Some(piece) = self.queue.pop_front()
        {
            let words = program();
            let mut command = Command::new(&words[0]);
            command.args(&words[1..]).arg(format!("--piece={piece}")).arg("--print-args=false");
            command.arg(format!("--dir={}", self.folder.path().display()));
            let log = File::options().create(true).append(true).open(self.folder.log_path(piece));
            command.stderr(log.map_or_else(|_| Stdio::null(), Stdio::from));
            command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
            let child = command.spawn().map_err(|source| Error::Start { program: words[0].clone(), source })?;
            self.running.push((piece, child));
        }
        Ok(())
    }
}

impl Engine for Local {
    fn room(&mut self) -> usize {
        usize::MAX
    }

    fn submit(&mut self, pieces: &[usize], _memory_factor: u32) -> Result<()> {
        self.queue.extend(pieces);
        self.start()
    }

    fn poll(&mut self) -> Result<Vec<(usize, JobState)>> {
        let mut states = Vec::new();
        let mut at = 0;
        while at < self.running.len() {
            let (piece, child) = &mut self.running[at];
            let ended = child.try_wait().map_err(|source| Error::Start { program: "a piece".to_owned(), source })?;
            let Some(status) = ended else {
                states.push((*piece, JobState::Running));
                at += 1;
                continue;
            };
            let reason = status.code().is_none().then(|| EndReason::Lost(status.to_string()));
            states.push((*piece, JobState::Ended(reason)));
            self.running.swap_remove(at);
        }
        self.start()?;
        Ok(states)
    }

    fn kill(&mut self, piece: usize) {
        if let Some((_, child)) = self.running.iter().find(|(other, _)| *other == piece) {
            signal::send_to_group(child.id(), libc::SIGKILL);
        }
    }

    fn cancel(&mut self) -> Result<()> {
        self.queue.clear();
        let leaders: Vec<Owner> = self.running.iter().map(|(_, child)| Owner::of(child.id())).collect();
        end_groups(&leaders, Duration::ZERO);
        for (_, mut child) in self.running.drain(..) {
            let _ = child.wait();
        }
        Ok(())
    }

    fn adopted(&self) -> Vec<usize> {
        Vec::new()
    }

    fn outlives(&self) -> bool {
        false
    }

    fn may_be_late(&self, _lives: Option<bool>) -> bool {
        false
    }

    fn log_of(&self, piece: usize) -> Option<PathBuf> {
        Some(self.folder.log_path(piece))
    }
}
