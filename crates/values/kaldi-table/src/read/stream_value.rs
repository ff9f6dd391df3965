//! A value at the start of a stream, read in steps.

use std::sync::Arc;

use kaldi_io::log::warning;
use kaldi_io::{Blob, Chunk, Growth, Input, Locator, Need, ParseError, TextLines, Window};

use crate::framing::{Extent, Framing, find_extent};
use crate::read::loaded::{Loaded, content};

/// A value that is being read: the bytes so far, and their state.
#[derive(Debug)]
pub(crate) struct StreamValue {
    window: Window,
    progress: Progress,
    /// Whether the value ends with the stream.
    is_open: bool,
}

#[derive(Debug)]
enum Progress {
    /// The window has to grow before looking again makes sense.
    Partial(Growth),
    /// The value takes this many bytes.
    Whole(usize),
    /// The same, and it was checked whether the stream ends there.
    Settled(usize),
    /// What is there is not a value.
    Fault(ParseError),
    /// The stream cannot be read.
    Unreadable(kaldi_io::Error),
}

impl StreamValue {
    /// Opens the stream that a name names. A command runs from here on.
    pub(crate) fn open(locator: &Locator, framing: &mut impl Framing) -> Result<Self, kaldi_io::Error> {
        Ok(Self::new(Input::open_located(locator)?, Vec::new(), framing))
    }

    /// Starts with `bytes` that were already read of the stream.
    pub(crate) fn new(input: Input, bytes: Vec<u8>, framing: &mut impl Framing) -> Self {
        let window = Window::with_bytes(input, bytes);
        let mut value = Self { window, progress: Progress::Whole(0), is_open: false };
        value.parse_front(framing);
        value
    }

    /// The stream.
    pub(crate) fn input(&self) -> &Input {
        self.window.input()
    }

    /// Bytes in memory.
    pub(crate) fn len(&self) -> usize {
        self.window.bytes().len()
    }

    /// Whether nothing is left to be read.
    pub(crate) fn is_settled(&self) -> bool {
        !matches!(self.progress, Progress::Partial { .. } | Progress::Whole(_))
    }

    /// Whether it is known that there is no value.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.progress, Progress::Fault(_) | Progress::Unreadable(_))
    }

    /// Reads once and looks at what is there then.
    pub(crate) fn step(&mut self, framing: &mut impl Framing) {
        match self.progress {
            Progress::Partial(growth) => match self.window.read_once(growth) {
                Ok(true) => self.parse_front(framing),
                Ok(false) => {}
                Err(error) => self.progress = Progress::Unreadable(error),
            },
            Progress::Whole(length) => {
                // The value is complete, whatever the command does now. If it has ended, its status may matter.
                let _ = self.window.look_for_end();
                self.progress = Progress::Settled(length);
            }
            Progress::Settled(_) | Progress::Fault(_) | Progress::Unreadable(_) => {}
        }
    }

    /// Frames what is there.
    fn parse_front(&mut self, framing: &mut impl Framing) {
        self.progress = match find_extent(framing, &self.window, 0, |_, _| false) {
            Ok((Extent::Whole(length), is_open)) => {
                self.is_open = is_open;
                Progress::Whole(length)
            }
            Ok((Extent::More(need), _)) => Progress::Partial(self.window.growth(need)),
            Ok((Extent::Stored(length), _)) => Progress::Partial(self.window.growth(Need::Exactly(length))),
            Err(error) => Progress::Fault(error),
        };
        if let Progress::Whole(_) = self.progress {
            self.window.expect_end();
        }
    }

    /// Reads until the value is complete. Returns it, what was read after it, and the stream.
    pub(crate) fn take(mut self, framing: &mut impl Framing) -> Result<(Loaded, Vec<u8>, Input), kaldi_io::Error> {
        let length = loop {
            match std::mem::replace(&mut self.progress, Progress::Settled(0)) {
                Progress::Whole(length) | Progress::Settled(length) => break length,
                Progress::Unreadable(error) => return Err(error),
                Progress::Fault(source) => {
                    let error = content(
                        self.input().name(),
                        self.window.offset(),
                        self.window.bytes(),
                        self.window.at_end(),
                        &TextLines::at(self.window.offset()),
                        source,
                    );
                    // If the command failed, that is the reason for the wrong value.
                    self.window.finish()?;
                    return Err(error);
                }
                partial => {
                    self.progress = partial;
                    self.step(framing);
                }
            }
        };
        let base = self.window.offset();
        let (input, mut bytes) = self.window.into_parts();
        let rest = bytes.split_off(length);
        let is_text = framing.is_text(&bytes);
        let chunk = Chunk { bytes, base, name: input.name().into(), rest: None };
        Ok((Loaded::new(Blob::in_chunk(&Arc::new(chunk), 0..length), is_text, self.is_open), rest, input))
    }

    /// Reads until the value is complete, and ends its command.
    pub(crate) fn finish(mut self, framing: &mut impl Framing) -> Result<Loaded, kaldi_io::Error> {
        while !self.is_settled() {
            self.step(framing);
        }
        let (loaded, _, mut input) = self.take(framing)?;
        if let Err(error) = input.finish() {
            warning!("{error}; the value before it was whole");
        }
        Ok(loaded)
    }

    /// The stream, and the bytes that were read of it.
    pub(crate) fn into_parts(self) -> (Input, Vec<u8>) {
        self.window.into_parts()
    }

    /// Drops the value, and asks its command to end.
    pub(crate) fn stop(self) {
        self.window.into_parts().0.stop();
    }
}
