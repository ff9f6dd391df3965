//! Running a command and what it cost.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A command, run in the folder of the data.
#[derive(Debug)]
pub struct Run {
    program: PathBuf,
    arguments: Vec<&'static str>,
    stdout: Option<&'static str>,
}

/// What a command cost.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// User and system time of the process and its children.
    pub cpu: Duration,
    /// Time on the clock.
    pub wall: Duration,
    /// Most memory in use at any time, in kB.
    pub peak_kb: u64,
}

impl Cost {
    /// The lower times, and the greater memory.
    pub fn min(self, other: Self) -> Self {
        Self { cpu: self.cpu.min(other.cpu), wall: self.wall.min(other.wall), peak_kb: self.peak_kb.max(other.peak_kb) }
    }
}

impl Run {
    pub fn new(program: PathBuf, arguments: &[&'static str]) -> Self {
        Self { program, arguments: arguments.to_vec(), stdout: None }
    }

    /// An option comes before the other arguments.
    pub fn with_option(mut self, option: &'static str) -> Self {
        self.arguments.insert(0, option);
        self
    }

    /// Standard output goes to a file of this name instead of to `/dev/null`.
    pub fn with_stdout(self, name: &'static str) -> Self {
        Self { stdout: Some(name), ..self }
    }

    /// Runs the command, which must succeed. What an earlier one left behind is removed before.
    #[allow(clippy::zombie_processes, reason = "it is waited for by a call that tells what it used")]
    pub fn measure(&self, dir: &Path) -> Cost {
        for name in ["out", "out.scp"] {
            let _ = std::fs::remove_file(dir.join(name));
        }
        let _ = std::fs::remove_dir_all(dir.join("copies"));
        std::fs::create_dir(dir.join("copies")).expect("a folder can be made");
        let stdout = match self.stdout {
            Some(name) => Stdio::from(File::create(dir.join(name)).expect("a file can be created")),
            None => Stdio::null(),
        };
        let log = File::create(dir.join("log")).expect("a file can be created");
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(dir).env("LC_ALL", "C.UTF-8").env("OPENBLAS_NUM_THREADS", "1");
        command.stdin(Stdio::null()).stdout(stdout).stderr(log);
        // A child starts with the peak of this program, which may have held much before.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let start = Instant::now();
        let child = command.spawn().unwrap_or_else(|error| panic!("{self:?}: {error}"));
        let (status, usage) = wait(child.id() as i32);
        let wall = start.elapsed();
        assert!(
            status == 0,
            "{self:?}: status {status}\n{}",
            std::fs::read_to_string(dir.join("log")).unwrap_or_default()
        );
        let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, 1000 * time.tv_usec as u32);
        Cost { cpu: time(usage.ru_utime) + time(usage.ru_stime), wall, peak_kb: usage.ru_maxrss as u64 }
    }
}

/// Waits for a child; returns its status and what it used.
fn wait(child: i32) -> (i32, libc::rusage) {
    let mut status = 0;
    // SAFETY: zeros are a valid value of this struct of numbers.
    #[allow(unsafe_code)]
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables of the right type, which outlive the call.
    #[allow(unsafe_code)]
    let waited = unsafe { libc::wait4(child, &mut status, 0, &mut usage) };
    assert!(waited == child, "a child can be waited for");
    (status, usage)
}

/// The mean time on the clock of a start of `program` that prints its usage text.
pub fn start_time(program: &Path) -> Duration {
    const STARTS: u32 = 200;
    let mut command = Command::new(program);
    command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = || assert!(command.status().is_ok_and(|status| status.success()), "{}", program.display());
    run();
    let start = Instant::now();
    (0..STARTS).for_each(|_| run());
    start.elapsed() / STARTS
}
