//! Loads values from where rxfilenames say.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use bstr::{BStr, BString};
use kaldi_io::log::warning;
use kaldi_io::{
    Blob, Chunk, Input, Locator, LocatorError, Need, ReadAt, Rxfilename, Session, Spool, TextLines, Window,
    expect_values, open_files_limit, printable_rxfilename,
};
use kaldi_value::Frame;

use crate::batch::{CHUNK, IN_FLIGHT, LazyValues};
use crate::framing::{Extent, Framing, find_extent};
use crate::raw::RawEntry;
use crate::read::loaded::{Loaded, content};
use crate::read::stream_value::StreamValue;
use crate::script::ScriptLine;
use crate::{Error, Result};

/// How many files are kept open by default. Few, because tools run under tight limits, and opening a file takes microseconds.
const OPEN_FILES: usize = 4;

/// After this many bytes of a stream, it is checked whether they can be a value.
const TRIAL: usize = 1 << 16;

/// Bytes that are read of a long value whose rest stays in the file: a key and a header.
const HEAD: usize = 1 << 10;

/// At least this many bytes are read at once.
const SHORT: usize = 1 << 9;

/// The weight of an entry that keeps a file open. It is so high that only few such entries are in flight together.
const OPEN_FILE: usize = IN_FLIGHT / 32;

/// Entries may keep open one in this many of the files that the process may open.
const FILES_PER_ENTRY: u64 = 8;

/// Values of a store that are loaded at the same time, for each thread.
const VALUES_PER_THREAD: usize = 4;

/// How many values of a store may be loaded at the same time. Most of the time, each of them waits.
pub(crate) fn values_at_once(session: &Session) -> usize {
    VALUES_PER_THREAD * session.num_threads()
}

/// An open file.
#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    name: Arc<str>,
    source: Arc<dyn ReadAt>,
}

/// What a path leads to: a regular file that can be read at any offset, or a stream.
enum Opened {
    /// The file with this index.
    File(usize),
    Stream(Input),
}

/// Loads values from where script lines say.
///
/// Consecutive offsets in one file are served from one read. Any other order works too, with one or two reads for each
/// value.
#[derive(Debug)]
pub struct ValueLoader<F> {
    framing: F,
    files: Vec<OpenFile>,
    /// How many files are kept open.
    open_files: usize,
    /// The files of values that stay in their files. They stay open as long as the values live.
    held: Vec<Weak<dyn ReadAt>>,
    /// Where long values stay.
    lazy: Option<LazyValues>,
    /// Whether streams are read to their ends, and a command that fails is an error.
    is_strict: bool,
    /// Whether long values of commands go to a [`Spool`].
    has_spool: bool,
    /// What was last read of a file, and where the last delivered value ended.
    recent: Option<(Arc<Chunk>, u64)>,
    /// Bytes of standard input that follow the value read last.
    stdin: Option<(Input, Vec<u8>)>,
    /// The name of a stream that was read and cannot be read a second time.
    read_once: Option<String>,
    /// The value delivered last. Script lines may name it again with other ranges.
    last: Option<(BString, Loaded)>,
}

impl<F: Framing> ValueLoader<F> {
    pub(crate) fn new(framing: F) -> Self {
        Self {
            framing,
            files: Vec::new(),
            open_files: OPEN_FILES,
            held: Vec::new(),
            lazy: None,
            is_strict: false,
            has_spool: false,
            recent: None,
            stdin: None,
            read_once: None,
            last: None,
        }
    }

    /// A strict loader: of values in files only the headers are read, commands are read to their ends, and must not
    /// fail.
    pub fn strict(framing: F) -> Self {
        Self { lazy: Some(LazyValues::Anywhere), is_strict: true, ..Self::new(framing) }
    }

    /// Keeps up to this many files open, at least one.
    #[must_use]
    pub fn keep_open(self, files: usize) -> Self {
        Self { open_files: files.max(1), ..self }
    }

    /// The number of files that are open.
    pub fn num_open(&self) -> usize {
        self.files.len()
    }

