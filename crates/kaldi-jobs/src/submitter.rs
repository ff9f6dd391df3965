//! The loop that submits pieces, watches them, and submits again what may pass.

use std::time::{Duration, Instant};

use kaldi_log::{log, warning};

use crate::engine::{CommandEngine, EndReason, Engine, EngineKind, JobState, Local, Resources, Slurm};
use crate::finish::{is_finished, join_outputs, missing_pieces};
use crate::folder::{Cause, Failure, Folder};
use crate::{Plan, Result, signal};

/// How pieces are submitted.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Where they run.
    pub engine: EngineKind,
    /// What each of them takes.
    pub resources: Resources,
    /// How often a piece runs again if its failure may pass.
    pub retries: usize,
    /// After this many pieces have failed for good, the others are cancelled.
    pub max_failures: usize,
    /// How long a record may be late after its job has ended, as on network file systems.
    pub lag: Duration,
    /// A piece that is silent for so long is lost.
    pub silence: Duration,
    /// Whether to leave after everything is submitted.
    pub detach: bool,
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
    /// Everything is submitted.
    Detached,
}

enum State {
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

struct Piece {
    state: State,
    runs: usize,
    memory_factor: u32,
}

struct Submitter<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    options: &'a RunOptions,
    engine: Box<dyn Engine>,
    /// Piece 1 is the first one.
    pieces: Vec<Piece>,
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
    let mut lock = folder.lock(options.silence)?;
    if is_finished(plan, folder)? {
        log!("{0} of {0} pieces done ({0} before), {1} entries", plan.num_pieces(), plan.num_entries());
        return Ok(Outcome::Finished(true));
    }
    crate::folder::remove(&folder.path().join("finished.json"))?;
    plan.check_lists()?;
    signal::watch();
    let engine: Box<dyn Engine> = match &options.engine {
        EngineKind::Local => Box::new(Local::new(folder, &options.resources)),
        EngineKind::Slurm => Box::new(Slurm::new(folder, &options.resources)?),
        EngineKind::Command(command) => Box::new(CommandEngine::new(folder, command, &options.resources)?),
    };
    let mut submitter = Submitter { folder, plan, options, engine, pieces: Vec::new() };
    submitter.look_around()?;
    let before = submitter.counts().done;
    // Outputs that were damaged after they were done are seen when everything seems to be done.
    for _ in 0..3 {
        let ended = submitter.run(&mut lock, report)?;
        if let Some(outcome) = ended {
            return Ok(outcome);
        }
        let missing = missing_pieces(plan, folder)?;
        if missing.is_empty() {
            let did_anything = join_outputs(plan, folder)?;
            let again = submitter.pieces.iter().filter(|piece| piece.runs > 1).count();
            log!(
                "{0} of {0} pieces done ({before} before), {1} entries, {again} run again",
                plan.num_pieces(),
                plan.num_entries()
            );
            return Ok(Outcome::Finished(did_anything));
        }
        for number in missing {
            warning!("an output of piece {number} is not as it was when the piece was done: it runs again");
            submitter.pieces[number - 1].state = State::Idle;
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
    if is_finished(plan, folder)? {
        return Ok(Outcome::Finished(true));
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

/// Cancels what an earlier process has submitted.
///
/// # Errors
/// If the submissions cannot be read.
pub fn cancel(folder: &Folder, engine: &EngineKind) -> Result<()> {
    match engine {
        EngineKind::Slurm => Slurm::new(folder, &Resources::default())?.cancel(),
        EngineKind::Local | EngineKind::Command(_) => {
            let plan = folder.plan()?;
            for number in 1..=plan.map_or(0, |plan| plan.num_pieces()) {
                let attempt = folder.attempt(number, folder.last_try(number));
                if let Some(attempt) = attempt.filter(|attempt| attempt.lives == Some(true)) {
                    signal::send_to_group(attempt.owner.process, libc::SIGTERM);
                }
            }
        }
    }
    Ok(())
}

impl Submitter<'_> {
    /// Finds out what is done and what still runs.
    fn look_around(&mut self) -> Result<()> {
        let open: Vec<usize> = missing_pieces(self.plan, self.folder)?;
        let submitted: Vec<usize> = self.engine.poll()?.into_iter().map(|(piece, _)| piece).collect();
        for number in 1..=self.plan.num_pieces() {
            let state =
                if open.binary_search(&number).is_err() { State::Done } else { self.look_at(number, &submitted)? };
            self.pieces.push(Piece { state, runs: 0, memory_factor: 1 });
        }
        Ok(())
    }

    fn look_at(&self, number: usize, submitted: &[usize]) -> Result<State> {
        let last = self.folder.last_try(number);
        if submitted.contains(&number) {
            return Ok(State::Submitted { running: false, tries_before: last.saturating_sub(1), ended: None });
        }
        let attempt = self.folder.attempt(number, last);
        let lives = attempt.is_some_and(|attempt| attempt.lives.unwrap_or(attempt.silence < self.options.silence));
        match lives && self.folder.failure(number, last)?.is_none() {
            true => Ok(State::Adopted(last)),
            false => Ok(State::Idle),
        }
    }

    fn counts(&self) -> PieceCounts {
        let mut counts =
            PieceCounts { pieces: self.pieces.len(), entries: self.plan.num_entries(), ..PieceCounts::default() };
        for (piece, entries) in self.pieces.iter().zip(&self.plan.entries) {
            match &piece.state {
                State::Done => {
                    counts.done += 1;
                    counts.entries_done += entries;
                }
                State::Failed(_) => counts.failed += 1,
                State::Submitted { running: true, .. } | State::Adopted(_) => counts.running += 1,
                State::Idle | State::Submitted { .. } => {}
            }
        }
        counts
    }

    /// Runs until every piece is done or has failed; returns `None` if all are done.
    fn run(&mut self, lock: &mut crate::folder::Lock, report: &mut dyn FnMut(PieceCounts)) -> Result<Option<Outcome>> {
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(signal) = signal::received() {
                if !(signal == libc::SIGHUP && self.engine.outlives()) {
                    self.engine.cancel();
                }
                return Ok(Some(Outcome::Interrupted(signal)));
            }
            lock.beat();
            self.find_done()?;
            self.find_ended()?;
            let failed = self.pieces.iter().filter(|piece| matches!(piece.state, State::Failed(_))).count();
            if failed >= self.options.max_failures.max(1) {
                self.engine.cancel();
                return Ok(Some(Outcome::Failed(self.failures())));
            }
            let is_waiting = self.submit()?;
            let counts = self.counts();
            report(counts);
            if counts.done + counts.failed == counts.pieces {
                return Ok((counts.failed > 0).then(|| Outcome::Failed(self.failures())));
            }
            if self.options.detach && !is_waiting && self.engine.room() > 0 {
                return Ok(Some(Outcome::Detached));
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(100));
        }
    }

    fn failures(&self) -> Vec<(usize, String)> {
        let failed = self.pieces.iter().zip(1..).filter_map(|(piece, number)| match &piece.state {
            State::Failed(message) => Some((number, message.clone())),
            _ => None,
        });
        failed.collect()
    }

    fn find_done(&mut self) -> Result<()> {
        for number in self.folder.done_pieces()? {
            if let Some(piece) = number.checked_sub(1).and_then(|at| self.pieces.get_mut(at)) {
                piece.state = State::Done;
            }
        }
        Ok(())
    }

    /// Looks for pieces that have ended without a record.
    fn find_ended(&mut self) -> Result<()> {
        for (number, job) in self.engine.poll()? {
            if let Some(State::Submitted { running, ended, .. }) =
                number.checked_sub(1).and_then(|at| self.pieces.get_mut(at)).map(|piece| &mut piece.state)
            {
                match job {
                    JobState::Waiting => *running = false,
                    JobState::Running => *running = true,
                    JobState::Ended(reason) => *ended = Some((Instant::now(), reason)),
                }
            }
        }
        for number in 1..=self.pieces.len() {
            if let Some(failure) = self.failure_of(number)? {
                self.fail(number, failure);
            }
        }
        Ok(())
    }

    /// Why a piece has failed, if it has.
    fn failure_of(&mut self, number: usize) -> Result<Option<Failure>> {
        let lost = |message: String| Some(Failure { cause: Cause::Passing, message });
        match &self.pieces[number - 1].state {
            State::Adopted(attempt) => {
                let there = self.folder.attempt(number, *attempt);
                let lives = there.is_some_and(|there| there.lives.unwrap_or(there.silence < self.options.silence));
                match self.folder.failure(number, *attempt)? {
                    Some(failure) => Ok(Some(failure)),
                    None if lives || self.folder.record(number)?.is_some() => Ok(None),
                    None => Ok(lost("it ended without a word".to_owned())),
                }
            }
            State::Submitted { running, tries_before, ended, .. } => {
                let last = self.folder.last_try(number);
                let failure = if last > *tries_before { self.folder.failure(number, last)? } else { None };
                match ended {
                    None if *running && last > *tries_before => self.check_silence(number, last),
                    None => Ok(None),
                    Some((since, reason)) => Ok(self.judge_end(*since, reason.clone(), failure)),
                }
            }
            State::Idle | State::Done | State::Failed(_) => Ok(None),
        }
    }

    /// What the engine says has priority over what the program could say itself.
    fn judge_end(&self, since: Instant, reason: Option<EndReason>, failure: Option<Failure>) -> Option<Failure> {
        let of = |cause, message: String| Some(Failure { cause, message });
        match (reason, failure) {
            (Some(EndReason::Memory), _) => of(Cause::Memory, "out of memory (--mem)".to_owned()),
            (Some(EndReason::Time), _) => {
                of(Cause::Passing, "TIMEOUT: it takes longer than --time; take more pieces, or more time".to_owned())
            }
            (_, Some(failure)) => Some(failure),
            (Some(EndReason::Lost(word)), None) => of(Cause::Passing, format!("lost: {word}")),
            (None, None) if self.engine.outlives() && since.elapsed() < self.options.lag => {
                self.folder.kick();
                None
            }
            (None, None) => of(Cause::Passing, "it ended without a record".to_owned()),
        }
    }

    fn check_silence(&mut self, number: usize, attempt: usize) -> Result<Option<Failure>> {
        let silence = self.folder.attempt(number, attempt).map_or(Duration::ZERO, |there| there.silence);
        if silence < self.options.silence || self.folder.failure(number, attempt)?.is_some() {
            return Ok(None);
        }
        self.engine.kill(number);
        Ok(Some(Failure { cause: Cause::Passing, message: format!("silent for {} s", silence.as_secs()) }))
    }

    fn fail(&mut self, number: usize, failure: Failure) {
        let retries = self.options.retries;
        let piece = &mut self.pieces[number - 1];
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
        while let Some(factor) = self.pieces.iter().find(|piece| idle(piece)).map(|piece| piece.memory_factor) {
            let room = self.engine.room();
            let fits = |piece: &Piece| idle(piece) && piece.memory_factor == factor;
            let chosen: Vec<usize> =
                (1..).zip(&self.pieces).filter(|(_, piece)| fits(piece)).map(|(number, _)| number).take(room).collect();
            if chosen.is_empty() {
                return Ok(true);
            }
            for &number in &chosen {
                let tries_before = self.folder.last_try(number);
                let piece = &mut self.pieces[number - 1];
                piece.runs += 1;
                piece.state = State::Submitted { running: false, tries_before, ended: None };
            }
            self.engine.submit(&chosen, factor)?;
        }
        Ok(false)
    }
}
