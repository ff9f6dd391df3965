//! Streams to read from.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bstr::BStr;

use crate::address::remote_name;
use crate::compressed::{Compression, Decompressed};
use crate::interrupt::{counted, wait_until_any};
use crate::lines::without_mark;
use crate::remote::store;
use crate::session::Session;
use crate::source::{CommandSource, FileSource, MemorySource, PlacedSource, ReadAt, Source, read_at};
use crate::xfilename::printable_rxfilename;
use crate::{Error, Locator, ParseError, Result, Rxfilename};

/// An open rxfilename: an unbuffered stream of bytes that knows its name and position.
///
/// A gzip or zstd stream is decompressed while it is read: bytes and offsets are those of the decompressed data. It can
/// be read only in order.
#[derive(Debug)]
#[must_use]
pub struct Input {
    source: Box<dyn Source>,
    name: String,
    /// Offset of the first byte.
    start: u64,
    /// Offset of the next byte.
    offset: u64,
    /// The length of the whole stream, if it is known.
    length: Option<u64>,
    at_end: bool,
    /// Whether it is known if the bytes are compressed.
    was_looked_at: bool,
    compression: Option<Compression>,
    /// The session that opened it.
    session: Session,
}

impl Input {
    /// Opens the stream that `name` names: standard input, a file or a remote object (both perhaps from an offset on),
    /// or the output of a command.
    ///
    /// # Errors
    /// If the name is invalid, or the file or command cannot be opened.
    pub fn open(name: &BStr) -> Result<Self> {
        Self::open_parsed(&Rxfilename::parse(name)?, &printable_rxfilename(name))
    }

    /// Opens what the name of a locator names.
    ///
    /// # Errors
    /// If the file or command cannot be opened.
    pub fn open_located(locator: &Locator) -> Result<Self> {
        Self::open_parsed(locator.rxfilename(), &printable_rxfilename(locator.name()))
    }

    /// Opens an rxfilename that is already classified. Messages call it `name`.
    ///
    /// # Errors
    /// If the file or command cannot be opened.
    pub fn open_parsed(rxfilename: &Rxfilename, name: &str) -> Result<Self> {
        match rxfilename {
            Rxfilename::Stdin => {
                let stdin = io::stdin().as_fd().try_clone_to_owned();
                let file = stdin.map(File::from).map_err(|source| Error::Open { name: name.to_owned(), source })?;
                // If standard input is a file, another program may have read a part of it.
                let offset = (&file).stream_position().unwrap_or(0);
                Ok(Self::from_source(name, offset, Box::new(FileSource::new(file, name, offset))))
            }
            Rxfilename::File(path) => {
                if let Some(url) = remote_name(path) {
                    return Self::open_remote(url, 0, name, name);
                }
                let file = open(path, name)?;
                Ok(Self::from_source(name, 0, Box::new(FileSource::new(file, name, 0))))
            }
            Rxfilename::Offset(path, offset) => {
                // Messages add the offset themselves.
                let bare = name.rsplit_once(':').map_or(name, |(bare, _)| bare);
                if let Some(url) = remote_name(path) {
                    return Self::open_remote(url, *offset, name, bare);
                }
                let mut file = open(path, name)?;
                refuse_compressed(&file, bare, *offset)?;
                let seek = file.seek(SeekFrom::Start(*offset));
                seek.map_err(|source| Error::Read { name: bare.to_owned(), offset: *offset, source })?;
                Ok(Self::from_source(bare, *offset, Box::new(FileSource::new(file, bare, *offset))))
            }
            Rxfilename::Pipe(command) => Ok(Self::from_source(name, 0, Box::new(CommandSource::run(command.clone())?))),
        }
    }

    fn open_remote(url: &BStr, offset: u64, name: &str, bare: &str) -> Result<Self> {
        let source = store().and_then(|store| store.open(url, offset));
        let source = source.map_err(|source| Error::Open { name: name.to_owned(), source })?;
        Ok(Self::from_source(bare, offset, source))
    }

