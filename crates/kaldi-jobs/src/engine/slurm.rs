//! Pieces as elements of Slurm's job arrays.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use kaldi_log::warning;
use serde::{Deserialize, Serialize};

use crate::engine::command::{list_path, times, write_list, write_script};
use crate::engine::{EndReason, Engine, JobState, Resources};
use crate::{Error, Folder, Result};

/// The most elements of an array, if Slurm does not say another number: its default.
const MOST_ELEMENTS: usize = 1000;

/// More elements than this are not submitted before others have ended.
const MOST_OPEN: usize = 4000;

/// How long a submission is tried again while the controller does not answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// One array.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Submission {
    id: String,
    /// The pieces; element 1 is the first one.
    pieces: Vec<usize>,
}

/// A call of `sbatch` that has not returned.
struct Submitting {
    child: Option<Child>,
    pieces: Vec<usize>,
    words: Vec<String>,
    since: Instant,
    again: Instant,
}

/// Slurm, by its commands.
pub(crate) struct Slurm {
    folder: Folder,
    resources: Resources,
    submissions: Vec<Submission>,
    submitting: Option<Submitting>,
    /// The last known state of each open piece.
    open: HashMap<usize, JobState>,
    most_elements: usize,
    last_poll: Option<Instant>,
    /// When the controller answered last.
    last_answer: Instant,
}

impl Slurm {
    /// Reads the submissions of an earlier process: they are adopted.
    pub(crate) fn new(folder: &Folder, resources: &Resources) -> Result<Self> {
        let submissions: Vec<Submission> = folder.read_json(&folder.path().join("engine.json"))?.unwrap_or_default();
        let pieces = submissions.iter().flat_map(|submission| submission.pieces.iter());
        let open = pieces.filter(|piece| **piece > 0).map(|&piece| (piece, JobState::Waiting)).collect();
        let folder = folder.clone();
        let most_elements = most_elements();
        let resources = resources.clone();
        Ok(Self {
            folder,
            resources,
            submissions,
            submitting: None,
            open,
            most_elements,
            last_poll: None,
            last_answer: Instant::now(),
        })
    }

    fn words(&self, pieces: &[usize], list: &str, memory_factor: u32) -> Result<Vec<String>> {
        let most = self.resources.max_running.map_or(String::new(), |most| format!("%{most}"));
        // A percent sign in the name of the folder is not one of Slurm's patterns.
        let log = self.folder.path().join("log").display().to_string().replace('%', "%%");
        let mut words = vec![
            "sbatch".to_owned(),
            "--parsable".to_owned(),
            "--no-requeue".to_owned(),
            "--job-name=table-jobs".to_owned(),
            format!("--array=1-{}{most}", pieces.len()),
            format!("--output={log}/engine-%A_%a.log"),
            format!("--cpus-per-task={}", self.resources.threads.max(1)),
        ];
        if let Some(memory) = &self.resources.memory {
            words.push(format!("--mem={}", times(memory, memory_factor)?));
        }
        words.extend(self.resources.time.iter().map(|time| format!("--time={time}")));
        words.extend(self.resources.engine_args.iter().cloned());
        words.extend([write_script(&self.folder)?, list.to_owned()]);
        Ok(words)
    }

