//! Zstandard streams: frames, one after the other. Some frames are skipped.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::feed::Feed;

pub(super) struct ZstdDecoder {
    feed: Feed,
    frame: FrameDecoder,
    is_started: bool,
    /// Bytes of the frame that were delivered.
    delivered: u64,
    /// What is wrong with the frame, after the bytes that were decoded before.
    fault: Option<io::Error>,
}

/// A last block of nothing, and a checksum.
const LAST_BLOCK: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

impl ZstdDecoder {
    pub(super) fn new(feed: Feed) -> Self {
        Self { feed, frame: FrameDecoder::new(), is_started: false, delivered: 0, fault: None }
    }

    pub(super) fn feed(&mut self) -> &mut Feed {
        &mut self.feed
    }

    pub(super) fn feed_ref(&self) -> &Feed {
        &self.feed
    }

    pub(super) fn into_feed(self) -> Feed {
        self.feed
    }

    /// Starts the next frame. Returns `false` at the end.
    fn start(&mut self) -> io::Result<bool> {
        loop {
            if self.feed.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.frame.init(&mut self.feed) {
                Ok(()) => break,
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let skipped = io::copy(&mut (&mut self.feed).take(length.into()), &mut io::sink())?;
                    if skipped < length.into() {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        (self.is_started, self.delivered) = (true, 0);
        Ok(true)
    }

    /// Compares a frame that has ended with the length and the checksum that it claims; a length of 0 means that it claims none.
    fn check(&self) -> io::Result<()> {
        let expected = self.frame.content_size();
        if expected > 0 && self.delivered != expected {
            let message = format!("expected {expected} bytes by the header of the frame, got {}", self.delivered);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        match (self.frame.get_checksum_from_data(), self.frame.get_calculated_checksum()) {
            (Some(expected), Some(got)) if expected != got => {
                let message = format!("expected a checksum of {expected:08x}, got {got:08x}");
                Err(io::Error::new(io::ErrorKind::InvalidData, message))
            }
            _ => Ok(()),
        }
    }
}

impl Read for ZstdDecoder {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.is_started && self.frame.can_collect() > 0 {
                let got = self.frame.read(out)?;
                self.delivered += got as u64;
                return Ok(got);
            }
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            if self.is_started && !self.frame.is_finished() {
                let strategy = BlockDecodingStrategy::UptoBytes(out.len());
                if let Err(error) = self.frame.decode_blocks(&mut self.feed, strategy) {
                    // The frame keeps what later blocks may repeat. If it ends, all that was decoded comes out.
                    let _ = self.frame.decode_blocks(&LAST_BLOCK[..], BlockDecodingStrategy::All);
                    self.fault = Some(io::Error::other(error));
                }
                continue;
            }
            if self.is_started {
                self.check()?;
                self.is_started = false;
            }
            if !self.start()? {
                return Ok(0);
            }
        }
    }
}
