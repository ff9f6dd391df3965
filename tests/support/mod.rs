pub mod registry;
pub mod sample;
mod scratch;
pub mod shell;
pub mod signal;
pub mod tar;
pub mod wave;

pub use scratch::{Ran, Scratch};

/// A built tool by name, to be run on its own; pipelines and files go through [`Scratch::sh`].
pub fn tool(name: &str) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::new(shell::tools_dir().join(name));
    command.env("LC_ALL", "C").env("PATH", shell::path());
    command
}
