//! The lines of a script file in their order, with the commands among them started ahead.
//!
//! The command of a line mostly waits: for its start, for a disk, for a decoder. So the commands of the next lines run
//! at the same time. This needs no threads: while the reader waits for the first command's value, it takes in what the
//! others have written, and pipes hold some more.

use std::collections::VecDeque;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::{Logged, warning};
use kaldi_io::{
    Locator, LocatorError, Session, expect_values, is_remote as is_remote_name, open_files_limit, wait_readable,
};

use crate::framing::Typed;
use crate::read::loader::values_at_once;
use crate::read::stream_value::StreamValue;
use crate::script::{ScriptLine, ScriptLines};
use crate::{Error, Result};

/// At most this many commands run at the same time, whatever the number of threads.
const MOST_COMMANDS: usize = 8;

/// The pipes of commands may take one in this many of the files that the process may open. Starting a command takes
/// some more for a moment, and the tool has files of its own.
const FILES_PER_COMMAND: u64 = 8;

/// Lines that are looked at ahead.
const LINES: usize = 64;

/// Bytes that are read of a value before its turn. After that the command waits. The rest of a longer value is read
/// when it is asked for.
const BYTES_AHEAD: usize = 8 << 20;

/// Reads the lines of a script file.
pub(crate) struct LinesAhead {
    lines: ScriptLines,
    framing: Typed,
    permissive: bool,
    session: Session,
    /// Commands that may run at the same time. Set with the first command.
    most_commands: Option<usize>,
    queue: VecDeque<Ahead>,
    /// This many lines with remote values, from the front of the queue on, are already being loaded.
    num_expected: usize,
    /// What comes after the queue.
    rest: Rest,
    /// The name of the last value that was asked for, in the queue or before it. Its value serves the next line, too.
    last_name: BString,
}

enum Rest {
    Lines,
    /// The queue has a line that ends the reading at its turn. No more lines are needed before that.
    Fault,
    /// The end, or a fault of the script file itself.
    End(Logged<Result<()>>),
}

impl Rest {
    fn ended() -> Self {
        Self::End(Ok(()).into())
    }
}

/// A line that was looked at.
struct Ahead {
    line: NextLine,
    /// Whether its command has not started yet.
    waits: bool,
    /// Whether its value is an object of a store, or a part of one.
    is_remote: bool,
}

/// A line whose turn it is.
pub(crate) struct NextLine {
    pub(crate) line: Logged<ScriptLine>,
    /// Where its value is, or why that is not known.
    pub(crate) locator: Result<Locator, LocatorError>,
    /// Its number, from 1.
    pub(crate) number: u64,
    /// What its command has written, if it was started ahead.
    pub(crate) value: Option<StreamValue>,
}

impl LinesAhead {
    pub(crate) fn open(rxfilename: &BStr, framing: Typed, permissive: bool, session: Session) -> Result<Self> {
        Ok(Self {
            lines: ScriptLines::open(rxfilename)?,
            framing,
            permissive,
            session,
            most_commands: None,
            queue: VecDeque::new(),
            num_expected: 0,
            rest: Rest::Lines,
            last_name: BString::default(),
        })
    }

    pub(crate) fn name(&self) -> &Arc<str> {
        self.lines.name()
    }

    pub(crate) fn error(&self, line: u64, message: String) -> Error {
        self.lines.error(line, message)
    }

    /// Looks at the first line. Starts no command.
    ///
    /// # Errors
    /// If the line makes no sense.
    pub(crate) fn check_first(&mut self) -> Result<()> {
        self.read_line();
        if let Some(Ahead { line: NextLine { line, locator, number, .. }, .. }) = self.queue.front() {
            if let Err(LocatorError::Range(message)) = locator {
                let message = line.value.recognize(self.lines.name(), *number).unwrap_or_else(|| message.clone());
                return Err(self.lines.error(*number, message));
            }
            return Ok(());
        }
        match std::mem::replace(&mut self.rest, Rest::Lines) {
            Rest::End(end) if end.value.is_err() => end.deliver(),
            rest => {
                self.rest = rest;
                Ok(())
            }
        }
    }

    /// Whether the lines, or the value of the first one, may have to be waited for. The values of one script file mostly come
    /// from one kind of place.
    pub(crate) fn may_wait(&self) -> bool {
        let is_in_file =
            |ahead: &Ahead| !ahead.is_remote && ahead.line.locator.as_ref().is_ok_and(|it| !it.is_command());
        self.lines.may_wait() || !self.queue.front().is_some_and(is_in_file)
    }

    /// Whether the next line can be had without waiting (its command may have to be waited for).
    pub(crate) fn has_line(&self) -> bool {
        !self.queue.is_empty() || !matches!(self.rest, Rest::Lines | Rest::Fault) || self.lines.has_line()
    }

    /// The next line; `None` at the end. If its command was started ahead, its value is complete.
    ///
    /// # Errors
    /// If the script file cannot be read, or the line makes no sense.
    pub(crate) fn next(&mut self) -> Result<Option<NextLine>> {
        if self.queue.is_empty() {
            if matches!(self.rest, Rest::Fault) {
                self.rest = Rest::Lines;
            }
            self.read_line();
        }
        if self.queue.front().is_some_and(|front| front.is_remote) {
            self.expect_ahead();
        }
        let is_command = self.queue.front().is_some_and(|front| front.waits || front.line.value.is_some());
        if is_command {
            self.run_ahead();
            self.settle_front();
        }
        self.num_expected = self.num_expected.saturating_sub(1);
        let Some(Ahead { line, .. }) = self.queue.pop_front() else {
            return match std::mem::replace(&mut self.rest, Rest::ended()) {
                Rest::End(end) => end.deliver().map(|()| None),
                Rest::Lines | Rest::Fault => Ok(None),
            };
        };
        let ends = !self.permissive && line.value.as_ref().is_some_and(StreamValue::has_failed);
        if is_command && !ends {
            self.run_ahead();
        }
        Ok(Some(line))
    }

