//! Shell commands as streams.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::sync::{Condvar, Mutex};
use bstr::{BStr, BString, ByteSlice};

use crate::interrupt::{is_embedded, wait_for};
use crate::session::Session;
use crate::{Error, Result};

/// The size that the kernel is asked to give a pipe, so that the two sides switch less often.
const CAPACITY: i32 = 1 << 20;

/// How long a command may take to end when it is asked to.
const GRACE: Duration = Duration::from_millis(300);

/// The time between two looks whether it has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// A running `/bin/sh -c command`.
#[derive(Debug)]
pub(crate) struct ShellChild {
    child: Child,
    /// The command with its pipe sign, for messages.
    shown: BString,
    /// Readable when the child has ended; `None` if the system is too old for that.
    ended: Option<OwnedFd>,
    /// The process that started it.
    owner: u32,
    /// Whether it has a process group of its own, and is ended when it is given up.
    is_embedded: bool,
    /// Whether it was waited for.
    is_over: bool,
}

/// What commands write to standard error for a session ([`SessionSettings::messages`](crate::SessionSettings::messages)): the last of it.
#[derive(Debug, Default)]
pub struct CommandMessages {
    /// The last bytes, and how many commands may still write.
    heard: Mutex<(Vec<u8>, usize)>,
    ended: Condvar,
}

/// Bytes of messages that are kept.
const KEPT: usize = 2000;

impl CommandMessages {
    /// What was written, without blanks at both ends. Waits up to `patience` for commands that have not closed it.
    pub fn text(&self, patience: Duration) -> BString {
        let heard = self.ended.wait_timeout_while(self.heard.lock(), patience, |(_, writing)| *writing > 0);
        heard.0.trim_ascii().into()
    }

    /// Hears what comes from a stream, and passes it on to standard error.
    fn hear(self: Arc<Self>, mut stream: impl Read + Send + 'static) {
        self.heard.lock().1 += 1;
        let listener = Arc::clone(&self);
        let listen = move || {
            let mut buffer = [0; 1024];
            while let Ok(count @ 1..) = stream.read(&mut buffer) {
                let _ = io::stderr().write_all(&buffer[..count]);
                let mut heard = listener.heard.lock();
                heard.0.extend_from_slice(&buffer[..count]);
                let surplus = heard.0.len().saturating_sub(KEPT);
                heard.0.drain(..surplus);
            }
            listener.heard.lock().1 -= 1;
            listener.ended.notify_all();
        };
        if std::thread::Builder::new().name("messages".into()).spawn(listen).is_err() {
            self.heard.lock().1 -= 1;
        }
    }
}

impl ShellChild {
    /// Starts `command` and returns it with the stream of its output.
    pub(crate) fn reading(command: &BStr) -> Result<(Self, File)> {
        let shown = BString::from([command, b"|".as_slice()].concat());
        let mut child = spawn(command, shown.as_ref(), Stdio::inherit(), Stdio::piped())?;
        let stream = child.stdout.take().map(OwnedFd::from);
        Self::with_stream(child, shown, stream)
    }

    /// Starts `command` and returns it with the stream of its input.
    pub(crate) fn writing(command: &BStr) -> Result<(Self, File)> {
        let shown = BString::from([b"|".as_slice(), command].concat());
        let mut child = spawn(command, shown.as_ref(), Stdio::piped(), Stdio::inherit())?;
        let stream = child.stdin.take().map(OwnedFd::from);
        Self::with_stream(child, shown, stream)
    }

    fn with_stream(child: Child, shown: BString, stream: Option<OwnedFd>) -> Result<(Self, File)> {
        let Some(stream) = stream else {
            return Err(Error::Run { command: shown.to_string(), source: io::ErrorKind::BrokenPipe.into() });
        };
        let file = File::from(stream);
        widen(&file);
        let ended = watch(&child);
        let owner = std::process::id();
        Ok((Self { child, shown, ended, owner, is_embedded: is_embedded(), is_over: false }, file))
    }

