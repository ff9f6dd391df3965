//! Loading of values from where rxfilenames say they are.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use bstr::{BStr, BString};
use kaldi_io::{Input, Locator, ReadAt, Rxfilename, open_files_limit, printable_rxfilename};
use kaldi_values::Frame;

use crate::batch::{CHUNK, IN_FLIGHT};
use crate::framing::FrameFn;
use crate::raw::Chunk;
use crate::read::loaded::{Loaded, content};
use crate::read::stream_value::StreamValue;

/// Files that are kept open. Few, since tools run under tight limits, and a file is opened in microseconds.
const OPEN_FILES: usize = 4;

/// Bytes that are read of a long value that is left where it is: a key and a header.
const HEAD: usize = 1 << 10;

/// What an entry weighs that keeps a file open: so few such entries are on their way together.
const OPEN_FILE: usize = IN_FLIGHT / 32;

/// Of the files that the process may open, one in so many may be kept open by entries.
const FILES_PER_ENTRY: u64 = 8;

/// An open file.
struct OpenFile {
    path: PathBuf,
    name: Arc<str>,
    source: Arc<dyn ReadAt>,
}

/// The end of a path: a regular file that can be read at any place, or a stream.
enum Opened {
    /// The file with this index.
    File(usize),
    Stream(Input),
}

/// Loads values from where script lines say they are.
///
/// Consecutive offsets into one file are served from what was read at once; any other order works too, with one or two
/// reads a value.
pub(crate) struct ValueLoader {
    frame: FrameFn,
    files: Vec<OpenFile>,
    /// The files of values that were left where they are; they stay open as long as the values are there.
    held: Vec<Weak<dyn ReadAt>>,
    /// Whether long values are left where they are.
    skims: bool,
    /// What was read last of a file, and where the value delivered last ended.
    recent: Option<(Arc<Chunk>, u64)>,
    /// Bytes of standard input that follow the value read last.
    stdin: Option<(Input, Vec<u8>)>,
    /// The name of a stream that was read, and cannot be a second time.
    read_once: Option<String>,
    /// The value delivered last, which script lines may name again with other ranges.
    last: Option<(BString, Loaded)>,
}

impl ValueLoader {
    pub(crate) fn new(frame: FrameFn) -> Self {
        Self {
            frame,
            files: Vec::new(),
            held: Vec::new(),
            skims: false,
            recent: None,
            stdin: None,
            read_once: None,
            last: None,
        }
    }

    /// Prepares for loading the same values once more.
    ///
    /// # Errors
    /// Where one of them came from a stream that can be read only once.
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

    /// Leaves long values of files where they are from now on.
    pub(crate) fn skim(&mut self) {
        self.skims = true;
    }

    /// Frames the value that a locator names. If that wants a part only, a long value is left where it is.
    pub(crate) fn load(&mut self, locator: &Locator) -> Result<Loaded, kaldi_io::Error> {
        self.load_with_key(locator, 0)
    }