    /// Reads from bytes in memory. Messages call them `name`.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Self {
        Self::from_source(name, 0, Box::new(MemorySource::new(bytes)))
    }

    /// Reads from `offset` on something that can be read at any offset. Nothing is decompressed. Messages call it
    /// `name`.
    pub fn placed(name: &str, bytes: Arc<dyn ReadAt>, offset: u64) -> Self {
        Self {
            length: Some(bytes.length()),
            source: Box::new(PlacedSource { bytes, at: offset }),
            name: name.to_owned(),
            start: offset,
            offset,
            at_end: false,
            was_looked_at: true,
            compression: None,
            session: Session::current(),
        }
    }

    /// Reads from any source. Messages call it `name` and count its bytes from `start` on.
    pub fn from_source(name: &str, start: u64, source: Box<dyn Source>) -> Self {
        let mut input = Self {
            source,
            name: name.to_owned(),
            start,
            offset: start,
            length: None,
            at_end: false,
            was_looked_at: false,
            compression: None,
            session: Session::current(),
        };
        input.look_at_file();
        input.length = input.source.positioned().map(|bytes| bytes.length());
        input
    }

    /// Looks at the first bytes of a file before they are read. They decide whether it can be read at any offset.
    fn look_at_file(&mut self) {
        let Some(bytes) = self.source.positioned().filter(|bytes| bytes.as_file().is_some()) else { return };
        self.was_looked_at = true;
        let length = bytes.length().saturating_sub(self.start).min(Compression::HEAD as u64) as usize;
        let mut head = Vec::new();
        // If it cannot be read, the error is reported when it is read.
        if bytes.read_at(self.start, &mut head, length).is_ok()
            && let Some(compression) = Compression::of(&head)
        {
            self.decompress(Vec::new(), compression);
        }
    }

    fn decompress(&mut self, bytes: Vec<u8>, compression: Compression) {
        let source = std::mem::replace(&mut self.source, Box::new(MemorySource::new(Vec::new())));
        self.source = Box::new(Decompressed::new(source, bytes, compression));
        self.compression = Some(compression);
    }

    /// Reads the first bytes of a stream, and decompresses it if they say so. That takes four bytes, fewer than any
    /// caller asks for at once.
    fn read_first(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let start = buffer.len();
        loop {
            let got = self.source.read_some(buffer, limit - (buffer.len() - start))?;
            let head = &buffer[start..];
            if let Some(compression) = Compression::of(head) {
                let bytes = buffer.split_off(start);
                self.was_looked_at = true;
                self.decompress(bytes, compression);
                return self.source.read_some(buffer, limit);
            }
            if got == 0 || head.len() >= limit || !Compression::may_follow(head) {
                self.was_looked_at = true;
                return Ok(head.len());
            }
        }
    }

    /// The name of the stream in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Offset of the next byte in the file, or bytes read so far from a pipe.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Whether the bytes are decompressed. For a stream that is no file, this is known only after its first bytes.
    pub fn is_compressed(&self) -> bool {
        self.compression.is_some()
    }

    /// Bytes that are left, if that is known (regular files that do not grow).
    pub fn remaining(&self) -> Option<u64> {
        self.length.map(|length| length.saturating_sub(self.offset))
    }

    /// Whether the end has been reached.
    pub fn at_end(&self) -> bool {
        self.at_end
    }

    /// Appends up to `limit` bytes to `buffer` with one read; returns their number, 0 at the end.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<usize> {
        self.session.clone().enter(|| self.read_here(buffer, limit))
    }

    fn read_here(&mut self, buffer: &mut Vec<u8>, limit: usize) -> Result<usize> {
        let failed = |source| Error::Read { name: self.name.clone(), offset: self.offset, source };
        if self.source.ended().is_some() && !self.waits_for_output().map_err(failed)? {
            self.at_end = true;
            return Ok(0);
        }
        let count = match self.was_looked_at {
            true => self.source.read_some(buffer, limit),
            false => self.read_first(buffer, limit),
        };
        let failed = |source| Error::Read { name: self.name.clone(), offset: self.offset, source };
        let count = count.and_then(|bytes| counted(bytes).map(|()| bytes)).map_err(failed)?;
        self.offset += count as u64;
        self.at_end |= count == 0;
        Ok(count)
    }

    /// Call this once the whole value has been read. What follows can still be read. But if a command has ended, its
    /// output ends there, even if a background process still holds the pipe.
    pub fn expect_end(&mut self) {
        self.source.expect_end();
    }

    /// Waits until a command writes something or ends. Returns whether there may be output.
    fn waits_for_output(&self) -> io::Result<bool> {
        let Some(descriptor) = self.source.descriptor() else { return Ok(true) };
        let descriptors = [Some(descriptor.as_raw_fd()), self.source.ended().map(|ended| ended.as_raw_fd())];
        let mut polled = polled(descriptors.into_iter().flatten());
        wait_until_any(&mut polled)?;
        Ok(poll(&mut polled, None).is_none_or(|_| polled[0].revents != 0))
    }

    /// Waits until something can be read, at most for this long. Returns whether it can, also if the system cannot say.
    pub(crate) fn waits_for(&self, patience: Duration) -> bool {
        let Some(descriptor) = self.source.descriptor() else { return true };
        let ended = self.source.ended().map(|ended| ended.as_raw_fd());
        let mut polled = polled([Some(descriptor.as_raw_fd()), ended].into_iter().flatten());
        poll(&mut polled, Some(patience)) != Some(false)
    }

    /// Reads everything that is left.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let limit = |input: &Self| input.remaining().map_or(1 << 16, |left| (left + 1).min(1 << 20) as usize);
        while self.read_some(&mut bytes, limit(self))? > 0 {}
        Ok(bytes)
    }

    /// Reads everything that is left of a text, without a byte order mark before it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn read_text(&mut self) -> Result<Vec<u8>> {
        let mut bytes = self.read_to_end()?;
        bytes.drain(..bytes.len() - without_mark(&bytes).len());
        Ok(bytes)
    }

    /// The same bytes for reading at any offset, if that is possible: those of a regular file that is not compressed,
    /// from its start on.
    pub fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.source.positioned()
    }

    /// The regular file of the stream, for reading at other offsets.
    pub fn as_file(&self) -> Option<Arc<File>> {
        self.positioned()?.as_file().cloned()
    }

    /// Continues at `offset`, in a regular file.
    ///
    /// # Errors
    /// If the stream cannot be moved, or is compressed.
    pub fn seek(&mut self, offset: u64) -> Result<()> {
        if let Some(compression) = self.compression {
            return Err(offset_refused(&self.name, offset, compression));
        }
        let seek = self.source.seek(offset);
        seek.map_err(|source| Error::Read { name: self.name.clone(), offset, source })?;
        self.offset = offset;
        Ok(())
    }

    /// Goes back to where the stream was opened. A command runs again.
    ///
    /// # Errors
    /// If something was read and the bytes come only once: from a pipe, a terminal or a named pipe.
    pub fn restart(&mut self) -> Result<()> {
        if self.offset == self.start && !self.at_end {
            return Ok(());
        }
        if !self.session.enter(|| self.source.restart())? {
            return Err(Error::ReadOnce { name: self.name.clone() });
        }
        self.offset = self.start;
        self.at_end = false;
        Ok(())
    }

    /// Gives the stream up: closes it, asks its command to end, and waits for that.
    pub fn stop(mut self) {
        self.session.enter(|| self.source.stop());
    }

    /// Closes the stream and waits for its command, if any. Its status counts only if the end was reached: a reader may
    /// stop early.
    ///
    /// # Errors
    /// If the command failed.
    pub fn finish(&mut self) -> Result<()> {
        self.session.enter(|| self.source.finish(self.at_end))
    }
}