    /// Looks whether `sbatch` has returned.
    fn look_at_submission(&mut self) -> Result<()> {
        let Some(submitting) = &mut self.submitting else { return Ok(()) };
        let failed = |source| Error::Start { program: "sbatch".to_owned(), source };
        let Some(child) = &mut submitting.child else {
            if Instant::now() >= submitting.again {
                submitting.child = Some(start(&submitting.words)?);
            }
            return Ok(());
        };
        // A controller that has too many jobs answers, and `sbatch` tries for minutes: there is room when jobs have ended.
        let is_late = submitting.since.elapsed() > PATIENCE && self.last_answer.elapsed() > PATIENCE;
        if child.try_wait().map_err(failed)?.is_none() {
            if is_late {
                let _ = child.kill();
                let _ = child.wait();
                return Err(Error::Engine(format!("sbatch has not answered for {} s", PATIENCE.as_secs())));
            }
            return Ok(());
        }
        let Some(child) = submitting.child.take() else { return Ok(()) };
        let output = child.wait_with_output().map_err(failed)?;
        let id = String::from_utf8_lossy(&output.stdout);
        let id = id.trim().split(';').next().unwrap_or_default().to_owned();
        if output.status.success() && !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
            let pieces = std::mem::take(&mut submitting.pieces);
            self.submissions.retain(|submission| submission.pieces.iter().any(|piece| self.open.contains_key(piece)));
            self.submissions.push(Submission { id, pieces });
            self.submitting = None;
            return self.folder.write_json(&self.folder.path().join("engine.json"), &self.submissions);
        }
        let message = message_of(&output);
        let may_pass = ["Unable to contact", "temporarily unavailable", "timed out", "Connection refused", "busy"];
        let may_pass = may_pass.iter().any(|words| message.contains(words));
        if is_late || !may_pass {
            return Err(Error::Engine(format!("sbatch refuses: {message}")));
        }
        submitting.again = Instant::now() + Duration::from_secs(2);
        Ok(())
    }

    /// Asks for the state of all open elements; nothing changes while the controller does not answer.
    fn ask(&mut self) -> Result<()> {
        let is_open = |submission: &&Submission| submission.pieces.iter().any(|piece| self.open.contains_key(piece));
        let ids: Vec<&str> = self.submissions.iter().filter(is_open).map(|submission| submission.id.as_str()).collect();
        if ids.is_empty() && self.submitting.is_none() {
            return Ok(());
        }
        // Job 0 is none; the answer says that the controller lives.
        let ids = if ids.is_empty() { "0".to_owned() } else { ids.join(",") };
        let output = run(&["squeue", "-h", "-r", "-t", "all", "-j", &ids, "-o", "%F %K %T"])?;
        let message = message_of(&output);
        if !output.status.success() && !message.contains("Invalid job id") {
            return Ok(());
        }
        self.last_answer = Instant::now();
        let mut states = HashMap::new();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            if let [id, element, state] = line.split_whitespace().collect::<Vec<_>>()[..]
                && let Ok(element) = element.parse::<usize>()
            {
                states.insert((id.to_owned(), element), state.to_owned());
            }
        }
        let submitting: Vec<usize> = self.submitting.iter().flat_map(|call| call.pieces.clone()).collect();
        for submission in &self.submissions {
            for (at, piece) in submission.pieces.iter().enumerate() {
                if self.open.contains_key(piece) && !submitting.contains(piece) {
                    let state = states.get(&(submission.id.clone(), at + 1)).map_or("", String::as_str);
                    self.open.insert(*piece, state_of(state));
                }
            }
        }
        Ok(())
    }
}

impl Engine for Slurm {
    fn room(&mut self) -> usize {
        match self.submitting {
            Some(_) => 0,
            None => self.most_elements.min(MOST_OPEN.saturating_sub(self.open.len())),
        }
    }

    fn submit(&mut self, pieces: &[usize], memory_factor: u32) -> Result<()> {
        let list = list_path(&self.folder, write_list(&self.folder, pieces)?);
        let words = self.words(pieces, &list, memory_factor)?;
        // A piece belongs to its last submission only.
        let again: HashSet<usize> = pieces.iter().copied().collect();
        for old in self.submissions.iter_mut().flat_map(|submission| &mut submission.pieces) {
            if again.contains(old) {
                *old = 0;
            }
        }
        self.open.extend(pieces.iter().map(|&piece| (piece, JobState::Waiting)));
        let now = Instant::now();
        let child = Some(start(&words)?);
        self.submitting = Some(Submitting { child, pieces: pieces.to_vec(), words, since: now, again: now });
        self.last_poll = None;
        Ok(())
    }

