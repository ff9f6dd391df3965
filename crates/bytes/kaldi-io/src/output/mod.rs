//! Streams to write to.
//!
//! A regular file gets its name by [`Output::finish`] ([`whole_file`]). So nobody ever sees a half-written file under
//! its name, and an old file survives a failure; a session may ask for more care ([`SessionSettings`](crate::SessionSettings)).
//! Devices, FIFOs and files that are opened in place are written directly.

mod closed_output;
mod deferred_publish;
mod part;
mod preallocate;
mod replaced;
mod set;
mod stream;
mod write_buffer;

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::sync::Mutex;
use bstr::{BStr, BString};
use replaced::Replacement;
use stream::{Sink, Stream};
use whole_file::Pending;

use crate::address::remote_name;
use crate::pipe::ShellChild;
use crate::remote::store;
use crate::session::Session;
use crate::xfilename::printable_wxfilename;
use crate::{Chunk, Encoded, Error, Result, Wxfilename};

pub use closed_output::ClosedOutput;
pub use deferred_publish::DeferredOutputs;
pub(crate) use deferred_publish::{DeferredPublish, publish_all};
pub use part::{FileEnd, PartError};
pub use preallocate::ReservedBlocks;
pub use replaced::{ReplacementCheck, first_bytes_of_old};
pub use set::OutputSet;

/// An open wxfilename: a buffered stream of bytes that knows its name and position.
#[derive(Debug)]
#[must_use = "an output is complete only after finish()"]
pub struct Output {
    stream: Arc<Mutex<Stream>>,
    target: Target,
    /// The session that opened it.
    session: Session,
}

/// What happens at the end.
#[derive(Debug)]
enum Target {
    /// Only flushing: standard output and similar streams.
    Open,
    /// The file is closed.
    InPlace,
    /// The temporary file gets its name.
    Renamed(Pending),
    /// The command is waited for.
    Command(ShellChild),
    /// The object of this address appears.
    Object(BString),
}

/// Writes to standard output, whole.
///
/// # Errors
/// If it cannot be written.
pub fn print(text: impl AsRef<[u8]>) -> Result<()> {
    let mut stdout = Output::stdout()?;
    stdout.write_all(text.as_ref())?;
    stdout.finish()
}

impl Output {
    /// Opens what `name` names: standard output, a file, a remote object or a command's input. With `in_place`, a file
    /// is written under its own name from the start.
    ///
    /// # Errors
    /// If the name is invalid, or the file or command cannot be opened.
    pub fn create(name: &BStr, in_place: bool) -> Result<Self> {
        let shown = printable_wxfilename(name).into_owned();
        match Wxfilename::parse(name)? {
            Wxfilename::Stdout => Self::stdout(),
            Wxfilename::Pipe(command) => {
                let (child, file) = ShellChild::writing(command.as_ref())?;
                Ok(Self::new(file, shown, Target::Command(child)))
            }
            Wxfilename::File(path) => Self::create_file(&path, shown, in_place),
        }
    }

    /// Starts an object of a store. It is never written in place.
    fn create_object(url: &BStr, name: String) -> Result<Self> {
        match store().and_then(|store| store.create(url)) {
            Ok(upload) => {
                let mut stream = Stream::of_object(upload, name);
                stream.replacement = Replacement::of_object(url);
                let stream = Arc::new(Mutex::new(stream));
                Ok(Self { stream, target: Target::Object(url.to_owned()), session: Session::current() })
            }
            Err(source) => Err(Error::Open { name, source }),
        }
    }

