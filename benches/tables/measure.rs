//! Running commands and what they cost.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What is measured, of which programs, and what failed.
pub struct Bench {
    /// The folder of the built tools.
    pub tools: PathBuf,
    /// The folder of the data.
    pub dir: PathBuf,
    /// A part of the names of the wanted rows, in small letters.
    pub wanted: String,
    /// How often everything is measured.
    pub rounds: u32,
    pub size: Size,
    failures: RefCell<Vec<String>>,
}

/// How much data there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Whole,
    /// Just enough for every row to do something, once: to see whether it fails, not what it takes.
    Small,
}

impl Size {
    /// One of two numbers.
    pub fn pick<T>(self, whole: T, small: T) -> T {
        match self {
            Self::Whole => whole,
            Self::Small => small,
        }
    }
}

impl Bench {
    pub fn new(tools: PathBuf, dir: PathBuf, size: Size) -> Self {
        let wanted = std::env::var("ROWS").unwrap_or_default().to_lowercase();
        let rounds = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3);
        Self { tools, dir, wanted, rounds: size.pick(rounds, 1), size, failures: RefCell::default() }
    }

    /// Whether the row of this name is to be measured.
    pub fn is_wanted(&self, row: &str) -> bool {
        row.to_lowercase().contains(&self.wanted)
    }

    /// Runs a command for a row. A failure is noted, and returns `None`.
    pub fn measure(&self, row: &str, run: &Run) -> Option<Cost> {
        self.note(row, run.measure(&self.dir))
    }

    /// The best of all rounds. A failure is noted, and returns `None`.
    pub fn best(&self, row: &str, run: &Run) -> Option<Cost> {
        let costs: Option<Vec<Cost>> = (0..self.rounds).map(|_| self.measure(row, run)).collect();
        costs?.into_iter().reduce(Cost::min)
    }

    /// The result, or `None` after a failure of the row, which is printed and noted.
    pub fn note<T>(&self, row: &str, result: Result<T, String>) -> Option<T> {
        let message = match result {
            Ok(value) => return Some(value),
            Err(message) => message,
        };
        eprintln!("bench: {row}: {message}");
        let mut failures = self.failures.borrow_mut();
        if !failures.iter().any(|failed| failed == row) {
            failures.push(row.to_owned());
        }
        None
    }

    /// The names of the rows that failed.
    pub fn failures(&self) -> Vec<String> {
        self.failures.borrow().clone()
    }
}

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
    /// Bytes that the process read.
    pub read: u64,
    /// Bytes of the files that it left behind.
    pub left: u64,
}

