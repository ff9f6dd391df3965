//! Shell command lines with the built tools first on the path.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Once, OnceLock, mpsc};
use std::thread;
use std::time::Duration;

/// How long a command line may take where a test does not say otherwise: long, for machines that have much else to do.
pub const TIME_LIMIT: Duration = Duration::from_secs(300);

/// What a command line left behind.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit status.
    pub status: ExitStatus,
    /// Everything it wrote to standard output.
    pub stdout: Vec<u8>,
    /// Everything it wrote to standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    /// The exit status as a number, minus the signal's number where a signal ended it.
    pub fn code(&self) -> i32 {
        self.status.code().or_else(|| self.status.signal().map(|signal| -signal)).expect("the command has ended")
    }

    /// The status and both streams, for the message of a failed test.
    pub fn describe(&self) -> String {
        format!("exit {}\n--- stdout\n{}\n--- stderr\n{}", self.code(), excerpt(&self.stdout), excerpt(&self.stderr))
    }
}

/// The folder of the tools: links to the built program, which makes them.
pub fn tools_dir() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let program = program();
        let folder = program.with_file_name("tools");
        let made = Command::new(program).arg("--print-args=false").arg("link").arg(&folder).output();
        let made = made.expect("the program can be run");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        folder
    })
}

/// The built program.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    // The test of another package is in a folder below that of the program.
    let near = || std::env::current_exe().ok()?.ancestors().nth(2).map(|folder| folder.join("kaldi-tables"));
    PROGRAM.get_or_init(|| {
        option_env!("CARGO_BIN_EXE_kaldi-tables").map(PathBuf::from).or_else(near).expect("the program is built")
    })
}

/// The search path of a test: the built tools, then what the test was started with.
pub fn path() -> OsString {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(tools_dir().to_owned()).chain(std::env::split_paths(&inherited));
    std::env::join_paths(folders).expect("no folder of the path has a colon in its name")
}

/// Whether a program is in a folder of the `PATH` that the test was started with.
#[allow(dead_code, reason = "some test programs need no others")]
pub fn is_installed(program: &str) -> bool {
    find_installed(program).is_some()
}

fn find_installed(program: &str) -> Option<PathBuf> {
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&inherited).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Variables that tools, or commands of tests, obey: those that begin like this.
const OBEYED: [&str; 25] = [
    "KALDI_",
    "AWS_",
    "AZURE_",
    "OSS_",
    "ALIBABA_",
    "GOOGLE_",
    "GCS_",
    "HADOOP_",
    "SLURM_",
    "SBATCH_",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "OMP_NUM_THREADS",
    "COLUMNS",
    "BASH_ENV",
    "POSIXLY_CORRECT",
    "TAR_OPTIONS",
    "GZIP",
    "GREP_",
];

/// Makes a command independent of where the test was started: of variables of the user, and of signals that are ignored,
/// as `nohup` ignores some.
pub fn detach(command: &mut Command) {
    static SIGNALS: Once = Once::new();
    SIGNALS.call_once(handle_ignored_signals);
    for (name, _) in std::env::vars_os() {
        if OBEYED.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes())) {
            command.env_remove(name);
        }
    }
}

/// Gives ignored signals a handler that does nothing. A child inherits what is ignored, but not handlers: there, these signals do
/// what they do by default. This needs no code between fork and exec, so that children start by `vfork`.
#[allow(unsafe_code)]
fn handle_ignored_signals() {
    extern "C" fn do_nothing(_: libc::c_int) {}
    for number in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGXFSZ] {
        // SAFETY: the handler touches nothing; where the signal was not ignored, what was there comes back at once.
        unsafe {
            let before = libc::signal(number, do_nothing as *const () as libc::sighandler_t);
            if before != libc::SIG_IGN {
                libc::signal(number, before);
            }
        }
    }
}

/// Where bash is: with its path, the standard library need not look for it in the `PATH` of the child, for which it would fork.
fn bash() -> &'static Path {
    static BASH: OnceLock<PathBuf> = OnceLock::new();
    BASH.get_or_init(|| find_installed("bash").expect("bash is installed"))
}

/// Bash with `script` in `dir`, as a process group: a failure anywhere in a pipeline fails it, the locale is C, standard input is empty.
pub fn command(script: &str, dir: &Path) -> Command {
    let mut command = Command::new(bash());
    detach(&mut command);
    command
        .args(["-o", "pipefail", "-c", script])
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env("PATH", path())
        .stdin(Stdio::null())
        .process_group(0);
    command
}

/// Runs a [`command`]. `PROGRAM_KB` is the size of the program's file, which counts where the script limits memory.
///
/// Returns `None` where it, or anything that it left running with its output open, has not ended after `limit`; then
/// all of it is killed.
pub fn run(script: &str, dir: &Path, limit: Duration) -> Option<Outcome> {
    let child = command(script, dir)
        .env("PROGRAM_KB", (std::fs::metadata(program()).map_or(0, |file| file.len()) / 1000).to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash can be run");
    let group = child.id();
    let (sender, receiver) = mpsc::channel();
    // The receiver is gone where the time was up.
    thread::spawn(move || _ = sender.send(child.wait_with_output()));
    let Ok(output) = receiver.recv_timeout(limit) else {
        kill_group(group);
        // What was killed is gone soon; a process that has left the group may keep its output open.
        let _ = receiver.recv_timeout(Duration::from_secs(10));
        return None;
    };
    let output = output.expect("a child can be read and waited for");
    Some(Outcome { status: output.status, stdout: output.stdout, stderr: output.stderr })
}

fn kill_group(group: u32) {
    // The shell's own kill: not every machine has it as a program. It fails where all has ended meanwhile.
    let kill = format!("kill -KILL -- -{group}");
    let _ = Command::new(bash()).args(["-c", &kill]).stderr(Stdio::null()).status();
}

/// The beginning of `bytes`; escaped where it is not text.
pub fn excerpt(bytes: &[u8]) -> String {
    const MOST_BYTES: usize = 4000;
    let shown = &bytes[..bytes.len().min(MOST_BYTES)];
    let text =
        if shown.contains(&0) { shown.escape_ascii().to_string() } else { String::from_utf8_lossy(shown).into_owned() };
    let rest = if bytes.len() > MOST_BYTES { format!("... ({} bytes in all)", bytes.len()) } else { String::new() };
    text + &rest
}
