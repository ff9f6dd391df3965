pub mod registry;
pub mod sample;
mod scratch;
pub mod shell;
pub mod signal;
pub mod tar;
pub mod viewer;
pub mod wave;

pub use scratch::{Ran, Scratch};

/// A built tool by name, to be run on its own; pipelines and files go through [`Scratch::sh`].
pub fn tool(name: &str) -> assert_cmd::Command {
    let mut command = std::process::Command::new(shell::tools_dir().join(name));
    shell::detach(&mut command);
    command.env("LC_ALL", "C").env("PATH", shell::path());
    command.into()
}
