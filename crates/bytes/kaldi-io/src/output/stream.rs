//! Bytes that are written into a file.

use std::fs::{File, Metadata};
use std::io::{self, IoSlice, Seek, SeekFrom, Write};
use std::ops::Range;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::sync::Arc;

use super::part::{FileEnd, PartError};
use super::preallocate::ReservedBlocks;
use super::replaced::Replacement;
use super::write_buffer::Pending;
use crate::interrupt::wait_for_room;
use crate::session::ClearTerminal;
use crate::source::read_at;
use crate::{Chunk, Encoded, Error, Result, Upload};

/// Bytes that are gathered before they are written. Larger pieces are written directly.
const BUFFER: usize = 1 << 16;

/// Fewer bytes of another file are copied into a file through memory. The kernel copies page by page, and takes more time
/// where the pages of the two files do not match; but it has no memory to read in first. All are copied through memory into a
/// large file with reserved blocks.
const SHORT: u64 = 1 << 18;

/// Bytes of another file that are gathered before they are copied into a file: so many that the cost of a system call
/// does not matter, so few that a full disk is noticed in time.
const RANGE: u64 = 1 << 26;

/// The same, if the reader of a pipe waits for them.
const PIPED_RANGE: u64 = 1 << 20;

/// Bytes of another file that are sent to a store at a time.
const PIECE: usize = 1 << 20;

/// Where the bytes go.
#[derive(Debug)]
pub(super) enum Sink {
    /// A file of the system: a regular one, a pipe, a device.
    File(File),
    /// An object of a store.
    Object(Box<dyn Upload>),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::File(file) => wait_for_room(file.as_fd()).and_then(|()| file.write(bytes)),
            Self::Object(upload) => upload.write_all(bytes).map(|()| bytes.len()),
        }
    }

    fn write_vectored(&mut self, slices: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::File(file) => wait_for_room(file.as_fd()).and_then(|()| file.write_vectored(slices)),
            Self::Object(upload) => {
                slices.iter().try_for_each(|slice| upload.write_all(slice))?;
                Ok(slices.iter().map(|slice| slice.len()).sum())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The bytes that are written into a file. Standard output has one stream for the whole process, so two tables written
/// there come out in the order in which the program wrote them.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) sink: Option<Sink>,
    pub(super) name: String,
    buffer: Vec<u8>,
    /// What belongs after the buffer.
    pending: Option<Pending>,
    /// Position of the next byte in the file. It includes bytes that are not written yet.
    pub(super) position: u64,
    /// Whether a later reader can start at any byte.
    pub(super) seekable: bool,
    /// Whether positions can be listed: in what is seekable, and in `/dev/null`, of which only the list is wanted.
    pub(super) has_positions: bool,
    /// The reserved space of the file.
    pub(super) room: ReservedBlocks,
    /// What is there, until it is known whether this may replace it.
    pub(super) replacement: Option<Replacement>,
    /// Whether people see the bytes: it is a terminal.
    pub(super) is_terminal: bool,
    /// Removes what is shown on this terminal before bytes are written there.
    pub(super) clear: Clear,
}

/// What is called before bytes come to a terminal.
#[derive(Default)]
pub(super) struct Clear(pub(super) Option<Arc<ClearTerminal>>);

impl std::fmt::Debug for Clear {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_some() { "Clear" } else { "None" })
    }
}

impl Stream {
    /// The bytes of an object: a reader can start at any of them.
    pub(super) fn of_object(upload: Box<dyn Upload>, name: String) -> Self {
        Self {
            sink: Some(Sink::Object(upload)),
            name,
            buffer: Vec::new(),
            pending: None,
            position: 0,
            seekable: true,
            has_positions: true,
            room: ReservedBlocks::none(),
            replacement: None,
            is_terminal: false,
            clear: Clear::default(),
        }
    }

    pub(super) fn new(file: File, name: String) -> Self {
        let metadata = file.metadata();
        let regular = metadata.as_ref().is_ok_and(Metadata::is_file);
        let is_null = metadata
            .is_ok_and(|metadata| metadata.file_type().is_char_device() && metadata.rdev() == libc::makedev(1, 3));
        // Standard output may be a file that others have written to before, or append to.
        let position = match (regular, appends(&file)) {
            (false, _) => 0,
            (true, true) => (&file).seek(SeekFrom::End(0)).unwrap_or(0),
            (true, false) => (&file).stream_position().unwrap_or(0),
        };
        if !regular {
            crate::pipe::widen(&file);
        }
        Self {
            sink: Some(Sink::File(file)),
            name,
            buffer: Vec::new(),
            pending: None,
            position,
            seekable: regular,
            has_positions: regular || is_null,
            room: ReservedBlocks::none(),
            replacement: None,
            is_terminal: false,
            clear: Clear::default(),
        }
    }

