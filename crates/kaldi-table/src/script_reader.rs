//! Sequential reading of script files.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_log::warning;
use kaldi_reader::Reader;

use crate::archive::CHUNK;
use crate::entry::{Batch, FrameFn, RawEntry};
use crate::loader::ValueLoader;
use crate::script::{ScriptLine, ScriptLines, split_range};
use crate::sequential::Batches;
use crate::{Error, Result};

/// Entries that are loaded together at most; small ones come by the thousand.
const BATCH_ENTRIES: usize = 1024;

/// Reads a script file line by line and frames the values.
pub(crate) struct ScriptReader {
    rxfilename: BString,
    lines: ScriptLines,
    loader: ValueLoader,
    permissive: bool,
    /// A fault behind the entries that were delivered last.
    fault: Option<Error>,
    ended: bool,
    /// The first line, which was read when the script file was opened.
    first: Option<ScriptLine>,
}

impl ScriptReader {
    pub(crate) fn open(rxfilename: &BStr, frame: FrameFn, permissive: bool) -> Result<Self> {
        let lines = ScriptLines::open(rxfilename)?;
        let loader = ValueLoader::new(frame);
        let mut reader = Self {
            rxfilename: rxfilename.to_owned(),
            lines,
            loader,
            permissive,
            fault: None,
            ended: false,
            first: None,
        };
        // A script file whose first line makes no sense is the wrong file: that is told at once.
        reader.first = reader.next_line()?;
        if let Some(line) = &reader.first {
            split_range(line.xfilename.as_ref()).map_err(|message| reader.lines.error(1, message))?;
        }
        Ok(reader)
    }

    fn next_line(&mut self) -> Result<Option<ScriptLine>> {
        match self.lines.next() {
            Err(Error::Io(error @ kaldi_io::Error::Status { .. })) if self.permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
                self.lines.next()
            }
            other => other,
        }
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while bytes < CHUNK && batch.entries.len() < BATCH_ENTRIES {
            if self.first.is_none() && !batch.entries.is_empty() && !self.lines.has_line() {
                break;
            }
            let line = match self.first.take() {
                Some(line) => line,
                None => match self.next_line() {
                    Ok(Some(line)) => line,
                    Ok(None) => {
                        self.ended = true;
                        break;
                    }
                    Err(error) => {
                        self.fault = Some(error);
                        break;
                    }
                },
            };
            let (loaded, log) = kaldi_log::capture(|| self.load(&line));
            match loaded {
                Ok(Some(mut entry)) => {
                    entry.log = std::mem::take(&mut batch.log);
                    entry.log.extend_from_slice(&log);
                    bytes += entry.value.len();
                    batch.entries.push(entry);
                }
                Ok(None) => batch.log.extend_from_slice(&log),
                Err(error) => {
                    batch.log.extend_from_slice(&log);
                    self.fault = Some(error);
                    break;
                }
            }
            // A command takes its time; what is there goes on.
            if line.xfilename.ends_with(b"|") {
                break;
            }
        }
        if batch.entries.is_empty() && batch.log.is_empty() {
            return match self.fault.take() {
                Some(fault) => {
                    self.ended = true;
                    Err(fault)
                }
                None => Ok(None),
            };
        }
        Ok(Some(batch))
    }

    /// The entry of one line; nothing where it cannot be read and permissive mode passes over it.
    fn load(&mut self, line: &ScriptLine) -> Result<Option<RawEntry>> {
        let place = (Arc::clone(self.lines.name()), self.lines.number());
        let (rxfilename, range) = match split_range(line.xfilename.as_ref()) {
            Ok(split) => split,
            Err(message) if self.permissive => {
                warning!("{}:{}: {message}; {} is left out, as permissive mode (p) asks", place.0, place.1, line.key);
                return Ok(None);
            }
            Err(message) => return Err(self.lines.error(place.1, message)),
        };
        match self.loader.load(rxfilename) {
            Ok(loaded) => Ok(Some(loaded.into_entry(line.key.as_ref(), range, Some(place)))),
            Err(source) => {
                let error = entry_error(place, line, source);
                if self.permissive {
                    warn_left_out(&error);
                    return Ok(None);
                }
                Err(error)
            }
        }
    }
}

pub(crate) fn entry_error(place: (Arc<str>, u64), line: &ScriptLine, source: kaldi_io::Error) -> Error {
    Error::Entry { script: Some((place.0.to_string(), place.1)), key: line.key.clone(), source: Box::new(source) }
}

/// Logs that an entry is passed over in permissive mode. Recipes look for the words about the file.
pub(crate) fn warn_left_out(error: &Error) {
    if let Error::Entry { source, .. } = error
        && let kaldi_io::Error::Open { name, .. } = source.as_ref()
    {
        warning!("Failed to open file {name}: {error}; left out, as permissive mode (p) asks");
    } else {
        warning!("{error}; left out, as permissive mode (p) asks");
    }
}

impl Iterator for ScriptReader {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Result<Batch>> {
        if let Some(fault) = self.fault.take() {
            self.ended = true;
            return Some(Err(fault));
        }
        if self.ended {
            return None;
        }
        self.next_batch().transpose()
    }
}

impl Batches for ScriptReader {
    fn skim(&mut self) {
        self.loader.skim();
    }
}

impl Reader for ScriptReader {
    type Value = Batch;
    type Error = Error;

    fn restart(&mut self) -> Result<()> {
        let again = Self::open(self.rxfilename.as_ref(), self.loader.frame(), self.permissive)?;
        *self = again;
        Ok(())
    }
}
