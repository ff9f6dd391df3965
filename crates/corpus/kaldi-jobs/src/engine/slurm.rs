//! Pieces as elements of Slurm's job arrays.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::engine::command::{list_path, times, write_list, write_script};
use crate::engine::{EndReason, Engine, JobState, Resources};
use crate::folder::remove;
use crate::owner::Owner;
use crate::{Error, Folder, Result, signal};

/// The most elements of an array, if Slurm does not say another number: its default.
const MOST_ELEMENTS: usize = 1000;

/// More elements than this are not submitted before others have ended.
const MOST_OPEN: usize = 4000;

/// How long a submission is tried again while the controller does not answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long a call of `sbatch` may take to return when everything is cancelled.
const PATIENCE_OF_SUBMISSION: Duration = Duration::from_secs(10);

/// How long cancelled elements may take to end: Slurm's KillWait is 30 seconds by default.
const PATIENCE_OF_END: Duration = Duration::from_secs(60);

/// One array. It is kept before it is submitted: whenever this process ends, the next one finds the array by its name.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Submission {
    /// The name of the job, which no other one has.
    name: String,
    /// The process of `sbatch`.
    sbatch: Option<Owner>,
    /// The number of the job, empty while it is not known.
    id: String,
    /// The pieces; element 1 is the first one.
    pieces: Vec<usize>,
}

/// A call of `sbatch` that has not returned, for the last submission.
struct Submitting {
    child: Option<Child>,
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
        let mut submissions: Vec<Submission> = folder.read_json(&state_path(folder))?.unwrap_or_default();
        for submission in submissions.iter_mut().filter(|submission| submission.id.is_empty()) {
            submission.find()?;
        }
        submissions.retain(|submission| !submission.id.is_empty());
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

    /// Whether an earlier process has left submissions.
    pub(crate) fn has_submissions(folder: &Folder) -> bool {
        state_path(folder).exists()
    }

    fn keep(&self) -> Result<()> {
        self.folder.write_json(&state_path(&self.folder), &self.submissions)
    }

