//! Explains failed pieces, from the state of the engine, from their logs, or from the lack of these.

use std::time::Duration;

use crate::Result;
use crate::engine::{EndReason, EngineWords};
use crate::folder::{Cause, Failure};
use crate::submitter::{State, Submitter};

impl Submitter<'_> {
    /// Why a piece has failed, if it has.
    pub(crate) fn failure_of(&mut self, number: usize) -> Result<Option<Failure>> {
        let lost = |message: String| Some(Failure { cause: Cause::Passing, message });
        match &self.pieces[&number].state {
            State::Adopted(attempt) => {
                let there = self.folder.attempt(number, *attempt);
                let lives = there.is_some_and(|there| there.seems_alive(self.options.silence));
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
                    Some((since, reason)) => {
                        let is_old = self.pieces[&number].runs == 0 && last == *tries_before;
                        if is_old
                            && matches!(reason, None | Some(EndReason::Lost(_)))
                            && let Some(failure) = self.folder.failure(number, last)?
                        {
                            // The job of an earlier process, which has failed then: the piece runs again at once.
                            return Ok(lost(failure.message));
                        }
                        let lives = if last > *tries_before { self.folder.attempt(number, last) } else { None };
                        let is_late = self.engine.may_be_late(lives.and_then(|there| there.lives))
                            && since.elapsed() < self.options.lag;
                        Ok(self.judge_end(number, is_late, reason.clone(), failure))
                    }
                }
            }
            State::Idle | State::Done | State::Failed(_) => Ok(None),
        }
    }

    /// What the engine says has priority over what the program could say itself.
    fn judge_end(
        &self,
        number: usize,
        is_late: bool,
        reason: Option<EndReason>,
        failure: Option<Failure>,
    ) -> Option<Failure> {
        let of = |cause, message: String| Some(Failure { cause, message });
        let words = || self.engine.log_of(number).map_or_else(EngineWords::default, |log| EngineWords::read(&log));
        match (reason, failure) {
            (Some(EndReason::Memory), _) => of(Cause::Memory, "out of memory (`mem`)".to_owned()),
            (Some(EndReason::Time), _) => {
                of(Cause::Passing, "TIMEOUT: it takes longer than `time`; take more pieces, or more time".to_owned())
            }
            (_, Some(failure)) if failure.cause == Cause::Passing && words().is_memory => {
                of(Cause::Memory, "out of memory (`mem`)".to_owned())
            }
            (_, Some(failure)) => Some(failure),
            (Some(EndReason::Lost(word)), None) => of(Cause::Passing, format!("lost: {word}")),
            (None, None) if words().is_memory => of(Cause::Memory, "out of memory (`mem`)".to_owned()),
            (None, None) if is_late => None,
            (None, None) => match (self.folder.kick(), words().last) {
                (Err(error), _) => of(Cause::Final, format!("it could not leave a record: {error}")),
                (Ok(()), None) => of(Cause::Passing, "it ended without a record".to_owned()),
                (Ok(()), Some(last)) => of(Cause::Passing, format!("it ended without a record: {last}")),
            },
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
}
