//! A value at the begin of a stream, read step by step.

use std::ops::Range;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::{Frame, Input, ParseError};
use kaldi_log::warning;

use crate::archive::CHUNK;
use crate::entry::{Chunk, FrameFn};
use crate::loader::{Loaded, content};

/// A value on its way in: what was read of it, and how far that is.
#[derive(Debug)]
pub(crate) struct StreamValue {
    input: Input,
    frame: FrameFn,
    bytes: Vec<u8>,
    /// Offset in the stream of the first byte.
    base: u64,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    /// Up to `limit` bytes are to be read at once, and `enough` to be there before it is worth looking again.
    Partial { enough: usize, limit: usize },
    /// The value takes so many bytes.
    Whole(usize),
    /// So it does, and whether the stream ends behind it has been looked at.
    Settled(usize),
    /// What is there is no value.
    Fault(ParseError),
    /// The stream cannot be read.
    Unreadable(kaldi_io::Error),
}

impl StreamValue {
    /// Starts at the begin of what `rxfilename` names; a command runs from here on.
    pub(crate) fn open(rxfilename: &BStr, frame: FrameFn) -> Result<Self, kaldi_io::Error> {
        Ok(Self::new(Input::open(rxfilename)?, Vec::new(), frame))
    }

    /// Starts where `bytes` were read of the stream already.
    pub(crate) fn new(input: Input, bytes: Vec<u8>, frame: FrameFn) -> Self {
        let base = input.offset() - bytes.len() as u64;
        let mut value = Self { input, frame, bytes, base, progress: Progress::Whole(0) };
        value.look();
        value
    }

    /// The stream.
    pub(crate) fn input(&self) -> &Input {
        &self.input
    }

    /// Bytes in memory.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether nothing is left to be read.
    pub(crate) fn is_settled(&self) -> bool {
        !matches!(self.progress, Progress::Partial { .. } | Progress::Whole(_))
    }

    /// Whether it is known that there is no value.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.progress, Progress::Fault(_) | Progress::Unreadable(_))
    }

    /// Reads once, and looks what there is then.
    pub(crate) fn step(&mut self) {
        match self.progress {
            Progress::Partial { enough, limit } => match self.input.read_some(&mut self.bytes, limit) {
                Ok(count) if count > 0 && self.bytes.len() < enough => {}
                Ok(_) => self.look(),
                Err(error) => self.progress = Progress::Unreadable(error),
            },
            Progress::Whole(length) => {
                // The value is whole, whatever the command does now; where it has ended, it may have a word to say.
                if !self.input.at_end() {
                    let _ = self.input.read_some(&mut Vec::new(), CHUNK);
                }
                self.progress = Progress::Settled(length);
            }
            Progress::Settled(_) | Progress::Fault(_) | Progress::Unreadable(_) => {}
        }
    }

    /// Frames what is there. A long value must have grown by half before the next look, since framing starts over.
    fn look(&mut self) {
        self.progress = match (self.frame)(&self.bytes, self.input.at_end()) {
            Ok(Frame::Whole(length)) => Progress::Whole(length),
            Ok(Frame::Partial(wanted) | Frame::Beyond(wanted)) => {
                let length = self.bytes.len();
                let missing = usize::try_from(wanted).unwrap_or(usize::MAX).saturating_sub(length);
                let limit = missing.min(length).max(CHUNK);
                let enough = length + if length > 4 * CHUNK { limit.min(length / 2) } else { 1 };
                Progress::Partial { enough, limit }
            }
            Err(error) => Progress::Fault(error),
        };
    }

    /// Reads on until the value is whole and returns it in a chunk with what was read behind it, and the stream.
    pub(crate) fn take(mut self) -> Result<(Arc<Chunk>, Range<usize>, Input), kaldi_io::Error> {
        let length = loop {
            match std::mem::replace(&mut self.progress, Progress::Settled(0)) {
                Progress::Whole(length) | Progress::Settled(length) => break length,
                Progress::Unreadable(error) => return Err(error),
                Progress::Fault(source) => {
                    let error = content(self.input.name(), self.base, &self.bytes, source);
                    // A command that failed is the reason for a value that is none.
                    self.input.finish()?;
                    return Err(error);
                }
                partial => {
                    self.progress = partial;
                    self.step();
                }
            }
        };
        let chunk = Chunk { bytes: self.bytes, base: self.base, name: self.input.name().into() };
        Ok((Arc::new(chunk), 0..length, self.input))
    }

    /// Reads on until the value is whole, and ends the command that it comes from.
    pub(crate) fn finish(mut self) -> Result<Loaded, kaldi_io::Error> {
        while !self.is_settled() {
            self.step();
        }
        let (chunk, value, input) = self.take()?;
        if let Err(error) = input.finish() {
            warning!("{error}; the value before it was whole");
        }
        Ok(Loaded::whole(chunk, value))
    }

    /// Gives the value up, and asks the command that it comes from to end.
    pub(crate) fn stop(self) {
        self.input.stop();
    }
}
