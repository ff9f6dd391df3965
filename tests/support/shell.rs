//! Shell command lines with the built tools first on the path.

use std::ffi::OsString;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

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
    let inherited = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&inherited).any(|folder| folder.join(program).is_file())
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
    for (name, _) in std::env::vars_os() {
        if OBEYED.iter().any(|start| name.as_encoded_bytes().starts_with(start.as_bytes())) {
            command.env_remove(name);
        }
    }
    // SAFETY: `signal` may be called between fork and exec.
    #[allow(unsafe_code)]
    unsafe {
        command.pre_exec(|| {
            for number in [libc::SIGHUP, libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGUSR1, libc::SIGXFSZ] {
                libc::signal(number, libc::SIG_DFL);
            }
            Ok(())
        });
    }
}

/// Runs `script` with bash in `dir`: a failure anywhere in a pipeline fails it, the locale is C, standard input is empty.
/// `PROGRAM_KB` is the size of the program's file, which counts where the script limits memory.
///
/// Returns `None` where it, or anything that it left running with its output open, has not ended after `limit`; then
/// all of it is killed.
pub fn run(script: &str, dir: &Path, limit: Duration) -> Option<Outcome> {
    let deadline = Instant::now() + limit;
    let mut bash = Command::new("bash");
    detach(&mut bash);
    let mut child = bash
        .args(["-o", "pipefail", "-c", script])
        .current_dir(dir)
        .env("LC_ALL", "C")
        .env("PATH", path())
        .env("PROGRAM_KB", (std::fs::metadata(program()).map_or(0, |file| file.len()) / 1000).to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .expect("bash can be run");
    let stdout = read_in_background(child.stdout.take().expect("stdout is a pipe"));
    let stderr = read_in_background(child.stderr.take().expect("stderr is a pipe"));
    let remaining = || deadline.saturating_duration_since(Instant::now());
    let ended = (|| {
        let (stdout, stderr) = (stdout.recv_timeout(remaining()).ok()?, stderr.recv_timeout(remaining()).ok()?);
        Some(Outcome { status: wait_until(&mut child, deadline)?, stdout, stderr })
    })();
    if ended.is_none() {
        kill_group(&mut child);
    }
    ended
}

fn read_in_background(mut stream: impl Read + Send + 'static) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("a pipe can be read");
        // The receiver is gone where the time was up.
        let _ = sender.send(bytes);
    });
    receiver
}

/// Both streams are at their end, so the command is about to end as well, if it did not close them early.
fn wait_until(child: &mut Child, deadline: Instant) -> Option<ExitStatus> {
    let mut pause = Duration::from_micros(100);
    loop {
        if let Some(status) = child.try_wait().expect("a child can be waited for") {
            return Some(status);
        }
        if Instant::now() > deadline {
            return None;
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

fn kill_group(child: &mut Child) {
    // The shell's own kill: not every machine has it as a program. It fails where all has ended meanwhile.
    let kill = format!("kill -KILL -- -{}", child.id());
    let _ = Command::new("bash").args(["-c", &kill]).stderr(Stdio::null()).status();
    child.wait().expect("a child can be waited for");
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