/// Waits until at least one of `inputs` can be read without waiting, and returns for each whether it can. If the system
/// cannot say, the answer is the first one, whose read may then wait.
pub fn wait_readable(inputs: &[&Input]) -> Vec<bool> {
    let descriptor = |input: &&Input| input.source.descriptor().map(|descriptor| descriptor.as_raw_fd());
    let ready: Vec<bool> = inputs.iter().map(|input| descriptor(input).is_none()).collect();
    if ready.contains(&true) {
        return ready;
    }
    // For each input its stream, and its end if that is expected, or else the stream again.
    let ended =
        |input: &&Input| input.source.ended().map_or_else(|| descriptor(input), |ended| Some(ended.as_raw_fd()));
    let mut polled = polled(inputs.iter().flat_map(|input| [descriptor(input), ended(input)]).flatten());
    match poll(&mut polled, None) {
        Some(_) => polled.as_chunks::<2>().0.iter().map(|[stream, end]| stream.revents | end.revents != 0).collect(),
        None => (0..inputs.len()).map(|index| index == 0).collect(),
    }
}

fn polled(descriptors: impl Iterator<Item = i32>) -> Vec<libc::pollfd> {
    descriptors.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 }).collect()
}

/// Waits until one of the descriptors is ready, perhaps not for longer than `patience`. Returns whether one is; `None` if
/// the system refuses.
fn poll(polled: &mut [libc::pollfd], patience: Option<Duration>) -> Option<bool> {
    let patience = patience.map_or(-1, |patience| i32::try_from(patience.as_millis() + 1).unwrap_or(i32::MAX));
    loop {
        #[allow(unsafe_code)]
        // SAFETY: the pointer and the count are those of `polled`; a descriptor that is not open does not affect
        // memory.
        let count = unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, patience) };
        if count >= 0 {
            return Some(count > 0);
        }
        if io::Error::last_os_error().kind() != io::ErrorKind::Interrupted {
            return None;
        }
    }
}