    /// Goes back to the first line.
    pub(crate) fn restart(&mut self) -> Result<()> {
        self.stop();
        self.last_name.clear();
        self.rest = Rest::ended();
        self.lines.restart()?;
        self.rest = Rest::Lines;
        Ok(())
    }

    /// Ends all commands and closes the script file.
    pub(crate) fn finish(&mut self) -> Result<()> {
        self.stop();
        self.rest = Rest::ended();
        self.lines.finish()
    }

    /// Puts the next line into the queue, or finds the end.
    fn read_line(&mut self) {
        if !matches!(self.rest, Rest::Lines) {
            return;
        }
        let next = Logged::of(|| match self.lines.next_line() {
            Err(Error::Io(error @ kaldi_io::Error::Status { .. })) if self.permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
                self.lines.next_line()
            }
            Err(Error::Io(error)) if self.permissive && error.is_damage() => {
                warning!("{error}; the lines from there on are left out, as permissive mode (p) asks");
                Ok(None)
            }
            other => other,
        });
        let line = match next {
            Logged { value: Ok(Some(value)), lines } => Logged { value, lines },
            end => return self.rest = Rest::End(end.then(|end| end.map(|_| ()))),
        };
        let (mut waits, mut is_remote) = (false, false);
        let locator = line.value.locator();
        match &locator {
            Ok(locator) => {
                waits = locator.is_command() && self.last_name != locator.name();
                is_remote = is_remote_name(locator.name());
                locator.name().clone_into(&mut self.last_name);
            }
            Err(_) if self.permissive => {}
            Err(_) => self.rest = Rest::Fault,
        }
        let number = self.lines.number();
        self.queue.push_back(Ahead { line: NextLine { line, locator, number, value: None }, waits, is_remote });
    }

    /// Starts loading the remote values of the next lines, once half of those that were being loaded have been asked
    /// for: many at a time, so that neighbours can come together.
    fn expect_ahead(&mut self) {
        let at_once = values_at_once(&self.session);
        let most = LINES.max(2 * at_once);
        if self.num_expected > most / 2 {
            return;
        }
        while self.queue.len() < most && matches!(self.rest, Rest::Lines) && self.lines.has_line() {
            self.read_line();
        }
        let new = self.queue.iter().skip(self.num_expected).filter(|ahead| ahead.is_remote);
        let names = new.filter_map(|ahead| Some(ahead.line.locator.as_ref().ok()?.name()));
        expect_values(names, at_once, self.framing.frame);
        self.num_expected = self.queue.len();
    }

    /// Starts as many commands as may run, in the order of the lines, and looks ahead for them. If only one may run,
    /// the line whose turn it is starts it.
    fn run_ahead(&mut self) {
        let most = *self.most_commands.get_or_insert_with(|| most_commands(&self.session));
        if most < 2 {
            return;
        }
        let mut running = self.queue.iter().filter(|ahead| ahead.line.value.is_some()).count();
        let mut index = 0;
        while running < most && index < LINES {
            if index == self.queue.len() {
                if !(matches!(self.rest, Rest::Lines) && self.lines.has_line()) {
                    return;
                }
                self.read_line();
            }
            let Some(Ahead { line, waits, .. }) = self.queue.get_mut(index) else { return };
            if *waits && let Ok(locator) = &line.locator {
                // If it cannot be started now, it is started at its turn, when no other command runs. An error is
                // reported then.
                let Ok(value) = StreamValue::open(locator, &mut self.framing) else { return };
                line.value = Some(value);
                *waits = false;
                running += 1;
            }
            if !self.permissive && line.value.as_ref().is_some_and(StreamValue::has_failed) {
                return;
            }
            index += 1;
        }
    }

    /// Reads the first line's value, and those of other commands while they come.
    fn settle_front(&mut self) {
        while self.queue.front().and_then(|front| front.line.value.as_ref()).is_some_and(|value| !value.is_settled()) {
            let values = self.queue.iter_mut().filter_map(|ahead| ahead.line.value.as_mut()).enumerate();
            let may_grow = |(index, value): &(usize, &mut StreamValue)| {
                *index == 0 || (!value.is_settled() && value.len() < BYTES_AHEAD)
            };
            let mut growing: Vec<&mut StreamValue> = values.filter(may_grow).map(|(_, value)| value).collect();
            let ready = match growing.as_slice() {
                [_] => vec![true],
                several => wait_readable(&several.iter().map(|value| value.input()).collect::<Vec<_>>()),
            };
            growing
                .iter_mut()
                .zip(ready)
                .filter(|(_, ready)| *ready)
                .for_each(|(value, _)| value.step(&mut self.framing));
        }
    }
}

impl LinesAhead {
    /// Ends all commands.
    pub(crate) fn stop(&mut self) {
        self.num_expected = 0;
        for ahead in self.queue.drain(..) {
            if let Some(value) = ahead.line.value {
                value.stop();
            }
        }
    }
}

impl Drop for LinesAhead {
    fn drop(&mut self) {
        self.stop();
    }
}

/// How many commands may run at the same time: one for each thread, within limits.
fn most_commands(session: &Session) -> usize {
    let files = usize::try_from(open_files_limit() / FILES_PER_COMMAND).unwrap_or(usize::MAX);
    session.num_threads().min(MOST_COMMANDS).min(files)
}

#[cfg(test)]
mod tests;
