//! Reading the headers of waveforms of any kind.

use std::borrow::Cow;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Value};

use crate::coded::{self, Form};
use crate::flac::{self, Flac};
use crate::riff::Riff;
use crate::{Wave, WaveInfo};

impl WaveInfo {
    /// Reads the header at the cursor, and skips the samples. Waveforms have no ranges. Problems that do not keep the
    /// file from being read are [warnings](Cursor::warn_at).
    ///
    /// # Errors
    /// If the bytes are no such header, it says what cannot be, or there is a range.
    pub fn read(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Self, ParseError> {
        if let Some(range) = range {
            Wave::read_range(cursor, range)?;
        }
        let start = cursor.offset();
        let moved = |mut error: ParseError| {
            error.offset += start;
            error
        };
        let (bytes, is_all) = (cursor.rest(), cursor.beyond() == 0);
        let explained = |error| moved(if is_all { coded::explain_end(error, bytes) } else { error });
        match Form::of(bytes, is_all) {
            Form::Flac => {
                let flac = Flac::read(cursor.rest()).map_err(explained)?;
                cursor.advance(cursor.rest().len());
                return Ok(flac.info);
            }
            Form::Coded(kind) => {
                let (info, remarks) = coded::read_header(kind, cursor.rest(), cursor.beyond()).map_err(moved)?;
                remarks.into_iter().for_each(|remark| cursor.warn_at(moved(remark)));
                cursor.skip(cursor.rest().len() as u64 + cursor.beyond())?;
                return Ok(info);
            }
            Form::NeedMoreBytes => return Err(cursor.end("a header of sound")),
            Form::Riff => {}
        }
        let mut riff = Riff::read(bytes).map_err(explained)?;
        cursor.skip(riff.samples.start)?;
        if let Some(num_bytes) = riff.samples.num_bytes {
            let there = cursor.rest().len();
            if cursor.skip(num_bytes).is_err() {
                riff.note_truncated(there as u64);
                cursor.advance(there);
            }
        }
        riff.remarks.into_iter().for_each(|remark| cursor.warn_at(moved(remark)));
        Ok(riff.info)
    }

    /// Reads the header of a file of `size` bytes, of which the first ones are in memory; `None` if more of them are
    /// needed.
    ///
    /// # Errors
    /// As [`WaveInfo::read`].
    pub fn in_head(head: &[u8], size: u64) -> Option<Result<Self, ParseError>> {
        let beyond = size.saturating_sub(head.len() as u64);
        match Self::read(&mut Cursor::new_head(head, beyond), None) {
            Err(error) if error.at_end && beyond > 0 => None,
            info => Some(info),
        }
    }

    /// Whether a file of `length` bytes ends as its header says. In most kinds of files, the header and the length are enough, and
    /// it is `true`. In FLAC, the last frame has to be the one up to the last sample, so `tail` is called for the last bytes. If it
    /// is `false`, only the whole file shows what is wrong.
    ///
    /// # Errors
    /// Those of `tail`.
    pub fn ends_well<'a, E>(
        head: &[u8],
        tail: impl FnOnce() -> Result<Cow<'a, [u8]>, E>,
        length: u64,
    ) -> Result<bool, E> {
        match Form::of(head, false) {
            Form::Flac => {
                let tail = tail()?;
                Ok(Flac::read(head).is_ok_and(|flac| flac.ends_well(flac::frames_start(&head).ok(), &tail, length)))
            }
            Form::Riff | Form::Coded(_) | Form::NeedMoreBytes => Ok(true),
        }
    }
}