    /// Refuses to write binary data to a terminal, which it would confuse, and nobody could read.
    fn keep_text(&mut self, bytes: &[u8]) -> Result<()> {
        if !self.is_terminal || memchr::memchr(0, bytes).is_none() {
            return Ok(());
        }
        // The key before the value says nothing alone.
        self.buffer.clear();
        self.pending = None;
        Err(self
            .failed(io::Error::other(crate::Lack::BytesOnTerminal.explain("binary data is not written to a terminal"))))
    }

    pub(super) fn write_all(&mut self, bytes: &[u8]) -> Result<()> {
        self.keep_text(bytes)?;
        self.flush_pending()?;
        self.append(bytes)?;
        self.position += bytes.len() as u64;
        self.note([bytes])
    }

    /// Notes the first bytes of what will replace something.
    fn note<'a>(&mut self, bytes: impl IntoIterator<Item = &'a [u8]>) -> Result<()> {
        let Some(replacement) = &mut self.replacement else { return Ok(()) };
        bytes.into_iter().for_each(|bytes| replacement.note(bytes));
        if replacement.wanted() == 0 { self.judge() } else { Ok(()) }
    }

    /// Returns an error if this is of another kind than what it would replace. Only once.
    pub(super) fn judge(&mut self) -> Result<()> {
        self.replacement.take().map_or(Ok(()), |replacement| replacement.judge(&self.name))
    }

    pub(super) fn write_encoded(&mut self, value: &Encoded) -> Result<()> {
        let length = value.len();
        if length < BUFFER {
            return value.slices().try_for_each(|slice| self.write_all(slice));
        }
        if self.is_terminal {
            value.slices().try_for_each(|slice| self.keep_text(slice))?;
        }
        self.flush_pending()?;
        // As few system calls as possible, however many pieces there are.
        let buffer = std::mem::take(&mut self.buffer);
        self.grow(length as u64);
        let mut slices = Vec::with_capacity(1 + value.num_slices());
        slices.push(IoSlice::new(&buffer));
        value.slices().for_each(|slice| slices.push(IoSlice::new(slice)));
        let result = self.write_slices_out(&mut slices);
        self.buffer = buffer;
        self.buffer.clear();
        self.position += length as u64;
        result.and_then(|()| self.note(value.slices()))
    }

    /// Writes a part of another file, at once only if it is long. If it follows the part before it, they are copied
    /// together.
    pub(super) fn write_from(&mut self, file: &Arc<File>, range: Range<u64>) -> Result<()> {
        let length = range.end - range.start;
        if let Some(replacement) = &self.replacement {
            let (wanted, mut head) = (length.min(replacement.wanted() as u64), Vec::new());
            let read = read_at(file, range.start, &mut head, wanted as usize);
            read.map_err(|error| self.failed(shorter(error)))?;
            self.note([head.as_slice()])?;
        }
        if self.is_terminal {
            let mut head = Vec::new();
            let read = read_at(file, range.start, &mut head, length.min(BUFFER as u64) as usize);
            read.map_err(|error| self.failed(shorter(error)))?;
            self.keep_text(&head)?;
        }
        let limit = if self.seekable { RANGE } else { PIPED_RANGE };
        self.hold(Pending::File(Arc::clone(file), range), limit)
    }

    /// Writes a part of a chunk. Parts that follow each other are written from there as soon as they are long together.
    pub(super) fn write_chunk(&mut self, chunk: &Arc<Chunk>, range: Range<usize>) -> Result<()> {
        if self.room.is_reserved(self.position) {
            return self.write_all(&chunk.bytes[range]);
        }
        self.keep_text(&chunk.bytes[range.clone()])?;
        self.note([&chunk.bytes[range.clone()]])?;
        self.hold(Pending::Chunk(Arc::clone(chunk), range), BUFFER as u64)
    }

    /// Waits for what follows, until there are `limit` bytes.
    fn hold(&mut self, next: Pending, limit: u64) -> Result<()> {
        let length = next.len();
        if !self.pending.as_mut().is_some_and(|pending| pending.join(&next)) {
            self.flush_pending()?;
            self.pending = Some(next);
        }
        self.position += length;
        if self.pending.as_ref().is_some_and(|pending| pending.len() >= limit) { self.flush_pending() } else { Ok(()) }
    }

    pub(super) fn flush(&mut self) -> Result<()> {
        self.flush_pending()?;
        self.write_buffer()
    }

    /// Puts the pending bytes after the buffer.
    fn flush_pending(&mut self) -> Result<()> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        // An error names the position of the first byte.
        let end = self.position;
        self.position -= pending.len();
        match pending {
            Pending::File(source, range) => self.settle_file(&source, range)?,
            Pending::Chunk(source, range) => self.append(&source.bytes[range])?,
        }
        self.position = end;
        Ok(())
    }

    /// Copies bytes of a file: through memory, or in the kernel.
    fn settle_file(&mut self, source: &File, range: Range<u64>) -> Result<()> {
        let length = range.end - range.start;
        // To a pipe, the kernel copies no bytes at all.
        let short = if self.seekable { SHORT } else { BUFFER as u64 };
        if length >= short || self.room.is_reserved(self.position + length) {
            return self.copy(source, range);
        }
        if self.buffer.len() + length as usize > BUFFER {
            self.write_buffer()?;
        }
        let read = read_at(source, range.start, &mut self.buffer, length as usize);
        read.map_err(|error| self.failed(shorter(error)))
    }

    fn copy(&mut self, source: &File, range: Range<u64>) -> Result<()> {
        if !self.room.is_reserved(self.position) {
            // Perhaps into a pipe, which may have no room yet.
            self.write_buffer()?;
        }
        let (gathered, position, room) = (&mut self.buffer, self.position, &mut self.room);
        let copied = match &mut self.sink {
            Some(Sink::File(file)) => FileEnd { file, gathered, position, room }.append(source, range),
            Some(Sink::Object(upload)) => send(source, range, upload.as_mut()),
            None => Err(PartError::Write(io::ErrorKind::BrokenPipe.into())),
        };
        copied.map_err(|error| match error {
            PartError::Read(_, error) => self.failed(shorter(error)),
            PartError::Write(error) => self.failed(error),
        })
    }

    /// Puts `bytes` after the buffer.
    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.len() >= BUFFER {
            self.write_buffer()?;
            return self.write_out(bytes);
        }
        let mut bytes = bytes;
        if self.room.is_reserved(self.position) {
            let room = ReservedBlocks::rest_of_block(self.position);
            if bytes.len() >= room {
                self.buffer.extend_from_slice(&bytes[..room]);
                bytes = &bytes[room..];
                self.write_buffer()?;
            }
        } else if self.buffer.len() + bytes.len() > BUFFER {
            self.write_buffer()?;
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn write_buffer(&mut self) -> Result<()> {
        let buffer = std::mem::take(&mut self.buffer);
        let result = self.write_out(&buffer);
        self.buffer = buffer;
        self.buffer.clear();
        result
    }

    fn write_out(&mut self, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.grow(bytes.len() as u64);
        self.sink().and_then(|sink| sink.write_all(bytes)).map_err(|source| self.failed(source))
    }

    /// Reserves space for bytes that are not counted in the position yet.
    fn grow(&mut self, length: u64) {
        if let Some(Sink::File(file)) = &self.sink {
            self.room.grow(file, self.position + length);
        }
    }

    fn write_slices_out(&mut self, mut slices: &mut [IoSlice<'_>]) -> Result<()> {
        while slices.iter().any(|slice| !slice.is_empty()) {
            let written = self.sink().and_then(|sink| sink.write_vectored(slices));
            match written {
                Ok(0) => return Err(self.failed(io::ErrorKind::WriteZero.into())),
                Ok(count) => IoSlice::advance_slices(&mut slices, count),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
        Ok(())
    }

    fn sink(&mut self) -> io::Result<&mut Sink> {
        if let Some(clear) = &self.clear.0 {
            clear();
        }
        self.sink.as_mut().ok_or_else(|| io::ErrorKind::BrokenPipe.into())
    }

    fn failed(&self, source: io::Error) -> Error {
        Error::Write { name: self.name.clone(), offset: self.position, source }
    }
}

/// Sends a part of a file to a store.
fn send(source: &File, range: Range<u64>, upload: &mut dyn Upload) -> Result<(), PartError> {
    let mut bytes = Vec::new();
    for start in range.clone().step_by(PIECE) {
        let count = PIECE.min((range.end - start) as usize);
        bytes.clear();
        read_at(source, start, &mut bytes, count).map_err(|error| PartError::Read(start, error))?;
        upload.write_all(&bytes).map_err(PartError::Write)?;
    }
    Ok(())
}

/// Describes the end of a file that was longer before.
fn shorter(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(error.kind(), "the file that it comes from has become shorter"),
        _ => error,
    }
}

/// Whether the file was opened for appending.
fn appends(file: &File) -> bool {
    let fd = file.as_raw_fd();
    #[allow(unsafe_code)]
    // SAFETY: F_GETFL takes a descriptor, which `file` keeps open; it touches no memory.
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFL) };
    flags >= 0 && flags & libc::O_APPEND != 0
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::Output;

    use super::*;

    /// A file of `length` bytes that repeat only after a long period, and its content.
    fn source(folder: &tempfile::TempDir, length: usize) -> (Arc<File>, Vec<u8>) {
        let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8 ^ (at / 251 % 256) as u8).collect();
        fs::write(folder.path().join("source"), &content).unwrap();
        (Arc::new(File::open(folder.path().join("source")).unwrap()), content)
    }

    #[test]
    fn ranges_and_bytes_come_out_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (file, content) = source(&folder, 3 << 20);
        let other = Arc::new(File::open(folder.path().join("source")).unwrap());
        let path = folder.path().join("out").to_str().unwrap().to_owned();
        let cuts = [0, 10, 20, 70_000, 70_000, 200_000, 2_000_000, 2_000_001, 3 << 20];
        for name in [path.clone(), format!("| sleep 0.1; cat > {path}")] {
            let mut output = Output::create(name.as_str().into(), false).unwrap();
            let mut expected = Vec::new();
            // Neighbours; with bytes between them, short and long; from two files; backwards.
            for round in 0..4 {
                for (index, cut) in cuts.windows(2).enumerate() {
                    let range = if round == 3 { cuts[7 - index]..cuts[8 - index] } else { cut[0]..cut[1] };
                    let file = if round == 2 && index % 2 == 0 { &other } else { &file };
                    output.write_from(file, range.start as u64..range.end as u64).unwrap();
                    expected.extend_from_slice(&content[range]);
                    if round == 1 {
                        let between = vec![b'-'; if index == 4 { 100_000 } else { 3 }];
                        output.write_all(&between).unwrap();
                        expected.extend(between);
                    }
                    if round == 2 && index == 5 {
                        output.write_encoded(&vec![b'+'; 70_000].into()).unwrap();
                        expected.extend([b'+'; 70_000]);
                    }
                    let position = Some(expected.len() as u64).filter(|_| name == path);
                    assert_eq!(output.position(), position);
                }
            }
            output.finish().unwrap();
            assert!(fs::read(&path).unwrap() == expected, "{name}");
        }
    }

    #[test]
    fn neighbouring_ranges_are_copied_together() {
        let folder = tempfile::tempdir().unwrap();
        let (file, content) = source(&folder, 1 << 20);
        let target = folder.path().join("out");
        let mut stream = Stream::new(File::create(&target).unwrap(), "out".to_owned());
        for start in (0..1 << 20).step_by(1 << 16) {
            stream.write_from(&file, start..start + (1 << 16)).unwrap();
        }
        assert_eq!((stream.position, fs::metadata(&target).unwrap().len()), (1 << 20, 0), "nothing was copied yet");
        stream.flush().unwrap();
        assert!(fs::read(&target).unwrap() == content);
        // Long parts are copied at once.
        stream.write_from(&Arc::new(File::open("/dev/zero").unwrap()), 0..RANGE).unwrap();
        assert_eq!(fs::metadata(&target).unwrap().len(), (1 << 20) + RANGE);
    }

    #[test]
    fn a_file_that_has_become_shorter_is_an_error_at_the_place_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let (file, _) = source(&folder, 100_000);
        for (before, length) in [(4, 100), (4, 99_000), (2 << 20, 100), (2 << 20, 99_000)] {
            let target = folder.path().join("out");
            let mut output = Output::create(target.to_str().unwrap().into(), false).unwrap();
            output.write_all(&vec![b' '; before]).unwrap();
            output.write_from(&file, 99_990..99_990 + length).unwrap();
            let error = output.finish().unwrap_err().to_string();
            let expected = format!("the file that it comes from has become shorter (after {before} bytes)");
            assert!(error.starts_with("cannot write ") && error.ends_with(&expected), "{error}");
            assert!(!target.exists());
        }
    }
}
