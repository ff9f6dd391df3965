//! Values of any type where script lines say they are.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, Lines, Locator, LocatorError, ParseError, ReadAt, Rxfilename, printable_rxfilename};
use kaldi_table::{Framing, parse_script_line};
use kaldi_types::Detector;
use kaldi_values::Frame;

use crate::Result;
use crate::entry::{Bytes, Entry};

/// Files that are kept open.
const OPEN_FILES: usize = 4;

/// Bytes that are read first: a header.
const HEAD: u64 = 1 << 9;

/// Bytes before a value that are looked at for its key.
const LONGEST_KEY: u64 = 1 << 8;

/// A line of a script file.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its number, from 1.
    pub number: u64,
    /// The key.
    pub key: BString,
    /// Where the value is, and the part of it that is meant.
    pub xfilename: BString,
}

impl Line {
    /// Whether the value is the output of a command.
    pub fn is_command(&self) -> bool {
        self.locator().is_ok_and(|locator| locator.is_command())
    }

    /// Where the value is.
    ///
    /// # Errors
    /// If the name is no rxfilename, or the range after it makes no sense.
    pub fn locator(&self) -> kaldi_io::Result<Locator> {
        Locator::parse(self.xfilename.as_bstr()).map_err(|error| error.into_error(self.xfilename.as_bstr()))
    }
}

/// The lines of a script file.
#[derive(Debug)]
pub struct ScriptLines {
    name: Arc<str>,
    lines: Lines,
}

impl ScriptLines {
    /// Opens a script file.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        Ok(Self { name: printable_rxfilename(rxfilename).as_ref().into(), lines: Lines::open(rxfilename)? })
    }

    /// The printable name of the script file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The next line, or nothing at the end. Behind a line that makes no sense, it can be asked for more.
    ///
    /// # Errors
    /// Where the script file cannot be read on, or the line makes no sense.
    pub fn next_line(&mut self) -> Result<Option<Line>> {
        let number = self.lines.number() + 1;
        let Some(line) = self.lines.next_line()? else { return Ok(None) };
        let parsed = parse_script_line(line).and_then(|line| match line.locator() {
            Err(LocatorError::Range(message)) => Err(message),
            _ => Ok(Line { number, key: line.key, xfilename: line.xfilename }),
        });
        parsed.map(Some).map_err(|message| {
            kaldi_table::Error::ScriptLine { script: self.name.to_string(), line: number, message }.into()
        })
    }

    /// The number of the line that was read last, from 1.
    pub fn number(&self) -> u64 {
        self.lines.number()
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        Ok(self.lines.restart()?)
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        Ok(self.lines.finish()?)
    }
}

/// Finds values where script lines say they are, of a type that shows.
///
/// Of values in files, headers are read; the output of a command is read whole.
#[derive(Debug)]
pub struct Loader {
    detector: Detector,
    files: Vec<(PathBuf, File)>,
}

/// A file that can be read at any place.
#[derive(Clone, Debug)]
struct File {
    /// The printable name.
    name: Arc<str>,
    source: Arc<dyn ReadAt>,
}

impl Loader {
    /// Expects values that the detector knows, or finds the type of.
    pub fn new(detector: Detector) -> Self {
        Self { detector, files: Vec::new() }
    }

    /// What is known of the type.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Finds the value of a line of the script file of this name. Behind an error, it can be asked for others.
    ///
    /// # Errors
    /// Where the file cannot be opened or read, the command fails, or no value of the type is there.
    pub fn load(&mut self, script: Option<&Arc<str>>, line: &Line) -> Result<Entry> {
        let place = script.map(|name| (Arc::clone(name), line.number));
        let entry = Entry {
            key: line.key.clone(),
            file: "".into(),
            start: None,
            offset: 0,
            size: 0,
            is_text: false,
            is_open: false,
            range: None,
            line: place,
            bytes: Bytes::Whole(Vec::new()),
        };
        let found = line.locator().and_then(|locator| {
            let range = locator.range().map(ToOwned::to_owned);
            self.find(&locator, Entry { range, ..entry.clone() })
        });
        found.map_err(|source| entry.failed(source))
    }