    /// Like [`ValueLoader::load`], with so many bytes before the value, if it is long and in a file: its key there, which
    /// can then be written together with it.
    pub(crate) fn load_with_key(&mut self, locator: &Locator, before: usize) -> Result<Loaded, kaldi_io::Error> {
        let in_part = locator.range().is_some();
        if let Some((name, loaded)) = &self.last
            && name == locator.name()
            && *locator.rxfilename() != Rxfilename::Stdin
            && (loaded.stored.is_none() || in_part || self.skims)
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
                let (chunk, value, input) = StreamValue::new(input, rest, self.frame).take()?;
                self.stdin = Some((input, chunk.bytes[value.end..].to_vec()));
                Loaded::whole(chunk, value)
            }
            Rxfilename::Pipe(_) => StreamValue::open(locator, self.frame)?.finish()?,
        };
        self.keep(locator, &loaded);
        Ok(loaded)
    }

    /// Keeps a value for lines that name it again.
    pub(crate) fn keep(&mut self, locator: &Locator, loaded: &Loaded) {
        self.last = Some((locator.name().to_owned(), Loaded { burden: 0, ..loaded.clone() }));
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
        let length = source.length();
        let (found, usual) = self.look_in_recent(&name, offset, length);
        if let Some(found) = found {
            return Ok(found);
        }
        // Where the value begins in what is read.
        let start = if self.skims && (before as u64..=length).contains(&offset) { before } else { 0 };
        let base = offset - start as u64;
        let longest = if self.skims { 0 } else { CHUNK as u64 };
        let mut may_stay = self.skims || in_part;
        let mut ahead = if may_stay { start + HEAD } else { usual };
        let mut bytes = Vec::new();
        let into_chunk = |bytes, source| Arc::new(Chunk { bytes, base, name: Arc::clone(&name), source });
        loop {
            let place = base + bytes.len() as u64;
            let left = length.saturating_sub(place);
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(ahead);
            let failed = |source| kaldi_io::Error::Read { name: name.to_string(), offset: place, source };
            source.read_at(place, &mut bytes, count).map_err(failed)?;
            let at_end = base + bytes.len() as u64 >= length;
            let value = bytes.get(start..).unwrap_or_default();
            match (self.frame)(value, at_end) {
                Ok(Frame::Whole(value)) => {
                    let chunk = into_chunk(bytes, None);
                    self.recent = Some((Arc::clone(&chunk), offset + value as u64));
                    return Ok(Loaded::whole(chunk, start..start + value));
                }
                Ok(Frame::Beyond(whole)) if may_stay && whole > longest && offset.saturating_add(whole) <= length => {
                    if let Some(burden) = self.hold(&source) {
                        let value = start..bytes.len();
                        return Ok(Loaded::stored(into_chunk(bytes, Some(source)), value, whole, burden));
                    }
                    may_stay = false;
                    ahead = usize::try_from(whole).unwrap_or(usize::MAX);
                }
                Ok(Frame::Rest) if at_end => {
                    let value = start..bytes.len();
                    return Ok(Loaded::whole(into_chunk(bytes, None), value));
                }
                Ok(Frame::Rest) => ahead = usize::try_from(left).unwrap_or(usize::MAX).max(1),
                Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => {
                    if offset.saturating_add(wanted) > length {
                        // The file is too short for what a header claims.
                        if let Err(source) = (self.frame)(value, true) {
                            return Err(content(&name, offset, value, source));
                        }
                    }
                    let missing = usize::try_from(wanted).unwrap_or(usize::MAX).saturating_sub(value.len());
                    let least = if in_part { usual } else { 1 << 12 };
                    ahead = missing.max(value.len()).max(least);
                }
                Err(source) => return Err(content(&name, offset, value, source)),
            }
        }
    }

    /// The value at the begin of what is read in order only: a named pipe, a compressed file.
    fn load_stream(&mut self, mut input: Input, offset: u64, locator: &Locator) -> Result<Loaded, kaldi_io::Error> {
        if offset > 0 {
            // Says why that cannot be. Objects of servers that do not send parts can be read from there on.
            input = Input::open_located(locator)?;
            input.seek(offset)?;
        }
        if !input.is_compressed() {
            self.read_once = Some(input.name().to_owned());
        }
        let (chunk, value, _) = StreamValue::new(input, Vec::new(), self.frame).take()?;
        Ok(Loaded::whole(chunk, value))
    }

    /// Looks for the value at `offset` of a file in what was read last; tells how much should be read at once where it is
    /// not there.
    fn look_in_recent(&mut self, name: &Arc<str>, offset: u64, length: u64) -> (Option<Loaded>, usize) {
        let usual = if offset == 0 { CHUNK } else { 1 << 16 };
        let Some((chunk, end)) = self.recent.as_ref().filter(|(chunk, _)| Arc::ptr_eq(&chunk.name, name)) else {
            return (None, usual);
        };
        let from = offset.checked_sub(chunk.base).and_then(|from| usize::try_from(from).ok());
        if let Some(from) = from
            && from < chunk.bytes.len()
        {
            let at_end = chunk.base + chunk.bytes.len() as u64 >= length;
            if let Ok(Frame::Whole(value)) = (self.frame)(&chunk.bytes[from..], at_end) {
                let found = Loaded::whole(Arc::clone(chunk), from..from + value);
                self.recent = Some((Arc::clone(chunk), offset + value as u64));
                return (Some(found), usual);
            }
        }
        // A value that begins a key's length behind the last one: the file is being read through.
        let size = (end - chunk.base) as usize;
        let is_next = offset >= *end && offset - end < 1024;
        (None, if is_next { CHUNK } else { (size + size / 8).clamp(1 << 12, CHUNK) })
    }

    /// What it weighs to keep a file open for a value that is left there; nothing where too many are kept open.
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
        if self.files.len() == OPEN_FILES {
            self.files.remove(0);
        }
        let name = printable_rxfilename(path.as_os_str().as_encoded_bytes().into());
        self.files.push(OpenFile { path: path.to_owned(), name: name.as_ref().into(), source });
        Ok(Opened::File(self.files.len() - 1))
    }
}
