//! The loop that submits pieces, watches them, and submits again what may pass.

use std::collections::{BTreeMap, HashSet};
use std::time::{Duration, Instant};

use kaldi_io::log::{log, warning};

use crate::engine::{CommandEngine, EndReason, Engine, EngineKind, JobState, Local, Resources, Slurm};
use crate::finish::{OpenPieces, finished_before, join_outputs, missing_pieces};
use crate::folder::{Cause, Failure, Folder};
use crate::newer::newer_pieces;
use crate::owner::HEARTBEAT;
use crate::{Plan, Result, signal};

/// How pieces are submitted.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where they run.
    pub engine: EngineKind,
    /// What each of them takes.
    pub resources: Resources,
    /// How many times a piece is retried if its failure may be temporary.
    pub retries: usize,
    /// After this many pieces have failed for good, the others are cancelled.
    pub max_failures: usize,
    /// How long to wait for the record of a job that has ended: network file systems show it late.
    pub lag: Duration,
    /// A piece whose heartbeat is older than this is lost.
    pub silence: Duration,
    /// Whether to leave after everything is submitted.
    pub detach: bool,
    /// Whether pieces run again if files that their lines name have changed since.
    pub newer: bool,
}

/// How far the pieces are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PieceCounts {
    /// All pieces.
    pub pieces: usize,
    /// Those that are done.
    pub done: usize,
    /// Those that run.
    pub running: usize,
    /// Those that have failed for good.
    pub failed: usize,
    /// All entries.
    pub entries: u64,
    /// Those of pieces that are done.
    pub entries_done: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The outputs are complete. `false` if no piece had anything to do.
    Finished(bool),
    /// These pieces have failed, each with its last message; other pieces may have been cancelled.
    Failed(Vec<(usize, String)>),
    /// A signal came.
    Interrupted(i32),
    /// [`cancel`](crate::cancel()) was called by another process.
    Cancelled,
    /// Everything is submitted.
    Detached,
}

pub(crate) enum State {
    Idle,
    Submitted {
        running: bool,
        tries_before: usize,
        ended: Option<(Instant, Option<EndReason>)>,
    },
    /// A try of an earlier process, which may still run.
    Adopted(usize),
    Done,
    Failed(String),
}

/// When the state folder is looked at again: seldom if that takes long, or nothing happens.
struct Pace {
    next: Instant,
    interval: Duration,
}

impl Pace {
    const LONGEST: Duration = Duration::from_secs(1);

    fn new() -> Self {
        Self { next: Instant::now(), interval: Duration::from_millis(20) }
    }

    fn is_due(&self) -> bool {
        Instant::now() >= self.next
    }

    fn looked(&mut self, since: Instant) {
        self.interval = (self.interval * 5 / 4).min(Self::LONGEST);
        self.next = Instant::now() + self.interval.max(since.elapsed() * 20);
    }
}

pub(crate) struct Piece {
    pub(crate) state: State,
    /// Tries of earlier processes.
    tries: usize,
    /// How often this process has submitted it.
    pub(crate) runs: usize,
    memory_factor: u32,
}

pub(crate) struct Submitter<'a> {
    pub(crate) folder: &'a Folder,
    plan: &'a Plan,
    pub(crate) options: &'a RunOptions,
    pub(crate) engine: Box<dyn Engine>,
    /// By their numbers.
    pub(crate) pieces: BTreeMap<usize, Piece>,
    silence_looked: Instant,
}

