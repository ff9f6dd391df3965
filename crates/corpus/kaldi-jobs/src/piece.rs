//! One piece: cuts its lists, runs the command, keeps its record.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant, SystemTime};

use kaldi_io::log::{log, warning};

use crate::command_words::is_plain;
use crate::folder::{Cause, Failure, Folder, Record};
use crate::input_fingerprints::Stamp;
use crate::messages::RealNames;
use crate::object::Target;
use crate::owner::{HEARTBEAT, host_name};
use crate::plan::PlannedPiece;
use crate::{Error, Plan, Result, signal};

/// The longest time between two looks at a running command.
const LONGEST_LOOK: Duration = Duration::from_millis(50);

/// How long a command may take to end after the signal that this process got.
const GRACE: Duration = Duration::from_secs(10);

/// Runs piece `number` (from 1) of the plan in the folder, unless it is done. It can run on any machine, in any order, and
/// any number of times.
///
/// # Errors
/// If the command fails, the message says how; the folder keeps it too.
pub fn run_piece(folder: &Folder, number: usize) -> Result<()> {
    let missing = || Error::Folder(format!("{} has no plan", folder.path().display()));
    let plan = folder.plan()?.ok_or_else(missing)?;
    let Some(piece) = plan.piece(number) else {
        let last = plan.numbers().max().unwrap_or_default();
        if (1..last).contains(&number) {
            log!("piece {number} has no entries any more");
            return Ok(());
        }
        return Err(Error::Folder(format!("expected a piece from 1 to {last}, got {number}")));
    };
    if let Some(record) = folder.record(number)?
        && is_whole(&plan, folder, piece, &record)?
    {
        return Ok(());
    }
    signal::watch();
    let attempt = folder.start_try(number)?;
    let result = Piece { folder, plan: &plan, piece, number, attempt }.run();
    let failure = match result {
        Ok(Ok(record)) => return folder.write_json(&folder.done_path(number), &record),
        Ok(Err(failure)) => failure,
        Err(error) => Failure { cause: Cause::Final, message: error.to_string() },
    };
    folder.set_failure(number, attempt, &failure)?;
    Err(Error::Folder(format!("piece {number}: {}", failure.message)))
}

/// Whether a record is that of a piece of the plan, and its outputs are as they were.
pub(crate) fn is_whole(plan: &Plan, folder: &Folder, piece: &PlannedPiece, record: &Record) -> Result<bool> {
    Ok(record.is_of(plan, piece) && has_outputs(plan, folder, piece.number, record)?)
}

/// Whether the fingerprints of all outputs of a piece match those in its completion record.
pub(crate) fn has_outputs(plan: &Plan, folder: &Folder, number: usize, record: &Record) -> Result<bool> {
    let files = plan.files_of(number, folder)?;
    if files.len() != record.files.len() {
        return Ok(false);
    }
    for (file, stamp) in files.iter().zip(&record.files) {
        if file.stamp()?.as_ref() != Some(stamp) {
            return Ok(false);
        }
    }
    Ok(true)
}

struct Piece<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    piece: &'a PlannedPiece,
    number: usize,
    attempt: usize,
}

