//! The end of what runs, on the wish of another process.

use std::time::{Duration, Instant};

use crate::engine::{CommandEngine, Engine, PATIENCE_OF_GROUPS, Resources, Slurm};
use crate::folder::remove;
use crate::owner::Owner;
use crate::{Error, Folder, Result, signal};

/// How long a submitter may take to cancel its pieces.
const PATIENCE: Duration = Duration::from_secs(120);

/// Cancels the pieces of a folder that wait or run, whatever engine has them. If a submitter lives, wherever it runs, it is
/// asked to cancel them and to end; otherwise what an earlier one has left is cancelled.
///
/// # Errors
/// If a submitter or an engine does not answer, or the submissions cannot be read.
pub fn cancel(folder: &Folder, silence: Duration) -> Result<()> {
    if folder.submitter(silence).is_some() {
        folder.write(&folder.cancel_path(), b"")?;
        let start = Instant::now();
        while let Some(owner) = folder.submitter(silence) {
            if start.elapsed() > PATIENCE {
                return Err(Error::Folder(format!("{owner}, which submits the pieces, does not answer")));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        remove(&folder.cancel_path())?;
    }
    // Also what the submitter could not cancel.
    if Slurm::has_submissions(folder) {
        Slurm::new(folder, &Resources::default())?.cancel()?;
    }
    if CommandEngine::has_calls(folder) {
        CommandEngine::adopt(folder)?.cancel()?;
    }
    end_tries(folder);
    Ok(())
}

/// Ends tries that run on this host, and waits for their end. Each passes the signal on to its command.
pub(crate) fn end_tries(folder: &Folder) {
    let running: Vec<Owner> = folder.running_tries().into_iter().map(|(_, there)| there.owner).collect();
    let lives = |owner: &&Owner| owner.lives() == Some(true);
    for owner in running.iter().filter(lives) {
        signal::send(owner.process, libc::SIGTERM);
        // One that is stopped gets it then.
        signal::send(owner.process, libc::SIGCONT);
    }
    let start = Instant::now();
    while running.iter().any(|owner| lives(&owner)) && start.elapsed() < PATIENCE_OF_GROUPS {
        std::thread::sleep(Duration::from_millis(20));
    }
    running.iter().filter(lives).for_each(|owner| signal::send(owner.process, libc::SIGKILL));
}
