//! Sequential reading of script files.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_io::{LocatorError, Session};

use crate::Result;
use crate::batch::LazyValues;
use crate::framing::Typed;
use crate::permissive::warn_left_out;
use crate::read::entry_by_entry::{EntrySource, Step};
use crate::read::lines_ahead::{LinesAhead, NextLine};
use crate::read::loader::ValueLoader;

/// Reads a script file line by line and frames the values.
pub(crate) struct ScriptReader {
    lines: LinesAhead,
    loader: ValueLoader<Typed>,
    permissive: bool,
}

impl ScriptReader {
    pub(crate) fn open(rxfilename: &BStr, framing: Typed, permissive: bool, session: Session) -> Result<Self> {
        let mut lines = LinesAhead::open(rxfilename, framing, permissive, session)?;
        // If the first line makes no sense, it is the wrong file. That is reported at once.
        lines.check_first()?;
        Ok(Self { lines, loader: ValueLoader::new(framing), permissive })
    }
}

impl EntrySource for ScriptReader {
    /// Takes the next line and frames its value.
    fn step(&mut self) -> Result<Step> {
        let Some(NextLine { line, locator, number, value }) = self.lines.next()? else { return Ok(Step::End) };
        let line = line.deliver();
        let place = (Arc::clone(self.lines.name()), number);
        let loaded = match (value, locator) {
            (_, Err(LocatorError::Range(message))) if self.permissive => {
                warning!("{}:{}: {message}; {} is left out, as permissive mode (p) asks", place.0, place.1, line.key);
                return Ok(Step::LeftOut);
            }
            (_, Err(LocatorError::Range(message))) => return Err(self.lines.error(place.1, message)),
            (_, Err(LocatorError::Name(error))) => Err(error),
            (Some(value), Ok(locator)) => value
                .finish(self.loader.framing_mut())
                .inspect(|loaded| self.loader.keep(&locator, loaded))
                .map(|loaded| (loaded, locator)),
            (None, Ok(locator)) => {
                self.loader.load_with_key(&locator, line.key.len() + 1).map(|loaded| (loaded, locator))
            }
        };
        match loaded {
            Ok((loaded, locator)) => {
                let mut entry = loaded.into_entry(line.key.as_ref(), locator.range(), Some(place));
                entry.weigh_part(self.loader.framing());
                Ok(Step::Entry { entry, is_slow: locator.is_command() })
            }
            Err(source) => {
                let error = line.error(place, source);
                if self.permissive {
                    warn_left_out(&error);
                    return Ok(Step::LeftOut);
                }
                Err(error)
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.lines.has_line()
    }

    fn stop(&mut self) {
        self.lines.stop();
    }

    fn restart(&mut self) -> Result<()> {
        self.lines.restart()?;
        Ok(self.loader.restart()?)
    }

    fn finish(&mut self) -> Result<()> {
        self.lines.finish()
    }

    fn set_lazy(&mut self, lazy: LazyValues) {
        self.loader.set_lazy(lazy);
    }

    fn may_wait(&self) -> bool {
        self.lines.may_wait()
    }
}