impl Piece<'_> {
    fn run(&self) -> Result<Result<Record, Failure>> {
        let version = env!("CARGO_PKG_VERSION");
        if self.plan.version != version {
            let message =
                format!("the pieces were planned by version {}, and {} has {version}", self.plan.version, host_name());
            return Err(Error::Folder(message));
        }
        self.plan.check_lists()?;
        self.plan.check_files_of_tool()?;
        self.remove_old_outputs()?;
        let temporary = Temporary::create(self.number)?;
        let started = SystemTime::now();
        for (position, line_range) in self.piece.line_ranges.iter().enumerate() {
            let (from, range) = (self.plan.lines_of(position), &line_range.range);
            copy_range(&from, range.start, range.end, &self.plan.list_path(position, &temporary.0))?;
        }
        let words = self.plan.command_of(self.number, self.folder, &temporary.0)?;
        let names = RealNames::of(self.plan, self.piece, &temporary.0);
        let start = Instant::now();
        let log_path = self.folder.log_path(self.number);
        let mut log = OpenOptions::new().create(true).append(true).open(&log_path).map_err(Error::write(&log_path))?;
        let log_from = log.seek(SeekFrom::End(0)).map_err(Error::write(&log_path))?;
        let status = self.run_command(&words, &log)?;
        names.put_into(&log_path, log_from, &temporary.0)?;
        let seen = read_log(&log_path, log_from)?;
        self.judge(status, seen, started, start.elapsed())
    }

    /// What is there under the names of the outputs is of an earlier run or try.
    fn remove_old_outputs(&self) -> Result<()> {
        self.plan.files_of(self.number, self.folder)?.iter().try_for_each(Target::clear)
    }

    fn run_command(&self, words: &[String], log: &File) -> Result<ExitStatus> {
        let failed = |source| Error::Start { program: words[0].clone(), source };
        // A relative program is one of the folder in which the command was given.
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.plan.folder).env("PATH", &self.plan.path);
        command.env("TABLE_JOB", self.number.to_string()).env("TABLE_JOBS", self.plan.num_pieces().to_string());
        command.env("OMP_NUM_THREADS", self.plan.threads.to_string());
        command.stdin(Stdio::null()).stdout(log.try_clone().map_err(failed)?).stderr(log.try_clone().map_err(failed)?);
        // A piece that is killed takes its command along: another try must not write beside it.
        #[allow(unsafe_code)]
        // SAFETY: a system call without pointers, which is allowed between fork and exec.
        unsafe {
            command.pre_exec(|| {
                libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
                Ok(())
            })
        };
        let child =
            command.process_group(0).spawn().map_err(|source| Error::Start { program: words[0].clone(), source })?;
        self.wait(child)
    }

    /// Waits for the command, says from time to time that it is alive, and passes on a signal.
    fn wait(&self, mut child: Child) -> Result<ExitStatus> {
        let (mut look, mut last_beat, mut ending) = (Duration::from_micros(500), Instant::now(), None);
        loop {
            let failed = |source| Error::Start { program: "the command".to_owned(), source };
            if let Some(status) = child.try_wait().map_err(failed)? {
                return Ok(status);
            }
            if let Some(signal) = signal::received() {
                let since = *ending.get_or_insert_with(|| {
                    signal::send_to_group(child.id(), signal);
                    Instant::now()
                });
                if since.elapsed() > GRACE {
                    signal::send_to_group(child.id(), libc::SIGKILL);
                }
            }
            if last_beat.elapsed() >= HEARTBEAT {
                self.folder.beat(self.number, self.attempt);
                last_beat = Instant::now();
            }
            std::thread::sleep(look);
            look = (look * 2).min(LONGEST_LOOK);
        }
    }

    /// The record of a command that has ended, or why it has failed. Exit code 1 of a tool of this program, with all outputs,
    /// means that it had nothing to do, which is fine for a piece; of any other program it is a failure.
    fn judge(
        &self,
        status: ExitStatus,
        seen: Seen,
        started: SystemTime,
        time: Duration,
    ) -> Result<Result<Record, Failure>> {
        let last = seen.last_error.unwrap_or_default();
        let because = if last.is_empty() { String::new() } else { format!(": {last}") };
        let failure = |cause, message| Ok(Err(Failure { cause, message }));
        if let Some(signal) = signal::received().or(status.signal()) {
            return failure(Cause::Passing, format!("killed by signal {signal}{because}"));
        }
        let exit = status.code().unwrap_or(255);
        let files = self.plan.files_of(self.number, self.folder)?;
        let stamps: Vec<Option<Stamp>> = files.iter().map(Target::stamp).collect::<Result<_>>()?;
        let missing = files.iter().zip(&stamps).find(|(_, stamp)| stamp.is_none());
        // A shell gives signals of its commands as exit codes from 128 on.
        if exit > 128 && exit < 160 && exit != 255 {
            return failure(Cause::Passing, format!("killed by signal {}{because}", exit - 128));
        }
        match missing {
            _ if exit > 1 => failure(Cause::Final, format!("exit status {exit}{because}")),
            _ if exit == 1 && !self.plan.is_tool => failure(Cause::Final, format!("exit status 1{because}")),
            Some(_) if exit == 1 => failure(Cause::Final, format!("exit status 1{because}")),
            // Files in a folder are not known one by one: nothing shows that they are complete.
            None if exit == 1 && files.is_empty() && self.plan.num_entries() > 0 => {
                failure(Cause::Final, format!("exit status 1{because}"))
            }
            Some((path, _)) => {
                failure(Cause::Final, format!("the command ended with success, but there is no {}", path.display()))
            }
            None => Ok(Ok(Record {
                exit,
                entries: self.piece.entries(),
                seconds: time.as_secs_f64(),
                host: host_name(),
                files: stamps.into_iter().flatten().collect(),
                signs: self.piece.signs(),
                is_permissive: self.plan.is_permissive(),
                started,
                warnings: seen.warnings,
            })),
        }
    }
}