/// Refuses an offset into a compressed file: it is not an offset in the decompressed data.
fn refuse_compressed(file: &File, name: &str, offset: u64) -> Result<()> {
    let mut head = Vec::new();
    let compression = match read_at(file, 0, &mut head, Compression::HEAD) {
        Ok(()) => Compression::of(&head),
        Err(_) => None,
    };
    let Some(compression) = compression.filter(|_| offset > 0) else { return Ok(()) };
    Err(offset_refused(name, offset, compression))
}

fn offset_refused(name: &str, offset: u64, compression: Compression) -> Error {
    Error::content(name, offset, ParseError::new(0, compression.no_offset()))
}

fn open(path: &Path, name: &str) -> Result<File> {
    File::open(path).map_err(|source| Error::Open { name: name.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn who_has_bytes_or_has_ended_is_readable() {
        let [silent, bytes, ended] =
            ["exec sleep 1000 |", "echo a; exec sleep 1000 |", "true |"].map(|c| Input::open(c.into()).unwrap());
        while wait_readable(&[&silent, &bytes, &ended]) != [false, true, true] {}
        assert_eq!(wait_readable(&[&bytes, &silent]), [true, false]);
        for input in [silent, bytes, ended] {
            input.stop();
        }
    }

    #[test]
    fn a_command_that_is_given_up_is_not_waited_for() {
        let start = Instant::now();
        Input::open("exec sleep 100 |".into()).unwrap().stop();
        assert!(start.elapsed() < Duration::from_secs(50));
    }

    #[test]
    fn a_stream_that_comes_once_can_start_only_before_it_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let path = fifo.clone();
        let writer = std::thread::spawn(move || std::fs::write(path, "a"));
        let mut input = Input::open(fifo.to_str().unwrap().into()).unwrap();
        input.restart().unwrap();
        assert_eq!(input.read_to_end().unwrap(), b"a");
        let message = input.restart().unwrap_err().to_string();
        assert!(message.ends_with("fifo a second time: it is a stream"), "{message}");
        writer.join().unwrap().unwrap();
    }
}