    /// What stands before the value of a line in its archive, as far as a key may reach: nothing for a file of one value.
    pub(crate) fn before(&mut self, line: &Line) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Ok(locator) = line.locator()
            && let Rxfilename::Offset(path, offset) = locator.rxfilename()
            && let Ok(Some(file)) = self.open(path, locator.name())
        {
            let length = LONGEST_KEY.min(*offset);
            // What cannot be read was told when the value was.
            let _ = file.source.read_at(offset - length, &mut bytes, length as usize);
        }
        bytes
    }

    fn find(&mut self, locator: &Locator, entry: Entry) -> kaldi_io::Result<Entry> {
        if let Some(path) = locator.path()
            && let Some(file) = self.open(path, locator.name())?
        {
            let offset = if let Rxfilename::Offset(_, offset) = locator.rxfilename() { *offset } else { 0 };
            return self.frame(file.source, Entry { file: file.name, offset, ..entry });
        }
        let mut input = Input::open_located(locator)?;
        let file = input.name().into();
        let bytes = input.read_to_end()?;
        input.finish()?;
        let memory = Input::from_bytes(input.name(), bytes);
        let source = memory.positioned().ok_or(kaldi_io::Error::ReadOnce { name: locator.name().to_string() })?;
        self.frame(source, Entry { file, ..entry })
    }

    /// The file for reading at any place; nothing where it is a stream.
    fn open(&mut self, path: &Path, rxfilename: &BStr) -> kaldi_io::Result<Option<File>> {
        if let Some((_, file)) = self.files.iter().find(|(open, _)| open == path) {
            return Ok(Some(file.clone()));
        }
        let input = Input::open_parsed(&Rxfilename::File(path.to_owned()), &printable_rxfilename(rxfilename))?;
        let Some(source) = input.positioned() else { return Ok(None) };
        if self.files.len() == OPEN_FILES {
            self.files.remove(0);
        }
        let name = printable_rxfilename(path.as_os_str().as_encoded_bytes().into()).as_ref().into();
        let file = File { name, source };
        self.files.push((path.to_owned(), file.clone()));
        Ok(Some(file))
    }

    /// Finds how long the value is that begins at the entry's offset.
    fn frame(&mut self, source: Arc<dyn ReadAt>, entry: Entry) -> kaldi_io::Result<Entry> {
        let Entry { offset, ref file, .. } = entry;
        let content = |source: ParseError| {
            let offset = offset + source.offset as u64;
            kaldi_io::Error::Content { name: file.to_string(), offset, source }
        };
        let left = source.length().saturating_sub(offset);
        if left == 0 {
            return Err(content(ParseError::end(0, "a value")));
        }
        let (mut bytes, mut wanted) = (Vec::new(), HEAD);
        loop {
            let place = offset + bytes.len() as u64;
            let count = usize::try_from(wanted.min(left)).unwrap_or(usize::MAX).saturating_sub(bytes.len());
            let failed = |source| kaldi_io::Error::Read { name: file.to_string(), offset: place, source };
            source.read_at(place, &mut bytes, count).map_err(failed)?;
            let at_end = bytes.len() as u64 >= left;
            let frame = self.detector.value(&bytes, at_end).map_err(content)?;
            let is_text = self.detector.is_text(&bytes);
            match frame {
                Frame::Whole(length) => {
                    bytes.truncate(length);
                    return Ok(Entry { size: length as u64, is_text, bytes: Bytes::Whole(bytes), ..entry });
                }
                Frame::Beyond(size) if size <= left => {
                    return Ok(Entry { size, is_text, bytes: Bytes::Head { head: bytes, source }, ..entry });
                }
                Frame::Rest => {
                    let bytes = Bytes::Head { head: bytes, source };
                    return Ok(Entry { size: left, is_text, is_open: true, bytes, ..entry });
                }
                Frame::Partial(length) | Frame::Beyond(length) => {
                    let is_exact = matches!(frame, Frame::Beyond(_));
                    if length > left || at_end {
                        let cut = self.detector.cut(&bytes, length, left, is_exact);
                        if let Some(error) = cut {
                            return Err(content(error));
                        }
                    }
                    if at_end {
                        return Err(content(ParseError::end(bytes.len(), "the rest of the value")));
                    }
                    wanted = length.max(2 * bytes.len() as u64).max(1 << 12);
                }
            }
        }
    }
}