    /// The framing, with what it has learned.
    pub fn framing(&self) -> &F {
        &self.framing
    }

    pub(crate) fn framing_mut(&mut self) -> &mut F {
        &mut self.framing
    }

    /// Finds the value of a line of the script file of this name. After an error, it can be called again for other
    /// lines.
    ///
    /// # Errors
    /// If the line names no value, the file cannot be opened or read, or the command fails.
    pub fn load_line(&mut self, script: Option<&Arc<str>>, number: u64, line: &ScriptLine) -> Result<RawEntry> {
        let script = script.map(|name| (Arc::clone(name), number));
        let failed = |source: kaldi_io::Error| {
            let script = script.as_ref().map(|(name, number)| (name.to_string(), *number));
            Error::entry(script, line.key.clone(), source)
        };
        let locator = line.locator().map_err(|error| match error {
            LocatorError::Range(message) => {
                let script = script.as_ref().map(|(name, _)| name.to_string()).unwrap_or_default();
                Error::ScriptLine { script, line: number, message }
            }
            LocatorError::Name(error) => failed(error),
        })?;
        let loaded = self.load(&locator).map_err(failed)?;
        Ok(loaded.into_entry(line.key.as_ref(), locator.range(), script))
    }

    /// Up to `count` bytes before the value in its file; none if the value is the whole file.
    pub fn before(&mut self, locator: &Locator, count: usize) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Rxfilename::Offset(path, offset) = locator.rxfilename()
            && let Ok(Opened::File(index)) = self.open(path, locator.name())
        {
            let count = usize::try_from(*offset).map_or(count, |offset| offset.min(count));
            // If this cannot be read, the error was reported with the value.
            let _ = self.files[index].source.read_at(offset - count as u64, &mut bytes, count);
        }
        bytes
    }

    /// Prepares for loading the same values again.
    ///
    /// # Errors
    /// If one of them came from a stream that can be read only once.
    pub(crate) fn restart(&mut self) -> Result<(), kaldi_io::Error> {
        if let Some(name) = self.read_once.clone() {
            return Err(kaldi_io::Error::ReadOnce { name });
        }
        if let Some((input, rest)) = &mut self.stdin {
            input.restart()?;
            rest.clear();
        }
        self.last = None;
        Ok(())
    }

    /// From now on, long values stay where they are.
    pub(crate) fn set_lazy(&mut self, lazy: LazyValues) {
        self.lazy = Some(lazy);
    }

    /// From now on, what commands write is kept in files where it is long.
    pub(crate) fn use_spool(&mut self) {
        self.has_spool = true;
    }

    /// Lets stores fetch the values of these lines in advance.
    pub fn expect<'a>(&self, lines: impl IntoIterator<Item = &'a ScriptLine>) {
        self.expect_at_once(lines, values_at_once(&Session::current()));
    }

    /// Like [`ValueLoader::expect`], with up to `at_once` of them at the same time.
    pub(crate) fn expect_at_once<'a>(&self, lines: impl IntoIterator<Item = &'a ScriptLine>, at_once: usize) {
        let locators: Vec<_> = lines.into_iter().filter_map(|line| line.locator().ok()).collect();
        let names = locators.iter().map(Locator::name);
        expect_values(names, at_once, self.framing.frame_fn());
    }

    /// Frames the value that a locator names. If a part is wanted, a long value stays in its file.
    pub(crate) fn load(&mut self, locator: &Locator) -> Result<Loaded, kaldi_io::Error> {
        self.load_with_key(locator, 0)
    }

    /// Like [`ValueLoader::load`]. If the value is long and in a file, this many bytes before it are included: its key
    /// there, which can then be written together with it.
    pub(crate) fn load_with_key(&mut self, locator: &Locator, before: usize) -> Result<Loaded, kaldi_io::Error> {
        let in_part = locator.range().is_some();
        if let Some((name, loaded)) = &self.last
            && name == locator.name()
            && *locator.rxfilename() != Rxfilename::Stdin
            && (loaded.blob.is_whole() || in_part || self.lazy.is_some())
        {
            return Ok(loaded.clone());
        }
        let loaded = match locator.rxfilename() {
            Rxfilename::File(path) => self.load_at(path, 0, 0, locator)?,
            Rxfilename::Offset(path, offset) => self.load_at(path, *offset, before, locator)?,
            Rxfilename::Stdin => {
                let (input, rest) = match self.stdin.take() {
                    Some(stdin) => stdin,
                    None => (Input::open_located(locator)?, Vec::new()),
                };
                let (loaded, rest, input) = StreamValue::new(input, rest, &mut self.framing).take(&mut self.framing)?;
                self.stdin = Some((input, rest));
                loaded
            }
            Rxfilename::Pipe(_) if self.is_strict => self.load_all(Input::open_located(locator)?)?,
            Rxfilename::Pipe(_) if self.has_spool => self.load_spooled(Input::open_located(locator)?)?,
            Rxfilename::Pipe(_) => StreamValue::open(locator, &mut self.framing)?.finish(&mut self.framing)?,
        };
        self.keep(locator, &loaded);
        Ok(loaded)
    }

    /// Keeps a value for later lines that name it.
    pub(crate) fn keep(&mut self, locator: &Locator, loaded: &Loaded) {
        self.last = Some((locator.name().to_owned(), Loaded { mem_size: 0, ..loaded.clone() }));
    }

    fn load_at(
        &mut self,
        path: &Path,
        offset: u64,
        before: usize,
        locator: &Locator,
    ) -> Result<Loaded, kaldi_io::Error> {
        let in_part = locator.range().is_some();
        let index = match self.open(path, locator.name())? {
            Opened::File(index) => index,
            Opened::Stream(input) => return self.load_stream(input, offset, locator),
        };
        let OpenFile { name, source, .. } = &self.files[index];
        let (name, source) = (Arc::clone(name), Arc::clone(source));
        let lines = match offset {
            0 => TextLines::From(1),
            _ => TextLines::In(Arc::downgrade(&source)),
        };
        let length = source.length();
        let (found, usual) = self.look_in_recent(&name, offset, length);
        if let Some(found) = found {
            return Ok(Loaded { lines, ..found });
        }
        let leaves = match self.lazy {
            None => false,
            Some(LazyValues::InFiles) => source.is_near(),
            Some(LazyValues::Anywhere) => true,
        };
        // Where the value starts in the bytes that are read.
        let start = if leaves && (before as u64..=length).contains(&offset) { before } else { 0 };
        let longest = if leaves { 0 } else { CHUNK as u64 };
        let mut may_stay = leaves || in_part;
        let ahead = if may_stay { start + HEAD } else { usual };
        let mut window = Window::placed(&name, Arc::clone(&source), offset - start as u64, ahead);
        let mut need = Need::AtLeast(0);
        loop {
            window.grow(need.after(start))?;
            let stays = |whole: u64, _: u64| may_stay && whole > longest;
            let (extent, is_open) = find_extent(&mut self.framing, &window, start, stays).map_err(|source| {
                let value = window.bytes().get(start..).unwrap_or_default();
                content(&name, offset, value, window.at_end(), &lines, source)
            })?;
            let (length, mem_size) = match extent {
                Extent::Whole(length) => (length as u64, 0),
                Extent::Stored(whole) => match self.hold(&source) {
                    Some(mem_size) => {
                        // A part has its own weight.
                        let lazy = self.lazy.filter(|_| !in_part);
                        (whole, mem_size.saturating_add(lazy.map_or(0, |lazy| lazy.mem_size(whole))))
                    }
                    None => {
                        may_stay = false;
                        need = Need::Exactly(whole);
                        continue;
                    }
                },
                Extent::More(more) => {
                    need = more;
                    continue;
                }
            };
            let is_stored = matches!(extent, Extent::Stored(_));
            let (base, bytes) = (window.offset(), window.into_parts().1);
            let is_text = self.framing.is_text(&bytes[start..]);
            let head = if is_stored { start..bytes.len() } else { start..start + length as usize };
            let chunk = Arc::new(Chunk { bytes, base, name, rest: is_stored.then_some(source) });
            if !is_stored && !is_open {
                self.recent = Some((Arc::clone(&chunk), offset + length));
            }
            return Ok(Loaded {
                mem_size,
                lines,
                ..Loaded::new(Blob::with_head(&chunk, head, length), is_text, is_open)
            });
        }
    }

    /// The value that is all of a stream, or its start.
    fn load_all(&mut self, mut input: Input) -> Result<Loaded, kaldi_io::Error> {
        let (mut bytes, mut limit) = (Vec::new(), TRIAL);
        while input.read_some(&mut bytes, limit)? > 0 {
            // What starts otherwise may have no end. If it has one soon, the status of a command says more.
            if bytes.len() >= TRIAL && limit == TRIAL {
                limit = TRIAL << 4;
                let fault = self.framing.beside().and_then(|mut framing| framing.value(&bytes, false).err());
                if let Some(source) = fault {
                    let error = content(input.name(), 0, &bytes, false, &TextLines::From(1), source);
                    input.stop();
                    return Err(error);
                }
            }
        }
        input.finish()?;
        Ok(StreamValue::new(input, bytes, &mut self.framing).take(&mut self.framing)?.0)
    }

    /// The value of a command: what is long goes to a file, and stays there.
    fn load_spooled(&mut self, input: Input) -> Result<Loaded, kaldi_io::Error> {
        let mut value = StreamValue::new(input, Vec::new(), &mut self.framing);
        while !value.is_settled() && value.len() < Spool::ROOM {
            value.step(&mut self.framing);
        }
        if value.is_settled() {
            return value.finish(&mut self.framing);
        }
        let (mut input, bytes) = value.into_parts();
        let name: Arc<str> = input.name().into();
        let failed = |source| kaldi_io::Error::Read { name: name.to_string(), offset: 0, source };
        // What a command writes after its value is not waited for.
        let end = match self.framing.beside().map(|mut framing| framing.value(&bytes, false)) {
            Some(Ok(Frame::Beyond(length))) => length,
            _ => u64::MAX,
        };
        let mut spool = Spool::default();
        spool.put(&bytes).map_err(failed)?;
        spool.put_stream(&mut input, end.saturating_sub(bytes.len() as u64))?;
        // The value is complete, whatever the command does now. If it has ended, its status may matter.
        let mut rest = Window::with_bytes(input, Vec::new());
        rest.expect_end();
        let _ = rest.look_for_end();
        let status = rest.finish();
        let blob = spool.into_blob(Arc::clone(&name)).map_err(failed)?;
        let Some(source) = blob.rest().cloned() else { return Ok(Loaded::new(blob, false, true)) };
        let mut window = Window::placed(&name, Arc::clone(&source), 0, HEAD);
        let mut need = Need::AtLeast(0);
        let (length, is_open) = loop {
            window.grow(need)?;
            match find_extent(&mut self.framing, &window, 0, |_, _| true) {
                Ok((Extent::Whole(length), is_open)) => break (length as u64, is_open),
                Ok((Extent::Stored(length), is_open)) => break (length, is_open),
                // What is there of a value that is cut is a value, or would be a fault.
                Ok((Extent::More(Need::Exactly(wanted)), _)) if wanted > blob.length() => break (blob.length(), true),
                Ok((Extent::More(more), _)) => need = more,
                Err(source) => {
                    // If the command failed, that is the reason for the wrong value.
                    status?;
                    let at_end = window.at_end();
                    return Err(content(&name, 0, window.bytes(), at_end, &TextLines::From(1), source));
                }
            }
        };
        if let Err(error) = status {
            warning!("{error}; the value before it was whole");
        }
        let bytes = window.into_parts().1;
        let (is_text, head) =
            (self.framing.is_text(&bytes), bytes.len().min(usize::try_from(length).unwrap_or(usize::MAX)));
        let chunk = Arc::new(Chunk { bytes, base: 0, name, rest: Some(source) });
        Ok(Loaded::new(Blob::with_head(&chunk, 0..head, length), is_text, is_open))
    }

    /// The value at the start of something that can only be read in order: a named pipe, a compressed file.
    fn load_stream(&mut self, mut input: Input, offset: u64, locator: &Locator) -> Result<Loaded, kaldi_io::Error> {
        if offset > 0 {
            // If this fails, its error says why. Objects of servers that do not send parts can be read from the start.
            input = Input::open_located(locator)?;
            input.seek(offset)?;
        }
        if !input.is_compressed() {
            self.read_once = Some(input.name().to_owned());
        }
        if self.is_strict {
            return self.load_all(input);
        }
        Ok(StreamValue::new(input, Vec::new(), &mut self.framing).take(&mut self.framing)?.0)
    }

    /// Looks for the value at `offset` of a file in the bytes read last. If it is not there, returns how much should be
    /// read at once.
    fn look_in_recent(&mut self, name: &Arc<str>, offset: u64, length: u64) -> (Option<Loaded>, usize) {
        let usual = if offset == 0 { CHUNK } else { 1 << 16 };
        let Some((chunk, end)) = self.recent.as_ref().filter(|(chunk, _)| Arc::ptr_eq(&chunk.name, name)) else {
            return (None, usual);
        };
        let from = offset.checked_sub(chunk.base).and_then(|from| usize::try_from(from).ok());
        if let Some(from) = from.filter(|&from| from < chunk.bytes.len())
            // A framing that learns must not be asked twice.
            && let Some(mut framing) = self.framing.beside()
        {
            let at_end = chunk.base + chunk.bytes.len() as u64 >= length;
            let value = &chunk.bytes[from..];
            if let Ok(Frame::Whole(value_length)) = framing.value(value, at_end) {
                let blob = Blob::in_chunk(chunk, from..from + value_length);
                let found = Loaded::new(blob, framing.is_text(value), false);
                self.recent = Some((Arc::clone(chunk), offset + value_length as u64));
                return (Some(found), usual);
            }
        }
        // A value that starts a key's length after the last one: the file is read from start to end.
        let size = (end - chunk.base) as usize;
        let is_next = offset >= *end && offset - end < 1024;
        // Values of any order are mostly about as long as the last one. Short ones are read with room for longer ones.
        let least = (4 * size).clamp(SHORT, 1 << 12);
        (None, if is_next { CHUNK } else { (size + size / 8).clamp(least, CHUNK) })
    }

    /// The weight of keeping a file open for a value in it. `None` if too many are open.
    fn hold(&mut self, source: &Arc<dyn ReadAt>) -> Option<usize> {
        self.held.retain(|held| held.strong_count() > 0);
        if self.held.iter().any(|held| std::ptr::addr_eq(held.as_ptr(), Arc::as_ptr(source))) {
            return Some(0);
        }
        let most = usize::try_from(open_files_limit() / FILES_PER_ENTRY).unwrap_or(usize::MAX);
        if self.held.len() >= most {
            return None;
        }
        self.held.push(Arc::downgrade(source));
        Some(OPEN_FILE)
    }

    fn open(&mut self, path: &Path, rxfilename: &BStr) -> Result<Opened, kaldi_io::Error> {
        if let Some(index) = self.files.iter().position(|open| open.path == path) {
            return Ok(Opened::File(index));
        }
        let input = Input::open_parsed(&Rxfilename::File(path.to_owned()), &printable_rxfilename(rxfilename))?;
        let Some(source) = input.positioned() else { return Ok(Opened::Stream(input)) };
        if self.files.len() == self.open_files {
            self.files.remove(0);
        }
        let name = printable_rxfilename(path.as_os_str().as_encoded_bytes().into());
        self.files.push(OpenFile { path: path.to_owned(), name: name.as_ref().into(), source });
        Ok(Opened::File(self.files.len() - 1))
    }
}