    fn poll(&mut self) -> Result<Vec<(usize, JobState)>> {
        self.look_at_submission()?;
        let interval = if self.open.len() > 200 { Duration::from_secs(10) } else { Duration::from_secs(1) };
        if self.last_poll.is_none_or(|last| last.elapsed() >= interval) {
            self.ask()?;
            self.last_poll = Some(Instant::now());
        }
        let states: Vec<_> = self.open.iter().map(|(&piece, state)| (piece, state.clone())).collect();
        self.open.retain(|_, state| !matches!(state, JobState::Ended(_)));
        Ok(states)
    }

    fn kill(&mut self, piece: usize) {
        for submission in &self.submissions {
            if let Some(at) = submission.pieces.iter().position(|&other| other == piece) {
                let _ = run(&["scancel", &format!("{}_{}", submission.id, at + 1)]);
            }
        }
        self.open.remove(&piece);
    }

    fn cancel(&mut self) {
        if let Some(Submitting { child: Some(mut child), .. }) = self.submitting.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        for submission in &self.submissions {
            if let Ok(output) = run(&["scancel", &submission.id])
                && !output.status.success()
            {
                warning!("scancel {}: {}", submission.id, message_of(&output));
            }
        }
        self.submissions.clear();
        self.open.clear();
        let _ = fs::remove_file(self.folder.path().join("engine.json"));
    }

    fn adopted(&self) -> Vec<usize> {
        self.open.keys().copied().collect()
    }

    fn outlives(&self) -> bool {
        true
    }

    fn may_be_late(&self, _lives: Option<bool>) -> bool {
        true
    }

    fn log_of(&self, piece: usize) -> Option<PathBuf> {
        let place = |submission: &Submission| {
            let at = submission.pieces.iter().position(|&other| other == piece)?;
            Some(self.folder.path().join("log").join(format!("engine-{}_{}.log", submission.id, at + 1)))
        };
        self.submissions.iter().rev().find_map(place)
    }
}

/// The state that a word of `squeue` means; an element that it does not know has ended.
fn state_of(word: &str) -> JobState {
    match word {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "RESV_DEL_HOLD" | "SPECIAL_EXIT" => JobState::Waiting,
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STOPPED" | "SIGNALING" | "STAGE_OUT" | "RESIZING" => {
            JobState::Running
        }
        "" | "COMPLETED" | "FAILED" => JobState::Ended(None),
        "OUT_OF_MEMORY" => JobState::Ended(Some(EndReason::Memory)),
        "TIMEOUT" | "DEADLINE" => JobState::Ended(Some(EndReason::Time)),
        other => JobState::Ended(Some(EndReason::Lost(other.to_owned()))),
    }
}

/// The most elements of an array that this cluster takes.
fn most_elements() -> usize {
    let Ok(output) = run(&["scontrol", "show", "config"]) else { return MOST_ELEMENTS };
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.starts_with("MaxArraySize"));
    let number = line.and_then(|line| line.split('=').nth(1)?.trim().parse::<usize>().ok());
    number.map_or(MOST_ELEMENTS, |number| number.saturating_sub(1).clamp(1, MOST_ELEMENTS))
}

fn start(words: &[String]) -> Result<Child> {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|source| Error::Start { program: words[0].clone(), source })
}

fn run(words: &[&str]) -> Result<Output> {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    start(&words)?.wait_with_output().map_err(|source| Error::Start { program: words[0].clone(), source })
}

/// What a command of Slurm says, in one line.
fn message_of(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_squeue_are_states() {
        assert_eq!(state_of("PENDING"), JobState::Waiting);
        assert_eq!(state_of("COMPLETING"), JobState::Running);
        assert_eq!(state_of(""), JobState::Ended(None));
        assert_eq!(state_of("TIMEOUT"), JobState::Ended(Some(EndReason::Time)));
        assert_eq!(state_of("NODE_FAIL"), JobState::Ended(Some(EndReason::Lost("NODE_FAIL".to_owned()))));
    }
}
