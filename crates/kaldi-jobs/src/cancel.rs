//! The end of what runs, on the wish of another process.

use std::time::{Duration, Instant};

use crate::engine::{CommandEngine, Engine, EngineKind, Resources, Slurm};
use crate::folder::remove;
use crate::{Error, Folder, Result, signal};

/// How long a submitter may take to cancel its pieces.
const PATIENCE: Duration = Duration::from_secs(60);

/// Cancels the pieces of a folder that wait or run. If a submitter lives, wherever it runs, it is asked to cancel them and
/// to end; otherwise what an earlier one has left is cancelled.
///
/// # Errors
/// If a submitter does not answer, or the submissions cannot be read.
pub fn cancel(folder: &Folder, engine: &EngineKind, silence: Duration) -> Result<()> {
    if folder.submitter(silence).is_some() {
        folder.write(&folder.cancel_path(), b"")?;
        let start = Instant::now();
        while let Some(owner) = folder.submitter(silence) {
            if start.elapsed() > PATIENCE {
                let (process, host) = (owner.process, owner.host);
                let message = format!("process {process} on {host}, which submits the pieces, does not answer");
                return Err(Error::Folder(message));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        return remove(&folder.cancel_path());
    }
    match engine {
        EngineKind::Slurm => Slurm::new(folder, &Resources::default())?.cancel(),
        EngineKind::Command(command) => CommandEngine::new(folder, command, &Resources::default())?.cancel(),
        EngineKind::Local => {}
    }
    let plan = folder.plan()?;
    for number in 1..=plan.map_or(0, |plan| plan.num_pieces()) {
        let attempt = folder.attempt(number, folder.last_try(number));
        if let Some(attempt) = attempt.filter(|attempt| attempt.lives == Some(true)) {
            // It passes the signal on to its command.
            signal::send(attempt.owner.process, libc::SIGTERM);
        }
    }
    Ok(())
}
