//! What is known of each piece.

use std::time::Duration;

use crate::{Folder, Plan, Result};

/// One piece.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PieceStatus {
    /// Its number.
    pub number: usize,
    /// `waiting`, `running`, `done` or `failed`.
    pub state: &'static str,
    /// Tries that have started.
    pub tries: usize,
    /// Its entries.
    pub entries: u64,
    /// The host of the last try, empty if there was none.
    pub host: String,
    /// Seconds that it took, if it is done.
    pub seconds: Option<f64>,
    /// The message of its last failure, if that was its last try.
    pub message: Option<String>,
}

/// Returns the status of each piece. A piece on another host counts as ended if its heartbeat is older than `silence`.
///
/// # Errors
/// If a record cannot be read.
pub fn status(folder: &Folder, plan: &Plan, silence: Duration) -> Result<Vec<PieceStatus>> {
    let piece = |number: usize| -> Result<PieceStatus> {
        let tries = folder.last_try(number);
        let piece = plan.piece(number);
        let record = folder.record(number)?.filter(|record| piece.is_some_and(|piece| record.is_of(plan, piece)));
        let attempt = folder.attempt(number, tries);
        let failure = folder.failure(number, tries)?;
        let state = match (&record, &failure, &attempt) {
            (Some(_), _, _) => "done",
            (None, Some(_), _) => "failed",
            (None, None, Some(attempt)) if attempt.seems_alive(silence) => "running",
            _ => "waiting",
        };
        Ok(PieceStatus {
            number,
            state,
            tries,
            entries: plan.entries_of(number).unwrap_or_default(),
            host: attempt.map(|attempt| attempt.owner.host).unwrap_or_default(),
            seconds: record.map(|record| record.seconds),
            message: failure.filter(|_| state == "failed").map(|failure| failure.message),
        })
    };
    let mut numbers: Vec<usize> = plan.numbers().collect();
    numbers.sort_unstable();
    numbers.into_iter().map(piece).collect()
}