impl Cost {
    /// The lower times, and the greater memory.
    pub fn min(self, other: Self) -> Self {
        let (cpu, wall) = (self.cpu.min(other.cpu), self.wall.min(other.wall));
        Self { cpu, wall, peak_kb: self.peak_kb.max(other.peak_kb), ..self }
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

    /// Reads the files that are named in the arguments, and those that script files name. Without this the first program that
    /// reads a file would pay for what comes from the disk: some machines take the memory of files that were not read for
    /// half a minute, and to get it back takes longer than most jobs.
    fn read_inputs(&self, dir: &Path) {
        let read = |name: &str| io::copy(&mut File::open(dir.join(name))?, &mut io::sink());
        for argument in &self.arguments {
            let name = argument.rsplit(':').next().unwrap_or_default();
            let is_read = read(name).is_ok();
            if !is_read || !name.ends_with("scp") {
                continue;
            }
            let mut named = HashSet::new();
            for line in File::open(dir.join(name)).into_iter().flat_map(|script| BufReader::new(script).lines()) {
                let line = line.unwrap_or_default();
                let name = line.split(' ').next_back().and_then(|name| name.split(':').next()).unwrap_or_default();
                if !named.contains(name) {
                    let _ = read(name);
                    named.insert(name.to_owned());
                }
            }
        }
    }

    /// Runs the command, with its input in memory. What an earlier one left behind is removed before.
    ///
    /// # Errors
    /// If it cannot be run or fails: the command, and what it wrote on standard error.
    #[allow(clippy::zombie_processes, reason = "it is waited for by a call that tells what it used")]
    pub fn measure(&self, dir: &Path) -> Result<Cost, String> {
        remove_outputs(dir);
        let stdout = match self.stdout {
            Some(name) => Stdio::from(File::create(dir.join(name)).expect("a file can be created")),
            None => Stdio::null(),
        };
        let log = File::create(dir.join("log")).expect("a file can be created");
        self.read_inputs(dir);
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).current_dir(dir).env("LC_ALL", "C.UTF-8").env("OPENBLAS_NUM_THREADS", "1");
        command.stdin(Stdio::null()).stdout(stdout).stderr(log);
        // A child starts with the peak of this program, which may have held much before.
        let _ = std::fs::write("/proc/self/clear_refs", "5");
        let start = Instant::now();
        let child = command.spawn().map_err(|error| format!("cannot run {self}: {error}"))?;
        wait_for_end(child.id());
        let wall = start.elapsed();
        let read = bytes_read(child.id());
        let (status, usage) = wait(child.id() as i32);
        if status != 0 {
            let log = std::fs::read(dir.join("log")).unwrap_or_default();
            let log = String::from_utf8_lossy(&log);
            return Err(format!("{self}: wait status {status:#06x}\n{}", log.trim_end()));
        }
        let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, 1000 * time.tv_usec as u32);
        let left = outputs(dir).filter_map(|output| std::fs::metadata(output).ok()).map(|file| file.len()).sum();
        let cpu = time(usage.ru_utime) + time(usage.ru_stime);
        Ok(Cost { cpu, wall, peak_kb: usage.ru_maxrss as u64, read, left })
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.program.file_name().unwrap_or_default();
        write!(f, "{} {}", name.display(), self.arguments.join(" "))
    }
}

/// Removes what a job left behind.
pub fn remove_outputs(dir: &Path) {
    for output in outputs(dir) {
        let _ = std::fs::remove_file(output);
    }
    let _ = std::fs::remove_dir_all(dir.join("copies"));
    std::fs::create_dir(dir.join("copies")).expect("a folder can be made");
}

/// The files that a job wrote: those whose names start with `out`, and those in the folder `copies`.
fn outputs(dir: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = |dir: PathBuf| std::fs::read_dir(dir).into_iter().flatten().flatten();
    let named = entries(dir.to_owned()).filter(|entry| entry.file_name().as_encoded_bytes().starts_with(b"out"));
    named.chain(entries(dir.join("copies"))).map(|entry| entry.path()).filter(|path| path.is_file())
}

/// Bytes that a child has read, in calls of the system; 0 if the system does not say so.
fn bytes_read(child: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{child}/io")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("rchar: "));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Waits until a child has ended. What it used can be asked for after that.
fn wait_for_end(child: u32) {
    // SAFETY: zeros are a valid value of this struct of numbers.
    #[allow(unsafe_code)]
    let mut info: libc::siginfo_t = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a variable of the right type, which outlives the call.
    #[allow(unsafe_code)]
    let ended = unsafe { libc::waitid(libc::P_PID, child, &mut info, libc::WEXITED | libc::WNOWAIT) };
    assert!(ended == 0, "a child can be waited for");
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

/// The mean time on the clock of some starts of `program` that print its usage text.
///
/// # Errors
/// If it fails.
pub fn start_time(program: &Path, starts: u32) -> Result<Duration, String> {
    let mut command = Command::new(program);
    command.arg("--help").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut run = || match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{}: {status}", program.display())),
        Err(error) => Err(format!("{}: cannot run: {error}", program.display())),
    };
    run()?;
    let start = Instant::now();
    (0..starts).try_for_each(|_| run())?;
    Ok(start.elapsed() / starts)
}