/// The folder of a piece's lists on this machine, which is removed at the end.
struct Temporary(PathBuf);

impl Temporary {
    fn create(number: usize) -> Result<Self> {
        let name = format!("table-jobs-{}-{number}", std::process::id());
        let mut path = std::env::temp_dir().join(&name);
        if !path.to_str().is_some_and(is_plain) {
            return Err(Error::Plan(format!("TMPDIR has characters that a command cannot take: {}", path.display())));
        }
        // A killed process may have left a folder, and process numbers come again.
        for suffix in 1.. {
            match fs::DirBuilder::new().mode(0o700).create(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path.set_file_name(format!("{name}-{suffix}"))
                }
                made => {
                    made.map_err(Error::write(&path))?;
                    break;
                }
            }
        }
        Ok(Self(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn copy_range(from: &Path, start: u64, end: u64, to: &Path) -> Result<()> {
    let mut source = File::open(from).map_err(Error::read(from))?;
    source.seek(SeekFrom::Start(start)).map_err(Error::read(from))?;
    let mut target = File::create(to).map_err(Error::write(to))?;
    let copied = io::copy(&mut source.take(end - start), &mut target).map_err(Error::write(to))?;
    if copied != end - start {
        return Err(Error::Record { path: from.to_owned(), message: "it has become shorter".to_owned() });
    }
    Ok(())
}

/// What the log of a try has.
#[derive(Default)]
struct Seen {
    last_error: Option<String>,
    warnings: Vec<(u64, String)>,
}

/// Looks for errors and warnings in a log, from an offset on.
fn read_log(path: &Path, from: u64) -> Result<Seen> {
    let mut file = File::open(path).map_err(Error::read(path))?;
    file.seek(SeekFrom::Start(from)).map_err(Error::read(path))?;
    let (mut seen, mut reader, mut line, mut last) = (Seen::default(), BufReader::new(file), Vec::new(), String::new());
    loop {
        line.clear();
        // A line is not longer than this: whatever a program writes there, memory is bounded.
        if reader.by_ref().take(1 << 16).read_until(b'\n', &mut line).map_err(Error::read(path))? == 0 {
            break;
        }
        let text = String::from_utf8_lossy(&line).trim_end().to_owned();
        if text.starts_with("ERROR (") {
            seen.last_error = Some(text.clone());
        } else if text.starts_with("WARNING (") {
            let place = text.split(')').next().unwrap_or_default().to_owned();
            match seen.warnings.iter_mut().find(|(_, first)| first.starts_with(&place)) {
                Some((count, _)) => *count += 1,
                None => seen.warnings.push((1, text.clone())),
            }
        }
        if !text.is_empty() {
            last = text;
        }
    }
    seen.last_error = seen.last_error.or((!last.is_empty()).then_some(last));
    Ok(seen)
}

/// Repeats warnings of pieces, one line for each place in a program.
pub(crate) fn repeat_warnings(records: impl Iterator<Item = Record>) {
    let mut all: Vec<(u64, String)> = Vec::new();
    for (count, text) in records.flat_map(|record| record.warnings) {
        let place = text.split(')').next().unwrap_or_default().to_owned();
        match all.iter_mut().find(|(_, first)| first.starts_with(&place)) {
            Some((sum, _)) => *sum += count,
            None => all.push((count, text)),
        }
    }
    for (count, text) in all {
        let text = text.split_once(") ").map_or(text.as_str(), |(_, message)| message);
        match count {
            1 => warning!("a piece warns: {text}"),
            _ => warning!("{count} warnings of pieces such as: {text}"),
        }
    }
}
