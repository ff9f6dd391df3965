//! Parts of FLAC files, found by the numbers of frames.

use std::ops::Range;

use kaldi_io::ParseError;
use sound_files::ReadSound;

use crate::flac::{Flac, Frames, first_sample, frames_start, unreadable};

/// Bytes of the header.
const HEAD: u64 = 42;
/// The least bytes that are read at the end of a file, and where a frame is looked for.
const LEAST: u64 = 1 << 15;
/// The most bytes of a frame that is looked for.
const MOST: u64 = 1 << 20;
/// Decoding so many samples takes less time than a look for a nearer frame.
const NEAR: u64 = 1 << 15;
/// Looks at places where a frame should be if all were of one length; then the range is halved each time.
const GUESSES: usize = 6;

/// A FLAC file of which parts are decoded: a frame is found by bisection, since each one has its number.
#[derive(Clone, Debug)]
pub(crate) struct FlacPlaces {
    pub(crate) flac: Flac,
    /// Where the frames start.
    start: u64,
    pub(crate) num_samples: u64,
    /// Samples of a frame; `None` if frames are not numbered from the start of the file.
    block: Option<u64>,
    /// The bytes in which a whole frame is found.
    window: u64,
}

impl FlacPlaces {
    /// Reads the header of a file. If its end does not show that it is whole, all of it is decoded once.
    ///
    /// # Errors
    /// If it is no FLAC file, or cannot be decoded.
    pub(crate) fn read(file: &dyn ReadSound) -> Result<Self, ParseError> {
        let (mut places, is_whole) = Self::look(file)?;
        if !is_whole {
            places.num_samples = places.flac.decode_up_to(file, u64::MAX, &mut |_, _| ())?;
        }
        Ok(places)
    }

    /// Reads the header of a file, and whether its end shows that it is whole; if not, the number of samples is a claim.
    ///
    /// # Errors
    /// If it is no FLAC file, or cannot be read.
    pub(crate) fn look(file: &dyn ReadSound) -> Result<(Self, bool), ParseError> {
        let length = file.length();
        let head = bytes(file, 0, HEAD.min(length))?;
        let flac = Flac::read(&head)?;
        let start = frames_start(file)?;
        let longest = flac.stream.longest_frame.map(u64::from);
        let window = longest.map_or(LEAST, |longest| (2 * longest).clamp(LEAST, MOST));
        let tail = window.min(length - start as u64);
        let is_whole = longest.is_some() && flac.ends_well(Some(start), &bytes(file, length - tail, tail)?, length);
        let num_samples = flac.info.num_samples.unwrap_or(0);
        let block = Some(flac.stream.longest_block.into());
        let mut places = Self { flac, start: start as u64, num_samples, block, window };
        let first = places.frame_after(file, start as u64, start as u64 + 1)?;
        places.block = places.block.filter(|_| first == Some((start as u64, 0)));
        Ok((places, is_whole))
    }

    /// The samples of each channel of a part, at the 16-bit scale.
    ///
    /// # Errors
    /// If it cannot be decoded; then as decoding the file from its start tells it.
    pub(crate) fn part(&self, file: &dyn ReadSound, part: Range<u64>) -> Result<Vec<Vec<f32>>, ParseError> {
        if let Some(channels) = self.found_part(file, &part) {
            return Ok(channels);
        }
        let count = part.end - part.start;
        let channels = self.flac.clone().decode_part(file, part)?;
        match channels[0].len() as u64 {
            got if got == count => Ok(channels),
            got => Err(ParseError::new(self.start as usize, format!("expected {count} samples, got {got}"))),
        }
    }

    /// The part from the nearest frame on; `None` if something is wrong on the way.
    fn found_part(&self, file: &dyn ReadSound, part: &Range<u64>) -> Option<Vec<Vec<f32>>> {
        let block = self.block?;
        let (at, mut got) = self.find(file, part.start).ok()?;
        let mut frames = Frames::new(file, at);
        let mut channels = vec![Vec::new(); self.flac.info.num_channels()];
        while got < part.end {
            let frame = frames.next().ok()??;
            // The last frame may be shorter, and then its number is not that of its first sample.
            let is_next = frame.time() == got || u64::from(frame.duration()) != block;
            if frame.channels() as usize != channels.len() || !is_next {
                return None;
            }
            self.flac.append(&frame, got, part, &mut channels);
            got += u64::from(frame.duration());
            frames.give_back(frame);
        }
        Some(channels)
    }

    /// A frame that is not far before a sample: where it is, and its first sample.
    fn find(&self, file: &dyn ReadSound, sample: u64) -> Result<(u64, u64), ParseError> {
        // The sample is not before the first of these, and before the second.
        let (mut low, mut high) = ((self.start, 0), (file.length(), self.num_samples));
        let mut guesses = 0..GUESSES;
        while sample - low.1 > NEAR && high.0 - low.0 > self.window {
            let ratio = (sample - low.1) as f64 / (high.1.max(sample + 1) - low.1) as f64;
            let guess = low.0 + ((high.0 - low.0) as f64 * ratio) as u64;
            // The frame is looked for from there on, so a little before is better.
            let place = match guesses.next() {
                Some(_) => guess.saturating_sub(self.window / 4).max(low.0 + 1),
                None => low.0.midpoint(high.0),
            };
            match self.frame_after(file, place, high.0)? {
                Some((at, first)) if first <= sample => low = (at, first),
                Some((_, first)) => high = (place, first),
                None => high.0 = place,
            }
        }
        Ok(low)
    }

    /// The first frame that starts at a place or after it, and before `end`: where it is, and its first sample. `None` also if none is near.
    fn frame_after(&self, file: &dyn ReadSound, place: u64, end: u64) -> Result<Option<(u64, u64)>, ParseError> {
        let window = bytes(file, place, self.window.min(file.length().saturating_sub(place)))?;
        let most = usize::try_from(end.saturating_sub(place)).unwrap_or(usize::MAX).min(window.len());
        let is_sync = |at: &usize| window[*at] == 0xff && window.get(at + 1).is_some_and(|byte| byte & 0xfe == 0xf8);
        let is_frame = |at: &usize| {
            // Both of its checksums are right.
            let rest = &window[*at..];
            let frame = Frames::new(&rest, 0).next();
            frame.is_ok_and(|it| it.is_some_and(|it| it.channels() as usize == self.flac.info.num_channels()))
        };
        let found = (0..most).filter(is_sync).find(is_frame);
        let block = self.block.unwrap_or(0);
        Ok(found.and_then(|at| Some((place + at as u64, first_sample(&window[at..], block)?))))
    }
}

fn bytes(file: &dyn ReadSound, at: u64, count: u64) -> Result<Vec<u8>, ParseError> {
    let mut bytes = Vec::new();
    file.read_at(at, &mut bytes, count as usize).map_err(|error| unreadable(at as usize, Some(&error)))?;
    Ok(bytes)
}
