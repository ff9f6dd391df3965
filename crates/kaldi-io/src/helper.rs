//! The program `kaldi-store`, which reads and writes remote objects for a tool.
//!
//! It is started with the first remote name, and again in a process that was forked. Each stream has a socket of its own,
//! so that streams wait for nobody but the network.

use std::collections::VecDeque;
use std::env;
use std::fs::File;
use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio, id};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bstr::{BStr, BString};

use crate::Result;
use crate::compressed::Compression;
use crate::fallible::fallible;
use crate::source::{ReadAt, Source, read_into};
use crate::store::{Store, Upload};
use crate::wire::{self, Frame, Request};

/// Its name, beside the tools or on `PATH`.
const PROGRAM: &str = "kaldi-store";

/// Names must fit into a message.
const LONGEST_NAME: usize = 1 << 14;

/// Objects that are remembered.
const KNOWN: usize = 256;

/// The program, started or not.
#[derive(Debug, Default)]
pub(crate) struct Helper {
    running: Mutex<Option<Running>>,
    /// Objects that were opened and can be read at any place, the last ones: they need not be asked for once more.
    known: Mutex<VecDeque<(BString, u64)>>,
}

/// The program as it runs.
#[derive(Clone, Debug)]
struct Running {
    /// The process that has started it.
    tool: u32,
    /// Requests go here; that it is closed tells the program that the tool has ended.
    requests: Arc<OwnedFd>,
    program: Arc<Mutex<Child>>,
    /// What it was told of `--verbose`: a remote config file is read before that is known.
    verbose: i32,
}

impl Helper {
    fn running(&self) -> io::Result<Arc<OwnedFd>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let verbose = kaldi_log::verbose();
        match &mut *running {
            Some(running) if running.tool == id() => {
                if running.verbose != verbose {
                    let request = Request::Verbose { level: i64::from(verbose) as u64 };
                    wire::send(running.requests.as_fd(), &request.encode(), None).map_err(ended)?;
                    running.verbose = verbose;
                }
                Ok(Arc::clone(&running.requests))
            }
            _ => {
                let (requests, program) = start()?;
                let requests = Arc::new(requests);
                let program = Arc::new(Mutex::new(program));
                *running = Some(Running { tool: id(), requests: Arc::clone(&requests), program, verbose });
                Ok(requests)
            }
        }
    }

    /// Asks for a stream, and returns our end of its socket.
    fn stream(&self, request: &Request, url: &BStr) -> io::Result<(UnixStream, Arc<OwnedFd>)> {
        if url.len() > LONGEST_NAME {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the name is too long"));
        }
        let requests = self.running()?;
        let (ours, theirs) = wire::socket_pair(false)?;
        wire::send(requests.as_fd(), &request.encode(), Some(theirs.as_fd())).map_err(ended)?;
        Ok((UnixStream::from(ours), requests))
    }

    fn known(&self, url: &BStr) -> Option<u64> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().find(|(name, _)| name == url).map(|(_, length)| *length)
    }

    fn know(&self, url: &BStr, length: u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() == KNOWN {
            known.pop_front();
        }
        known.push_back((url.to_owned(), length));
    }

    /// The bytes of an object from `offset` on, and the length of the object where it can be read at any place.
    fn stream_of(&self, url: &BStr, offset: u64, length: Option<u64>) -> io::Result<(Frames, Option<u64>)> {
        let request = Request::Read { url: url.to_owned(), offset, length };
        let mut stream = File::from(OwnedFd::from(self.stream(&request, url)?.0));
        match Frame::read(&mut stream).map_err(ended)? {
            Frame::Opened(length) => Ok((Frames { stream, left: 0, has_ended: false }, length)),
            Frame::Failed(kind, message) => Err(io::Error::new(kind, message)),
            Frame::Data(_) | Frame::End => Err(ended(io::ErrorKind::UnexpectedEof.into())),
        }
    }
}

/// A shared [`Helper`] as a store.
#[derive(Clone, Debug, Default)]
pub(crate) struct HelperStore(Arc<Helper>);

