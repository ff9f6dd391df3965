//! Sources of bytes: files, pipes, memory.
//!
//! [`Input`](crate::Input) reads from a source and adds a name and a position. A program can add its own source, such
//! as an object of a store.

use std::fmt;
use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::sync::Arc;

use bstr::BString;

use crate::fallible::fallible;
use crate::interrupt::{is_embedded, wait_for};
use crate::pipe::ShellChild;
use crate::{Error, Result};

/// Something from which bytes are read in order.
pub trait Source: fmt::Debug + Send {
    /// Appends up to `limit` bytes to `buffer` with one read; returns their number, 0 at the end.
    ///
    /// # Errors
    /// If the source fails.
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize>;

    /// The same bytes for reading at any offset, if that is possible.
    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        None
    }

    /// A descriptor that `poll` can wait for. A source without one always counts as ready.
    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Called once the whole value has been read. From then on the input ends when the command exits, even if a
    /// background process still holds the pipe.
    fn expect_end(&mut self) {}

    /// A descriptor that `poll` finds readable when the command has ended, if that is expected.
    fn ended(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Continues at `offset`, if the source can be read at any offset.
    ///
    /// # Errors
    /// If it cannot be read there.
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        let _ = offset;
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Goes back to the first byte. Returns `false` if the bytes come only once, such as those of a terminal.
    ///
    /// # Errors
    /// If the source cannot be moved or opened again.
    fn restart(&mut self) -> Result<bool> {
        Ok(false)
    }

    /// Closes the source. `at_end` says whether it was read to its end. If it was not, stopping is no error.
    ///
    /// # Errors
    /// If a command that was read to its end has failed.
    fn finish(&mut self, at_end: bool) -> Result<()> {
        let _ = at_end;
        Ok(())
    }

    /// Gives the source up: asks a command to end, and ignores its status.
    fn stop(&mut self) {}
}

/// Bytes that can be read at any offset, by several threads at once.
pub trait ReadAt: fmt::Debug + Send + Sync {
    /// Number of bytes.
    fn length(&self) -> u64;

    /// Appends `length` bytes from `offset` on to `buffer`.
    ///
    /// # Errors
    /// If the source fails, or ends too early.
    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()>;

    /// Like [`ReadAt::read_at`], but with fewer bytes if the others would need another request. Returns their number,
    /// at least 1 if `length` is.
    ///
    /// # Errors
    /// As [`ReadAt::read_at`].
    fn read_some_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<usize> {
        self.read_at(offset, buffer, length)?;
        Ok(length)
    }

    /// Whether a read costs little more than its bytes. If not, as over a network, a stream is read through rather than
    /// at many offsets.
    fn is_near(&self) -> bool {
        true
    }

    /// The regular file of the bytes, from which the system can copy them.
    fn as_file(&self) -> Option<&Arc<File>> {
        None
    }
}

/// An open file: a regular one, or a stream such as a terminal or a named pipe.
#[derive(Debug)]
pub(crate) struct FileSource {
    /// The printable name.
    name: String,
    /// `None` if a stream was closed.
    file: Option<Arc<File>>,
    /// Offset of the first byte.
    start: u64,
    /// The length of a regular file.
    length: Option<u64>,
}

impl FileSource {
    pub(crate) fn new(file: File, name: &str, start: u64) -> Self {
        let length = file.metadata().ok().filter(std::fs::Metadata::is_file).map(|metadata| metadata.len());
        Self { name: name.to_owned(), file: Some(Arc::new(file)), start, length }
    }
}