/// Runs all pieces of the plan that are not done, and joins their outputs. `report` is called from time to time.
///
/// # Errors
/// If the folder is in use, the engine refuses, or outputs cannot be joined.
pub fn run_all(
    folder: &Folder,
    plan: &Plan,
    options: &RunOptions,
    report: &mut dyn FnMut(PieceCounts),
) -> Result<Outcome> {
    options.engine.check_folder(folder)?;
    let mut lock = folder.lock(options.silence)?;
    let (today, changes) = plan.of_today();
    changes.iter().for_each(|change| warning!("{change}"));
    let newer = newer_pieces(plan, folder, !options.newer)?;
    if options.newer && !newer.is_empty() {
        plan.give_back(folder, plan)?;
        newer.iter().try_for_each(|&number| folder.withdraw(number))?;
        crate::folder::remove(&folder.finished_path())?;
    }
    if let Some(did_anything) = finished_before(plan, folder)? {
        log!("{0} of {0} pieces done ({0} before), {1} entries", plan.num_pieces(), plan.num_entries());
        return Ok(Outcome::Finished(did_anything));
    }
    // An output was lost after the end: the others still have what the pieces have made.
    plan.give_back(folder, plan)?;
    crate::folder::remove(&folder.finished_path())?;
    crate::folder::remove(&folder.cancel_path())?;
    plan.check_lists()?;
    if today != *plan {
        folder.write_plan(&today)?;
    }
    let plan = &today;
    signal::watch();
    let engine: Box<dyn Engine> = match &options.engine {
        EngineKind::Local => Box::new(Local::new(folder, &options.resources)),
        EngineKind::Slurm => Box::new(Slurm::new(folder, &options.resources)?),
        EngineKind::Command(command) => Box::new(CommandEngine::new(folder, command, &options.resources)?),
    };
    let mut submitter =
        Submitter { folder, plan, options, engine, pieces: BTreeMap::new(), silence_looked: Instant::now() };
    submitter.look_around()?;
    let before = submitter.counts().done;
    // Outputs that were damaged after they were done are seen when everything seems to be done.
    for _ in 0..3 {
        let ended = submitter.run(&mut lock, report)?;
        if let Some(outcome) = ended {
            return Ok(outcome);
        }
        submitter.wait_for_outputs()?;
        let missing = missing_pieces(plan, folder)?;
        if missing.is_empty() {
            submitter.engine.release();
            let did_anything = match (join_outputs(plan, folder), signal::received()) {
                (Err(_), Some(signal)) => return Ok(Outcome::Interrupted(signal)),
                (joined, _) => joined?,
            };
            let again = submitter.pieces.values().filter(|piece| piece.runs > 1).count();
            log!(
                "{0} of {0} pieces done ({before} before), {1} entries, {again} run again",
                plan.num_pieces(),
                plan.num_entries()
            );
            return Ok(Outcome::Finished(did_anything));
        }
        for number in missing {
            warning!("an output of piece {number} is not as it was when the piece was done: it runs again");
            submitter.set_state(number, State::Idle);
        }
    }
    Ok(Outcome::Failed(vec![(0, "outputs of pieces do not stay as they were written".to_owned())]))
}

/// Checks that all pieces are done, and joins their outputs.
///
/// # Errors
/// As [`run_all`].
pub fn finish(folder: &Folder, plan: &Plan, silence: Duration) -> Result<Outcome> {
    let _lock = folder.lock(silence)?;
    if let Some(did_anything) = finished_before(plan, folder)? {
        return Ok(Outcome::Finished(did_anything));
    }
    let missing = missing_pieces(plan, folder)?;
    if missing.is_empty() {
        return Ok(Outcome::Finished(join_outputs(plan, folder)?));
    }
    let reason = |number: usize| {
        let failure = folder.failure(number, folder.last_try(number))?;
        Ok((number, failure.map_or("not done".to_owned(), |failure| failure.message)))
    };
    Ok(Outcome::Failed(missing.into_iter().map(reason).collect::<Result<_>>()?))
}

