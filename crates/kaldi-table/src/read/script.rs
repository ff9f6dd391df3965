//! Sequential reading of script files.

use std::sync::Arc;

use bstr::BStr;
use kaldi_log::warning;
use kaldi_reader::Reader;

use crate::batch::{Batch, Batches, CHUNK};
use crate::context::Context;
use crate::framing::{PartFn, Typed};
use crate::permissive::warn_left_out;
use crate::raw::RawEntry;
use crate::read::lines_ahead::{LinesAhead, NextLine};
use crate::read::loader::ValueLoader;
use crate::script::split_range;
use crate::{Error, Result};

/// Entries that are loaded together at most; small ones come by the thousand.
const BATCH_ENTRIES: usize = 1024;

/// Reads a script file line by line and frames the values.
pub(crate) struct ScriptReader {
    lines: LinesAhead,
    loader: ValueLoader,
    part: PartFn,
    permissive: bool,
    /// A fault behind the entries that were delivered last.
    fault: Option<Error>,
    ended: bool,
}

/// What a line comes to.
enum Step {
    Entry {
        entry: RawEntry,
        /// Whether it comes from a command.
        is_slow: bool,
    },
    /// Its value cannot be read, and permissive mode passes over it.
    LeftOut,
    End,
}

impl ScriptReader {
    pub(crate) fn open(rxfilename: &BStr, framing: Typed, permissive: bool, context: Context) -> Result<Self> {
        let mut lines = LinesAhead::open(rxfilename, framing.frame, permissive, context)?;
        // A script file whose first line makes no sense is the wrong file: that is told at once.
        lines.check_first()?;
        Ok(Self {
            lines,
            loader: ValueLoader::new(framing.frame),
            part: framing.part,
            permissive,
            fault: None,
            ended: false,
        })
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while bytes < CHUNK && batch.entries.len() < BATCH_ENTRIES {
            if !batch.entries.is_empty() && !self.lines.has_line() {
                break;
            }
            let (step, log) = kaldi_log::capture(|| self.step());
            batch.log.extend_from_slice(&log);
            match step {
                Ok(Step::Entry { mut entry, is_slow }) => {
                    entry.log = std::mem::take(&mut batch.log);
                    bytes = bytes.saturating_add(entry.weigh());
                    batch.entries.push(entry);
                    // A command takes its time; what is there goes on.
                    if is_slow {
                        break;
                    }
                }
                Ok(Step::LeftOut) => {}
                Ok(Step::End) => {
                    self.ended = true;
                    break;
                }
                Err(error) => {
                    self.lines.stop();
                    self.fault = Some(error);
                    break;
                }
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

    /// Takes the next line and frames its value.
    fn step(&mut self) -> Result<Step> {
        let Some(NextLine { line, number, log, value }) = self.lines.next()? else { return Ok(Step::End) };
        kaldi_log::replay(&log);
        let place = (Arc::clone(self.lines.name()), number);
        let (rxfilename, range) = match split_range(line.xfilename.as_ref()) {
            Ok(split) => split,
            Err(message) if self.permissive => {
                warning!("{}:{}: {message}; {} is left out, as permissive mode (p) asks", place.0, place.1, line.key);
                return Ok(Step::LeftOut);
            }
            Err(message) => return Err(self.lines.error(place.1, message)),
        };
        let loaded = match value {
            Some(value) => value.finish().inspect(|loaded| self.loader.keep(rxfilename, loaded)),
            None => self.loader.load_with_key(rxfilename, range.is_some(), line.key.len() + 1),
        };
        match loaded {
            Ok(loaded) => {
                let is_slow = rxfilename.ends_with(b"|");
                let mut entry = loaded.into_entry(line.key.as_ref(), range, Some(place));
                entry.weigh_part(self.part);
                Ok(Step::Entry { entry, is_slow })
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
}

impl Reader for ScriptReader {
    type Value = Batch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Batch>> {
        if let Some(fault) = self.fault.take() {
            self.ended = true;
            return Err(fault);
        }
        if self.ended {
            return Ok(None);
        }
        let batch = self.next_batch();
        self.ended |= !matches!(batch, Ok(Some(_)));
        batch
    }

    fn restart(&mut self) -> Result<()> {
        self.fault = None;
        self.ended = true;
        self.lines.restart()?;
        self.loader.restart()?;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.fault = None;
        self.ended = true;
        self.lines.finish()
    }
}

impl Batches for ScriptReader {
    fn skim(&mut self) {
        self.loader.skim();
    }
}
