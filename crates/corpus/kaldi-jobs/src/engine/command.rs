//! Pieces by a command in the manner of Kaldi's `run.pl`, `slurm.pl` and `queue.pl`.

use std::collections::{HashMap, HashSet};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::{EndReason, Engine, JobState, Resources, end_groups, program};
use crate::folder::remove;
use crate::owner::Owner;
use crate::{Error, Folder, Result};

/// How long a command may take to see that all its jobs have ended.
const PATIENCE: Duration = Duration::from_secs(2);

/// One call of the command for each submission.
pub(crate) struct CommandEngine {
    folder: Folder,
    words: Vec<String>,
    resources: Resources,
    calls: Vec<Call>,
    /// The process of each call, which is its exit status as well if this process started it.
    children: Vec<Child>,
    /// The log of each piece that was submitted last.
    logs: HashMap<usize, PathBuf>,
}

/// A call, as it is kept in the state folder.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Call {
    pieces: Vec<usize>,
    /// The number of its list and of its logs.
    number: usize,
    owner: Owner,
}

impl CommandEngine {
    /// Reads the calls of an earlier process: those that run on are adopted.
    pub(crate) fn new(folder: &Folder, command: &str, resources: &Resources) -> Result<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            return Err(Error::Engine("expected a command after cmd:, such as cmd:run.pl".to_owned()));
        }
        let calls = living_calls(folder)?;
        let (folder, resources) = (folder.clone(), resources.clone());
        Ok(Self { folder, words, resources, calls, children: Vec::new(), logs: HashMap::new() })
    }

    /// The words of a call: options, range of jobs, log, and a shell line that finds the piece of a job in a list.
    fn call(&self, num_jobs: usize, number: usize, memory_factor: u32) -> Result<Vec<String>> {
        let mut words = self.words.clone();
        if let Some(memory) = &self.resources.memory {
            words.extend(["--mem".to_owned(), times(memory, memory_factor)?]);
        }
        if self.resources.threads > 1 {
            words.extend(["--num-threads".to_owned(), self.resources.threads.to_string()]);
        }
        if let Some(most) = self.resources.max_running {
            words.extend(["--max-jobs-run".to_owned(), most.to_string()]);
        }
        words.extend(self.resources.engine_args.iter().cloned());
        // The command replaces this name wherever it stands, also in names of folders.
        let mut job = "JOB".to_owned();
        while self.folder.path().display().to_string().contains(&job) {
            job.push('X');
        }
        words.push(format!("{job}=1:{num_jobs}"));
        words.push(self.log_path(number, &job).display().to_string());
        let script = self.folder.path().join("lists").join("piece.sh");
        words.extend(["sh".to_owned(), script.display().to_string(), list_path(&self.folder, number), job]);
        Ok(words)
    }

    fn log_path(&self, number: usize, job: &str) -> PathBuf {
        self.folder.path().join("log").join(format!("engine-{number}.{job}.log"))
    }

    /// What the command of a call has written itself.
    fn messages(&self, number: usize) -> String {
        let text =
            std::fs::read(self.folder.path().join("log").join(format!("engine-{number}.log"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        lines[..lines.len().min(3)].join("; ")
    }

    /// Why pieces of a call have ended that have no record.
    ///
    /// # Errors
    /// If the command has failed before it started anything: another call would fail as well.
    fn reason(&self, call: &Call, status: Option<ExitStatus>) -> Result<Option<EndReason>> {
        let Some(status) = status else { return Ok(None) };
        if status.code().is_none() {
            return Ok(Some(EndReason::Lost(status.to_string())));
        }
        let has_log = |at: usize| self.log_path(call.number, &at.to_string()).exists();
        match status.success() || (1..=call.pieces.len()).any(has_log) {
            true => Ok(None),
            false => Err(Error::Engine(format!("{} refuses: {}", self.words[0], self.messages(call.number)))),
        }
    }

    /// Whether an earlier process has left calls.
    pub(crate) fn has_calls(folder: &Folder) -> bool {
        calls_path(folder).exists()
    }

    /// The calls of an earlier process, to end them.
    pub(crate) fn adopt(folder: &Folder) -> Result<Self> {
        let (folder, resources) = (folder.clone(), Resources::default());
        let calls = living_calls(&folder)?;
        Ok(Self { folder, words: Vec::new(), resources, calls, children: Vec::new(), logs: HashMap::new() })
    }

    /// Ends all calls, after so much patience.
    fn end(&mut self, patience: Duration) {
        let leaders: Vec<Owner> = self.calls.iter().map(|call| call.owner.clone()).collect();
        end_groups(&leaders, patience);
        for mut child in self.children.drain(..) {
            let _ = child.wait();
        }
        self.calls.clear();
        let _ = remove(&calls_path(&self.folder));
    }

    /// A piece belongs to its last call only.
    fn forget(&mut self, pieces: &[usize]) {
        let again: HashSet<usize> = pieces.iter().copied().collect();
        for old in self.calls.iter_mut().flat_map(|call| &mut call.pieces).filter(|piece| again.contains(piece)) {
            *old = 0;
        }
    }

    fn keep(&self) -> Result<()> {
        self.folder.write_json(&calls_path(&self.folder), &self.calls)
    }
}

fn calls_path(folder: &Folder) -> PathBuf {
    folder.path().join("calls.json")
}

/// The calls of an earlier process that still run.
fn living_calls(folder: &Folder) -> Result<Vec<Call>> {
    let mut calls: Vec<Call> = folder.read_json(&calls_path(folder))?.unwrap_or_default();
    calls.retain(|call| call.owner.lives() == Some(true));
    Ok(calls)
}

impl Engine for CommandEngine {
    fn room(&mut self) -> usize {
        usize::MAX
    }

    fn submit(&mut self, pieces: &[usize], memory_factor: u32) -> Result<()> {
        self.forget(pieces);
        let number = write_list(&self.folder, pieces)?;
        write_script(&self.folder)?;
        let words = self.call(pieces.len(), number, memory_factor)?;
        let failed = |source| Error::Start { program: words[0].clone(), source };
        let log = self.folder.path().join("log").join(format!("engine-{number}.log"));
        let log = std::fs::File::create(&log).map_err(Error::write(&log))?;
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::null()).process_group(0);
        command.stdout(log.try_clone().map_err(failed)?).stderr(log);
        let child = command.spawn().map_err(|source| Error::Start { program: words[0].clone(), source })?;
        let logs = pieces.iter().zip(1_usize..).map(|(&piece, at)| (piece, self.log_path(number, &at.to_string())));
        self.logs.extend(logs.collect::<Vec<_>>());
        self.calls.push(Call { pieces: pieces.to_vec(), number, owner: Owner::of(child.id()) });
        self.children.push(child);
        self.keep()
    }

    fn poll(&mut self) -> Result<Vec<(usize, JobState)>> {
        let mut states = Vec::new();
        let mut at = 0;
        while at < self.calls.len() {
            let process = self.calls[at].owner.process;
            let child = self.children.iter_mut().find(|child| child.id() == process);
            let failed = |source| Error::Start { program: self.words[0].clone(), source };
            let status = match child {
                Some(child) => child.try_wait().map_err(failed)?.map(Some),
                None => (self.calls[at].owner.lives() != Some(true)).then_some(None),
            };
            let Some(status) = status else {
                states.extend(self.calls[at].pieces.iter().map(|&piece| (piece, JobState::Running)));
                at += 1;
                continue;
            };
            let call = self.calls.swap_remove(at);
            self.children.retain(|child| child.id() != process);
            let reason = self.reason(&call, status)?;
            states.extend(call.pieces.iter().map(|&piece| (piece, JobState::Ended(reason.clone()))));
        }
        Ok(states)
    }

    /// The command does not say which job it is: the piece is only forgotten.
    fn kill(&mut self, piece: usize) {
        self.forget(&[piece]);
    }

    fn cancel(&mut self) -> Result<()> {
        self.end(Duration::ZERO);
        Ok(())
    }

    fn release(&mut self) {
        self.end(PATIENCE);
    }

    fn adopted(&self) -> Vec<usize> {
        self.calls.iter().flat_map(|call| call.pieces.iter().copied()).collect()
    }

    fn outlives(&self) -> bool {
        false
    }

    /// The pieces of a process that has ended on this host have left their records there.
    fn may_be_late(&self, lives: Option<bool>) -> bool {
        lives != Some(false)
    }

    fn log_of(&self, piece: usize) -> Option<PathBuf> {
        self.logs.get(&piece).cloned()
    }
}

/// The list of a submission.
pub(super) fn list_path(folder: &Folder, number: usize) -> String {
    folder.path().join("lists").join(format!("pieces{number}")).display().to_string()
}

/// Writes the pieces of a submission, a line each. Returns the number of the list, which no earlier one has.
pub(super) fn write_list(folder: &Folder, pieces: &[usize]) -> Result<usize> {
    let mut number = 1;
    while Path::new(&list_path(folder, number)).exists() {
        number += 1;
    }
    let lines: String = pieces.iter().map(|piece| format!("{piece}\n")).collect();
    folder.write(Path::new(&list_path(folder, number)), lines.as_bytes())?;
    Ok(number)
}

/// Writes the script that an engine runs: `piece.sh LIST ELEMENT`, or the element is in Slurm's environment.
pub(super) fn write_script(folder: &Folder) -> Result<String> {
    let path = folder.path().join("lists").join("piece.sh");
    let quote = |word: &str| format!("'{}'", word.replace('\'', r"'\''"));
    let words: Vec<String> = program().iter().map(|word| quote(word)).collect();
    let script = format!(
        "#!/bin/sh\npiece=$(sed -n \"${{2:-$SLURM_ARRAY_TASK_ID}}p\" \"$1\")\nexec {} --piece=\"$piece\" --dir={}\n",
        words.join(" "),
        quote(&folder.path().display().to_string())
    );
    folder.write(&path, script.as_bytes())?;
    Ok(path.display().to_string())
}

/// Memory such as `2G`, multiplied.
pub(super) fn times(memory: &str, factor: u32) -> Result<String> {
    let digits = memory.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = memory.split_at(digits);
    let number: Option<u64> = number.parse::<u64>().ok().and_then(|number| number.checked_mul(factor.into()));
    let is_unit = unit.len() <= 1 && unit.bytes().all(|byte| b"KMGTkmgt".contains(&byte));
    match number.filter(|_| is_unit) {
        Some(number) => Ok(format!("{number}{unit}")),
        None => Err(Error::Engine(format!("expected memory such as 500M or 2G in `mem`, got {memory:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_grows_in_its_unit() {
        assert_eq!(times("2G", 2).unwrap(), "4G");
        assert_eq!(times("500", 4).unwrap(), "2000");
        for wrong in ["", "G", "2GB", "-1G", "two"] {
            assert!(times(wrong, 1).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_call_has_the_form_of_run_pl() {
        let resources = Resources {
            memory: Some("2G".to_owned()),
            threads: 4,
            max_running: Some(3),
            engine_args: vec!["-x".to_owned()],
            ..Resources::default()
        };
        let engine = CommandEngine::new(&Folder::new("D"), "queue.pl --gpu 0", &resources).unwrap();
        let words = engine.call(5, 1, 2).unwrap().join(" ");
        let expected = "queue.pl --gpu 0 --mem 4G --num-threads 4 --max-jobs-run 3 -x JOB=1:5 D/log/engine-1.JOB.log \
                        sh D/lists/piece.sh D/lists/pieces1 JOB";
        assert_eq!(words, expected);
        let engine = CommandEngine::new(&Folder::new("/JOBS"), "run.pl", &resources).unwrap();
        assert!(engine.call(5, 1, 1).unwrap().join(" ").contains(" JOBX=1:5 /JOBS/log/engine-1.JOBX.log "));
    }
}
