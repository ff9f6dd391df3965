//! Loading of values from where rxfilenames say they are.

use std::cell::Cell;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Frame, Input, ParseError, Rxfilename, Wanted, printable_rxfilename, read_at, recognize};

use crate::archive::{CHUNK, HEAD};
use crate::entry::{Chunk, FrameFn, RawEntry, Stored};
use crate::stream_value::StreamValue;

/// Files that are kept open. Few, since tools run under tight limits, and a file is opened in microseconds.
const OPEN_FILES: usize = 4;

/// Where a value was found.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) chunk: Arc<Chunk>,
    /// The value in the chunk, or as much of it as is in memory.
    pub(crate) value: Range<usize>,
    pub(crate) stored: Option<Stored>,
}

impl Loaded {
    pub(crate) fn whole(chunk: Arc<Chunk>, value: Range<usize>) -> Self {
        Self { chunk, value, stored: None }
    }

    /// The entry of `key` with this value, or the part of it that `range` names.
    pub(crate) fn into_entry(self, key: &BStr, range: Option<&BStr>, script: Option<(Arc<str>, u64)>) -> RawEntry {
        // In a script file of an archive, the key stands before the value as well.
        let before = self.chunk.bytes[..self.value.start].strip_suffix(b" ");
        RawEntry {
            key: key.to_owned(),
            has_prefix: !key.is_empty() && before.is_some_and(|before| before.ends_with(key)),
            chunk: self.chunk,
            value: self.value,
            stored: self.stored,
            range: range.map(ToOwned::to_owned),
            script,
            log: Vec::new(),
            warned: Cell::new(false),
        }
    }
}

/// An open file.
struct OpenFile {
    path: PathBuf,
    name: Arc<str>,
    file: Arc<File>,
    length: u64,
}

/// Loads values from where script lines say they are.
///
/// Consecutive offsets into one file are served from what was read at once; any other order works too, with one or two
/// reads a value.
pub(crate) struct ValueLoader {
    frame: FrameFn,
    files: Vec<OpenFile>,
    /// Whether long values are left where they are.
    skims: bool,
    /// What was read last of a file, and where the value delivered last ended.
    recent: Option<(Arc<Chunk>, u64)>,
    /// Bytes of standard input that follow the value read last.
    stdin: Option<(Input, Vec<u8>)>,
    /// The value delivered last, which script lines may name again with other ranges.
    last: Option<(BString, Loaded)>,
}

impl ValueLoader {
    pub(crate) fn new(frame: FrameFn) -> Self {
        Self { frame, files: Vec::new(), skims: false, recent: None, stdin: None, last: None }
    }

    /// The framing function that it was made with.
    pub(crate) fn frame(&self) -> FrameFn {
        self.frame
    }

    /// Leaves long values of files where they are from now on.
    pub(crate) fn skim(&mut self) {
        self.skims = true;
    }

    /// Frames the value that `rxfilename` (without a range) names.
    pub(crate) fn load(&mut self, rxfilename: &BStr) -> Result<Loaded, kaldi_io::Error> {
        self.load_with_key(rxfilename, 0)
    }

    /// Like [`ValueLoader::load`], with so many bytes before the value, if it is long and in a file: its key there, which
    /// can then be written together with it.
    pub(crate) fn load_with_key(&mut self, rxfilename: &BStr, before: usize) -> Result<Loaded, kaldi_io::Error> {
        if let Some((name, loaded)) = &self.last
            && name == rxfilename
            && name != "-"
            && !name.is_empty()
        {
            return Ok(loaded.clone());
        }
        let parsed = Rxfilename::parse(rxfilename)?;
        let loaded = match &parsed {
            Rxfilename::File(path) => self.load_at(path, 0, 0, rxfilename)?,
            Rxfilename::Offset(path, offset) => self.load_at(path, *offset, before, rxfilename)?,
            Rxfilename::Stdin => {
                let (input, rest) = match self.stdin.take() {
                    Some(stdin) => stdin,
                    None => (Input::open(rxfilename)?, Vec::new()),
                };
                let (chunk, value, input) = StreamValue::new(input, rest, self.frame).take()?;
                self.stdin = Some((input, chunk.bytes[value.end..].to_vec()));
                Loaded::whole(chunk, value)
            }
            Rxfilename::Pipe(_) => StreamValue::open(rxfilename, self.frame)?.finish()?,
        };
        self.keep(rxfilename, &loaded);
        Ok(loaded)
    }

    /// Keeps a value for lines that name it again.
    pub(crate) fn keep(&mut self, rxfilename: &BStr, loaded: &Loaded) {
        self.last = Some((rxfilename.to_owned(), loaded.clone()));
    }

