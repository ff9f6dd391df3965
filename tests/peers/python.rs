use std::env;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::support::Scratch;

/// How long a script may take: imports of large packages on a busy machine among them.
const TIME_LIMIT: Duration = Duration::from_secs(600);

/// The Python of an environment that has what `requirements.txt` lists.
#[derive(Clone, Debug)]
pub struct Python {
    program: PathBuf,
}

impl Python {
    /// The program that `PEERS_PYTHON` names, else that of the environment in the folder of the build.
    ///
    /// # Errors
    /// Why there is none.
    pub fn find() -> Result<Python, String> {
        let made = concat!(env!("CARGO_TARGET_TMPDIR"), "/../peers");
        let (program, advice) = match env::var_os("PEERS_PYTHON") {
            Some(program) => (PathBuf::from(program), "which PEERS_PYTHON names"),
            None => (PathBuf::from(made).join("bin/python"), "which scripts/peers.sh makes"),
        };
        if !program.exists() {
            return Err(format!("since there is no {}, {advice}", program.display()));
        }
        let is_ours = env::var_os("PEERS_PYTHON").is_none();
        let packages = || fs::read_to_string(format!("{made}/requirements.txt")).unwrap_or_default();
        if is_ours && packages() != include_str!("requirements.txt") {
            return Err(format!("since {made} has other packages than are wanted: scripts/peers.sh makes it anew"));
        }
        Ok(Python { program })
    }

    /// Runs `scripts/<name>.py` in the scratch folder, with arguments as a shell reads them; returns what it prints.
    /// A failure shows the command line and what Python says.
    #[track_caller]
    pub fn run(&self, scratch: &Scratch, name: &str, arguments: &str) -> String {
        let script = format!("{}/tests/peers/scripts/{name}.py", env!("CARGO_MANIFEST_DIR"));
        // -B: no compiled files beside the scripts.
        let command = format!("'{}' -B '{script}' {arguments}", self.program.display());
        let ran = scratch.sh_within(TIME_LIMIT, &command).succeeds();
        String::from_utf8(ran.stdout().to_vec()).unwrap()
    }
}
