use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use bstr::{BStr, ByteSlice};
use predicates::prelude::*;
use tempfile::TempDir;

use super::shell::{self, Outcome};

/// An empty temporary folder in which a test runs command lines; removed with all it holds when dropped.
pub struct Scratch {
    dir: TempDir,
}

impl Scratch {
    /// Makes the folder.
    pub fn new() -> Scratch {
        Scratch { dir: tempfile::tempdir().expect("a temporary folder can be made") }
    }

    /// Where `name` in this folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file.
    #[track_caller]
    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Scratch {
        fs::write(self.path(name), bytes).unwrap_or_else(|error| panic!("cannot write {name}: {error}"));
        self
    }

    /// The bytes of a file that must be there.
    #[track_caller]
    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("cannot read {name}: {error}"))
    }

    /// The names of everything in this folder, sorted: what a tool must not leave lying about is not among them.
    pub fn list(&self) -> Vec<String> {
        let entries = fs::read_dir(self.dir.path()).expect("the folder is there");
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs a bash command line in this folder: the built tools are on the path, a failure anywhere in a pipeline
    /// fails it, standard input is empty.
    #[track_caller]
    #[must_use = "say how it ends: succeeds() or fails_with()"]
    pub fn sh(&self, script: &str) -> Ran {
        self.sh_within(shell::TIME_LIMIT, script)
    }

    /// Like [`Scratch::sh`] with a time limit of its own.
    #[track_caller]
    #[must_use = "say how it ends: succeeds() or fails_with()"]
    pub fn sh_within(&self, limit: Duration, script: &str) -> Ran {
        let outcome = shell::run(script, self.dir.path(), limit);
        Ran {
            script: script.to_owned(),
            outcome: outcome.unwrap_or_else(|| panic!("no end after {limit:?}: {script}")),
        }
    }
}

/// A command line that has ended. Its assertions show the command, its status and both streams when they fail.
pub struct Ran {
    script: String,
    outcome: Outcome,
}

impl Ran {
    /// Exit status 0.
    #[track_caller]
    pub fn succeeds(self) -> Ran {
        self.fails_with(0)
    }

    /// This exit status.
    #[track_caller]
    pub fn fails_with(self, code: i32) -> Ran {
        self.expect("exit", predicate::eq(code), &self.outcome.code());
        self
    }

    /// Exactly these bytes on standard output.
    #[track_caller]
    pub fn stdout_is(self, wanted: impl AsRef<[u8]>) -> Ran {
        self.expect("stdout", predicate::eq(BStr::new(&wanted)), BStr::new(&self.outcome.stdout));
        self
    }

    /// This text somewhere on standard output.
    #[track_caller]
    pub fn stdout_has(self, text: &str) -> Ran {
        self.expect("stdout", predicate::str::contains(text), &self.outcome.stdout.to_str_lossy());
        self
    }

    /// This text somewhere on standard error.
    #[track_caller]
    pub fn stderr_has(self, text: &str) -> Ran {
        self.expect("stderr", predicate::str::contains(text), &self.outcome.stderr.to_str_lossy());
        self
    }

    /// This text nowhere on standard error.
    #[track_caller]
    pub fn stderr_lacks(self, text: &str) -> Ran {
        self.expect("stderr", predicate::str::contains(text).not(), &self.outcome.stderr.to_str_lossy());
        self
    }

    /// What it wrote to standard error.
    pub fn stderr(&self) -> &[u8] {
        &self.outcome.stderr
    }

    /// What it wrote to standard output.
    pub fn stdout(&self) -> &[u8] {
        &self.outcome.stdout
    }

    #[track_caller]
    fn expect<Got: ?Sized>(&self, what: &str, wanted: impl Predicate<Got>, got: &Got) {
        let Self { script, outcome } = self;
        assert!(wanted.eval(got), "expected {what}: {wanted}\n--- command\n{script}\n{}", outcome.describe());
    }
}

mod tests {
    use std::time::Duration;

    use super::{Scratch, shell};
    use crate::support::{runs, viewer::wait_until};

    #[test]
    fn a_failure_anywhere_in_a_pipeline_is_a_failure() {
        Scratch::new().sh("false | true").fails_with(1);
        Scratch::new().sh("echo to stderr >&2; exit 255").fails_with(255).stderr_has("to std").stderr_lacks("stdout");
    }

    #[test]
    fn a_signal_is_no_exit_status() {
        Scratch::new().sh("kill -TERM $$").fails_with(-15);
    }

    #[test]
    fn standard_input_is_empty_and_the_locale_is_c() {
        Scratch::new().sh("wc -c; echo $LC_ALL").succeeds().stdout_is("0\nC\n");
    }

    #[test]
    fn files_written_are_files_seen() {
        let scratch = Scratch::new();
        scratch.write("a", "1\n").write("b", [0, 255]);
        assert_eq!(scratch.sh("cat a b > c; cat c").succeeds().stdout(), b"1\n\0\xff");
        assert_eq!(scratch.read("c"), b"1\n\0\xff");
        assert_eq!(scratch.list(), ["a", "b", "c"]);
    }

    #[test]
    #[should_panic(
        expected = "expected exit: var == 3\n--- command\necho out; echo err >&2; exit 4\nexit 4\n--- stdout\nout\n"
    )]
    fn a_failure_shows_command_status_and_streams() {
        Scratch::new().sh("echo out; echo err >&2; exit 4").fails_with(3);
    }

    #[test]
    #[should_panic(expected = "no end after 200ms: sleep 50")]
    fn what_does_not_end_is_an_error() {
        let _ = Scratch::new().sh_within(Duration::from_millis(200), "sleep 50");
    }

    #[test]
    fn what_does_not_end_is_killed_with_its_children() {
        let scratch = Scratch::new();
        let script = "sleep 1000 & echo $! > child; mv child started";
        // The machine may have much else to do before the child starts.
        let start = |seconds| {
            assert!(shell::run(script, scratch.dir.path(), Duration::from_secs(seconds)).is_none());
            scratch.path("started").exists()
        };
        assert!([1, 10, 100].into_iter().any(start));
        let child = String::from_utf8(scratch.read("started")).unwrap();
        wait_until("the child is killed", || !runs(&child));
    }
}