    /// A descriptor that `poll` finds readable when the command has ended.
    pub(crate) fn ended(&self) -> Option<BorrowedFd<'_>> {
        self.ended.as_ref().map(AsFd::as_fd)
    }

    /// Waits for the end of the command; its stream must be closed.
    ///
    /// # Errors
    /// If the system does not say how it ended.
    pub(crate) fn wait(&mut self) -> Result<ExitStatus> {
        if let Some(ended) = &self.ended {
            let failed = |source| Error::Run { command: self.shown.to_string(), source };
            wait_for(ended.as_fd()).map_err(failed)?;
        }
        self.is_over = true;
        self.child.wait().map_err(|source| Error::Run { command: self.shown.to_string(), source })
    }

    /// Ends the command and all that it has started, in a program that is not ours; its stream must be closed. What does not end when
    /// it is asked to is killed.
    pub(crate) fn end(&mut self) {
        if self.is_over || self.owner != std::process::id() {
            return;
        }
        self.is_over = true;
        let Ok(group) = libc::pid_t::try_from(self.child.id()) else { return };
        let signal = |signal| {
            #[allow(unsafe_code)]
            // SAFETY: `kill` touches no memory; the group is that of our child, which was not waited for yet.
            unsafe {
                libc::kill(-group, signal)
            }
        };
        signal(libc::SIGTERM);
        let start = Instant::now();
        while start.elapsed() < GRACE && !self.has_ended() {
            std::thread::sleep(PAUSE);
        }
        // What the shell has started may take a little longer.
        std::thread::sleep(10 * PAUSE);
        signal(libc::SIGKILL);
        let _ = self.child.wait();
    }

    /// Whether the shell has ended; it is still to be waited for, so that nobody else gets its number.
    fn has_ended(&self) -> bool {
        let Some(ended) = &self.ended else { return false };
        let mut polled = libc::pollfd { fd: ended.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        #[allow(unsafe_code)]
        // SAFETY: the pointer is that of one `pollfd`.
        unsafe {
            libc::poll(&raw mut polled, 1, 0) != 0
        }
    }

    /// Asks the command to end and waits for that; its stream must be closed.
    pub(crate) fn stop(mut self) {
        if self.is_embedded {
            self.end();
            return;
        }
        let Ok(pid) = libc::pid_t::try_from(self.child.id()) else { return };
        #[allow(unsafe_code)]
        // SAFETY: `kill` touches no memory; the process is our child and was not waited for yet, so the number still
        // belongs to it.
        unsafe {
            libc::kill(pid, libc::SIGTERM);
        }
    }

    /// The error that reports `status`.
    pub(crate) fn failed(&self, status: ExitStatus) -> Error {
        Error::Status { command: self.shown.to_str_lossy().into_owned(), status }
    }
}

impl Drop for ShellChild {
    /// Leaves no zombie if a stream is closed early.
    fn drop(&mut self) {
        if self.is_embedded {
            self.end();
            return;
        }
        let _ = self.child.wait();
    }
}

fn spawn(command: &BStr, shown: &BStr, stdin: Stdio, stdout: Stdio) -> Result<Child> {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command.to_os_str_lossy()).stdin(stdin).stdout(stdout);
    if is_embedded() {
        shell.process_group(0);
    }
    let heard = Session::setting(|settings| settings.messages.clone());
    if heard.is_some() {
        shell.stderr(Stdio::piped());
    }
    let mut child = shell.spawn().map_err(|source| Error::Run { command: shown.to_string(), source })?;
    if let Some((heard, stderr)) = heard.zip(child.stderr.take()) {
        heard.hear(stderr);
    }
    Ok(child)
}

/// Opens a descriptor that becomes readable when the child has ended.
fn watch(child: &Child) -> Option<OwnedFd> {
    let pid = libc::pid_t::try_from(child.id()).ok()?;
    #[allow(unsafe_code)]
    // SAFETY: the call takes two numbers and touches no memory.
    let fd = unsafe { libc::syscall(libc::SYS_pidfd_open, pid, 0) };
    let fd = i32::try_from(fd).ok().filter(|fd| *fd >= 0)?;
    #[allow(unsafe_code)]
    // SAFETY: the descriptor was opened just now, and nobody else has it.
    Some(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// Asks for a larger kernel buffer. If that is refused, only speed is lost.
pub(crate) fn widen(file: &File) {
    let fd = file.as_raw_fd();
    #[allow(unsafe_code)]
    // SAFETY: F_SETPIPE_SZ takes a descriptor, which `file` keeps open, and a number; it touches no memory.
    unsafe {
        libc::fcntl(fd, libc::F_SETPIPE_SZ, CAPACITY);
    }
}

/// How many files this process may have open.
pub fn open_files_limit() -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    #[allow(unsafe_code)]
    // SAFETY: `limit` is writable memory of the right type for the length of the call.
    let status = unsafe { libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit) };
    if status == 0 { limit.rlim_cur } else { 0 }
}