    /// Opens a file or a remote object, whatever its name looks like. Messages call it `name`. For `in_place` see
    /// [`Output::create`].
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn create_file(path: &Path, name: String, in_place: bool) -> Result<Self> {
        if let Some(url) = remote_name(path) {
            return Self::create_object(url, name);
        }
        let destination = whole_file::resolve(path);
        if is_stdout(&destination) {
            return Self::stdout();
        }
        if !in_place && !whole_file::is_special(&destination) {
            match whole_file::create(&destination) {
                Ok((file, pending)) => {
                    let replacement = Replacement::of_file(pending.path());
                    let output = Self::new(file, name, Target::Renamed(pending));
                    output.stream.lock().replacement = replacement;
                    return Ok(output);
                }
                // Perhaps the old file can be written but not replaced.
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied && destination.exists() => {}
                Err(source) => return Err(Error::Open { name, source }),
            }
        }
        replaced::check_in_place(&destination, &name)?;
        match open_in_place(path) {
            Ok(file) => Ok(Self::new(file, name, Target::InPlace)),
            Err(source) => Err(Error::Open { name, source }),
        }
    }

    /// Returns whether [`Output::create`] would write the file `name` under its own name from the start: because it is
    /// asked to, or because no other file can replace it. Then opening it deletes what was in it.
    pub fn is_in_place(name: &BStr, in_place: bool) -> bool {
        let path = match Wxfilename::parse(name) {
            Ok(Wxfilename::Stdout) => return true,
            Ok(Wxfilename::File(path)) if remote_name(&path).is_some() => return false,
            Ok(Wxfilename::File(path)) => whole_file::resolve(&path),
            Ok(Wxfilename::Pipe(_)) | Err(_) => return false,
        };
        let is_irreplaceable = || {
            let created = whole_file::create(&path);
            created.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) && path.exists()
        };
        in_place || whole_file::is_special(&path) || is_irreplaceable()
    }

    /// Standard output: one stream, however often it is asked for.
    ///
    /// # Errors
    /// If the process has none.
    pub fn stdout() -> Result<Self> {
        static STDOUT: OnceLock<Arc<Mutex<Stream>>> = OnceLock::new();
        if let Some(stream) = STDOUT.get() {
            return Ok(Self { stream: Arc::clone(stream), target: Target::Open, session: Session::current() });
        }
        let name = "standard output".to_owned();
        let file = io::stdout().as_fd().try_clone_to_owned().map(File::from);
        let file = file.map_err(|source| Error::Open { name: name.clone(), source })?;
        let mut stream = Stream::new(file, name);
        stream.is_terminal = io::stdout().is_terminal();
        if stream.is_terminal {
            stream.clear.0 = Session::setting(|settings| settings.clear_terminal.clone());
        }
        let stream = Arc::new(Mutex::new(stream));
        let stream = Arc::clone(STDOUT.get_or_init(|| stream));
        Ok(Self { stream, target: Target::Open, session: Session::current() })
    }

    fn new(file: File, name: String, target: Target) -> Self {
        let room =
            if matches!(target, Target::Renamed(_)) { ReservedBlocks::of(&file) } else { ReservedBlocks::none() };
        let mut stream = Stream::new(file, name);
        stream.room = room;
        Self { stream: Arc::new(Mutex::new(stream)), target, session: Session::current() }
    }

    /// What messages call the stream.
    pub fn name(&self) -> String {
        self.stream.lock().name.clone()
    }

    /// Where the next byte will be in the file, or `None` if a later reader could not seek there (pipes). In
    /// `/dev/null` bytes are counted.
    pub fn position(&self) -> Option<u64> {
        let stream = self.stream.lock();
        stream.has_positions.then_some(stream.position)
    }

    /// Writes `bytes`.
    ///
    /// # Errors
    /// If the system refuses. If a command ended early, the error has its status.
    pub fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        let result = self.stream.lock().write_all(bytes);
        result.map_err(|error| self.explain(error))
    }

    /// Writes an encoded value.
    ///
    /// # Errors
    /// As [`Output::write_all`].
    pub fn write_encoded(&mut self, value: &Encoded) -> Result<()> {
        let result = self.stream.lock().write_encoded(value);
        result.map_err(|error| self.explain(error))
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// As [`Output::write_all`].
    pub fn flush(&mut self) -> Result<()> {
        let result = self.stream.lock().flush();
        result.map_err(|error| self.explain(error))
    }

    /// Writes `range` of `file`. The kernel moves the bytes if it can. That may happen later, and for neighbouring
    /// ranges at once: the file must not be changed before [`Output::flush`] or [`Output::finish`]. Its position
    /// changes.
    ///
    /// # Errors
    /// As [`Output::write_all`], and if `file` is shorter. The error may concern an earlier range.
    pub fn write_from(&mut self, file: &Arc<File>, range: Range<u64>) -> Result<()> {
        let result = self.stream.lock().write_from(file, range);
        result.map_err(|error| self.explain(error))
    }

    /// Writes a part of a chunk. That may happen later, from there and without a copy, together with the parts that follow it.
    ///
    /// # Errors
    /// As [`Output::write_all`]. The error may concern an earlier part.
    ///
    /// # Panics
    /// If the range is not within the chunk.
    pub fn write_chunk(&mut self, chunk: &Arc<Chunk>, range: Range<usize>) -> Result<()> {
        let result = self.stream.lock().write_chunk(chunk, range);
        result.map_err(|error| self.explain(error))
    }

    /// Whether it is a file that gets its name when it is complete.
    pub fn is_renamed(&self) -> bool {
        matches!(self.target, Target::Renamed(_))
    }

    /// Writes the buffered bytes, closes the file and gives it its name, or waits for the command.
    ///
    /// # Errors
    /// If any of that fails, or the command's status is not success. The old file, if any, is then untouched.
    pub fn finish(mut self) -> Result<()> {
        self.flush()?;
        self.stream.lock().judge()?;
        let (name, offset) = {
            let stream = self.stream.lock();
            (stream.name.clone(), stream.position)
        };
        if matches!(self.target, Target::Open) {
            return Ok(());
        }
        let sink = self.stream.lock().sink.take();
        match (std::mem::replace(&mut self.target, Target::InPlace), sink) {
            (Target::Object(url), Some(Sink::Object(upload))) => {
                deferred_publish::complete(&self.session, name, offset, url, upload)
            }
            (Target::Renamed(pending), Some(Sink::File(file))) => {
                ClosedOutput::seal(self.session.clone(), name, offset, file, pending)?.finish()
            }
            (_, Some(Sink::Object(upload))) => upload.finish().map_err(|source| Error::Write { name, offset, source }),
            (Target::Open | Target::InPlace | Target::Object(_), Some(Sink::File(file))) => {
                whole_file::close(file).map_err(|source| Error::Write { name, offset, source })
            }
            (Target::Command(mut child), sink) => {
                drop(sink);
                let status = child.wait()?;
                if status.success() { Ok(()) } else { Err(child.failed(status)) }
            }
            (_, None) => Ok(()),
        }
    }

    /// Writes the buffered bytes and closes the file, which gets its name later: until then it takes no descriptor. Other outputs
    /// stay as they are.
    ///
    /// # Errors
    /// If that fails.
    pub fn close(mut self) -> Result<ClosedOutput> {
        if !matches!(self.target, Target::Renamed(_)) {
            return Ok(ClosedOutput::open(self));
        }
        self.flush()?;
        self.stream.lock().judge()?;
        let (name, offset, sink) = {
            let mut stream = self.stream.lock();
            (stream.name.clone(), stream.position, stream.sink.take())
        };
        match (std::mem::replace(&mut self.target, Target::InPlace), sink) {
            (Target::Renamed(pending), Some(Sink::File(file))) => {
                ClosedOutput::seal(self.session.clone(), name, offset, file, pending)
            }
            _ => Ok(ClosedOutput::open(self)),
        }
    }

    /// If a command failed, that is the reason for a broken pipe to it.
    fn explain(&mut self, error: Error) -> Error {
        let broken = matches!(&error, Error::Write { source, .. } if source.kind() == io::ErrorKind::BrokenPipe);
        if let (true, Target::Command(child)) = (broken, &mut self.target) {
            drop(self.stream.lock().sink.take());
            if let Ok(status) = child.wait()
                && !status.success()
            {
                return child.failed(status);
            }
        }
        error
    }
}