impl Source for FileSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let Some(file) = &self.file else { return Ok(0) };
        if self.length.is_none() {
            wait_for(file.as_fd())?;
        }
        read_into(file, None, buffer, limit)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        let (file, length) = (Arc::clone(self.file.as_ref()?), self.length?);
        Some(Arc::new(RegularFile { file, length }))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.file.as_ref().map(|file| file.as_fd())
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        match &self.file {
            Some(file) => (&**file).seek(SeekFrom::Start(offset)).map(drop),
            None => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    fn restart(&mut self) -> Result<bool> {
        match &self.file {
            Some(file) if self.length.is_some() => {
                let seek = (&**file).seek(SeekFrom::Start(self.start));
                let failed = |source| Error::Read { name: self.name.clone(), offset: self.start, source };
                seek.map(|_| true).map_err(failed)
            }
            _ => Ok(false),
        }
    }

    fn finish(&mut self, _: bool) -> Result<()> {
        // A regular file is kept for a restart. The writer of a stream should notice that nobody reads it.
        if self.length.is_none() {
            self.file = None;
        }
        Ok(())
    }

    fn stop(&mut self) {
        self.file = None;
    }
}

/// The output of a shell command.
#[derive(Debug)]
pub(crate) struct CommandSource {
    command: BString,
    /// `None` once the command was waited for.
    running: Option<(File, ShellChild)>,
    /// Whether to wait only for the end of the command, and for no more output.
    expects_end: bool,
}

impl CommandSource {
    pub(crate) fn run(command: BString) -> Result<Self> {
        let (child, file) = ShellChild::reading(command.as_ref())?;
        Ok(Self { command, running: Some((file, child)), expects_end: false })
    }
}

impl Source for CommandSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let Some((file, _)) = &self.running else { return Ok(0) };
        wait_for(file.as_fd())?;
        read_into(file, None, buffer, limit)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.running.as_ref().map(|(file, _)| file.as_fd())
    }

    fn expect_end(&mut self) {
        self.expects_end = true;
    }

    fn ended(&self) -> Option<BorrowedFd<'_>> {
        self.running.as_ref().filter(|_| self.expects_end).and_then(|(_, child)| child.ended())
    }

    fn restart(&mut self) -> Result<bool> {
        self.stop();
        *self = Self::run(self.command.clone())?;
        Ok(true)
    }

    fn finish(&mut self, at_end: bool) -> Result<()> {
        let Some((file, mut child)) = self.running.take() else { return Ok(()) };
        drop(file);
        if !at_end && is_embedded() {
            child.end();
            return Ok(());
        }
        let status = child.wait()?;
        if at_end && !status.success() { Err(child.failed(status)) } else { Ok(()) }
    }

    fn stop(&mut self) {
        if let Some((file, child)) = self.running.take() {
            drop(file);
            child.stop();
        }
    }
}

/// Bytes in memory.
#[derive(Debug)]
pub(crate) struct MemorySource {
    bytes: Arc<[u8]>,
    at: usize,
}

impl MemorySource {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes: bytes.into(), at: 0 }
    }
}

impl Source for MemorySource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let rest = &self.bytes[self.at..];
        let count = rest.len().min(limit);
        buffer.extend_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        Some(Arc::new(Memory(Arc::clone(&self.bytes))))
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.at = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        Ok(())
    }

    fn restart(&mut self) -> Result<bool> {
        self.at = 0;
        Ok(true)
    }
}

#[derive(Debug)]
struct Memory(Arc<[u8]>);

impl ReadAt for Memory {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let range = start.and_then(|start| Some(start..start.checked_add(length)?));
        let bytes = range.and_then(|range| self.0.get(range)).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.extend_from_slice(bytes);
        Ok(())
    }
}

/// Bytes that can be read at any offset, read in order from one offset on.
#[derive(Debug)]
pub(crate) struct PlacedSource {
    pub(crate) bytes: Arc<dyn ReadAt>,
    pub(crate) at: u64,
}

impl Source for PlacedSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let left = usize::try_from(self.bytes.length().saturating_sub(self.at)).unwrap_or(usize::MAX);
        let count = left.min(limit);
        self.bytes.read_at(self.at, buffer, count)?;
        self.at += count as u64;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        Some(Arc::clone(&self.bytes))
    }
}

#[derive(Debug)]
pub(crate) struct RegularFile {
    pub(crate) file: Arc<File>,
    pub(crate) length: u64,
}