impl Store for HelperStore {
    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>> {
        if let Some(length) = self.0.known(url) {
            let object = Arc::new(Object { helper: Arc::clone(&self.0), url: url.to_owned(), length });
            let (start, at) = (offset, offset);
            return Ok(Box::new(RemoteSource {
                object,
                is_positioned: true,
                start,
                at,
                head: Vec::new(),
                stream: None,
            }));
        }
        if offset > 0 {
            let head = self.0.stream_of(url, 0, Some(Compression::HEAD as u64))?.0.head()?;
            if let Some(compression) = Compression::of(&head) {
                return Err(io::Error::new(io::ErrorKind::InvalidInput, compression.no_offset()));
            }
        }
        let (mut stream, length) = self.0.stream_of(url, offset, None)?;
        // Compressed bytes cannot be read at any place.
        let head = if offset == 0 { stream.head()? } else { Vec::new() };
        let object = Object { helper: Arc::clone(&self.0), url: url.to_owned(), length: length.unwrap_or(0) };
        let is_positioned = length.is_some() && Compression::of(&head).is_none();
        if let (true, Some(length)) = (is_positioned, length) {
            self.0.know(url, length);
        }
        Ok(Box::new(RemoteSource {
            object: Arc::new(object),
            is_positioned,
            start: offset,
            at: offset,
            head,
            stream: Some(stream),
        }))
    }

    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner).retain(|(name, _)| name != url);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let (mut stream, requests) = self.0.stream(&Request::Write { url: url.to_owned(), id }, url)?;
        answer(&mut stream, |frame| matches!(frame, Frame::Opened(_)))?;
        Ok(Box::new(HelperUpload { id, requests, stream, length: 0 }))
    }

    fn close(&self) {
        let running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Running { requests, program, .. }) = running.filter(|running| running.tool == id()) else { return };
        #[allow(unsafe_code)]
        // SAFETY: `shutdown` takes a descriptor, which `requests` keeps open; it touches no memory.
        unsafe {
            libc::shutdown(requests.as_raw_fd(), libc::SHUT_RDWR);
        }
        let _ = program.lock().unwrap_or_else(PoisonError::into_inner).wait();
    }

    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize) {
        // It is a hint: what fails here will fail once more where the values are read.
        let Ok(requests) = self.0.running() else { return };
        if url.len() <= LONGEST_NAME {
            for offsets in offsets.chunks(1 << 10) {
                let request =
                    Request::Expect { url: url.to_owned(), at_once: at_once as u64, offsets: offsets.to_vec() };
                let _ = wire::send(requests.as_fd(), &request.encode(), None);
            }
        }
    }
}

/// Starts the program.
fn start() -> io::Result<(OwnedFd, Child)> {
    let program = find().ok_or_else(|| {
        io::Error::other(format!(
            "remote names need the program {PROGRAM}, which is neither beside this program nor on PATH; \
             it is installed by scripts/install or cargo install"
        ))
    })?;
    let (ours, theirs) = wire::socket_pair(true)?;
    let started = Command::new(&program)
        .arg("--print-args=false")
        .arg(format!("--verbose={}", kaldi_log::verbose()))
        .arg("serve")
        .stdin(Stdio::from(theirs))
        .stdout(Stdio::null())
        // The keys that end a tool shall leave the program time to clean up.
        .process_group(0)
        .spawn();
    match started {
        Ok(program) => Ok((ours, program)),
        Err(error) => Err(io::Error::new(error.kind(), format!("cannot start {}: {error}", program.display()))),
    }
}

/// Looks for the program beside our own and on `PATH`.
fn find() -> Option<PathBuf> {
    let beside = env::current_exe().ok().map(|own| own.with_file_name(PROGRAM));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path = env::split_paths(&path).filter(|folder| folder.is_absolute()).map(|folder| folder.join(PROGRAM));
    beside.into_iter().chain(on_path).find(|program| program.is_file())
}

/// An end of the stream that nobody has announced.
fn ended(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
            io::Error::other(format!("{PROGRAM} has ended before the stream has"))
        }
        _ => error,
    }
}

/// An object that is read.
#[derive(Debug)]
struct Object {
    helper: Arc<Helper>,
    url: BString,
    length: u64,
}

impl ReadAt for Object {
    fn length(&self) -> u64 {
        self.length
    }

