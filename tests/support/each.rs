//! Checks of all tools, on a few threads.

use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Scratch, shell};

/// Does work for each item, each thread in a folder of its own, and collects what is wrong.
#[track_caller]
pub fn check_each<T: Sync>(items: &[T], work: impl Fn(&Scratch, &T) -> Result<(), String> + Sync) {
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let scratch = Scratch::new();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(message) = work(&scratch, item) {
                        wrong.lock().unwrap().push(message);
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), items.len(), wrong.join("\n"));
}

/// Runs a tool in a folder, without a shell. Standard input is empty.
pub fn run(scratch: &Scratch, tool: &str, words: &[String]) -> Output {
    let mut command = Command::new(shell::tools_dir().join(tool));
    shell::detach(&mut command);
    command.args(words).current_dir(scratch.path("")).env("LC_ALL", "C").env("PATH", shell::path());
    command.stdin(Stdio::null()).output().unwrap()
}