    fn load_at(
        &mut self,
        path: &Path,
        offset: u64,
        before: usize,
        rxfilename: &BStr,
    ) -> Result<Loaded, kaldi_io::Error> {
        let Some(index) = self.open(path, rxfilename)? else {
            let (chunk, value, _) = StreamValue::open(rxfilename, self.frame)?.take()?;
            return Ok(Loaded::whole(chunk, value));
        };
        let OpenFile { name, file, length, .. } = &self.files[index];
        let length = *length;
        let mut ahead = if offset == 0 { CHUNK } else { 1 << 16 };
        if let Some((chunk, end)) = &self.recent
            && Arc::ptr_eq(&chunk.name, name)
        {
            let from = offset.checked_sub(chunk.base).and_then(|from| usize::try_from(from).ok());
            if let Some(from) = from
                && from < chunk.bytes.len()
            {
                let at_end = chunk.base + chunk.bytes.len() as u64 >= length;
                if let Ok(Frame::Whole(value)) = (self.frame)(&chunk.bytes[from..], at_end) {
                    let found = Loaded::whole(Arc::clone(chunk), from..from + value);
                    self.recent = Some((Arc::clone(chunk), offset + value as u64));
                    return Ok(found);
                }
            }
            // A value that begins a key's length behind the last one: the file is being read through.
            let size = (end - chunk.base) as usize;
            ahead = if offset >= *end && offset - end < 1024 { CHUNK } else { (size + size / 8).clamp(1 << 12, CHUNK) };
        }
        // Where the value begins in what is read.
        let start = if self.skims && (before as u64..=length).contains(&offset) { before } else { 0 };
        let base = offset - start as u64;
        if self.skims {
            ahead = start + HEAD;
        }
        let mut bytes = Vec::new();
        loop {
            let place = base + bytes.len() as u64;
            let left = length.saturating_sub(place);
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(ahead);
            let failed = |source| kaldi_io::Error::Read { name: name.to_string(), offset: place, source };
            read_at(file, place, &mut bytes, count).map_err(failed)?;
            let at_end = base + bytes.len() as u64 >= length;
            let value = bytes.get(start..).unwrap_or_default();
            match (self.frame)(value, at_end) {
                Ok(Frame::Whole(value)) => {
                    let chunk = Arc::new(Chunk { bytes, base, name: Arc::clone(name) });
                    self.recent = Some((Arc::clone(&chunk), offset + value as u64));
                    return Ok(Loaded::whole(chunk, start..start + value));
                }
                Ok(Frame::Beyond(whole)) if self.skims && offset.saturating_add(whole) <= length => {
                    let value = start..bytes.len();
                    let chunk = Arc::new(Chunk { bytes, base, name: Arc::clone(name) });
                    let stored = Stored { file: Arc::clone(file), length: whole };
                    return Ok(Loaded { chunk, value, stored: Some(stored) });
                }
                Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => {
                    if offset.saturating_add(wanted) > length {
                        // The file is too short for what a header claims.
                        if let Err(source) = (self.frame)(value, true) {
                            return Err(content(name, offset, value, source));
                        }
                    }
                    let missing = usize::try_from(wanted).unwrap_or(usize::MAX).saturating_sub(value.len());
                    ahead = missing.max(value.len()).max(1 << 12);
                }
                Err(source) => return Err(content(name, offset, value, source)),
            }
        }
    }

    /// Index of the open file, or nothing where the path is no regular file.
    fn open(&mut self, path: &Path, rxfilename: &BStr) -> Result<Option<usize>, kaldi_io::Error> {
        if let Some(index) = self.files.iter().position(|open| open.path == path) {
            return Ok(Some(index));
        }
        let failed = |source| kaldi_io::Error::Open { name: printable_rxfilename(rxfilename).into_owned(), source };
        let file = File::open(path).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Ok(None);
        }
        if self.files.len() == OPEN_FILES {
            self.files.remove(0);
        }
        let name = printable_rxfilename(path.as_os_str().as_encoded_bytes().into());
        let (path, name, length) = (path.to_owned(), name.as_ref().into(), metadata.len());
        self.files.push(OpenFile { path, name, file: Arc::new(file), length });
        Ok(Some(self.files.len() - 1))
    }
}

/// The error that puts the place to a fault in a value that stands at `base`; `bytes` are those from there on.
pub(crate) fn content(name: &str, base: u64, bytes: &[u8], source: ParseError) -> kaldi_io::Error {
    let advice = if base == 0 { recognize(bytes, Wanted::Value, name, source.offset) } else { None };
    let source = source.with_advice(advice);
    kaldi_io::Error::Content { name: name.to_owned(), offset: base + source.offset as u64, source }
}