impl ReadAt for RegularFile {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        read_at(&self.file, offset, buffer, length)
    }

    fn as_file(&self) -> Option<&Arc<File>> {
        Some(&self.file)
    }
}

/// A regular file of `length` bytes, for reading at any offset.
pub fn positioned_file(file: Arc<File>, length: u64) -> Arc<dyn ReadAt> {
    Arc::new(RegularFile { file, length })
}

/// Appends `length` bytes of a file from `offset` on to `buffer`, independent of the file's position.
///
/// # Errors
/// If the system refuses, or the file ends too early.
pub fn read_at(file: &File, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
    let end = buffer.len().saturating_add(length);
    fallible(|| buffer.try_reserve_exact(length)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let mut at = offset;
    while buffer.len() < end {
        match read_into(file, Some(at), buffer, end - buffer.len())? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => at += count as u64,
        }
    }
    Ok(())
}

/// Appends up to `limit` bytes to `buffer` with one read, at the file's position or at a given one. Returns their
/// number. The memory does not have to be cleared before, as the standard library's functions require.
pub(crate) fn read_into(file: &File, at: Option<u64>, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
    fallible(|| buffer.try_reserve(limit)).map_err(|_| io::ErrorKind::OutOfMemory)?;
    let fd = file.as_raw_fd();
    let count = loop {
        let spare = buffer.spare_capacity_mut().as_mut_ptr().cast();
        let count = match at.map(libc::off_t::try_from) {
            #[allow(unsafe_code)]
            // SAFETY: `spare` is writable memory of at least `limit` bytes, as reserved above.
            None => unsafe { libc::read(fd, spare, limit) },
            #[allow(unsafe_code)]
            // SAFETY: as above.
            Some(Ok(at)) => unsafe { libc::pread(fd, spare, limit, at) },
            Some(Err(_)) => return Err(io::ErrorKind::InvalidInput.into()),
        };
        if let Ok(count) = usize::try_from(count) {
            break count;
        }
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    };
    #[allow(unsafe_code)]
    // SAFETY: the system has just filled `count` bytes after the old length.
    unsafe {
        buffer.set_len(buffer.len() + count);
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_file_is_read_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "0123456789").unwrap();
        let source = FileSource::new(File::open(&path).unwrap(), "file", 0);
        let memory = MemorySource::new(b"0123456789".to_vec());
        for file in [source.positioned().unwrap(), memory.positioned().unwrap()] {
            let mut buffer = b"> ".to_vec();
            file.read_at(3, &mut buffer, 5).unwrap();
            file.read_at(10, &mut buffer, 0).unwrap();
            assert_eq!(buffer, b"> 34567");
            assert_eq!(file.read_at(8, &mut buffer, 3).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
            assert!(file.read_at(8, &mut buffer, usize::MAX).is_err());
            assert!(file.read_at(u64::MAX, &mut buffer, 1).is_err());
            assert_eq!(file.length(), 10);
        }
        assert_eq!((&**source.file.as_ref().unwrap()).stream_position().unwrap(), 0);
    }

    #[test]
    fn a_source_starts_again_unless_it_is_a_stream() {
        let read = |source: &mut dyn Source| {
            let mut bytes = Vec::new();
            while source.read_some(&mut bytes, 3).unwrap() > 0 {}
            bytes
        };
        let mut file = tempfile::NamedTempFile::new().unwrap();
        std::io::Write::write_all(&mut file, b"abcdefg").unwrap();
        let sources: [Box<dyn Source>; 3] = [
            Box::new(FileSource::new(file.reopen().unwrap(), "file", 0)),
            Box::new(MemorySource::new(b"abcdefg".to_vec())),
            Box::new(CommandSource::run("printf abcdefg".into()).unwrap()),
        ];
        for mut source in sources {
            for _ in 0..2 {
                assert_eq!(read(&mut *source), b"abcdefg");
                source.finish(true).unwrap();
                assert!(source.restart().unwrap());
            }
        }
        let mut stream = FileSource::new(File::open("/dev/null").unwrap(), "null", 0);
        assert!(!stream.restart().unwrap());
    }
}