    fn is_near(&self) -> bool {
        false
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        if length == 0 {
            return Ok(());
        }
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        fallible(|| buffer.try_reserve_exact(length)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let (mut frames, _) = self.helper.stream_of(self.url.as_ref(), offset, Some(length as u64))?;
        let mut missing = length;
        while missing > 0 {
            match frames.read_some(buffer, missing)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => missing -= count,
            }
        }
        Ok(())
    }
}

/// The answer to a request to read.
#[derive(Debug)]
struct Frames {
    stream: File,
    /// Bytes of the current frame that are not read.
    left: usize,
    has_ended: bool,
}

impl Frames {
    /// The first bytes, which tell whether the object is compressed.
    fn head(&mut self) -> io::Result<Vec<u8>> {
        let mut head = Vec::new();
        while head.len() < Compression::HEAD && self.read_some(&mut head, Compression::HEAD)? > 0 {}
        Ok(head)
    }

    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        while self.left == 0 {
            if self.has_ended || limit == 0 {
                return Ok(0);
            }
            match Frame::read(&mut self.stream).map_err(ended)? {
                Frame::Data(length) => self.left = length,
                Frame::End => self.has_ended = true,
                Frame::Failed(kind, message) => return Err(io::Error::new(kind, message)),
                Frame::Opened(_) => {}
            }
        }
        match read_into(&self.stream, None, buffer, limit.min(self.left))? {
            0 => Err(ended(io::ErrorKind::UnexpectedEof.into())),
            count => {
                self.left -= count;
                Ok(count)
            }
        }
    }
}

/// An object that is read from a place on.
#[derive(Debug)]
struct RemoteSource {
    object: Arc<Object>,
    /// Whether it can be read at any place.
    is_positioned: bool,
    /// Where it was opened.
    start: u64,
    /// Where the next byte is.
    at: u64,
    /// Bytes that were looked at, from the place of the next byte on.
    head: Vec<u8>,
    /// Nothing where it is to be opened again.
    stream: Option<Frames>,
}

impl Source for RemoteSource {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        if !self.head.is_empty() {
            let count = self.head.len().min(limit);
            buffer.extend(self.head.drain(..count));
            self.at += count as u64;
            return Ok(count);
        }
        let stream = match &mut self.stream {
            Some(stream) => stream,
            None => {
                let (stream, _) = self.object.helper.stream_of(self.object.url.as_ref(), self.at, None)?;
                self.stream.insert(stream)
            }
        };
        let count = stream.read_some(buffer, limit)?;
        self.at += count as u64;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.is_positioned.then(|| Arc::clone(&self.object) as Arc<dyn ReadAt>)
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        // What was looked at need not be waited for.
        self.stream.as_ref().filter(|_| self.head.is_empty()).map(|frames| frames.stream.as_fd())
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        if offset != self.at {
            self.stop();
            self.at = offset;
        }
        Ok(())
    }

    fn restart(&mut self) -> Result<bool> {
        self.stop();
        self.at = self.start;
        Ok(true)
    }

    fn finish(&mut self, _: bool) -> Result<()> {
        self.stop();
        Ok(())
    }

    fn stop(&mut self) {
        self.head.clear();
        self.stream = None;
    }
}

/// An object that is written.
#[derive(Debug)]
struct HelperUpload {
    id: u64,
    requests: Arc<OwnedFd>,
    stream: UnixStream,
    length: u64,
}

impl Upload for HelperUpload {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self.stream.write_all(bytes) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            // The program says why it does not listen any more.
            Err(error) => Err(answer(&mut self.stream, |_| false).err().unwrap_or(error)),
        }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        let finish = Request::Finish { id: self.id, length: self.length };
        wire::send(self.requests.as_fd(), &finish.encode(), None).map_err(ended)?;
        answer(&mut self.stream, |frame| *frame == Frame::End)
    }
}

/// Waits for an answer of which `is_right`.
fn answer(stream: &mut UnixStream, is_right: impl Fn(&Frame) -> bool) -> io::Result<()> {
    match Frame::read(stream).map_err(ended)? {
        Frame::Failed(kind, message) => Err(io::Error::new(kind, message)),
        frame if is_right(&frame) => Ok(()),
        _ => Err(ended(io::ErrorKind::UnexpectedEof.into())),
    }
}
