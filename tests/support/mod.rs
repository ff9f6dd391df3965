pub mod each;
pub mod registry;
pub mod sample;
mod scratch;
pub mod shell;
pub mod signal;
pub mod tar;
pub mod terminal;
pub mod viewer;
// Parts of it are for benchmarks, and the test of README.md has it once more.
#[allow(dead_code, clippy::duplicate_mod)]
#[path = "../../samples/voice.rs"]
pub mod voice;
pub mod wave;

pub use scratch::{Ran, Scratch};

/// Whether a process of this number runs.
pub fn runs(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    state.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
}

/// A built tool by name, to be run on its own; pipelines and files go through [`Scratch::sh`].
pub fn tool(name: &str) -> assert_cmd::Command {
    let mut command = std::process::Command::new(shell::tools_dir().join(name));
    shell::detach(&mut command);
    command.env("LC_ALL", "C").env("PATH", shell::path());
    command.into()
}