impl Submitter<'_> {
    /// Waits until the outputs of all pieces are as their records say: a network file system may show a record before an output that was
    /// written before it.
    fn wait_for_outputs(&self) -> Result<()> {
        let since = Instant::now();
        while self.engine.may_be_late(None)
            && since.elapsed() < self.options.lag
            && signal::received().is_none()
            && !OpenPieces::find(self.plan, self.folder)?.changed.is_empty()
        {
            self.folder.kick()?;
            std::thread::sleep(Duration::from_millis(500));
        }
        Ok(())
    }

    /// Finds out what is done and what still runs.
    fn look_around(&mut self) -> Result<()> {
        let open: Vec<usize> = missing_pieces(self.plan, self.folder)?;
        let tries = self.folder.last_tries()?;
        let submitted: HashSet<usize> = self.engine.adopted().into_iter().collect();
        for number in self.plan.numbers() {
            let tries = tries.get(&number).copied().unwrap_or_default();
            let state = match open.binary_search(&number) {
                Ok(_) => self.look_at(number, tries, &submitted)?,
                Err(_) => State::Done,
            };
            self.pieces.insert(number, Piece { state, tries, runs: 0, memory_factor: 1 });
        }
        Ok(())
    }

    fn look_at(&self, number: usize, last: usize, submitted: &HashSet<usize>) -> Result<State> {
        if submitted.contains(&number) {
            // A failure that is there is one of an earlier process; another try of the same job may follow.
            let has_failed = last > 0 && self.folder.failure(number, last)?.is_some();
            let tries_before = if has_failed { last } else { last.saturating_sub(1) };
            return Ok(State::Submitted { running: false, tries_before, ended: None });
        }
        if last == 0 {
            return Ok(State::Idle);
        }
        let attempt = self.folder.attempt(number, last);
        let lives = attempt.is_some_and(|attempt| attempt.seems_alive(self.options.silence));
        match lives && self.folder.failure(number, last)?.is_none() {
            true => Ok(State::Adopted(last)),
            false => Ok(State::Idle),
        }
    }

    fn counts(&self) -> PieceCounts {
        let mut counts =
            PieceCounts { pieces: self.pieces.len(), entries: self.plan.num_entries(), ..PieceCounts::default() };
        for planned in &self.plan.pieces {
            let Some(piece) = self.pieces.get(&planned.number) else { continue };
            match &piece.state {
                State::Done => {
                    counts.done += 1;
                    counts.entries_done += planned.entries();
                }
                State::Failed(_) => counts.failed += 1,
                State::Submitted { running: true, .. } | State::Adopted(_) => counts.running += 1,
                State::Idle | State::Submitted { .. } => {}
            }
        }
        counts
    }

    /// Runs until every piece is done or has failed; returns `None` if all are done.
    fn run(&mut self, lock: &mut crate::lock::Lock, report: &mut dyn FnMut(PieceCounts)) -> Result<Option<Outcome>> {
        let (mut pause, mut pace) = (Duration::from_millis(1), Pace::new());
        loop {
            if let Some(signal) = signal::received() {
                if !(signal == libc::SIGHUP && self.engine.outlives()) {
                    self.cancel();
                }
                return Ok(Some(Outcome::Interrupted(signal)));
            }
            lock.beat()?;
            let (start, is_due) = (Instant::now(), pace.is_due());
            if is_due && self.folder.cancel_path().exists() {
                self.cancel();
                return Ok(Some(Outcome::Cancelled));
            }
            if is_due {
                self.find_done()?;
            }
            if self.find_ended()? | is_due {
                self.find_failed(is_due)?;
                let failed = self.pieces.values().filter(|piece| matches!(piece.state, State::Failed(_))).count();
                if failed >= self.options.max_failures.max(1) {
                    self.cancel();
                    return Ok(Some(Outcome::Failed(self.failures())));
                }
            }
            if is_due {
                pace.looked(start);
            }
            let is_waiting = self.submit()?;
            let counts = self.counts();
            report(counts);
            if counts.done + counts.failed == counts.pieces {
                if counts.failed > 0 {
                    self.engine.release();
                }
                return Ok((counts.failed > 0).then(|| Outcome::Failed(self.failures())));
            }
            if self.options.detach && !is_waiting && self.engine.room() > 0 {
                return Ok(Some(Outcome::Detached));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }

    /// Ends everything that waits or runs.
    fn cancel(&mut self) {
        if let Err(error) = self.engine.cancel() {
            warning!("{error}");
        }
        crate::cancel::end_tries(self.folder);
    }

    fn set_state(&mut self, number: usize, state: State) {
        if let Some(piece) = self.pieces.get_mut(&number) {
            piece.state = state;
        }
    }

    fn failures(&self) -> Vec<(usize, String)> {
        let failed = self.pieces.iter().filter_map(|(number, piece)| match &piece.state {
            State::Failed(message) => Some((*number, message.clone())),
            _ => None,
        });
        failed.collect()
    }

    fn find_done(&mut self) -> Result<()> {
        for number in self.folder.done_pieces()? {
            if let Some(piece) = self.pieces.get_mut(&number) {
                piece.state = State::Done;
            }
        }
        Ok(())
    }

    /// Asks the engine. A piece that has ended and has a record is done. Returns whether a piece has ended without one.
    fn find_ended(&mut self) -> Result<bool> {
        let mut is_missing = false;
        for (number, job) in self.engine.poll()? {
            let Some(piece) = self.pieces.get_mut(&number) else { continue };
            let State::Submitted { running, ended, .. } = &mut piece.state else { continue };
            match job {
                JobState::Waiting => *running = false,
                JobState::Running => *running = true,
                JobState::Ended(_) if self.folder.record(number)?.is_some() => piece.state = State::Done,
                JobState::Ended(reason) => {
                    *ended = Some((Instant::now(), reason));
                    is_missing = true;
                }
            }
        }
        Ok(is_missing)
    }

    /// Looks for the reasons of pieces that have no record. Those that run are looked at now and then.
    fn find_failed(&mut self, is_due: bool) -> Result<()> {
        let is_long_ago = is_due && self.silence_looked.elapsed() >= (self.options.silence / 10).min(HEARTBEAT);
        if is_long_ago {
            self.silence_looked = Instant::now();
        }
        let (mut is_late, mut failed) = (false, Vec::new());
        let numbers: Vec<usize> = self.pieces.keys().copied().collect();
        for number in numbers {
            let is_open = match &self.pieces[&number].state {
                State::Submitted { ended: Some(_), .. } => true,
                State::Adopted(_) => is_due,
                State::Submitted { running: true, .. } => is_long_ago,
                _ => false,
            };
            if !is_open {
                continue;
            }
            match self.failure_of(number)? {
                Some(failure) => failed.push((number, failure)),
                None => is_late |= matches!(self.pieces[&number].state, State::Submitted { ended: Some(_), .. }),
            }
        }
        if is_late && is_due {
            let _ = self.folder.kick();
        }
        failed.into_iter().for_each(|(number, failure)| self.fail(number, failure));
        Ok(())
    }

    fn fail(&mut self, number: usize, failure: Failure) {
        let retries = self.options.retries;
        let Some(piece) = self.pieces.get_mut(&number) else { return };
        if failure.cause == Cause::Final || piece.runs > retries {
            warning!("piece {number} has failed: {}", failure.message);
            piece.state = State::Failed(failure.message);
            return;
        }
        warning!("piece {number} runs again: {}", failure.message);
        if failure.cause == Cause::Memory {
            piece.memory_factor = piece.memory_factor.saturating_mul(2);
        }
        piece.state = State::Idle;
    }

    /// Submits idle pieces, those with the same memory together. Returns whether some had no room.
    fn submit(&mut self) -> Result<bool> {
        let idle = |piece: &Piece| matches!(piece.state, State::Idle);
        while let Some(factor) = self.pieces.values().find(|piece| idle(piece)).map(|piece| piece.memory_factor) {
            let room = self.engine.room();
            let fits = |piece: &Piece| idle(piece) && piece.memory_factor == factor;
            let chosen: Vec<usize> =
                self.pieces.iter().filter(|(_, piece)| fits(piece)).map(|(number, _)| *number).take(room).collect();
            if chosen.is_empty() {
                return Ok(true);
            }
            for &number in &chosen {
                let Some(piece) = self.pieces.get_mut(&number) else { continue };
                // At the first run it is what was there at the start.
                let tries_before = if piece.runs == 0 { piece.tries } else { self.folder.last_try(number) };
                piece.runs += 1;
                piece.state = State::Submitted { running: false, tries_before, ended: None };
            }
            self.engine.submit(&chosen, factor)?;
        }
        Ok(false)
    }
}