    fn words(&self, name: &str, num_pieces: usize, list: &str, memory_factor: u32) -> Result<Vec<String>> {
        let most = self.resources.max_running.map_or(String::new(), |most| format!("%{most}"));
        // A percent sign in the name of the folder is not one of Slurm's patterns.
        let log = self.folder.path().join("log").display().to_string().replace('%', "%%");
        let mut words = vec![
            "sbatch".to_owned(),
            "--parsable".to_owned(),
            "--no-requeue".to_owned(),
            format!("--job-name={name}"),
            format!("--array=1-{num_pieces}{most}"),
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
            if Instant::now() < submitting.again {
                return Ok(());
            }
            // The controller may have taken what it has not answered.
            if let Some(last) = self.submissions.last_mut()
                && let Ok(Some(id)) = id_of(&last.name)
            {
                last.id = id;
                self.submitting = None;
                return self.keep();
            }
            submitting.child = Some(start(&submitting.words)?);
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
        if let Some(id) = submitted(&output) {
            self.submissions.iter_mut().next_back().into_iter().for_each(|last| last.id.clone_from(&id));
            self.submissions.retain(|submission| submission.pieces.iter().any(|piece| self.open.contains_key(piece)));
            self.submitting = None;
            return self.keep();
        }
        let message = message_of(&output);
        let may_pass = ["Unable to contact", "temporarily unavailable", "timed out", "Connection refused", "busy"];
        let may_pass = may_pass.iter().any(|words| message.contains(words));
        if is_late || !may_pass {
            self.submissions.pop();
            self.keep()?;
            return Err(Error::Engine(format!("sbatch refuses: {message}")));
        }
        submitting.again = Instant::now() + Duration::from_secs(2);
        Ok(())
    }

    /// Asks for the state of all open elements; nothing changes while the controller does not answer.
    fn ask(&mut self) -> Result<()> {
        let is_open = |submission: &&Submission| {
            !submission.id.is_empty() && submission.pieces.iter().any(|piece| self.open.contains_key(piece))
        };
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
        for submission in self.submissions.iter().filter(|submission| !submission.id.is_empty()) {
            for (at, piece) in submission.pieces.iter().enumerate() {
                if self.open.contains_key(piece) {
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
        // Slurm gives numbers again, names are ours.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let name = format!("table-jobs-{:x}-{:x}", std::process::id(), time.as_nanos());
        let words = self.words(&name, pieces.len(), &list, memory_factor)?;
        // A piece belongs to its last submission only.
        let again: HashSet<usize> = pieces.iter().copied().collect();
        for old in self.submissions.iter_mut().flat_map(|submission| &mut submission.pieces) {
            if again.contains(old) {
                *old = 0;
            }
        }
        self.open.extend(pieces.iter().map(|&piece| (piece, JobState::Waiting)));
        self.submissions.push(Submission { name, sbatch: None, id: String::new(), pieces: pieces.to_vec() });
        self.keep()?;
        let now = Instant::now();
        let child = start(&words)?;
        let sbatch = Some(Owner::of(child.id()));
        self.submissions.iter_mut().next_back().into_iter().for_each(|last| last.sbatch.clone_from(&sbatch));
        self.submitting = Some(Submitting { child: Some(child), words, since: now, again: now });
        self.last_poll = None;
        self.keep()
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

    fn cancel(&mut self) -> Result<()> {
        if let Some(Submitting { child: Some(mut child), .. }) = self.submitting.take() {
            // What it submits is known by its name, whether it says so or not.
            let start = Instant::now();
            while matches!(child.try_wait(), Ok(None)) && start.elapsed() < PATIENCE_OF_SUBMISSION {
                std::thread::sleep(Duration::from_millis(20));
            }
            let _ = child.kill();
            let _ = child.wait();
        }
        let mut names = Vec::new();
        for submission in &self.submissions {
            let name = format!("--name={}", submission.name);
            let output = run(&["scancel", &name])?;
            let message = message_of(&output);
            if !output.status.success() && !message.contains("Invalid job id") {
                let advice = "`cancel` with the same `dir` tries it again";
                return Err(Error::Engine(format!("jobs are not cancelled: scancel {name}: {message}; {advice}")));
            }
            names.push(submission.name.as_str());
        }
        wait_for_end(&names)?;
        self.release();
        Ok(())
    }

    fn release(&mut self) {
        self.submissions.clear();
        self.open.clear();
        let _ = remove(&state_path(&self.folder));
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

impl Submission {
    /// Looks for the number of an array of an earlier process, which may not have lived to see it. It stays empty if there
    /// is no such array, and there will be none.
    ///
    /// # Errors
    /// If Slurm does not answer.
    fn find(&mut self) -> Result<()> {
        if let Some(sbatch) = self.sbatch.as_ref().filter(|sbatch| sbatch.lives() == Some(true)) {
            signal::send(sbatch.process, libc::SIGKILL);
        }
        let start = Instant::now();
        loop {
            match id_of(&self.name) {
                Ok(id) => {
                    self.id = id.unwrap_or_default();
                    return Ok(());
                }
                Err(error) if start.elapsed() > PATIENCE => return Err(error),
                Err(_) => std::thread::sleep(Duration::from_secs(2)),
            }
        }
    }
}

fn state_path(folder: &Folder) -> PathBuf {
    folder.path().join("engine.json")
}

/// The number of the job of a name; `None` if Slurm does not know it.
fn id_of(name: &str) -> Result<Option<String>> {
    let output = run(&["squeue", "-h", "-t", "all", "--name", name, "-o", "%F"])?;
    if !output.status.success() {
        return Err(Error::Engine(format!("squeue refuses: {}", message_of(&output))));
    }
    Ok(String::from_utf8_lossy(&output.stdout).split_whitespace().next().map(str::to_owned))
}

/// The number that `sbatch` says; `None` if it has not submitted anything.
fn submitted(output: &Output) -> Option<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let id = text.trim().split(';').next().unwrap_or_default();
    let is_number = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
    (output.status.success() && is_number).then(|| id.to_owned())
}

/// Waits until no job of these names waits or runs.
fn wait_for_end(names: &[&str]) -> Result<()> {
    let (names, start) = (names.join(","), Instant::now());
    while !names.is_empty() {
        let output = run(&["squeue", "-h", "--name", &names, "-o", "%A"])?;
        if output.status.success() && output.stdout.trim_ascii().is_empty() {
            return Ok(());
        }
        if start.elapsed() > PATIENCE_OF_END {
            let seconds = PATIENCE_OF_END.as_secs();
            return Err(Error::Engine(format!("jobs that were cancelled have not ended for {seconds} s: {names}")));
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
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