/// For libraries that write to such a stream. Their errors have an [`Error`] inside, which [`io::Error::downcast`] gives back.
impl io::Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Output::flush(self).map_err(io::Error::other)
    }
}

impl Drop for Output {
    /// Bytes that were promised to standard output, a command or a file in place are still written, however the program
    /// ends. A command's input must be closed before waiting for the command.
    fn drop(&mut self) {
        let mut stream = self.stream.lock();
        if !matches!(self.target, Target::Renamed(_) | Target::Object(_)) {
            let _ = stream.flush();
        }
        if !matches!(self.target, Target::Open) {
            drop(stream.sink.take());
        }
    }
}

/// Opens a file under its own name, empties it, and creates it if it does not exist. Files of other users in a folder
/// such as `/tmp` must not be opened in a way that would create them.
fn open_in_place(path: &Path) -> io::Result<File> {
    match OpenOptions::new().write(true).truncate(true).open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            OpenOptions::new().write(true).create(true).truncate(true).open(path)
        }
        opened => opened,
    }
}

/// Whether the path, with links followed, is standard output: the same stream as `-`, not another stream of its file.
fn is_stdout(path: &Path) -> bool {
    let is_own = |folder: &Path| {
        let own = Path::new("/proc").join(std::process::id().to_string());
        folder.ends_with("fd") && fs::canonicalize(folder).is_ok_and(|folder| folder.starts_with(own))
    };
    path == Path::new("/proc/self/fd/1") || path.ends_with("1") && path.parent().is_some_and(is_own)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn standard_output_has_many_names() {
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/stdout", &link).unwrap();
        for name in ["/dev/stdout", "/dev/./stdout", "/dev/fd/1", "/proc/self/fd/1", link.to_str().unwrap()] {
            assert!(is_stdout(&whole_file::resolve(Path::new(name))), "{name}");
        }
        for name in ["/dev/stderr", "/dev/fd/12", "/proc/self/fd/11", "stdout", "/dev/null", "fd/1", "/proc/1/fd/1"] {
            assert!(!is_stdout(&whole_file::resolve(Path::new(name))), "{name}");
        }
    }

    /// Its path looks like the path of a device.
    #[test]
    fn a_file_in_shared_memory_appears_when_it_is_complete() {
        let Ok(folder) = tempfile::tempdir_in("/dev/shm") else { return };
        let path = folder.path().join("out");
        let mut output = Output::create(path.to_str().unwrap().into(), false).unwrap();
        output.write_all(b"all").unwrap();
        output.flush().unwrap();
        assert!(!path.exists());
        output.finish().unwrap();
        assert_eq!(fs::read(path).unwrap(), b"all");
    }

    /// More pieces than one call takes, into a file and through a pipe that takes less at a time.
    #[test]
    fn pieces_come_out_as_one_stream() {
        let block: Vec<u8> = (0..100_000_u32).map(|at| (at % 251) as u8).collect();
        let pieces: Vec<_> = (0..3_000).map(|at| at * 30..at * 30 + 300 + at % 3).collect();
        let expected: Vec<u8> = pieces.iter().flat_map(|piece| &block[piece.clone()]).copied().collect();
        let value = Encoded::of_pieces(b"head ".to_vec(), Arc::new(block), pieces);

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        let path = path.to_str().unwrap();
        for name in [path.to_owned(), format!("| sleep 0.1; cat > {path}")] {
            let mut output = Output::create(name.as_str().into(), false).unwrap();
            output.write_all(b"key ").unwrap();
            output.write_encoded(&value).unwrap();
            output.write_encoded(&b"small".to_vec().into()).unwrap();
            if name == path {
                assert_eq!(output.position(), Some(expected.len() as u64 + 14));
            }
            output.finish().unwrap();
            assert!(fs::read(path).unwrap() == [b"key head ", expected.as_slice(), b"small"].concat(), "{name}");
        }
    }
}
